"""A campaign's judgments as a table: one value a row, as the reports read it back."""

from collections.abc import Iterator

from annotator import access
from annotator.models import Campaign, Credit, Judgment
from annotator.models.projects import Anybody
from core.data.cells import plain_cell

__all__ = ["COLUMNS", "flagged", "rows"]

COLUMNS = (
    *("item", "annotator", "scale", "value", "condition", "source", "phrase"),
    *("paraphrase", "kind", "round", "counted", "late", "revision", "guideline"),
    *("mode", "active_ms", "saved_at", "comment", "flag", "simulated"),
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
    conditions = _conditions(campaign)
    found = Judgment.objects.of(campaign).answered().order_by("pk")
    for one in found.select_related("item__instance", "participant").iterator(CHUNK):
        for scale, value in one.values.items():
            yield _line(one, scale, str(value), conditions.get(one.item_id, ""))


def _conditions(campaign: Campaign) -> dict[int, str]:
    """Item id -> the names of its conditions, split as the layout wants them."""
    found: dict[int, str] = {}
    credits = Credit.objects.filter(item__campaign=campaign)
    order = credits.order_by("item_id", "condition__position")
    for item, name in order.values_list("item_id", "condition__name").iterator():
        found[item] = f"{found[item]} | {name}" if item in found else name
    return found


def _line(one: Judgment, scale: str, value: str, conditions: str) -> str:
    item, instance = one.item, one.item.instance
    cells = [
        *(item.code, one.participant.label, scale, value, conditions),
        *(instance.sentence, instance.phrase, item.paraphrase, item.kind, one.round),
        *(int(one.fills), int(one.is_late), one.revision, one.guideline, one.mode),
        *(one.active_ms, one.saved_at.isoformat() if one.saved_at else ""),
        *(one.comment, one.flag, int(one.participant.is_simulated)),
    ]
    return "\t".join(plain_cell(" ".join(str(cell).split())) for cell in cells) + "\n"


def flagged(campaign: Campaign) -> list[Judgment]:
    """What judges flagged or skipped, newest first."""
    mine = Judgment.objects.of(campaign)
    found = mine.exclude(flag="") | mine.filter(state=Judgment.State.SKIPPED)
    shown = found.select_related("item__instance", "participant__user")
    return list(shown.order_by("-pk")[:SHOWN])
