"""Rating scales: templates, changes, and valid answers."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, Conflict
from annotator.models import Campaign, Item, Judgment, RatingScale
from annotator.models.projects import Anybody
from core.agreement.judgments import open_answers
from core.errors import InvalidValue

MAX_POINTS, MAX_SCALES, MAX_TEXT = 11, 6, 2000
Kind = RatingScale.Kind
WITHOUT_POINTS = (Kind.NUMBER, Kind.BEST, Kind.TEXT, Kind.SPANS)
WITHOUT_THRESHOLD = (Kind.NOMINAL, Kind.BEST, Kind.TEXT, Kind.SPANS)


@dataclass(frozen=True, slots=True)
class TaskTemplate:
    """What a campaign can start from: scales, and of a task beyond substitution also
    guidelines, settings and training items. A manager edits or translates its words.
    """

    title: str
    scales: list[dict[str, Any]]
    guideline: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    training: Sequence[Mapping[str, Any]] = ()


@cache
def templates() -> dict[str, TaskTemplate]:
    """All that ``tasks.toml`` has, by name, in its order."""
    text = Path(__file__).with_name("tasks.toml").read_text(encoding="utf-8")
    return {name: TaskTemplate(**one) for name, one in tomllib.loads(text).items()}


def make_scales(campaign: Campaign, template: str) -> None:
    """The scales of a template, for a campaign that has none. Raises BadRequest."""
    if template not in templates():
        problem = _("There is no template %(name)s.") % {"name": repr(template)}
        raise BadRequest(problem, field="template")
    for position, scale in enumerate(templates()[template].scales):
        RatingScale.objects.create(campaign=campaign, position=position, **scale)


@transaction.atomic
def set_scales(
    campaign: Campaign, wanted: Sequence[Mapping[str, Any]], *, by: Anybody
) -> None:
    """Replace the scales; each a mapping like those of ``tasks.toml``.

    Once there are answers only texts may change (titles, questions, anchors,
    thresholds). Raises NotAllowed, BadRequest naming the field, and Conflict.
    """
    access.require(by, "manage", campaign.project)
    fresh = [_scale(campaign, one, at) for at, one in enumerate(wanted)]
    if not 1 <= len(fresh) <= MAX_SCALES:
        problem = _("Enter 1 to %(most)s scales.") % {"most": MAX_SCALES}
        raise BadRequest(problem, field="scales")
    if len({scale.name for scale in fresh}) < len(fresh):
        raise BadRequest(_("Two scales have the same name."), field="name")
    shapes = [(s.name, s.kind, s.values()) for s in campaign.scales.all()]
    moved = shapes != [(s.name, s.kind, s.values()) for s in fresh]
    if moved and Judgment.objects.of(campaign).answered().exists():
        raise Conflict(
            _(
                "People have answered on these scales, so their names, kinds and "
                "values cannot change. Create another campaign for other scales."
            )
        )
    campaign.scales.all().delete()
    RatingScale.objects.bulk_create(fresh)
    campaign.revision += 1
    campaign.save(update_fields=["revision"])


def _scale(campaign: Campaign, wanted: Mapping[str, Any], at: int) -> RatingScale:
    title = str(wanted.get("title", "")).strip()[:80]
    name = slugify(str(wanted.get("name") or title))[:40]
    kind = str(wanted.get("kind", "ordinal"))
    if not name or not title:
        raise BadRequest(_("Enter a name and a title for the scale."), field="title")
    if kind not in RatingScale.Kind.values:
        problem = _("There is no kind of scale %(name)s.") % {"name": repr(kind)}
        raise BadRequest(problem, field="kind")
    low, high = _range(wanted) if kind == RatingScale.Kind.NUMBER else (0, 100)
    points = [] if kind in WITHOUT_POINTS else _checked_points(wanted, kind)
    return RatingScale(
        campaign=campaign,
        position=at,
        name=name,
        title=title,
        question=str(wanted.get("question", "")).strip()[:300],
        kind=kind,
        points=points,
        low=low,
        high=high,
        threshold=_threshold(wanted.get("threshold"), kind),
    )


def _range(wanted: Mapping[str, Any]) -> tuple[int, int]:
    try:
        low, high = int(wanted.get("low", 0)), int(wanted.get("high", 100))
    except (TypeError, ValueError):
        problem = _("The range must be two whole numbers.")
        raise BadRequest(problem, field="low") from None
    if not 1 <= high - low <= 1000:
        raise BadRequest(_("The range must go up, by at most 1000."), field="high")
    return low, high


def _checked_points(wanted: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    points = []
    for point in wanted.get("points") or []:
        label = str(point.get("label") or point.get("value", "")).strip()[:40]
        value = _value(point, label, kind)
        anchor = str(point.get("anchor", "")).strip()[:300]
        points.append({"value": value, "label": label, "anchor": anchor})
    values = [point["value"] for point in points]
    if not 2 <= len(points) <= MAX_POINTS or len(set(values)) < len(values):
        raise BadRequest(
            _("A scale has 2 to %(most)s points with different values.")
            % {"most": MAX_POINTS},
            field="points",
        )
    return points


def _value(point: Mapping[str, Any], label: str, kind: str) -> Any:
    value = point.get("value", label)
    if kind == RatingScale.Kind.NOMINAL:
        return str(value).strip()[:40]
    try:
        return int(value)
    except (TypeError, ValueError):
        raise BadRequest(
            _("%(value)s: the value of an ordered point is a whole number.")
            % {"value": repr(value)},
            field="points",
        ) from None


def _threshold(value: Any, kind: str) -> float | None:
    if value in (None, "") or kind in WITHOUT_THRESHOLD:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        raise BadRequest(_("The threshold is a number."), field="threshold") from None


def scales_for(campaign: Campaign) -> tuple[RatingScale, ...]:
    """The scales, kept in memory until the campaign's revision moves."""
    return _scales(campaign.code, campaign.revision)


@lru_cache(maxsize=256)
def _scales(code: str, revision: int) -> tuple[RatingScale, ...]:
    return tuple(RatingScale.objects.filter(campaign__code=code))


def closed_scales(campaign: Campaign) -> tuple[RatingScale, ...]:
    """Those whose answers are values of a scale."""
    return tuple(scale for scale in scales_for(campaign) if not scale.is_open)


def sentences_of(item: Item) -> tuple[str, str]:
    """Both sentences in which words are marked."""
    at = item.instance
    return at.sentence, at.with_paraphrase(item.paraphrase)


def in_words(scale: RatingScale, value: Any, item: Item) -> Any:
    """A stored value as people read it: marked words in quotes, each sentence apart."""
    if scale.kind != Kind.SPANS or not isinstance(value, str):
        return value
    texts, sides = sentences_of(item), (_("original"), _("paraphrase"))
    try:
        marks = open_answers.read_marks(value, (len(texts[0]), len(texts[1])))
    except InvalidValue:  # the paraphrase was corrected since
        return value
    parts = [
        f"{side}: " + ", ".join(f"“{texts[n][one.start : one.end]}”" for one in of)
        for n, side in enumerate(sides)
        if (of := [one for one in marks if one.side == n])
    ]
    return "; ".join(parts) or _("nothing marked")


def check_values(
    campaign: Campaign, values: Mapping[str, Any], item: Item | None = None
) -> dict[str, Any]:
    """The answer as stored: a value for every scale. Raises BadRequest.

    ``item``: the one whose words may be marked.
    """
    known = {}
    for scale in scales_for(campaign):
        value = values.get(scale.name)
        if value is None:
            problem = _("Choose a value for %(scale)s.") % {"scale": scale.title}
            raise BadRequest(problem, field=scale.name)
        if scale.is_open:
            known[scale.name] = _open_answer(scale, value, item)
            continue
        if isinstance(value, bool) or value not in scale.values():
            named = {"value": repr(value), "scale": scale.title}
            problem = _("%(value)s is not on the scale %(scale)s.") % named
            raise BadRequest(problem, field=scale.name)
        known[scale.name] = value
    extra = set(values) - set(known)
    if extra:
        problem = _("There is no scale %(name)s.") % {"name": repr(sorted(extra)[0])}
        raise BadRequest(problem, field="values")
    return known


def _open_answer(scale: RatingScale, value: Any, item: Item | None) -> str:
    """A text without spaces around it, or marks in their one spelling."""
    named = {"scale": scale.title, "most": MAX_TEXT}
    text = value.strip() if isinstance(value, str) else None
    if scale.kind == Kind.TEXT:
        if not text or len(text) > MAX_TEXT or "\0" in text:
            problem = _("%(scale)s: enter 1 to %(most)s characters.") % named
            raise BadRequest(problem, field=scale.name)
        return text
    first, second = map(len, sentences_of(item) if item else ("", ""))
    try:
        if text is None:
            raise InvalidValue("marks are text")
        return open_answers.marks_text(open_answers.read_marks(text, (first, second)))
    except InvalidValue:
        problem = _("%(scale)s: the marks do not fit the sentences.") % named
        raise BadRequest(problem, field=scale.name) from None
