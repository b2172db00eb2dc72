"""Pages of imported ratings: the choice of columns and scales."""

from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.exchange.files import ENCODINGS
from annotator.exchange.peers.registry import PEERS, TABLE
from annotator.exchange.rating_tables import FIELDS, LAYOUTS, RatingsReading
from annotator.exchange.tables import DELIMITERS
from annotator.models import Project, Upload
from annotator.services.reports import rating_tables
from annotator.services.reports.rating_tables import SHOWN, RatingsPreview
from core.data.ratings import Scale

TOOLS = [tool.LABEL for tool in PEERS.values()]

MOST_SCALES = 200


def reading_of(sent: QueryDict) -> RatingsReading:
    """How to read the file, from the form. Raises BadRequest."""
    layout = sent.get("layout", "")
    if layout and layout not in LAYOUTS:
        text = _("There is no layout %(name)s.") % {"name": repr(layout)}
        raise BadRequest(text, field="layout")
    fields = {name: sent.get(f"field-{name}", "") for name in FIELDS}
    ranges, thresholds = _scales(sent)
    return RatingsReading(
        layout,
        {name: column for name, column in fields.items() if column},
        tuple(sent.getlist("values")),
        ranges,
        thresholds,
        _one_of(sent, "encoding", ENCODINGS),
        _one_of(sent, "delimiter", DELIMITERS),
        has_header=not sent.get("headless"),
        tool=_one_of(sent, "tool", (*PEERS, TABLE)),
    )


def readable(sent: QueryDict, refused: Exception) -> RatingsReading:
    """The same without what the form says of scales, and without a tool that was
    refused, so that the page can be shown; as guessed where more is wrong."""
    left = sent.copy()
    left.pop("scale", None)
    if getattr(refused, "facts", {}).get("field") == "tool":
        left.pop("tool", None)
    try:
        return reading_of(left)
    except BadRequest:
        return RatingsReading()


def _one_of(sent: QueryDict, name: str, known: Any) -> str:
    value = sent.get(name, "")
    if value and value not in known:
        text = _("There is no %(field)s %(name)s.")
        raise BadRequest(text % {"field": name, "name": repr(value)}, field=name)
    return value


def _scales(sent: QueryDict) -> tuple[dict[str, list[int]], dict[str, float]]:
    """Declared ranges and thresholds, by the scale's name."""
    ranges: dict[str, list[int]] = {}
    thresholds: dict[str, float] = {}
    for n, name in enumerate(sent.getlist("scale")[:MOST_SCALES]):
        low, high, cut = (
            sent.get(f"{what}-{n}", "").strip() for what in ("low", "high", "threshold")
        )
        if low and high:
            ranges[name] = [int(_number(low, name)), int(_number(high, name))]
        if cut:
            thresholds[name] = _number(cut, name)
    return ranges, thresholds


def _number(text: str, name: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not -1e6 <= value <= 1e6:
        problem = _("%(scale)s: %(text)s is not a number.")
        values = {"scale": name, "text": repr(text)}
        raise BadRequest(problem % values, field="ranges")
    return value


def check(
    project: Project, upload: Upload, reading: RatingsReading, name: str
) -> dict[str, Any]:
    """The file's content with these settings, and alternatives. Raises BadRequest."""
    page = _page(project, upload, rating_tables.try_out(upload, reading))
    return page | {"name": name or upload.name.rsplit(".", 1)[0], "problem": []}


def refused(
    project: Project, upload: Upload, sent: QueryDict, name: str, why: Exception
) -> dict[str, Any]:
    """The same, read as far as it can be, and why it is not taken."""
    page = check(project, upload, readable(sent, why), name)
    return page | {"problem": str(why).split("\n")}


def _page(project: Project, upload: Upload, trial: RatingsPreview) -> dict[str, Any]:
    reading = trial.reading
    return {
        "project": project,
        "upload": upload,
        "found": trial,
        "reading": reading,
        "shown": SHOWN,
        "layouts": LAYOUTS.items(),
        "fields": [
            (name, label, reading.fields.get(name, ""))
            for name, (label, _known) in FIELDS.items()
            if name in _SHOWN_FIELDS[reading.layout]
        ],
        "scales": [_scale_row(scale, trial) for scale in trial.scales],
        "tool": reading.tool if trial.report else "",
        "tools": [(name, tool.LABEL) for name, tool in PEERS.items()],
        "lacking": ", ".join(trial.lacking),
        "encodings": ENCODINGS,
        "delimiters": [(sign, _(name)) for sign, name in DELIMITERS.items()],
    }


_SHOWN_FIELDS = {
    "long": set(FIELDS),
    "scales": set(FIELDS) - {"scale", "value"},
    "annotators": {"item", "condition", "source"},
}


def _scale_row(scale: Scale, trial: RatingsPreview) -> dict[str, Any]:
    """``is_number``: its points are whole numbers, so that a range can be declared.

    ``proposed``: a range to be looked at, as long as the form has said none.
    """
    reading = trial.reading
    whole = bool(scale.points) and all(point == int(point) for point in scale.points)
    seen = [int(scale.points[0]), int(scale.points[-1])] if whole else ["", ""]
    return {
        "name": scale.name,
        "is_number": whole,
        "low": seen[0],
        "high": seen[1],
        "proposed": trial.proposed.get(scale.name) if not reading.ranges else None,
        "is_declared": scale.name in reading.ranges,
        "labels": ", ".join(scale.labels[:12]),
        "threshold": reading.thresholds.get(scale.name, ""),
    }
