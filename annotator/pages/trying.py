"""The page "try a sentence": parsed at once, nothing is stored."""

from typing import Any
from urllib.parse import urlencode

from annotator.errors import Refusal
from annotator.models.projects import Anybody
from annotator.pages import parses
from annotator.services.parses import offered, parsers
from core.errors import GemelError

EXAMPLE = "The nurse who opened the window saw a man with a telescope."


def try_out(text: str, engine: str, rank: int, *, by: Anybody) -> dict[str, Any]:
    """The parse of ``text``, its ``rank``-th tree; ``error`` where there is none."""
    page: dict[str, Any] = {
        "text": text,
        "engine": engine,
        "parsers": offered.of_person(by),
        "example": EXAMPLE,
        "query": urlencode({"text": text, "engine": engine}),
    }
    try:
        return page | (_tried(text, engine, rank, by=by) if text else {})
    except (GemelError, Refusal) as error:
        return page | {"error": str(error)}


def _tried(text: str, engine: str, rank: int, *, by: Anybody) -> dict[str, Any]:
    backend = offered.load_for(by, engine)
    tried = parses.tried(parsers.try_out(text, backend), rank)
    return tried | {"unreadable": parsers.unreadable(text, backend.info)}
