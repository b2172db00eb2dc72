"""Rating scales: templates, changes, and valid answers."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.db import transaction
from django.utils.functional import Promise
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotator import access
from annotator.errors import BadRequest, Conflict
from annotator.models import Campaign, Judgment, RatingScale
from annotator.models.projects import Anybody
from annotator.services.campaigns.task_templates import TASKS

MAX_POINTS, MAX_SCALES = 11, 6


def _points(*anchors: str) -> list[dict[str, Any]]:
    """Points from the highest value down to 1, as they are shown."""
    top = len(anchors)
    return [
        {"value": top - i, "label": str(top - i), "anchor": anchor}
        for i, anchor in enumerate(anchors)
    ]


MEANING = {
    "name": "meaning",
    "title": "Meaning",
    "question": "How much of what the original phrase says is kept?",
    "points": _points(
        "Says the same: nothing is lost and nothing is added.",
        "Says the same, with something extra that does not change it.",
        "Says the same in the main; a detail is lost without great harm.",
        "A good part of it says something else.",
        "Says something else altogether.",
    ),
    "threshold": 3,
}
GRAMMAR = {
    "name": "grammar",
    "title": "Grammar",
    "question": "How well-formed is the whole sentence with the paraphrase in it?",
    "points": _points(
        "Flawless.",
        "Correct, though it may sound a little awkward.",
        "One slip of agreement, as between subject and verb or article and noun.",
        "Several mistakes, or words missing that it cannot do without.",
        "No longer a sentence of the language.",
    ),
    "threshold": 4,
}
OVERALL = {
    "name": "quality",
    "title": "Quality",
    "question": "Would the paraphrase do in place of the original?",
    "points": _points(
        "Yes, as it stands.",
        "Yes, after a small change.",
        "Hardly: only part of it fits.",
        "No.",
    ),
    "threshold": 3,
}
SLIDER = {
    "name": "adequacy",
    "title": "Adequacy",
    "question": "How well does the paraphrase serve here, from 0 to 100?",
    "kind": "number",
    "low": 0,
    "high": 100,
    "threshold": 50,
}
LABELS = {
    "name": "relation",
    "title": "Relation",
    "question": "How does the paraphrase relate to the original?",
    "kind": "nominal",
    "points": [
        {"value": "same", "label": "Same", "anchor": "Both say the same."},
        {"value": "wider", "label": "Wider", "anchor": "The paraphrase says less."},
        {"value": "narrower", "label": "Narrower", "anchor": "It says more."},
        {"value": "other", "label": "Other", "anchor": "They say different things."},
    ],
}
TEMPLATES: dict[str, tuple[Promise, list[dict[str, Any]]]] = {
    "substitution": (
        gettext_lazy("Meaning and grammar, five points each"),
        [MEANING, GRAMMAR],
    ),
    "four": (gettext_lazy("One scale of four points"), [OVERALL]),
    "hundred": (gettext_lazy("One number from 0 to 100"), [SLIDER]),
    "labels": (gettext_lazy("Labels without order"), [LABELS]),
    **{name: (task.title, task.scales) for name, task in TASKS.items()},
}
"""Scales to begin with: a name, what people read, and the scales."""


def make_scales(campaign: Campaign, template: str) -> None:
    """The scales of a template, for a campaign that has none. Raises BadRequest."""
    if template not in TEMPLATES:
        problem = _("There is no template %(name)s.") % {"name": repr(template)}
        raise BadRequest(problem, field="template")
    for position, scale in enumerate(TEMPLATES[template][1]):
        RatingScale.objects.create(campaign=campaign, position=position, **scale)


@transaction.atomic
def set_scales(
    campaign: Campaign, wanted: Sequence[Mapping[str, Any]], *, by: Anybody
) -> None:
    """Replace the scales; each a mapping like those of ``TEMPLATES``.

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
    without = (RatingScale.Kind.NUMBER, RatingScale.Kind.BEST)
    points = [] if kind in without else _checked_points(wanted, kind)
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
    without = (RatingScale.Kind.NOMINAL, RatingScale.Kind.BEST)
    if value in (None, "") or kind in without:
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


def check_values(campaign: Campaign, values: Mapping[str, Any]) -> dict[str, Any]:
    """The answer as stored: a value for every scale. Raises BadRequest."""
    known = {}
    for scale in scales_for(campaign):
        value = values.get(scale.name)
        if value is None:
            problem = _("Choose a value for %(scale)s.") % {"scale": scale.title}
            raise BadRequest(problem, field=scale.name)
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
