"""The items behind a figure, with each judge's answers."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext

from annotator.errors import BadRequest
from annotator.models import Campaign, Item
from annotator.services.reports.agreement import ReportSource, ReportSpec
from annotator.services.reports.judged_data import Read
from core.agreement.judgments.dataset import Dataset
from core.agreement.judgments.items import ItemChoice, Range, behind, item_agreement
from core.agreement.judgments.report import BETWEEN
from core.data.ratings import Scale
from core.errors import InvalidValue

CASE_FIELDS = (
    "scale",
    "pair",
    "values",
    "same",
    "by",
    "value",
    "made",
    "correct",
    "together",
    "shared",
    "again",
    "gold",
)


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One item: its text in parts, and each judge's values in order of the scales.

    ``judges``: (label, values of the first look, values of a later one or ()).
    ``decided``: the curator's values. ``conditions``: who made it. ``agreed``: the
    share of pairs of judges that agree, on each scale, "" with fewer than two.
    """

    code: str
    before: str
    phrase: str
    after: str
    paraphrase: str
    judges: list[tuple[str, list[str], list[str]]]
    decided: list[str]
    conditions: list[str]
    agreed: list[str]


def chosen_case(data: Dataset, params: dict[str, str]) -> ItemChoice:
    """The case that the parameters describe. Raises BadRequest on one that is not."""
    names = [question.scale.name for question in data.questions]
    place = _place(names, params["scale"], "scale") if params.get("scale") else 0
    if not data.questions:
        raise BadRequest(gettext("This has no scales."), field="scale")
    scale = data.questions[place].scale
    judges = list(data.annotators)
    pair = [_place(judges, part, "pair") for part in _parts(params, "pair")]
    values = [_range(scale, part, "values") for part in _parts(params, "values")]
    if len(pair) not in (0, 2) or len(values) not in (0, 2):
        raise BadRequest(gettext("Enter two, separated by a comma."), field="pair")
    by, condition = params.get("by"), params.get("made")
    return ItemChoice(
        question=place,
        pair=(min(pair), max(pair)) if pair else None,
        values=(values[0], values[1]) if values else None,
        same=_flag(params, "same"),
        by=_place(judges, by, "by") if by else None,
        value=_range(scale, params["value"], "value") if params.get("value") else None,
        condition=_place(list(data.conditions), condition, "made")
        if condition
        else None,
        correct=_flag(params, "correct"),
        together=_flag(params, "together"),
        shared=_flag(params, "shared"),
        again=_flag(params, "again"),
        gold=_flag(params, "gold"),
    )


def cases(
    read: Read, spec: ReportSpec, case: dict[str, str]
) -> tuple[Dataset, list[int]]:
    """The part of the data asked for, and the places of the items in the case."""
    data = spec.of(read.data).in_order()
    return data, [int(i) for i in behind(data, chosen_case(data, case))]


def case_rows(
    of: ReportSource, data: Dataset, places: list[int], read: Read
) -> list[CaseRow]:
    """The content of each item and its answers; two queries in total."""
    codes = [data.items[place] for place in places]
    items: dict[str, Item] = {}
    if isinstance(of.row, Campaign):
        rows = of.row.items.filter(code__in=codes).select_related("instance")
        items = {item.code: item for item in rows}
    made: dict[int, list[str]] = {}
    for condition, item, _ in data.credit:
        made.setdefault(int(item), []).append(data.conditions[condition])
    shares = [item_agreement(data.ratings(q)) for q in range(len(data.questions))]
    return [
        _row(
            data,
            place,
            items.get(data.items[place]),
            read,
            made.get(place, []),
            [f"{share[place]:.0%}" if share[place] >= 0 else "" for share in shares],
        )
        for place in places
    ]


def titles_of(of: ReportSource, codes: list[str]) -> dict[str, str]:
    """Phrase and paraphrase of each item, by code; nothing for outside ratings."""
    if not isinstance(of.row, Campaign):
        return {}
    rows = of.row.items.filter(code__in=codes)
    fields = rows.values_list("code", "instance__phrase", "paraphrase")
    return {code: f"{phrase} → {other}" for code, phrase, other in fields}


def _row(
    data: Dataset,
    place: int,
    item: Item | None,
    read: Read,
    made: list[str],
    agreed: list[str],
) -> CaseRow:
    decided = _labels(data, data.adjudicated[place])
    judges = _judges(data, place)
    if item is None:
        key = data.items[place]
        text = read.texts.get(key, "")
        return CaseRow("", text, "", "", key, judges, decided, made, agreed)
    instance = item.instance
    return CaseRow(
        item.code,
        instance.before,
        instance.phrase,
        instance.after,
        item.paraphrase,
        judges,
        decided,
        made,
        agreed,
    )


def _judges(data: Dataset, place: int) -> list[tuple[str, list[str], list[str]]]:
    judgments: dict[int, list[list[str]]] = {}
    for row in np.flatnonzero(data.item == place):
        values = judgments.setdefault(int(data.annotator[row]), [[], []])
        values[min(int(data.round[row]), 2) - 1] = _labels(data, data.values[row])
    return [(data.annotators[who], a, b) for who, (a, b) in sorted(judgments.items())]


def _labels(data: Dataset, codes: Any) -> list[str]:
    if (codes < 0).all():
        return []
    return [
        question.scale.labels[code] if code >= 0 else ""
        for question, code in zip(data.questions, codes, strict=True)
    ]


def _parts(params: dict[str, str], name: str) -> list[str]:
    """The two parts; a comma serves people who write addresses by hand."""
    if not params.get(name):
        return []
    return params[name].split(BETWEEN if BETWEEN in params[name] else ",")


def _place(names: list[str], name: str, field: str) -> int:
    if name not in names:
        text = gettext("There is no %(field)s %(name)s here.")
        raise BadRequest(text % {"field": field, "name": repr(name)}, field=field)
    return names.index(name)


def _range(scale: Scale, text: str, field: str) -> Range:
    low, dots, high = text.partition("..")
    try:
        if text in scale.labels:
            return scale.code(text), scale.code(text)
        first = scale.code(low)
        return first, scale.code(high) if dots else first
    except InvalidValue as error:
        raise BadRequest(str(error), field=field) from error


def _flag(params: dict[str, str], name: str) -> bool | None:
    if not params.get(name):
        return None
    if params[name] not in ("0", "1"):
        raise BadRequest(gettext("Enter 0 or 1."), field=name)
    return params[name] == "1"
