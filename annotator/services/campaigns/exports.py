"""A campaign's judgments as a table, one value a row, as the reports read it back; and
what curators decided, one value a row."""

from collections.abc import Iterator

from annotator import access
from annotator.models import Adjudication, Campaign, Credit, Judgment
from annotator.models.projects import Anybody
from core.data.cells import plain_cell

__all__ = ["COLUMNS", "DECISIONS", "decisions", "flagged", "rows"]

COLUMNS = (
    *("item", "annotator", "scale", "value", "condition", "source", "phrase"),
    *("paraphrase", "kind", "round", "counted", "late", "revision", "guideline"),
    *("mode", "active_ms", "saved_at", "comment", "flag", "simulated"),
    *("decided", "decided_by", "reason", "confidence"),
)
DECISIONS = (
    *("item", "scale", "value", "sentence", "phrase", "paraphrase", "reason"),
    *("confidence", "accepts", "by_rule", "note", "by", "at", "number"),
)
CHUNK = 2000
SHOWN = 200


def rows(campaign: Campaign, *, by: Anybody) -> Iterator[str]:
    """Lines of a TSV with a header: the layout ``long`` and what is known beside it.

    Names of annotators are their labels. Tabs and line ends in texts become spaces; a
    cell that a spreadsheet would run as a formula gets a quote before it.
    Raises NotAllowed before the first line.
    """
    access.require(by, "export", campaign.project)
    return _lines(campaign)


def _lines(campaign: Campaign) -> Iterator[str]:
    yield "\t".join(COLUMNS) + "\n"
    conditions, decided = _conditions(campaign), _decided(campaign)
    judgments = Judgment.objects.of(campaign).answered().order_by("pk")
    for one in judgments.select_related("item__instance", "participant").iterator(
        CHUNK
    ):
        for scale, value in one.values.items():
            last = decided.get(one.item_id)
            yield _line(one, scale, str(value), conditions.get(one.item_id, ""), last)


def decisions(campaign: Campaign, *, by: Anybody) -> Iterator[str]:
    """Lines of a TSV: the decisions that count, a value a line.

    Raises NotAllowed before the first line.
    """
    access.require(by, "export", campaign.project)
    return _decision_lines(campaign)


def _decision_lines(campaign: Campaign) -> Iterator[str]:
    yield "\t".join(DECISIONS) + "\n"
    for one in _decided(campaign).values():
        item, instance = one.item, one.item.instance
        for scale, value in one.values.items():
            yield _tsv(
                *(item.code, scale, value, instance.sentence, instance.phrase),
                *(item.paraphrase, one.reason, _sure(one)),
                *(one.accepts, int(bool(one.batch)), one.note, one.by or ""),
                *(one.at.isoformat(), one.number),
            )


def _decided(campaign: Campaign) -> dict[int, Adjudication]:
    """Item key -> the decision that counts; none where it was withdrawn."""
    rows = Adjudication.objects.filter(item__campaign=campaign)
    rows = rows.select_related("by", "item__instance").order_by("item", "number")
    last = {row.item_id: row for row in rows.iterator(CHUNK)}
    return {item: row for item, row in last.items() if row.values}


def _conditions(campaign: Campaign) -> dict[int, str]:
    """Item id -> the names of its conditions, split as the layout wants them."""
    names: dict[int, str] = {}
    credits = Credit.objects.filter(item__campaign=campaign)
    order = credits.order_by("item_id", "condition__position")
    for item, name in order.values_list("item_id", "condition__name").iterator():
        names[item] = f"{names[item]} | {name}" if item in names else name
    return names


def _line(
    one: Judgment,
    scale: str,
    value: str,
    conditions: str,
    decision: Adjudication | None,
) -> str:
    item, instance = one.item, one.item.instance
    return _tsv(
        *(item.code, one.participant.label, scale, value, conditions),
        *(instance.sentence, instance.phrase, item.paraphrase, item.kind, one.round),
        *(int(one.fills), int(one.is_late), one.revision, one.guideline, one.mode),
        *(one.active_ms, one.saved_at.isoformat() if one.saved_at else ""),
        *(one.comment, one.flag, int(one.participant.is_simulated)),
        *_decision_cells(decision, scale),
    )


def _decision_cells(decision: Adjudication | None, scale: str) -> tuple[object, ...]:
    if decision is None:
        return ("", "", "", "")
    value = decision.values.get(scale, "")
    return (value, decision.by or "", decision.reason, _sure(decision))


def _sure(decision: Adjudication) -> str:
    """In English, whoever asks for the file."""
    return Adjudication.Confidence(decision.confidence).name.lower()


def _tsv(*cells: object) -> str:
    return "\t".join(plain_cell(" ".join(str(cell).split())) for cell in cells) + "\n"


def flagged(campaign: Campaign) -> list[Judgment]:
    """What judges flagged or skipped, newest first."""
    mine = Judgment.objects.of(campaign)
    chosen = mine.exclude(flag="") | mine.filter(state=Judgment.State.SKIPPED)
    shown = chosen.select_related("item__instance", "participant__user")
    return list(shown.order_by("-pk")[:SHOWN])
