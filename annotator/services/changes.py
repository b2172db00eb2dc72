"""Changes on record: what they stand on, each once, and which one undo would take."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db import IntegrityError
from django.db.models import Model
from django.utils.translation import gettext as _

from annotator.errors import BadRequest, Conflict, StaleEdit
from annotator.models import LinkEvent, TreeEvent
from annotator.throughput.writing import write

M = TypeVar("M", bound=Model)


def hold(row: M | None) -> None:
    """Keep the row until the transaction ends, or say that it is gone; None is there.

    Others may still name it or change it. Raises Conflict. An import that is undone
    deletes the rows that no one uses, and cannot see what is not committed yet;
    PostgreSQL would refuse the whole transaction as it ends.
    """
    if row is None:
        return
    rows = type(row)._base_manager.filter(pk=row.pk)
    if not rows.select_for_update(no_key=True).exists():
        raise Conflict(
            _("The import of this data has just been undone. Reload the page.")
        )


@contextmanager
def once(row: Any, event: type[Model], uuid: UUID) -> Iterator[None]:
    """A transaction that changes a row and puts the message ``uuid`` on its record.

    Where this message is there already, nothing is changed, and the row is as it is
    now. Raises BadRequest if another row has it; else what is raised within.
    """
    try:
        with write():
            yield
    except (StaleEdit, IntegrityError) as error:
        if not event._default_manager.filter(uuid=uuid).exists():
            raise
        if not row.events.filter(uuid=uuid).exists():
            problem = _("This uuid was used by another message.")
            raise BadRequest(problem, field="uuid") from error
        row.refresh_from_db()


E = TypeVar("E", LinkEvent, TreeEvent)


@dataclass(frozen=True)
class Steps(Generic[E]):
    """What undo and redo would do next; None: nothing."""

    undo: E | None
    redo: E | None

    def of(self, op: str) -> E:
        """What "undo" or "redo" would do. Raises Conflict if that is nothing."""
        event = self.undo if op == "undo" else self.redo
        if event is None:
            raise Conflict(
                _("There is nothing to undo.")
                if op == "undo"
                else _("There is nothing to redo.")
            )
        return event


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
