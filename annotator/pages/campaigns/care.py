"""Signs of careless work as a manager reads them, each with its rule."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotator.models import Campaign, Participant
from annotator.numbers import local
from annotator.services.reports import care
from annotator.services.reports.care import Sign


@dataclass(frozen=True, slots=True)
class CareCell:
    """The result of one rule for one person."""

    head: str
    text: str
    is_broken: bool


def heads(campaign: Campaign) -> list[tuple[str, str]]:
    """Title and rule of each column."""
    seconds = f"{care.FAST_MS / 1000:g}"
    values = {"share": f"{100 * care.FAST_SHARE:.0f} %", "s": seconds}
    limit = {"share": f"{100 * campaign.check_fail_share:.0f} %"}
    return [
        (
            _("Speed"),
            _("Flag if more than %(share)s of answers take under %(s)s s") % values,
        ),
        (
            _("Same answer"),
            _("Flag if %(n)s or more answers in a row are equal")
            % {"n": care.SAME_RUN},
        ),
        (
            _("Agreement with others"),
            _("Flag if agreement is below chance on a scale (from %(n)s shared items)")
            % {"n": care.LEAST},
        ),
        (
            _("Checks"),
            _("Flag if more than %(share)s of checks failed (from %(n)s checks)")
            % (limit | {"n": campaign.check_min}),
        ),
    ]


def rows(campaign: Campaign) -> list[tuple[Participant, list[CareCell]]]:
    """Everyone who judges, those with most flags first."""
    titles = [title for title, _rule in heads(campaign)]
    people = sorted(care.of(campaign), key=lambda row: -len(row.flags))
    return [
        (
            row.person,
            [
                CareCell(title, words(rule), rule.is_broken)
                for title, rule in zip(titles, row.rules, strict=True)
            ],
        )
        for row in people
    ]


def of_person(
    campaign: Campaign, person: Participant
) -> list[tuple[str, str, CareCell]]:
    """Title, rule, and what was found about one person."""
    (row,) = [one for one in care.of(campaign) if one.person == person]
    return [
        (title, rule, CareCell(title, words(sign), sign.is_broken))
        for (title, rule), sign in zip(heads(campaign), row.rules, strict=True)
    ]


def words(rule: Sign) -> str:
    """The result in numbers."""
    values = {"n": rule.hits, "all": rule.n}
    if rule.name == "speed":
        seconds = {"s": f"{care.FAST_MS / 1000:g}"}
        return _("%(n)s of %(all)s under %(s)s s") % (values | seconds)
    if rule.name == "same":
        return (
            ngettext(
                "%(n)s equal answer in a row", "%(n)s equal answers in a row", rule.hits
            )
            % values
        )
    if rule.name == "checks":
        return _("%(n)s of %(all)s failed") % values
    if rule.value is None:
        return (
            ngettext(
                "%(all)s shared item: too few", "%(all)s shared items: too few", rule.n
            )
            % values
        )
    shown = local(f"{rule.value:+.2f}")
    return _("%(value)s, 0 is chance") % {"value": shown}
