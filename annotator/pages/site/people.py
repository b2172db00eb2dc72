"""Lists of people: a page at a time, or those whose name someone types a part of."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet

PEOPLE = 100  # of a page
FEWEST = 10  # of a page with many fields for each
LONGEST = 150  # characters of a name
OTHER_FIELDS = 20  # of a form, next to those of its people


def typed(sent: Mapping[str, str]) -> str:
    """The part of a name that is looked for; "": everyone is shown."""
    return sent.get("q", "").replace("\x00", "").strip()[:LONGEST]


def named(rows: QuerySet[Any], text: str, *, label: str = "") -> QuerySet[Any]:
    """Those with ``text`` in the name of their ``user``, whatever its case.

    ``label``: the field that names those who are no user.
    """
    if not text:
        return rows
    wanted = Q(user__username__icontains=text)
    if label:
        wanted |= Q(user=None, **{f"{label}__icontains": text})
    return rows.filter(wanted)


def page_of(rows: Any, number: str, *, size: int = PEOPLE) -> Page[Any]:
    """So many of them: a page, the first or the last where there is none such."""
    return Paginator(rows, size).get_page(number)


def at_once(n_fields: int) -> int:
    """How many people a form may hold with so many fields for each: Django refuses one
    with more than ``DATA_UPLOAD_MAX_NUMBER_FIELDS``."""
    most = (settings.DATA_UPLOAD_MAX_NUMBER_FIELDS or 10**6) - OTHER_FIELDS
    return max(FEWEST, min(PEOPLE, most // max(1, n_fields)))
