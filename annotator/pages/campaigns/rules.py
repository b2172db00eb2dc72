"""The rules of a campaign as a form: in the units that people speak in, what no one
changed folded away, each problem at its field next to what was typed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotator.errors import BadRequest, Refusal
from annotator.models import Campaign
from annotator.numbers import local
from annotator.services.campaigns.settings import SETTINGS, number_of
from annotator.services.campaigns.setup import FIXED_ONCE_OPEN

SWITCHES = ("is_adaptive", "is_curation_blind")
WORDS = ("mode", "contact", "currency")
UNITS = {  # shown unit in stored units: (multiply, divide)
    "lease_s": (60, 1),
    "overlap_share": (1, 100),
    "check_fail_share": (1, 100),
    "training_pass_share": (1, 100),
}
_PERCENT = gettext_lazy("percent of the items")
_CHECKS = gettext_lazy("percent of the checks")
_ITEMS = gettext_lazy("items; 0 = none")
FIELDS = {  # name: label, its unit, its word in the glossary
    "k": (gettext_lazy("Judges per item"), "", "judges per item"),
    "overlap_share": (gettext_lazy("Share judged by more people"), _PERCENT, "overlap"),
    "overlap_k": (gettext_lazy("… by how many"), gettext_lazy("judges"), "overlap"),
    "quota": (
        gettext_lazy("Items per person, at most"),
        gettext_lazy("empty = no limit"),
        "quota",
    ),
    "adaptive_gap": (
        gettext_lazy("Judges differ if they are"),
        gettext_lazy("points apart, or on different sides of a threshold"),
        "apart",
    ),
    "lease_s": (
        gettext_lazy("An item is reserved for"),
        gettext_lazy("minutes"),
        "lease",
    ),
    "prefetch": (gettext_lazy("Items in progress"), "", "items in hand"),
    "check_every": (gettext_lazy("A check about every"), _ITEMS, "check"),
    "check_tolerance": (
        gettext_lazy("Tolerance"),
        gettext_lazy("points"),
        "tolerance",
    ),
    "check_min": (gettext_lazy("Minimum checks"), gettext_lazy("checks"), "stop limit"),
    "check_fail_share": (
        gettext_lazy("Stop when more fail than"),
        _CHECKS,
        "stop limit",
    ),
    "training_pass_share": (
        gettext_lazy("Training passed from"),
        gettext_lazy("percent right"),
        "training item",
    ),
    "training_tries": (
        gettext_lazy("Training attempts"),
        gettext_lazy("then the person is stopped"),
        "training item",
    ),
    "repeat_every": (gettext_lazy("A repeat about every"), _ITEMS, "repeat"),
    "repeat_gap_h": (gettext_lazy("… after"), gettext_lazy("hours"), "repeat"),
    "seconds_per_item": (gettext_lazy("Time per item"), gettext_lazy("seconds"), ""),
    "cost_per_hour": (gettext_lazy("Cost per hour"), "", ""),
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One field: its ``value``, and its ``problem``, "" if none.

    ``is_fixed``: no one may change it any more.
    """

    name: str
    label: str
    unit: str
    word: str
    value: str
    problem: str
    is_fixed: bool


def read(
    campaign: Campaign, sent: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """A form's values in stored units, and its problems, by field."""
    wanted: dict[str, Any] = {name: sent[name] for name in WORDS if name in sent}
    wanted |= {name: name in sent for name in SWITCHES if not _is_fixed(campaign, name)}
    problems = {}
    for name in SETTINGS:
        if name not in sent:
            continue
        try:
            wanted[name] = number_of(name, _stored(name, sent[name]))
        except BadRequest:
            problems[name] = _limits(name)
    if wanted.get("check_every") and not campaign.n_checks:
        problems["check_every"] = _(
            "This campaign has no gold items. Add some, or turn checks off."
        )
    return wanted, problems


def rules(
    campaign: Campaign,
    sent: Mapping[str, str] | None = None,
    problems: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The page: a field by its name, with what was sent in it, and which parts open."""
    wrong = problems or {}
    fields = {name: _rule(campaign, name, sent or {}, wrong) for name in FIELDS}
    kept = {name: getattr(campaign, name) for name in (*WORDS, *SWITCHES)}
    if sent is not None:
        kept |= {name: sent[name] for name in WORDS if name in sent}
        kept |= {name: name in sent for name in SWITCHES}
    return {
        "project": campaign.project,
        "campaign": campaign,
        "fields": fields,
        "kept": kept,
        "modes": Campaign.Mode.choices,
        "is_fixed": _is_fixed(campaign, "mode"),
        "parts": {
            name: (text, _is_changed(campaign, names) or sent is not None)
            for name, (text, names) in _parts(campaign).items()
        },
    }


def refused(
    campaign: Campaign, sent: Mapping[str, str], problems: dict[str, str], why: Refusal
) -> dict[str, Any]:
    """The form again, with what was typed and why nothing is stored."""
    campaign.refresh_from_db()
    return rules(campaign, sent, problems) | {"problem": str(why)}


def _rule(
    campaign: Campaign, name: str, sent: Mapping[str, str], problems: Mapping[str, str]
) -> Rule:
    label, unit, word = FIELDS[name]
    is_off = name == "check_every" and not campaign.n_checks  # nothing to check with
    value = sent.get(name, _shown(name, 0 if is_off else getattr(campaign, name)))
    problem, is_fixed = problems.get(name, ""), _is_fixed(campaign, name)
    return Rule(name, str(label), str(unit), word, value, problem, is_fixed)


def _is_fixed(campaign: Campaign, name: str) -> bool:
    return campaign.state != Campaign.State.DRAFT and name in FIXED_ONCE_OPEN


def _number(value: float | None) -> int:
    """What decides between one and several: 1.5 seconds are several."""
    return 1 if value == 1 else 2


def _shown(name: str, value: float | None) -> str:
    times, by = UNITS.get(name, (1, 1))
    return "" if value is None else f"{value * by / times:.10g}"


def _stored(name: str, text: str) -> Any:
    """The text where it is not a number: the error is shown elsewhere."""
    times, by = UNITS.get(name, (1, 1))
    try:
        return float(text.strip().replace(",", ".")) * times / by
    except ValueError:
        return text.strip()


def _limits(name: str) -> str:
    low, high = (_shown(name, end) for end in SETTINGS[name])
    return _("Enter a number from %(low)s to %(high)s.") % {"low": low, "high": high}


def _is_changed(campaign: Campaign, names: tuple[str, ...]) -> bool:
    plain = Campaign()
    return any(getattr(campaign, name) != getattr(plain, name) for name in names)


def _parts(campaign: Campaign) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Each part that can be folded: its present value as text, and its fields."""
    return {
        "apart": (
            _apart(campaign),
            ("is_adaptive", "adaptive_gap", "is_curation_blind"),
        ),
        "screen": (_screen(campaign), ("mode", "lease_s", "prefetch", "contact")),
        "checks": (
            _checks(campaign),
            tuple(n for n in FIELDS if n.startswith(("check", "training", "repeat"))),
        ),
        "money": (_money(campaign), ("seconds_per_item", "cost_per_hour", "currency")),
    }


def _apart(campaign: Campaign) -> str:
    third = _("No third judge where two differ.")
    if campaign.is_adaptive:
        gap = _shown("adaptive_gap", campaign.adaptive_gap)
        third = ngettext(
            "A third judge where two differ by %(n)s point.",
            "A third judge where two differ by %(n)s points.",
            _number(campaign.adaptive_gap),
        ) % {"n": gap}
    blind = _("Curators see names and conditions.")
    if campaign.is_curation_blind:
        blind = _("Curators see neither names nor conditions.")
    return f"{third} {blind}"


def _screen(campaign: Campaign) -> str:
    minutes = round(campaign.lease_s / 60)
    held = ngettext(
        "An item is reserved for one person for %(n)s minute.",
        "An item is reserved for one person for %(n)s minutes.",
        minutes,
    ) % {"n": local(f"{minutes:,}")}
    return f"{campaign.get_mode_display()}. {held}"


def _checks(campaign: Campaign) -> str:
    n, repeats = campaign.n_checks, _("No repeats.")
    checks = ngettext(
        "Checks are off: %(n)s gold item is not shown.",
        "Checks are off: %(n)s gold items are not shown.",
        n,
    ) % {"n": n}
    if not n:
        checks = _("No checks: this campaign has no gold items.")
    elif campaign.check_every:
        checks = ngettext(
            "A check about every item. Anyone who fails more than "
            "%(share)s of at least %(least)s checks is stopped.",
            "A check about every %(n)s items. Anyone who fails more than "
            "%(share)s of at least %(least)s checks is stopped.",
            campaign.check_every,
        ) % {
            "n": campaign.check_every,
            "share": f"{campaign.check_fail_share:.0%}",
            "least": campaign.check_min,
        }
    if campaign.repeat_every:
        n = campaign.repeat_every
        repeats = ngettext(
            "A repeat about every item.", "A repeat about every %(n)s items.", n
        ) % {"n": n}
    return f"{checks} {repeats}"


def _money(campaign: Campaign) -> str:
    n = _number(campaign.seconds_per_item)
    values = {"n": _shown("seconds_per_item", campaign.seconds_per_item)}
    if not campaign.cost_per_hour:
        text = ngettext(
            "%(n)s second per item; no hourly cost is set.",
            "%(n)s seconds per item; no hourly cost is set.",
            n,
        )
        return text % values
    cost = _shown("cost_per_hour", campaign.cost_per_hour)
    values["cost"] = f"{cost} {campaign.currency}".strip()
    text = ngettext(
        "%(n)s second per item; %(cost)s per hour.",
        "%(n)s seconds per item; %(cost)s per hour.",
        n,
    )
    return text % values
