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
    "align": "annotator.services.aligning:run",
    "align_words": "annotator.services.word_aligning:run",
    "campaign_items": "annotator.services.campaign_items:run",
    "import": "annotator.services.importing:run",
    "joint": "annotator.services.joint_parsing:run",
    "rehearse": "annotator.services.simulating:run",
    "parse": "annotator.services.parsing:run",
    "report": "annotator.services.report_jobs:run",
    "score": "annotator.services.scoring:run",
}


def runner(kind: str) -> Runner:
    """The generator function of this kind; KeyError if there is no such kind."""
    module, _, name = KINDS[kind].partition(":")
    found: Runner = getattr(import_module(module), name)
    return found
