"""Tables that are open for reading, each with the language model of its text."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from annotator.errors import Conflict
from annotator.models import ParaphraseTable
from annotator.services.paraphrases.tables import MODEL

if TYPE_CHECKING:
    from core.pivoting.language_model import TrigramModel
    from core.pivoting.table import Table

_lock = threading.Lock()  # a table answers one thread at a time


@dataclass(frozen=True, slots=True)
class Opened:
    """``model``: None where none was made with the table."""

    table: "Table"
    model: "TrigramModel | None"


@contextmanager
def opened(row: ParaphraseTable, *, model: bool = False) -> "Iterator[Opened]":
    """The files of a table, for this thread alone while it reads.

    ``model``: the language model too, which takes seconds the first time. Raises
    Conflict while the table has not been made yet, Unavailable if its files are gone.
    """
    if row.made_at is None:
        reason = _("%(name)s has not been created yet; see its job.")
        raise Conflict(reason % {"name": row.name})
    made = row.made_at.isoformat()
    with _lock:
        yield Opened(
            _table(row.folder, made), _model(row.folder, made) if model else None
        )


@lru_cache(maxsize=4)
def _table(folder: Path, made: str) -> "Table":
    """``made`` tells a table from the one that was there before."""
    from core.pivoting.table import open_table  # DuckDB: only when it is used

    return open_table(folder)


@lru_cache(maxsize=2)
def _model(folder: Path, made: str) -> "TrigramModel | None":
    from core.pivoting.language_model import read_arpa

    path = folder / MODEL
    return read_arpa(path) if path.is_file() else None
