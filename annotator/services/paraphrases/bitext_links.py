"""Linking the words of a bitext, as a job: with the built-in aligner or eflomal."""

import queue
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest
from annotator.models import Bitext, Job
from annotator.models.projects import Anybody
from annotator.services import jobs
from core.pivoting.bitext import set_links
from core.protocols import Step
from core.word_alignment import bilingual, eflomal
from core.word_alignment.bilingual import (
    BitextLinks,
    BitextSettings,
    BitextStep,
    Symmetrisation,
    TokenCorpus,
)

LISTEN_S = 0.2
Message = TypeVar("Message")
Made = TypeVar("Made")


class _Given(Exception):
    """No one listens any more."""


def followed(
    work: Callable[[Callable[[Message], None]], Made],
) -> Generator[Message, None, Made]:
    """Run ``work(tell)`` in a separate thread; yield what it reports, return what it
    returns, raise what it raises. When closed early, ``tell`` raises within the work,
    which must not use the database."""
    messages: queue.Queue[Message] = queue.Queue(maxsize=8)
    stop = threading.Event()

    def tell(message: Message) -> None:
        while not stop.is_set():
            try:
                return messages.put(message, timeout=LISTEN_S)
            except queue.Full:
                continue
        raise _Given

    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(work, tell)
        try:
            while not (made.done() and messages.empty()):
                with suppress(queue.Empty):
                    yield messages.get(timeout=LISTEN_S)
        finally:
            stop.set()
    return made.result()


KIND = "bitext_links"
EMBEDDED = "hmm"
SYMMETRISATIONS: tuple[Symmetrisation, ...] = (
    "grow-diag-final-and",
    "intersect",
    "union",
)
_STAGES = {
    "ibm1": "Model 1",
    "hmm": "HMM, each direction alone",
    "agree": "HMM, by agreement",
    "links": "Choosing links",
}


def engines() -> tuple[str, ...]:
    """The aligners there are: the embedded one, and eflomal if it is installed."""
    return (EMBEDDED, "eflomal") if eflomal.is_installed() else (EMBEDDED,)


def start(
    bitext: Bitext,
    *,
    engine: str = EMBEDDED,
    symmetrise: str = SYMMETRISATIONS[0],
    by: Anybody,
    enqueue: bool = True,
) -> Job:
    """A job that links the words of every pair again.

    Raises NotAllowed; BadRequest on an aligner or symmetrisation that there is not;
    Conflict while one is at work on this bitext.
    """
    access.require(by, "run", bitext.project)
    if engine not in engines():
        reason = _("Aligners: %(names)s.") % {"names": ", ".join(engines())}
        raise BadRequest(reason, field="engine")
    if symmetrise not in SYMMETRISATIONS:
        known = ", ".join(SYMMETRISATIONS)
        reason = _("Symmetrisations: %(names)s.") % {"names": known}
        raise BadRequest(reason, field="symmetrise")
    return jobs.start(
        bitext.project,
        KIND,
        title=f"Link the words of {bitext.name}: {engine}",
        by=by,
        params={"bitext": bitext.code, "engine": engine, "symmetrise": symmetrise},
        engine=engine,
        enqueue=enqueue,
    )


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """The job's face of ``link``."""
    bitext = Bitext.objects.get(project=job.project, code=job.params["bitext"])
    return (yield from link(bitext, job.params["engine"], job.params["symmetrise"]))


def link(
    bitext: Bitext, engine: str = EMBEDDED, how: Symmetrisation = SYMMETRISATIONS[0]
) -> Generator[Step, None, dict[str, Any]]:
    """Learn from all pairs and link them; the links are there all at once, or not."""
    yield Step(note=f"Linking the words of {bitext.name}")
    rules = BitextSettings(symmetrise=how)
    align = _embedded if engine == EMBEDDED else _eflomal
    done = 0
    steps = followed(partial(align, bitext, rules))
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            links: BitextLinks = end.value
            break
        note = f"{_STAGES[step.stage]}, round {step.round}"
        yield Step(done=step.done - done, total=step.total, note=note)
        done = step.done
    set_links(bitext.pairs_path, links.lines())
    version = eflomal.version() if engine == "eflomal" else bilingual.VERSION
    bitext.n_links, bitext.aligner = len(links.cells), f"{engine} {version}"
    bitext.save(update_fields=["n_links", "aligner"])
    return {"aligner": bitext.aligner, "links": bitext.n_links}


def _embedded(
    bitext: Bitext, rules: BitextSettings, tell: Callable[[BitextStep], None]
) -> BitextLinks:
    sides = (
        TokenCorpus.of(getattr(pair, side) for pair in bitext.pairs.pairs())
        for side in ("source", "target")
    )
    return bilingual.align_bitext(*sides, settings=rules, on_iteration=tell)


def _eflomal(
    bitext: Bitext, rules: BitextSettings, tell: Callable[[BitextStep], None]
) -> BitextLinks:
    """eflomal tells nothing of its progress."""
    tell(BitextStep(0, 1, "hmm", 1, 0.0))
    pairs = ((pair.source, pair.target) for pair in bitext.pairs.pairs())
    return eflomal.align(pairs, settings=rules)
