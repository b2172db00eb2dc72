"""The judgment screen: what its scripts begin with. It carries no item."""

from typing import Any

from django.urls import reverse

from annotator.models import Campaign, RatingScale
from annotator.models.projects import Anybody
from annotator.services.campaigns import judging
from annotator.services.campaigns.answers import SKIP_REASONS
from annotator.services.campaigns.preferences import COMMANDS
from annotator.services.campaigns.scales import scales_for


def screen(campaign: Campaign, user: Anybody) -> dict[str, Any]:
    """The screen: its scales and commands, and what its scripts begin with."""
    scales = scales_for(campaign)
    return {
        "name": campaign.name,
        "mode": campaign.mode,
        "scales": scales,
        "reasons": SKIP_REASONS,
        "commands": [(name, *COMMANDS[name]) for name in COMMANDS],
        "config": _config(campaign, user, scales),
    }


def _config(
    campaign: Campaign, user: Anybody, scales: tuple[RatingScale, ...]
) -> dict[str, Any]:
    """What the scripts need to begin."""
    code = campaign.code
    return {
        "shell": reverse("judge_shell", args=[campaign.project.slug, code]),
        "worker": reverse("judge_worker"),
        "desk": reverse("api_desk", args=[code]),
        "answers": reverse("api_answers", args=[code]),
        "guideline": reverse("api_guideline", args=[code]),
        "messages": reverse("api_messages", args=[code]),
        "all_messages": reverse("judge_messages", args=[campaign.project.slug, code]),
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
        "preference": judging.preference(user),
    }
