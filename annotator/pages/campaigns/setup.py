"""The set-up of a campaign as a list: what is there, and what is missing."""

from dataclasses import dataclass
from typing import Any

from annotator.models import Campaign

__all__ = ["SetupStep", "in_words", "lacking", "steps"]


@dataclass(frozen=True, slots=True)
class SetupStep:
    """One part of the set-up: its page (a URL name), its present value in words.

    ``is_required``: nobody can judge without it.
    """

    title: str
    url: str
    text: str
    verb: str
    is_done: bool
    is_required: bool = False


def steps(campaign: Campaign, scales: Any, n_people: int) -> list[SetupStep]:
    """The steps in the order in which people take them."""
    named = ", ".join(_scale(scale) for scale in scales)
    version = campaign.guideline_number
    return [
        _required("Items", "campaign_items", _items(campaign), campaign.n_items),
        _required("Scales", "campaign_scales", named or "None yet.", len(scales)),
        SetupStep(
            "Guideline",
            "campaign_guideline",
            f"Version {version}." if version else "None yet; judges see the scales.",
            "Edit" if version else "Write one",
            bool(version),
        ),
        SetupStep("Rules", "campaign_rules", _rules(campaign), "Change", is_done=True),
        _required("People", "campaign_people", _people(n_people), n_people),
        SetupStep("Plan", "campaign_design", _plan(campaign), "Look", is_done=True),
    ]


def lacking(found: list[SetupStep]) -> list[SetupStep]:
    """What nobody can judge without and is not there yet."""
    return [step for step in found if step.is_required and not step.is_done]


def in_words(found: list[SetupStep]) -> str:
    """Their titles as a list in a sentence: "items and people"."""
    titles = [step.title.lower() for step in found]
    return " and ".join([", ".join(titles[:-1])] * (len(titles) > 1) + titles[-1:])


def _required(title: str, url: str, text: str, n: int) -> SetupStep:
    verb = "Change" if n else "Add"
    return SetupStep(title, url, text, verb, is_done=n > 0, is_required=True)


def _scale(scale: Any) -> str:
    if scale.kind == "nominal":
        return str(scale.title)
    low, high = scale.low, scale.high
    if scale.points:
        values = [point["value"] for point in scale.points]
        low, high = min(values), max(values)
    return f"{scale.title} {low}–{high}"


def _n(n: int, one: str, several: str = "") -> str:
    return f"{n:,} {one if n == 1 else several or one + 's'}"


def _items(campaign: Campaign) -> str:
    if not campaign.n_items:
        return "None yet."
    more = [
        *([_n(campaign.n_checks, "check")] if campaign.n_checks else []),
        *([f"{campaign.n_training:,} for training"] if campaign.n_training else []),
    ]
    return ", ".join([_n(campaign.n_items, "item"), *more]) + "."


def _people(n: int) -> str:
    return f"{_n(n, 'annotator')}." if n else "Nobody yet."


def _rules(campaign: Campaign) -> str:
    minutes = round(campaign.lease_s / 60)
    checks = campaign.check_every
    after = f"a check in every {checks}" if checks else "no checks"
    return f"Items are held for {_n(minutes, 'minute')}; {after}."


def _plan(campaign: Campaign) -> str:
    text = f"{_n(campaign.k, 'annotator')} for each item"
    if campaign.overlap_share and campaign.overlap_k != campaign.k:
        text += f", {campaign.overlap_k} for {campaign.overlap_share:.0%} of them"
    return f"{text}: what that costs and can show."
