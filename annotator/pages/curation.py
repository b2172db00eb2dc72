"""The pages of a curator: the queue; an item, what judges said, what was decided."""

import json
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotator.errors import BadRequest
from annotator.models import Adjudication, Campaign, Item, Judgment, RatingScale
from annotator.services.campaigns import curation
from annotator.services.campaigns.scales import in_words

PAGE = 50
LISTS = {
    "open": gettext_lazy("Undecided"),
    "decided": gettext_lazy("Decided"),
    "all": gettext_lazy("All with two judges"),
}


def queue(campaign: Campaign, show: str, page: int) -> dict[str, Any]:
    """A page of a list, those first that differ most; raises BadRequest."""
    if show not in LISTS:
        text = _("There is no list %(name)s.") % {"name": repr(show)}
        raise BadRequest(text, field="show")
    rows = curation.queue(campaign, show=show)
    last = max(1, -(-len(rows) // PAGE))
    if not 1 <= page <= last:
        text = _("Pages go from 1 to %(last)s.") % {"last": last}
        raise BadRequest(text, field="page")
    return {
        "project": campaign.project,
        "campaign": campaign,
        "rows": curation.shown(campaign, rows[(page - 1) * PAGE : page * PAGE]),
        "n": len(rows),
        "page": page,
        "last": last,
        "show": show,
        "lists": LISTS.items(),
        "n_agreed": len(curation.proposals(campaign)) if show == "open" else 0,
        "batches": curation.batches(campaign),
    }


def item_page(campaign: Campaign, item: Item) -> dict[str, Any]:
    """All judges of an item side by side, with every decision about it."""
    scales = list(campaign.scales.all())
    rows = curation.judgments_of(item)
    history = curation.history(item)
    last = history[0] if history and history[0].values else None
    return {
        "project": campaign.project,
        "campaign": campaign,
        "item": item,
        "instance": item.instance,
        "scales": [_choices(scale, item, rows, last) for scale in scales],
        "rows": _judges(campaign, item, rows, scales),
        "machines": []
        if campaign.is_curation_blind
        else item.machine_judgments.select_related("machine"),
        "history": [
            (
                row,
                [(s.title, in_words(s, row.values.get(s.name), item)) for s in scales],
            )
            for row in history
        ],
        "last": last,
        "seen": history[0].number if history else 0,
        "reasons": Adjudication.Reason.choices,
        "levels": Adjudication.Confidence.choices,
        "credits": []
        if campaign.is_curation_blind
        else item.credits.select_related("condition"),
        "following": curation.next_item(campaign, item),
    }


def _choices(
    scale: RatingScale, item: Item, rows: list[Judgment], last: Adjudication | None
) -> tuple[RatingScale, list[tuple[Any, Any]], Any, Any]:
    """What a curator chooses from, each as people read it, and the choice. Of marks
    those that judges made; texts are written."""
    chosen = last.values.get(scale.name) if last else None
    values = scale.values()
    if scale.kind == RatingScale.Kind.SPANS:
        given = [row.values.get(scale.name) for row in rows]
        known = [value for value in (*given, chosen, "") if value is not None]
        values = list(dict.fromkeys(known))
    shown = [(one, in_words(scale, one, item)) for one in values]
    return scale, shown, chosen, in_words(scale, chosen, item)


def _judges(
    campaign: Campaign, item: Item, rows: list[Judgment], scales: list[RatingScale]
) -> list[dict[str, Any]]:
    """What each judge said. Where curation is blind neither names nor their order tell
    who it was: the order is by the random code of the judgment."""
    is_blind = campaign.is_curation_blind
    if is_blind:
        rows.sort(key=lambda row: row.code)
    return [
        {
            "judgment": row,
            "name": _judge(n)
            if is_blind
            else row.participant.user or row.participant.label,
            "label": _judge(n) if is_blind else row.participant.label,
            "taken": json.dumps({k: str(v) for k, v in row.values.items()}),
            "values": [
                (scale, in_words(scale, row.values.get(scale.name, ""), item))
                for scale in scales
            ],
        }
        for n, row in enumerate(rows, 1)
    ]


def _judge(n: int) -> str:
    return _("Judge %(n)s") % {"n": n}
