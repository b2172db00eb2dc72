"""The question "How many people judge each item?", with what each answer buys."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotator.models import Campaign
from annotator.numbers import as_number, local, work_time
from annotator.services.campaigns import sharing
from annotator.services.campaigns.sharing import JudgesChoice


@dataclass(frozen=True, slots=True)
class JudgesOption:
    """One radio button: ``key`` is what it sends."""

    key: str
    title: str
    text: str
    is_chosen: bool


def options(campaign: Campaign) -> list[JudgesOption]:
    """The answers to choose from; empty once the campaign has opened."""
    if campaign.state != Campaign.State.DRAFT:
        return []
    now = sharing.chosen(campaign)
    return [
        JudgesOption(one.key, _title(one), _text(one), one.key == now.key)
        for one in sharing.choices(campaign)
    ]


def _title(one: JudgesChoice) -> str:
    people = ngettext("%(n)s person", "%(n)s people", one.k) % {"n": one.k}
    if not one.share:
        return people
    values = {"people": people, "share": f"{100 * one.share:.0f} %", "n": one.overlap_k}
    return _("%(people)s; %(share)s of the items by %(n)s") % values


def _text(one: JudgesChoice) -> str:
    n, values = (
        one.judgments,
        {"n": local(f"{one.judgments:,}"), "time": work_time(one.hours)},
    )
    cost = ngettext("%(n)s judgment, %(time)s.", "%(n)s judgments, %(time)s.", n)
    if one.precision is None:
        return f"{cost % values} {_('Agreement cannot be measured.')}"
    precision = ngettext(
        "Agreement to about ±%(half)s, from %(n)s shared item.",
        "Agreement to about ±%(half)s, from %(n)s shared items.",
        one.shared,
    )
    if one.k > 2:  # the estimate counts one pair of judges for each item
        precision = ngettext(
            "Agreement to ±%(half)s or better, from %(n)s shared item.",
            "Agreement to ±%(half)s or better, from %(n)s shared items.",
            one.shared,
        )
    precision %= {"half": as_number(one.precision), "n": local(f"{one.shared:,}")}
    return f"{cost % values} {precision}"
