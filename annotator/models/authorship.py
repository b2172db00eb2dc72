"""The author of a tree or a layer: an account, or a name from a file.

A file may name anyone as author. Imported work belongs to no account: the name is kept
in the row's ``meta`` and shown as imported, with the file and the importing person.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from django.conf import settings
from django.db import models

AUTHOR = "_author"  # in ``meta``: the name that the file gives
IMPORTED = "_imported"  # in ``meta``: {"file": …, "by": …, "at": …}
MARK = " (imported)"  # no name of an account can end so


def account(**options: Any) -> Any:
    """A key to the account of a person, which stays as long as their work does."""
    return models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, **options)


def import_job() -> Any:
    """A key to the import that brought a row; None: it was made here."""
    return models.ForeignKey(
        "annotator.Job", models.SET_NULL, null=True, db_index=False, related_name="+"
    )


class Made(Protocol):
    """A row with an author or without."""

    author_id: int | None
    author: Any
    meta: Mapping[str, Any]


def author_of(row: Made) -> str:
    """The person's name; of imported work the file's word, marked; "" for neither."""
    if row.author_id:
        return str(row.author)
    name = str(row.meta.get(AUTHOR, ""))
    return imported_name(name) if name else ""


def imported_name(name: str) -> str:
    """As shown: with invisible and direction-changing characters spelt out."""
    plain = "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode()
        for sign in name
    )
    return plain + MARK
