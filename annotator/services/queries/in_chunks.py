"""Updating the search index within a job, in chunks that many workers take.

First the trees, then the chosen tree of each sentence, then the layers on them: each
kind is a part of the job. A chunk is indexed in portions, each one transaction, so an
interrupted chunk continues.
"""

import time
from collections.abc import Generator, Sequence
from typing import Any

from annotator import jobkinds
from annotator.models import Job, JobChunk
from annotator.services import chunks
from annotator.services.queries import index
from core.protocols import Step

PARTS = dict(
    zip(jobkinds.INDEX_PARTS, (index.PARSE, index.SENTENCE, index.LAYER), strict=True)
)
FEW = 1024  # no more than these are done by the worker that holds the job, at once
TRIES = 20  # portions in a row that someone changes; then they are left to searches
PAUSE_S = 0.25


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Index what is noted of a project, counted."""
    corpora = _corpora(job)
    yield _of_all(job, corpora)
    yield from _in_parts(job, corpora)
    n_done = 0
    for step in index.in_steps(job.project):
        n_done += step.done
        yield _of_all(job, corpora, done=step.done, before=n_done)
    return {"indexed": _in_rows(job) + n_done}


def follow(job: Job, result: dict[str, Any] | None) -> Generator[Step, None, None]:
    """Index what a job has brought, not counted. ``result``: what it has said, kept
    with the first chunk, so that its own work is not done again should it go on."""
    corpora = _corpora(job)
    yield from _in_parts(job, corpora, result=result)
    for _ in index.in_steps(job.project):
        yield Step()


def run_chunk(job: Job, chunk: JobChunk) -> Generator[Step, None, None]:
    """Index what is noted of a chunk. What others, who search, have done is counted as
    found."""
    what, corpora, left = PARTS[chunk.part], _corpora(job), chunk.n
    ids, tries = (chunk.first, chunk.last), TRIES
    while tries and (keys := index.noted(what, corpora, ids=ids, limit=index.PORTION)):
        try:
            n = index.portion(what, keys, together=True)
        except index.Busy:
            tries -= 1
            time.sleep(PAUSE_S)
            n = 0
        else:
            tries = TRIES
        chunks.note(chunk, done=min(n, left))
        left -= min(n, left)
        yield Step()
    chunks.note(chunk, found=left)
    chunks.close(chunk, [])


def _in_parts(
    job: Job, corpora: Sequence[int], *, result: dict[str, Any] | None = None
) -> Generator[Step, None, None]:
    for part, what in PARTS.items():
        if not job.chunks.filter(part=part).exists():
            keys = index.noted(what, corpora) if corpora else []
            if len(keys) <= FEW:
                continue
            Job.objects.filter(pk=job.pk, claim=job.claim).update(result=result or {})
            chunks.split(job, part, keys, found=0)
        if job.kind == "index":
            yield _of_all(job, corpora)
        yield from chunks.work(job, part)


def _of_all(
    job: Job, corpora: Sequence[int], *, done: int = 0, before: int = 0
) -> Step:
    """The total grows: a new tree is a reason to look at its sentence again."""
    split = set(job.chunks.order_by().values_list("part", flat=True).distinct())
    kinds = [what for part, what in PARTS.items() if before or part not in split]
    left = sum(len(index.noted(what, corpora)) for what in kinds) if corpora else 0
    return Step(done=done, total=_in_rows(job) + before + left)


def _in_rows(job: Job) -> int:
    return sum(job.chunks.order_by().values_list("n", flat=True))


def _corpora(job: Job) -> list[int]:
    return list(job.project.corpora.values_list("pk", flat=True))
