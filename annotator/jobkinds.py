"""The kinds of jobs: names, and the location of their generators of ``Step``.

The generator gets the Job and yields ``core.protocols.Step``; its return value becomes
``job.result``. It must be resumable: run again, it continues where the last run ended.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from annotator.models import Job, JobChunk
from core.protocols import Step

Runner = Callable[[Job], Generator[Step, None, dict[str, Any] | None]]
ChunkRunner = Callable[[Job, JobChunk], Generator[Step, None, None]]
Follower = Callable[[Job, dict[str, Any] | None], Generator[Step, None, None]]
INTERACTIVE = "interactive"


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job. ``module``: where its generator ``run`` lives.

    ``same``: the params by which two jobs do the same work, so that one is refused
    while the other is at work; (): any number may be. ``beside``: other kinds that do
    that work, too. ``chunk``: what works on a chunk of one that is split.
    """

    module: str
    queue: str = INTERACTIVE
    same: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    chunk: str = ""


_SERVICES = "annotator.services"
_PARSED = f"{_SERVICES}.parses.parsers:run_chunk"
KINDS: dict[str, JobKind] = {
    "align": JobKind("alignments.phrases", "parse", ("corpus",)),
    "align_words": JobKind("alignments.words", "parse", ("corpus",)),
    "bitext_import": JobKind("paraphrases.bitexts"),
    "bitext_links": JobKind("paraphrases.bitext_links", "parse", ("bitext",)),
    "bitext_parses": JobKind("paraphrases.bitext_parses", "parse", ("bitext",)),
    "campaign_items": JobKind("campaigns.items"),
    "find_paraphrases": JobKind("alignments.finding", "parse", ("source", "other")),
    "import": JobKind("corpora.imports"),
    "index": JobKind("queries.in_chunks"),
    "joint": JobKind("parses.joint", "parse", ("corpus", "parser", "settings")),
    "linking": JobKind("parses.linking_corpora", "train", ("name",)),
    "machine": JobKind("campaigns.machines", "train", ("machine",)),
    "paraphrase_items": JobKind("paraphrases.test_sets"),
    "paraphrase_weights": JobKind("paraphrases.weights", "train", ("table",)),
    "paraphrases": JobKind("paraphrases.tables", "train"),
    "relabel": JobKind("treebanks.relabelling"),
    "rehearse": JobKind("campaigns.simulation"),
    "parse": JobKind("parses.parsers", "parse", ("corpus", "engine"), chunk=_PARSED),
    "release": JobKind("releases.kept"),
    "report": JobKind("reports.agreement"),
    "substitution": JobKind(
        "parses.substitution", "parse", ("corpus", "engine"), ("parse",), _PARSED
    ),
    "train_parser": JobKind("parses.training", "train", ("corpus",)),
    "score": JobKind("alignments.scores", "parse", ("corpus", "scorer")),
}
QUEUES = ("parse", "train")  # next to that of interactive jobs
INDEX_PARTS = ("index trees", "index sentences", "index layers")  # of any job
INDEX_CHUNK = "annotator.services.queries.in_chunks:run_chunk"
FOLLOW = "annotator.services.queries.in_chunks:follow"


def queue_of(kind: str) -> str:
    """The queue of jobs of this kind."""
    return KINDS[kind].queue if kind in KINDS else INTERACTIVE


def kinds_of(queue: str) -> list[str]:
    return [kind for kind in KINDS if queue_of(kind) == queue]


def runner(kind: str) -> Runner:
    """The generator function of this kind; KeyError if there is no such kind."""
    function: Runner = _named(f"{_SERVICES}.{KINDS[kind].module}:run")
    return function


def chunk_runner(kind: str, part: str) -> ChunkRunner:
    """The function that works on a chunk of this part of a job; KeyError if it is not
    split."""
    place = INDEX_CHUNK if part in INDEX_PARTS else KINDS[kind].chunk
    function: ChunkRunner = _named(place)
    return function


def follower() -> Follower:
    """Indexes a job's results for searches, and keeps the job's own result."""
    function: Follower = _named(FOLLOW)
    return function


def _named(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
