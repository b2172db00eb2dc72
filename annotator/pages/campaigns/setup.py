"""The set-up of a campaign as a list: what is there, and what is missing."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotator.models import Campaign
from annotator.numbers import local

NOUNS = {  # missing parts, within a sentence
    "campaign_items": gettext_lazy("items"),
    "campaign_scales": gettext_lazy("scales"),
    "campaign_people": gettext_lazy("people"),
    "campaign_guideline": gettext_lazy("guideline"),
    "campaign_rules": gettext_lazy("rules"),
    "campaign_design": gettext_lazy("plan"),
}


@dataclass(frozen=True, slots=True)
class SetupStep:
    """One part of the set-up: its page (a URL name), its present value as text.

    ``is_required``: no one can judge without it.
    """

    title: str
    url: str
    text: str
    verb: str
    is_done: bool
    is_required: bool = False


def steps(
    campaign: Campaign, scales: Any, n_people: int, n_links: int = 0
) -> list[SetupStep]:
    """The steps in the order in which people take them. ``n_links``: open links that
    would let people in."""
    named = ", ".join(_scale(scale) for scale in scales)
    rules, plan = _rules(campaign), _plan(campaign)
    return [
        _required(_("Items"), "campaign_items", _items(campaign), campaign.n_items),
        _required(_("Scales"), "campaign_scales", named or _("None yet."), len(scales)),
        _guideline(campaign.guideline_number),
        SetupStep(_("Rules"), "campaign_rules", rules, _("Change"), is_done=True),
        _required(
            _("People"),
            "campaign_people",
            _people(n_people, n_links),
            n_people + n_links,
        ),
        SetupStep(_("Plan"), "campaign_design", plan, _("View plan"), is_done=True),
    ]


def lacking(steps: list[SetupStep]) -> list[SetupStep]:
    """What is missing before anyone can judge."""
    return [step for step in steps if step.is_required and not step.is_done]


def in_words(steps: list[SetupStep]) -> str:
    """Missing parts as a list in a sentence: "items and people"."""
    *first, last = [str(NOUNS[step.url]) for step in steps] or [""]
    if not first:
        return last
    return _("%(first)s and %(last)s") % {"first": ", ".join(first), "last": last}


def _required(title: str, url: str, text: str, n: int) -> SetupStep:
    verb = _("Change") if n else _("Add")
    return SetupStep(title, url, text, verb, is_done=n > 0, is_required=True)


def _guideline(version: int) -> SetupStep:
    text, verb = _("None yet; judges see only the scales."), _("Write guidelines")
    if version:
        text, verb = _("Version %(n)s.") % {"n": version}, _("Edit")
    title = _("Guidelines")
    return SetupStep(title, "campaign_guideline", text, verb, is_done=bool(version))


def _scale(scale: Any) -> str:
    if scale.kind in ("nominal", "best", "text", "spans"):
        return str(scale.title)
    low, high = scale.low, scale.high
    if scale.points:
        values = [point["value"] for point in scale.points]
        low, high = min(values), max(values)
    return f"{scale.title} {low}–{high}"


def _items(campaign: Campaign) -> str:
    n, checks, training = campaign.n_items, campaign.n_checks, campaign.n_training
    if not n:
        return _("None yet.")
    parts = [ngettext("%(n)s item", "%(n)s items", n) % {"n": local(f"{n:,}")}]
    if checks:
        text = ngettext("%(n)s check", "%(n)s checks", checks)
        parts.append(text % {"n": local(f"{checks:,}")})
    if training:
        parts.append(_("%(n)s for training") % {"n": local(f"{training:,}")})
    return ", ".join(parts) + "."


def _people(n: int, n_links: int) -> str:
    people = ngettext("%(n)s annotator.", "%(n)s annotators.", n) % {
        "n": local(f"{n:,}")
    }
    links = ngettext("%(n)s open link.", "%(n)s open links.", n_links)
    text = people if n else _("No one yet.")
    return f"{text} {links % {'n': local(f'{n_links:,}')}}" if n_links else text


def _rules(campaign: Campaign) -> str:
    minutes, checks = round(campaign.lease_s / 60), campaign.check_every
    held = ngettext(
        "Items are held for %(n)s minute", "Items are held for %(n)s minutes", minutes
    ) % {"n": local(f"{minutes:,}")}
    if not campaign.has_checks:
        return _("%(held)s; no checks.") % {"held": held}
    return _("%(held)s; a check every %(n)s items.") % {"held": held, "n": checks}


def _plan(campaign: Campaign) -> str:
    k, values = campaign.k, {"n": local(f"{campaign.k:,}")}
    people = ngettext(
        "%(n)s annotator for each item", "%(n)s annotators for each item", k
    )
    people %= values
    if campaign.overlap_share and campaign.overlap_k != k:
        share = f"{campaign.overlap_share:.0%}"
        values = {"people": people, "n": str(campaign.overlap_k), "share": share}
        people = _("%(people)s, %(n)s for %(share)s of them") % values
    return _("%(people)s: cost and precision.") % {"people": people}
