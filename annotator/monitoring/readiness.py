"""Whether this server can serve people: each requirement, with its state."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, connection

from annotator import disk
from annotator.celery import broker_fault

FRESH_S = 5.0  # an answer of the broker counts for so long


@dataclass(frozen=True, slots=True)
class PartState:
    """``detail`` says what is wrong, for the operator: never more
    than a sentence, and no secret."""

    name: str
    is_good: bool
    detail: str = ""


def states() -> list[PartState]:
    """Database, its tables, broker and disk; none of the checks raises."""
    return [PartState(name, not fault, fault) for name, fault in _faults()]


def _faults() -> Iterator[tuple[str, str]]:
    fault = _of_database()
    yield "database", fault
    yield "migrations", "not known: the database is away" if fault else _of_tables()
    yield "broker", _of_broker()
    yield "disk", _of_disk()


def _of_database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        return f"does not answer ({type(error).__name__})"
    return ""


def _of_tables() -> str:
    """By the names of the steps, without importing them."""
    folder = Path(apps.get_app_config("annotator").path) / "migrations"
    wanted = {path.stem for path in folder.glob("[0-9]*.py")}
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT name FROM django_migrations WHERE app = 'annotator'")
            applied = {name for (name,) in cursor.fetchall()}
    except DatabaseError:
        return "none yet: run manage.py migrate"
    if lacking := wanted - applied:
        return f"{len(lacking)} lacking, from {min(lacking)} on: run manage.py migrate"
    if newer := applied - wanted:
        return f"{max(newer)} is of a newer Gemel than this one"
    return ""


class _Remembered:
    """An answer that is asked for again when it is not fresh."""

    def __init__(self, ask: Callable[[], str]) -> None:
        self._ask = ask
        self._at, self._answer = float("-inf"), ""

    def __call__(self) -> str:
        if monotonic() - self._at > FRESH_S:
            self._answer, self._at = self._ask(), monotonic()
        return self._answer


_of_broker = _Remembered(broker_fault)


def _of_disk() -> str:
    try:
        return f"{disk.free_mb():.0f} MB left" if disk.is_low() else ""
    except OSError as error:
        return f"{settings.GEMEL_HOME} cannot be read ({type(error).__name__})"
