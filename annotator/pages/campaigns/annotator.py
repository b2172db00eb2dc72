"""One annotator of a campaign: can these answers stay?"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Sum
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotator.models import Campaign, Item, Judgment, Participant
from annotator.numbers import as_number
from annotator.pages.agreement.report import MEASURE
from annotator.pages.agreement.summary import DRIFTED
from annotator.pages.campaigns import care
from annotator.pages.site.settings import page_of
from annotator.services.campaigns import checks, messages, progress, setting_aside
from annotator.services.campaigns.scales import closed_scales, in_words, scales_for
from annotator.services.reports import agreement
from annotator.services.reports import care as signs
from annotator.services.reports.agreement import ReportSource
from annotator.services.reports.care import Against
from annotator.svg import charts
from core.agreement.figures import Estimate
from core.layout.charts import Flag, line_chart

ROWS, PLOT = 20, 340.0
SHOWN = {
    "all": pgettext_lazy("answers", "All"),
    "fast": pgettext_lazy("answers", "Fast"),
    "apart": gettext_lazy("Disagrees"),
    "checks": gettext_lazy("Checks"),
    "aside": gettext_lazy("Set aside"),
}
State = Judgment.State


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """``cells``: own value and the mean of the others (of a check: what is expected) on
    every scale; ``kinds``: the lists it is in."""

    judgment: Judgment
    cells: list[tuple[Any, Any]]
    kinds: frozenset[str]
    is_failed: bool

    @property
    def seconds(self) -> float:
        return self.judgment.active_ms / 1000


def annotator(
    campaign: Campaign, person: Participant, sent: Mapping[str, str]
) -> dict[str, Any]:
    """The page. ``sent``: ``show``, a list of ``SHOWN``; ``page`` of it."""
    show = sent.get("show") if sent.get("show") in SHOWN else "all"
    rows = _answers(campaign, person)
    chosen = [row for row in rows if show in row.kinds]
    row = next(one for one in progress.of(campaign).people if one.person == person)
    return {
        "project": campaign.project,
        "campaign": campaign,
        "person": person,
        "row": row,
        "last_at": rows[0].judgment.saved_at if rows else None,
        "checks": _checks(campaign, person),
        "scales": scales_for(campaign),
        "lists": [
            (name, title, sum(name in row.kinds for row in rows))
            for name, title in SHOWN.items()
        ],
        "show": show,
        "answers": page_of(chosen, sent.get("page", ""), size=ROWS),
        "n_standing": sum(r.judgment.state == State.DONE for r in rows),
        "set_aside": setting_aside.listed(person),
        "sent": messages.sent(campaign, person),
        **_measured(campaign, person),
    }


def _checks(campaign: Campaign, person: Participant) -> dict[str, Any]:
    others = campaign.participants.exclude(pk=person.pk)
    sums = others.aggregate(n=Sum("n_checks"), failed=Sum("n_checks_failed"))
    n, failed = sums["n"] or 0, sums["failed"] or 0
    return {
        "passed": person.n_checks - person.n_checks_failed,
        "others": (n - failed) / n if n else None,
    }


def _measured(campaign: Campaign, person: Participant) -> dict[str, Any]:
    """What takes reading every judgment: nothing where that would take too long."""
    source = ReportSource(campaign.project, "campaign", campaign)
    if agreement.is_large(source):
        return {"is_large": True}
    facts = signs.against(campaign, person)
    scales = closed_scales(campaign)
    return {
        "rules": care.of_person(campaign, person),
        "seconds": facts.seconds,
        "agreement": [
            _figure(scale.title, one)
            for scale, one in zip(scales, facts.agreement, strict=True)
        ],
        "speed": _speed(person, facts),
        "drift": _drift([scale.title for scale in scales], facts),
    }


def _figure(title: str, figure: Any) -> dict[str, str]:
    if not isinstance(figure, Estimate):
        return {"title": title, "text": "–", "interval": ""}
    ends = ""
    if figure.low is not None and figure.high is not None:
        low, high = as_number(figure.low), as_number(figure.high)
        ends = _("%(low)s to %(high)s") % {"low": low, "high": high}
    return {"title": title, "text": as_number(figure.value), "interval": ends}


def _speed(person: Participant, facts: Against) -> str:
    """How the answers spread over their seconds, next to those of the others."""
    series = [(str(person), facts.speeds[0]), (_("others"), facts.speeds[1])]
    most = max(0.1, *(float(values.max()) for _name, values in series))
    width, n = signs.BIN_S, signs.BINS
    limit = f"{signs.FAST_MS / 1000:g}"
    rule = Flag(
        0,
        signs.FAST_MS / 1000 / width - 0.5,
        _("rule: %(n)s s") % {"n": limit},
        _("Answers under %(n)s s count as fast") % {"n": limit},
    )
    chart = line_chart(
        [(name, list(map(float, values))) for name, values in series],
        [f"{width * at}" if at % 3 == 0 else "" for at in range(n)],
        low=0,
        high=most,
        ticks_y=[0, most / 2, most],
        measure=MEASURE,
        note_x=_("seconds per answer"),
        flags=[rule],
        plot=PLOT,
    )
    own, theirs = (f"{values[0]:.0%}" for _name, values in series)
    said = _("Under %(n)s s: %(own)s of the answers, of the others' %(theirs)s.")
    text = said % {"n": width, "own": own, "theirs": theirs}
    return charts.draw(chart, title=_("Speed, share of answers"), desc=text)


def _drift(titles: list[str], facts: Against) -> dict[str, Any] | None:
    if not facts.moved:
        return None
    series = [(titles[at], means) for at, (means, _move) in facts.moved.items()]
    most = max(DRIFTED, *(abs(mean) for _name, means in series for mean in means))
    chart = line_chart(
        series,
        ["1", "2", "3", "4", "5"],
        low=-most,
        high=most,
        ticks_y=[-DRIFTED, 0.0, DRIFTED],
        measure=MEASURE,
        note_x=_("fifths of the shared items, in the order judged"),
        percent=False,
        plot=PLOT,
    )
    rows = [_figure(titles[at], move) for at, (_m, move) in facts.moved.items()]
    text = "; ".join(f"{row['title']} {row['text']}" for row in rows)
    title = _("Drift, own value minus the others' in points")
    return {"svg": charts.draw(chart, title=title, desc=text), "rows": rows}


def _answers(campaign: Campaign, person: Participant) -> list[AnswerRow]:
    """Every answer and what was set aside, the newest first; training apart."""
    rows = person.judgments.filter(state__in=(State.DONE, State.ASIDE))
    rows = rows.exclude(item__kind=Item.Kind.TRAINING)
    mine = list(rows.select_related("item__instance").order_by("-saved_at", "-pk"))
    others: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    theirs = Judgment.objects.of(campaign).answered().exclude(participant=person)
    theirs = theirs.filter(item__in=rows.values("item"))
    for item, values in theirs.values_list("item", "values"):
        others[item].append(values)
    return [_answer(campaign, one, others[one.item_id]) for one in mine]


def _answer(
    campaign: Campaign, one: Judgment, others: list[Mapping[str, Any]]
) -> AnswerRow:
    gold, cells, is_apart = one.item.gold, [], False
    is_check = one.item.kind != Item.Kind.MAIN
    for scale in scales_for(campaign):
        own = one.values.get(scale.name)
        given = [v[scale.name] for v in others if v.get(scale.name) is not None]
        expected = gold.get(scale.name) if is_check else None
        if given and not is_check and not scale.is_open:
            expected = _middle(given, is_ordered=scale.is_ordered)
        if own is not None and expected is not None:
            is_apart |= (
                abs(own - expected) >= campaign.adaptive_gap
                if scale.is_ordered
                else own != expected
            )
        cells.append((in_words(scale, own, one.item), expected))
    kinds = {"all", "aside"} if one.state == State.ASIDE else {"all"}
    kinds |= {"fast"} if 0 < one.active_ms < signs.FAST_MS else set()
    kinds |= {"apart"} if is_apart and not is_check else set()
    kinds |= {"checks"} if is_check else set()
    failed = is_check and not checks.is_passed(campaign, one.item, one.values)
    return AnswerRow(one, cells, frozenset(kinds), failed)


def _middle(values: list[Any], *, is_ordered: bool) -> Any:
    """The mean, of labels the most frequent."""
    if is_ordered:
        return sum(values) / len(values)
    return max(sorted(set(values)), key=values.count)
