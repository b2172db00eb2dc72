"""The page of a curator: an item, what each judge said of it, what was decided."""

import json
from typing import Any

from annotator.models import Adjudication, Campaign, Item
from annotator.services.campaigns import curation

__all__ = ["item_page"]


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
