"""The plan of a campaign: what it costs and can show, and what a difference needs."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotator import access
from annotator.errors import Refusal
from annotator.models import Campaign
from annotator.models.projects import Anybody
from annotator.numbers import as_number, local
from annotator.pages.agreement.words import BAND_WORDS
from annotator.pages.campaigns import how_many
from annotator.services.campaigns import needed as aims
from annotator.services.campaigns.needed import Aim, Needed
from annotator.services.campaigns.scales import closed_scales
from annotator.svg import charts
from core.agreement.judgments import verdicts
from core.layout.charts import Flag, line_chart
from core.layout.measure import GlyphTable

GUESSES = ("agreement", "rho", "people")
READ = (*GUESSES, *aims.NAMES)
"""The parameters of the query."""
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
MEASURE = GlyphTable()
UNITS = {  # in "a difference of 9 …"
    "share": gettext_lazy("percentage points"),
    "points": gettext_lazy("points"),
}


def plan(campaign: Campaign, sent: Mapping[str, str], *, by: Anybody) -> dict[str, Any]:
    """The content of the page. ``sent``: its query.

    Errors in the aim are shown next to its form, as ``problem``. Raises BadRequest on
    impossible guesses.
    """
    guess = aims.Guess.read(sent)
    design = aims.design(campaign, guess)
    aim, needed, problem = None, None, ""
    try:
        aim = Aim.read(sent, campaign)
        needed = _needed(campaign, aim, guess, design)
        aim = needed.aim
    except Refusal as error:
        problem = str(error)
    known = asdict(aim or Aim.read({}, campaign))
    typed = {} if needed else {name: sent[name] for name in aims.NAMES if name in sent}
    return {
        "project": campaign.project,
        "campaign": campaign,
        "guess": guess,
        "design": design,
        "verdicts": _verdicts(campaign, guess, design, needed),
        "needed": needed,
        "problem": problem,
        "aim": _shown(known) | typed,
        "units": UNITS,
        "unit": UNITS.get(known["unit"], ""),
        "pilots": aims.pilots(campaign),
        "chart": _chart(needed) if needed else "",
        "may_manage": access.may(by, "manage", campaign.project),
        "how_many": how_many.options(campaign),
        "sent_guesses": [(n, sent[n]) for n in GUESSES if n in sent],
        "sent_aims": [(n, sent[n]) for n in aims.NAMES if n in sent],
    }


def _shown(aim: dict[str, Any]) -> dict[str, Any]:
    """Its values as the form has them."""
    plain = {
        name: f"{value:g}" if isinstance(value, float) else value
        for name, value in aim.items()
    }
    return plain | {"target": plain["power"]}


def as_json(campaign: Campaign, sent: Mapping[str, str]) -> dict[str, Any]:
    """The same for a program. Raises BadRequest, on an aim out of reach too."""
    guess = aims.Guess.read(sent)
    design = aims.design(campaign, guess)
    needed = _needed(campaign, Aim.read(sent, campaign), guess, design)
    verdicts_of = _verdicts(campaign, guess, design, needed)
    one, other = (asdict(part) for part in needed.components)
    return {
        "guess": asdict(guess),
        "judgments": design.plan.judgments,
        "overlapping": design.plan.overlapping,
        "hours": design.plan.hours,
        "cost": design.plan.cost,
        "is_connected": design.plan.is_connected,
        "common": design.common,
        "kappa": [
            {"scale": title, "width": width, "verdict": text}
            for title, width, text in verdicts_of["kappa"]
        ],
        "difference": {"width": needed.width, "verdict": verdicts_of["difference"]},
        "power": {"value": needed.now, "verdict": verdicts_of["power"]},
        "aim": asdict(needed.aim),
        "needed": {
            "items_each": needed.each,
            "items": needed.items,
            "instances": needed.instances,
            "judgments": needed.judgments,
            "hours": needed.hours,
            "cost": needed.cost,
            "power_now": needed.now,
            "components": [one, other],
            "curve": [
                {"items_each": n, "judgments": judged, "power": power}
                for n, judged, power in needed.curve
            ],
        },
    }


def _needed(
    campaign: Campaign, aim: Aim, guess: aims.Guess, design: aims.Design
) -> Needed:
    return aims.needed(
        campaign, aim, people=len(design.people), rho=guess.rho, common=design.common
    )


def _verdicts(
    campaign: Campaign, guess: aims.Guess, design: aims.Design, needed: Needed | None
) -> dict[str, Any]:
    """The widths with what they mean: ``kappa`` as (scale, width, verdict)."""
    sizes = {scale.title: len(scale.values()) for scale in closed_scales(campaign)}
    return {
        "kappa": [
            (title, width, of_kappa(width, guess.agreement, sizes[title]))
            for title, width in design.kappa.items()
        ],
        "difference": of_difference(needed.width)
        if needed and needed.aim.unit == "share"
        else "",
        "power": of_power(needed.now) if needed else "",
    }


def of_kappa(width: float | None, agreement: float, categories: int) -> str:
    """Return the bands that the expected K may fall in, as a sentence.

    ``width``: of its 95 % interval, None without overlap; ``agreement``: raw, expected.
    """
    if width is None:
        return _(
            "Agreement cannot be measured. Let two people judge some of the items."
        )
    value, half = verdicts.expected_kappa(agreement, categories), width / 2
    first, last = (verdicts.band(end) for end in (value - half, value + half))
    words = {
        "value": as_number(value),
        "half": as_number(half),
        "low": BAND_WORDS[first],
        "high": BAND_WORDS[last],
    }
    if first == last:
        return _("Expected: %(value)s ± %(half)s, %(low)s.") % words
    return _("Expected: %(value)s ± %(half)s, from %(low)s to %(high)s.") % words


def of_difference(width: float | None) -> str:
    """Return which differences of two shares show; ``width``: of its interval."""
    if width is None:
        return _("Conditions cannot be compared. At least two items are needed.")
    half = 100 * width / 2
    return _(
        "Differences below %(half)s percentage points look like chance. "
        "A difference of %(found)s is found in 80 of 100 campaigns."
    ) % {"half": local(f"{half:.1f}"), "found": local(f"{verdicts.BEYOND * half:.1f}")}


def of_power(power: float | None) -> str:
    """Return whether this power is enough to start with."""
    if power is None:
        return _("There is no difference to test.")
    if power < 0.5:
        return _(
            "More likely missed than found. Judge more items, or look for a larger "
            "difference."
        )
    if power < verdicts.USUAL:
        missed = f"{100 * (1 - power):.0f}"
        return _("Missed in %(n)s of 100 campaigns. 80 %% power is usual.") % {
            "n": missed
        }
    return _("Enough: 80 %% power is usual.") % {}


def _chart(needed: Needed) -> str:
    """Power by items of each condition, with a flag at the number needed."""
    sizes = [size for size, *_rest in needed.curve]
    wanted = _("%(n)s items: the requested power") % {"n": local(f"{needed.each:,}")}
    chart = line_chart(
        [(_("power"), [power for *_rest, power in needed.curve])],
        [local(f"{n:,}") for n in sizes],
        low=0,
        high=1,
        ticks_y=TICKS,
        measure=MEASURE,
        note_x=_("items of each condition"),
        flags=[
            Flag(
                0,
                sizes.index(needed.each),
                f"{needed.aim.power:.0%}",
                wanted,
            )
        ],
    )
    description = "; ".join(
        _("%(n)s items: %(power)s") % {"n": local(f"{size:,}"), "power": f"{power:.0%}"}
        for size, _judged, power in needed.curve
    )
    return charts.draw(
        chart, title=_("Power by items of each condition"), desc=description
    )
