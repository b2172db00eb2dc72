"""The pages of a curator: the queue; an item, what judges said, what was decided."""

import json
from typing import Any

from annotator.errors import BadRequest
from annotator.models import Adjudication, Campaign, Item
from annotator.services.campaigns import curation

__all__ = ["item_page", "queue"]

PAGE = 50
LISTS = {"open": "Undecided", "decided": "Decided", "all": "All with two judges"}


def queue(campaign: Campaign, show: str, page: int) -> dict[str, Any]:
    """A page of a list, those first that differ most; raises BadRequest."""
    if show not in LISTS:
        raise BadRequest(f"There is no list {show!r}.", field="show")
    rows = curation.queue(campaign, show=show)
    last = max(1, -(-len(rows) // PAGE))
    if not 1 <= page <= last:
        raise BadRequest(f"There are pages 1 to {last}.", field="page")
    return {
        "project": campaign.project,
        "campaign": campaign,
        "rows": curation.shown(campaign, rows[(page - 1) * PAGE : page * PAGE]),
        "n": len(rows),
        "page": page,
        "last": last,
        "show": show,
        "lists": LISTS.items(),
    }


def item_page(campaign: Campaign, item: Item) -> dict[str, Any]:
    """All judges of an item side by side, with every decision about it."""
    scales = list(campaign.scales.all())
    history = curation.history(item)
    last = history[0] if history and history[0].values else None
    rows = [
        {
            "judgment": row,
            "name": row.participant.user or row.participant.label,
            "label": row.participant.label,
            "taken": json.dumps({k: str(v) for k, v in row.values.items()}),
            "values": [(scale, row.values.get(scale.name, "")) for scale in scales],
        }
        for row in curation.judgments_of(item)
    ]
    return {
        "project": campaign.project,
        "campaign": campaign,
        "item": item,
        "instance": item.instance,
        "scales": [
            (scale, scale.values(), last.values.get(scale.name) if last else None)
            for scale in scales
        ],
        "rows": rows,
        "history": [
            (row, [(scale.title, row.values.get(scale.name)) for scale in scales])
            for row in history
        ],
        "last": last,
        "seen": history[0].number if history else 0,
        "reasons": Adjudication.Reason.choices,
        "levels": Adjudication.Confidence.choices,
        "credits": item.credits.select_related("condition"),
        "following": curation.following(campaign, item),
    }
