"""The judgment screen: what its scripts begin with. It carries no item."""

from typing import Any

from django.urls import reverse

from annotator.models import RatingScale
from annotator.models.projects import Anybody
from annotator.services.campaigns import desk
from annotator.services.campaigns.preferences import COMMANDS

__all__ = ["config"]


def config(code: str, user: Anybody, scales: tuple[RatingScale, ...]) -> dict[str, Any]:
    """What the scripts need to begin."""
    return {
        "desk": reverse("api_desk", args=[code]),
        "answers": reverse("api_answers", args=[code]),
        "preferences": reverse("api_judge_preference"),
        "campaign": code,
        "user": user.get_username(),
        "scales": [
            {
                "name": s.name,
                "title": s.title,
                "kind": s.kind,
                "low": s.low,
                "high": s.high,
            }
            for s in scales
        ],
        "keys": {name: key for name, (key, _text) in COMMANDS.items()},
        "preference": desk.preference(user),
    }
