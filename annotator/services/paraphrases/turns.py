"""How far a job is that does several kinds of work, one after the other."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from core.protocols import Step


def in_turn(works: Iterable[Iterable[Step]]) -> Iterator[Step]:
    """What each says, its total on top of what was done before it."""
    before = 0
    for work in works:
        done = 0
        for step in work:
            done += step.done + step.failed
            whole = None if step.total is None else before + step.total
            yield replace(step, total=whole)
        before += done


def by_stage(steps: Iterable[Step], stages: Sequence[str]) -> Iterator[Step]:
    """Steps whose notes begin with their stage, and say nothing of how many come: of
    ``stages`` each counts as one, done when the next begins or all ends."""
    done = 0
    yield Step(total=len(stages))
    for step in steps:
        before = stages.index(step.note.split(" ")[0])
        yield Step(done=before - done, note=step.note)
        done = before
    yield Step(done=len(stages) - done)
