"""What a person's new work stands on, held until the work is stored.

An import that is undone deletes the rows that no one uses, and cannot see what is
not committed yet. PostgreSQL checks what a row names only as its transaction ends, and
would then refuse the whole of it; on SQLite transactions that write come one after
another.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Model
from django.utils.translation import gettext as _

from annotator.errors import Conflict
from annotator.models import LinkEvent, TreeEvent

M = TypeVar("M", bound=Model)


def hold(row: M | None) -> None:
    """Keep the row until the transaction ends, or say that it is gone; None is there.

    Others may still name it or change it. Raises Conflict.
    """
    if row is None:
        return
    rows = type(row)._base_manager.filter(pk=row.pk)
    if not rows.select_for_update(no_key=True).exists():
        raise Conflict(
            _("The import of this data has just been undone. Reload the page.")
        )


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
