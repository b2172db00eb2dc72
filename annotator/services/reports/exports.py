"""A campaign as tables: judgments, items, and curators' decisions.

The judgments, one value a row, can be read back as ratings. Together with the items
they hold all that the report is computed from.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from django.db.models import Count, Q, Sum
from django.db.models.functions import TruncDate

from annotator import access
from annotator.exchange.written import Exported
from annotator.models import (
    Adjudication,
    Campaign,
    Credit,
    InvitationUse,
    Judgment,
    JudgmentEvent,
    MachineJudgment,
    RatingScale,
)
from annotator.models.projects import Anybody
from annotator.services.campaigns import crowd, judging, progress
from annotator.services.campaigns.scales import closed_scales
from annotator.services.reports import judged_data
from core.agreement.judgments import best_worst

JUDGMENTS = (
    *("item", "id", "kind", "annotator", "scale", "value", "condition", "rank"),
    *("source", "start", "end", "phrase", "paraphrase", "batch", "round", "counted"),
    *("extra", "late", "withdrawn", "revision", "guideline", "mode", "active_ms"),
    *("saved_at", "comment", "flag", "simulated", "expected", "scale_kind", "points"),
    *(
        "threshold",
        "conditions",
        "baseline",
        "decided",
        "decided_by",
        "reason",
        "confidence",
    ),
)
ITEMS = (  # named as in a file of items, so that the table can be imported again
    *("item", "id", "kind", "batch", "condition", "rank", "score", "sentence"),
    *("start", "end", "phrase", "paraphrase", "why", "needed", "judged", "withdrawn"),
)
DECISIONS = (
    *("item", "id", "kind", "scale", "value", "sentence", "phrase", "paraphrase"),
    *("reason", "confidence", "accepts", "by_rule", "note", "by", "at", "number"),
)
MACHINES = (
    *("item", "id", "kind", "machine", "model", "scale", "value", "expected"),
    *("source", "start", "end", "phrase", "paraphrase", "withdrawn", "guideline"),
    *("seed", "at", "reply"),
)
TIMES = ("annotator", "name", "day", "answers", "minutes", "cost", "currency")
PAY = (
    *("annotator", "name", "platform", "participant", "study", "session", "joined"),
    *("state", "items", "set_aside", "minutes", "cost", "currency"),
    *("checks", "checks_failed", "code"),
)
NAME = "name"  # of an annotator: after the label, for managers who ask for it
TYPES = (
    dict.fromkeys(
        (
            *("start", "end", "round", "revision", "guideline", "number", "active_ms"),
            "seed",
        ),
        "INTEGER",
    )
    | dict.fromkeys(("needed", "judged"), "INTEGER")
    | dict.fromkeys(
        ("counted", "extra", "late", "withdrawn", "simulated", "by_rule"), "BOOLEAN"
    )
    | dict.fromkeys(("threshold", "minutes", "cost"), "DOUBLE")
    | dict.fromkeys(
        ("answers", "items", "set_aside", "checks", "checks_failed"), "INTEGER"
    )
)
BETWEEN = " | "  # conditions of one item, as the layout ``long`` splits them
CHUNK = 2000
SHOWN = 200


def judgments(campaign: Campaign, *, by: Anybody, names: bool = False) -> Exported:
    """The answers, one value per row: the layout ``long`` with further columns.

    ``names``: user names too. Raises NotAllowed before the first row, on names to
    anyone but a manager.
    """
    access.require(by, "export", campaign.project)
    columns: tuple[str, ...] = JUDGMENTS
    if names:
        access.require(by, "manage", campaign.project)
        at = columns.index("annotator") + 1
        columns = (*columns[:at], NAME, *columns[at:])
    rows = _judgments(campaign)
    return Exported(columns, (_in_order(row, columns) for row in rows), TYPES)


def items(campaign: Campaign, *, by: Anybody) -> Exported:
    """Every item, judged or not, in the order in which they came.

    Raises NotAllowed before the first row.
    """
    access.require(by, "export", campaign.project)
    gold = tuple(f"gold_{scale.name}" for scale in closed_scales(campaign))
    scores = _best_worst(campaign)
    columns = (*ITEMS, *gold, *scores)
    rows = (
        _item(item, made)
        | {name: by_item.get(item.code) for name, by_item in scores.items()}
        for item, made in _with_credits(campaign)
    )
    return Exported(columns, (_in_order(row, columns) for row in rows), TYPES)


def _best_worst(campaign: Campaign) -> dict[str, dict[str, float]]:
    """``best_<scale>`` -> item code -> score, of scales with a best and a worst."""
    if not campaign.scales.filter(kind=RatingScale.Kind.BEST).exists():
        return {}
    data = judged_data.read_campaign(campaign).data
    return {
        f"best_{question.scale.name}": {
            code: round(float(score), 4)
            for code, score in zip(
                data.items, best_worst.scores(data, place), strict=True
            )
            if np.isfinite(score)
        }
        for place, question in enumerate(data.questions)
        if question.is_best_worst
    }


def decisions(campaign: Campaign, *, by: Anybody) -> Exported:
    """The decisions that count, a value a row. Raises NotAllowed before the first."""
    access.require(by, "export", campaign.project)
    return Exported(DECISIONS, _decisions(campaign), TYPES)


def timesheet(campaign: Campaign, *, by: Anybody) -> Exported:
    """Active time and its cost, a row for every person and day: checks, training and
    what was set aside are work, too. Raises NotAllowed before the first row."""
    access.require(by, "manage", campaign.project)
    return Exported(TIMES, _times(campaign), TYPES)


def _times(campaign: Campaign) -> Iterator[tuple[Any, ...]]:
    people = {one.pk: one for one in campaign.participants.select_related("user")}
    rows = JudgmentEvent.objects.filter(judgment__participant__campaign=campaign)
    by_day = rows.values("judgment__participant", day=TruncDate("at")).annotate(
        ms=Sum("active_ms"),
        n=Count("judgment", distinct=True, filter=Q(verb=JudgmentEvent.Verb.SAVE)),
    )
    for row in by_day.order_by("judgment__participant", "day"):
        if row["ms"] or row["n"]:
            who, cost = people[row["judgment__participant"]], campaign.cost(row["ms"])
            yield (
                *(who.label, str(who.user or ""), row["day"].isoformat(), row["n"]),
                *(round(row["ms"] / 60_000, 2), cost, campaign.currency),
            )


def pay_sheet(campaign: Campaign, *, by: Anybody) -> Exported:
    """Everyone who judges, to approve or pay by; the ids are those of the platform that
    they came from. Raises NotAllowed before the first row."""
    access.require(by, "manage", campaign.project)
    return Exported(PAY, _paid(campaign), TYPES)


def _paid(campaign: Campaign) -> Iterator[tuple[Any, ...]]:
    uses = InvitationUse.objects.filter(invitation__campaign=campaign)
    by_user = {use.user_id: use for use in uses.select_related("invitation")}
    for row in progress.of(campaign).people:
        who, use = row.person, by_user.get(row.person.user_id or 0)
        given = crowd.end_of(who, judging.state_of(who), done=row.done + row.aside)
        yield (
            *(who.label, str(who.user or "")),
            *((use.invitation.provider, use.external_id) if use else ("", "")),
            *((use.study, use.session) if use else ("", "")),
            *(use.at.isoformat() if use else "", who.state, row.done, row.aside),
            *(round(row.active_ms / 60_000, 2), row.cost, campaign.currency),
            *(who.n_checks, who.n_checks_failed, given.get("code", "")),
        )


def machines(campaign: Campaign, *, by: Anybody) -> Exported:
    """What machine annotators said, a value per row; people's judgments are another
    table. Raises NotAllowed before the first row."""
    access.require(by, "export", campaign.project)
    return Exported(MACHINES, _said_by_machines(campaign), TYPES)


def _said_by_machines(campaign: Campaign) -> Iterator[tuple[Any, ...]]:
    scales = [scale.name for scale in campaign.scales.all()]
    rows = MachineJudgment.objects.filter(machine__campaign=campaign).order_by("pk")
    for one in rows.select_related("machine", "item__instance").iterator(CHUNK):
        item, at, machine = one.item, one.item.instance, one.machine
        for scale, value in _by_scale(one.values, scales):
            yield (
                *(item.code, item.ref, item.kind, machine.label, machine.model),
                *(scale, str(value), _text(item.gold.get(scale)), at.sentence),
                *(at.start, at.end, at.phrase, item.paraphrase, item.is_withdrawn),
                *(machine.guideline, machine.seed, one.at.isoformat(), one.reply),
            )


TABLES = {
    "machines": machines,
    "judgments": judgments,
    "items": items,
    "decisions": decisions,
    "timesheet": timesheet,
    "participants": pay_sheet,
}


def flagged(campaign: Campaign) -> list[Judgment]:
    """Flagged or skipped items, newest first."""
    mine = Judgment.objects.of(campaign)
    chosen = mine.exclude(flag="") | mine.filter(state=Judgment.State.SKIPPED)
    shown = chosen.select_related("item__instance", "participant__user")
    return list(shown.order_by("-pk")[:SHOWN])


def _in_order(row: dict[str, Any], columns: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in columns)


def _judgments(campaign: Campaign) -> Iterator[dict[str, Any]]:
    credits, decided, extra = _credits(campaign), _decided(campaign), _extra(campaign)
    scales = {scale.name: _scale(scale) for scale in campaign.scales.all()}
    of_all = _conditions(campaign)
    rows = Judgment.objects.of(campaign).answered().order_by("pk")
    related = ("item__instance", "item__batch", "participant__user")
    for one in rows.select_related(*related).iterator(CHUNK):
        fixed = _judgment(one) | credits.get(one.item_id, {}) | of_all
        fixed["extra"] = one.pk in extra
        for name, value in _by_scale(one.values, scales):
            yield (
                fixed
                | {"scale": name, "value": str(value), **scales.get(name, {})}
                | {"expected": _text(one.item.gold.get(name))}
                | _decision(decided.get(one.item_id), name)
            )


def _by_scale(values: dict[str, Any], scales: Iterable[str]) -> list[tuple[str, Any]]:
    """In the order of the scales: a database may keep keys in another."""
    order = [name for name in scales if name in values]
    return [(name, values[name]) for name in (*order, *(values.keys() - set(order)))]


def _judgment(one: Judgment) -> dict[str, Any]:
    item, instance, judge = one.item, one.item.instance, one.participant
    return {
        "item": item.code, "id": item.ref, "kind": item.kind,
        "annotator": judge.label, NAME: str(judge.user or ""),
        "source": instance.sentence, "start": instance.start, "end": instance.end,
        "phrase": instance.phrase, "paraphrase": item.paraphrase,
        "batch": item.batch.name if item.batch else "", "round": one.round,
        "counted": one.fills, "late": one.is_late, "withdrawn": item.is_withdrawn,
        "revision": one.revision, "guideline": one.guideline, "mode": one.mode,
        "active_ms": one.active_ms, "comment": one.comment, "flag": one.flag,
        "saved_at": one.saved_at.isoformat() if one.saved_at else None,
        "simulated": judge.is_simulated,
    }  # fmt: skip


def _scale(scale: RatingScale) -> dict[str, Any]:
    """What it takes to compute measures on this scale: all its values, in order."""
    if scale.is_open:
        return {"scale_kind": scale.kind}
    labels = scale.to_core().labels
    is_range = scale.kind == RatingScale.Kind.NUMBER
    points = f"{labels[0]}..{labels[-1]}" if is_range else BETWEEN.join(labels)
    return {"scale_kind": scale.kind, "points": points, "threshold": scale.threshold}


def _conditions(campaign: Campaign) -> dict[str, str]:
    """All conditions in their order, and the one that the others are tested against."""
    rows = list(campaign.conditions.values_list("name", "is_baseline"))
    names = [name for name, _ in rows]
    chosen = [name for name, is_baseline in rows if is_baseline] or names
    return {"conditions": BETWEEN.join(names), "baseline": "".join(chosen[:1])}


def _decision(last: Adjudication | None, scale: str) -> dict[str, Any]:
    if last is None:
        return {}
    return {
        "decided": _text(last.values.get(scale)),
        "decided_by": str(last.by or ""),
        "reason": last.reason,
        "confidence": _sure(last),
    }


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _item(item: Any, made: dict[str, Any]) -> dict[str, Any]:
    at = item.instance
    row = {
        "item": item.code, "id": item.ref, "kind": item.kind,
        "batch": item.batch.name if item.batch else "", "sentence": at.sentence,
        "start": at.start, "end": at.end, "phrase": at.phrase,
        "paraphrase": item.paraphrase, "why": item.why, "needed": item.need,
        "judged": item.n_answers, "withdrawn": item.is_withdrawn,
    }  # fmt: skip
    gold = {f"gold_{scale}": _text(value) for scale, value in item.gold.items()}
    return row | gold | made


def _with_credits(campaign: Campaign) -> Iterator[tuple[Any, dict[str, Any]]]:
    made = _credits(campaign)
    rows = campaign.items.with_answers().select_related("instance", "batch")
    for item in rows.order_by("pk").iterator(CHUNK):
        yield item, made.get(item.pk, {})


def _credits(campaign: Campaign) -> dict[int, dict[str, str]]:
    """Item key -> its conditions, their ranks and scores, each as one cell."""
    cells: dict[int, dict[str, str]] = {}
    credits = Credit.objects.filter(item__campaign=campaign)
    order = credits.order_by("item_id", "condition__position", "condition_id")
    names = ("item_id", "condition__name", "rank", "score")
    for item, name, rank, score in order.values_list(*names).iterator(CHUNK):
        new = {
            "condition": name,
            "rank": str(rank),
            "score": "" if score is None else f"{score:g}",
        }
        old = cells.get(item)
        cells[item] = {k: old[k] + BETWEEN + new[k] for k in new} if old else new
    return cells


def _extra(campaign: Campaign) -> set[int]:
    """First looks by judges who came because two others differed."""
    rows = Judgment.objects.of(campaign).answered().filter(round=1, item__n_extra__gt=0)
    seen: dict[int, int] = {}
    extra = set()
    names = ("pk", "item_id", "item__need", "item__n_extra")
    for pk, item, need, n_extra in rows.order_by("saved_at", "pk").values_list(*names):
        seen[item] = seen.get(item, 0) + 1
        if seen[item] > max(need - n_extra, 1):
            extra.add(pk)
    return extra


def _decisions(campaign: Campaign) -> Iterator[tuple[Any, ...]]:
    scales = list(campaign.scales.values_list("name", flat=True))
    for one in _decided(campaign).values():
        item, instance = one.item, one.item.instance
        for scale, value in _by_scale(one.values, scales):
            yield (
                *(item.code, item.ref, item.kind, scale, str(value)),
                *(instance.sentence, instance.phrase, item.paraphrase, one.reason),
                *(_sure(one), one.accepts, bool(one.batch), one.note),
                *(str(one.by or ""), one.at.isoformat(), one.number),
            )


def _decided(campaign: Campaign) -> dict[int, Adjudication]:
    """Item key -> the decision that counts; none where it was withdrawn."""
    rows = Adjudication.objects.filter(item__campaign=campaign)
    rows = rows.select_related("by", "item__instance").order_by("item", "number")
    last = {row.item_id: row for row in rows.iterator(CHUNK)}
    return {item: row for item, row in last.items() if row.values}


def _sure(decision: Adjudication) -> str:
    """In English, anyone who asks for the file."""
    return Adjudication.Confidence(decision.confidence).name.lower()
