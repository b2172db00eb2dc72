"""The kinds of jobs: a name, and where its generator of ``Step`` lives.

The generator gets the Job and yields ``core.protocols.Step``; what it returns becomes
``job.result``. It must be resumable: run again, it goes on where the last run ended.
"""

from collections.abc import Callable, Generator
from importlib import import_module
from typing import Any

from annotator.models import Job
from core.protocols import Step

__all__ = ["KINDS", "Runner", "runner"]

Runner = Callable[[Job], Generator[Step, None, dict[str, Any] | None]]

KINDS: dict[str, str] = {
    "align": "annotator.services.alignments.phrases:run",
    "align_words": "annotator.services.alignments.words:run",
    "bitext_import": "annotator.services.paraphrases.bitexts:run",
    "bitext_links": "annotator.services.paraphrases.bitext_links:run",
    "bitext_parses": "annotator.services.paraphrases.bitext_parses:run",
    "campaign_items": "annotator.services.campaigns.items:run",
    "import": "annotator.services.corpora.imports:run",
    "index": "annotator.services.queries.index:run",
    "joint": "annotator.services.parses.joint:run",
    "linking": "annotator.services.parses.linking:run",
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


def runner(kind: str) -> Runner:
    """The generator function of this kind; KeyError if there is no such kind."""
    module, _, name = KINDS[kind].partition(":")
    function: Runner = getattr(import_module(module), name)
    return function
