"""The kinds of jobs: a name, and where its generator of ``Step`` lives.

The generator gets the Job and yields ``core.protocols.Step``; what it returns becomes
``job.result``. It must be resumable: run again, it goes on where the last run ended.
"""

from collections.abc import Callable, Generator
from importlib import import_module
from typing import Any

from annotator.models import Job, JobChunk
from core.protocols import Step

Runner = Callable[[Job], Generator[Step, None, dict[str, Any] | None]]
ChunkRunner = Callable[[Job, JobChunk], Generator[Step, None, None]]
Follower = Callable[[Job, dict[str, Any] | None], Generator[Step, None, None]]
INTERACTIVE = "interactive"

KINDS: dict[str, str] = {
    "align": "annotator.services.alignments.phrases:run",
    "align_words": "annotator.services.alignments.words:run",
    "bitext_import": "annotator.services.paraphrases.bitexts:run",
    "bitext_links": "annotator.services.paraphrases.bitext_links:run",
    "bitext_parses": "annotator.services.paraphrases.bitext_parses:run",
    "campaign_items": "annotator.services.campaigns.items:run",
    "import": "annotator.services.corpora.imports:run",
    "index": "annotator.services.queries.in_chunks:run",
    "joint": "annotator.services.parses.joint:run",
    "linking": "annotator.services.parses.linking_corpora:run",
    "paraphrase_items": "annotator.services.paraphrases.test_sets:run",
    "paraphrase_weights": "annotator.services.paraphrases.weights:run",
    "paraphrases": "annotator.services.paraphrases.tables:run",
    "relabel": "annotator.services.treebanks.batches:run",
    "rehearse": "annotator.services.campaigns.simulation:run",
    "parse": "annotator.services.parses.parsers:run",
    "release": "annotator.services.releases.kept:run",
    "report": "annotator.services.reports.jobs:run",
    "substitution": "annotator.services.parses.substitution:run",
    "train_parser": "annotator.services.parses.training:run",
    "score": "annotator.services.alignments.scores:run",
}

PARTED: dict[str, str] = {  # kinds split into chunks, and what works on one of them
    "parse": "annotator.services.parses.parsers:run_chunk",
    "substitution": "annotator.services.parses.parsers:run_chunk",
}
INDEX_PARTS = ("index trees", "index sentences", "index layers")  # of any job
INDEX_CHUNK = "annotator.services.queries.in_chunks:run_chunk"
FOLLOW = "annotator.services.queries.in_chunks:follow"
QUEUES: dict[str, tuple[str, ...]] = {  # of kinds; all others are interactive
    "parse": (
        "align",
        "align_words",
        "bitext_links",
        "bitext_parses",
        "joint",
        "parse",
        "score",
        "substitution",
    ),
    "train": ("linking", "paraphrase_weights", "paraphrases", "train_parser"),
}


def queue_of(kind: str) -> str:
    """The queue that jobs of this kind wait in."""
    return next((name for name, kinds in QUEUES.items() if kind in kinds), INTERACTIVE)


def kinds_of(queue: str) -> list[str]:
    return [kind for kind in KINDS if queue_of(kind) == queue]


def runner(kind: str) -> Runner:
    """The generator function of this kind; KeyError if there is no such kind."""
    function: Runner = _named(KINDS[kind])
    return function


def chunk_runner(kind: str, part: str) -> ChunkRunner:
    """What works on a chunk of this part of a job; KeyError if it is not split."""
    place = INDEX_CHUNK if part in INDEX_PARTS else PARTED[kind]
    function: ChunkRunner = _named(place)
    return function


def follower() -> Follower:
    """What indexes for searches what a job has brought, and keeps its result."""
    function: Follower = _named(FOLLOW)
    return function


def _named(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
