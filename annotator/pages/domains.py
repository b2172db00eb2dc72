"""What a page shows of unknown words: how many sentences have how many, and F1."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotator.errors import Refusal
from annotator.models.projects import Anybody
from annotator.numbers import local
from annotator.pages import parses
from annotator.services.parses import offered, parsers
from annotator.services.parses.accuracy import CorpusEngine
from annotator.svg import charts
from core.errors import GemelError
from core.layout.charts import line_chart
from core.layout.measure import GlyphTable

TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def report(
    engine: CorpusEngine | None, engines: Sequence[CorpusEngine]
) -> dict[str, Any]:
    """The domain report of an engine, next to the one that it helps, if any.

    ``rows``: one class of sentences each, with ``f1`` and ``before``; ``share``: of all
    words that the parser has not seen, in percent; ``svg``: "" where there is no gold.
    {} if the engine does not list its training words.
    """
    if engine is None or not engine.by_unknown:
        return {}
    base = next((e for e in engines if e.key == engine.helps), None)
    plain = base.by_unknown if base else [{}] * len(engine.by_unknown)
    names = _names([row["most"] for row in engine.by_unknown])
    rows = [
        {**row, "name": name, "before": other.get("f1")}
        for name, row, other in zip(names, engine.by_unknown, plain, strict=True)
    ]
    words, unknown = (sum(row[k] for row in rows) for k in ("words", "unknown"))
    share = 100 * unknown / words if words else 0.0
    table = {"rows": rows, "share": share, "words": words, "unknown": unknown}
    return table | {"svg": _chart(engine, base, rows, names), "base": base}


def _names(ends: Sequence[float]) -> list[str]:
    """Such as none, to 5 %, to 10 %."""
    return [
        _("to %(share)s") % {"share": f"{100 * end:.0f} %"} if end else _("none")
        for end in ends
    ]


def _chart(
    engine: CorpusEngine,
    base: CorpusEngine | None,
    rows: Sequence[dict[str, Any]],
    names: list[str],
) -> str:
    scored = [row for row in rows if row["f1"] is not None or row["before"] is not None]
    if not scored:
        return ""
    series = [(_("with it") if base else "F1", [_share(row["f1"]) for row in rows])]
    if base:
        series.append((_("without"), [_share(row["before"]) for row in rows]))
    chart = line_chart(
        series,
        names,
        low=0,
        high=1,
        ticks_y=TICKS,
        measure=GlyphTable(),
        note_x=_("unknown words of a sentence"),
    )
    description = "; ".join(
        ngettext(
            "%(name)s: F1 %(f1)s over %(n)s sentence",
            "%(name)s: F1 %(f1)s over %(n)s sentences",
            row["scored"],
        )
        % {"name": name, "f1": local(f"{row['f1']:.1f}"), "n": row["scored"]}
        for name, row in zip(names, rows, strict=True)
        if row["f1"] is not None
    )
    title = _("F1 by unknown words, %(parser)s") % {"parser": engine.key}
    return charts.draw(chart, title=title, desc=description)


def _share(percent: float | None) -> float | None:
    return None if percent is None else percent / 100


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
