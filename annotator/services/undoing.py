"""Which step undo and redo would take next, read off a ledger."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from annotator.models import LinkEvent, TreeEvent

E = TypeVar("E", LinkEvent, TreeEvent)


@dataclass(frozen=True)
class Steps(Generic[E]):
    """What undo and redo would do next; None: nothing."""

    undo: E | None
    redo: E | None


def walk(events: Iterable[E]) -> Steps[E]:
    """Undo takes the last step, a new step ends redo. ``events``: one person's, in
    their order."""
    done: list[E] = []
    undone: list[E] = []
    for event in events:
        if event.op == "undo":
            done.pop()
            undone.append(event)
        elif event.op == "redo":
            undone.pop()
            done.append(event)
        else:
            done.append(event)
            undone.clear()
    return Steps(done[-1] if done else None, undone[-1] if undone else None)
