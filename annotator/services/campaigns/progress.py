"""How far a campaign is: by annotator, batch and condition, with rate and forecast.

People's numbers come from the counters that every answer keeps; batches and conditions
are one grouped query each, whose sums, for a large campaign, may be a minute old.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Case, Count, F, IntegerField, Q, Sum, When
from django.utils import timezone

from annotator.models import Campaign, Item, Judgment, Participant, Tally
from annotator.services.kept_counts import MANY, kept

RATE_DAYS = 7


@dataclass(frozen=True, slots=True)
class PersonRow:
    """One participant; ``seconds`` an item, ``lately`` answers in the last week;
    ``aside``: answers to items that a manager set aside; ``active_ms``: of all work,
    checks and training too, and its ``cost``."""

    person: Participant
    done: int
    skipped: int
    seconds: float | None
    lately: int
    aside: int = 0
    active_ms: int = 0
    cost: float | None = None

    @property
    def checks_passed(self) -> int:
        return self.person.n_checks - self.person.n_checks_failed


@dataclass(frozen=True, slots=True)
class PartRow:
    """A batch or a condition: answers given and needed, items complete and in total."""

    name: str
    done: int
    need: int
    complete: int
    items: int
    key: Any = None

    @property
    def share(self) -> float:
        return self.done / self.need if self.need else 0.0


@dataclass(frozen=True, slots=True)
class Progress:
    """``hours_left`` at the pace of those who judge; ``end`` at last week's rate."""

    done: int
    need: int
    people: list[PersonRow]
    batches: list[PartRow]
    conditions: list[PartRow]
    hours_left: float | None
    per_day: float
    end: date | None
    active_ms: int
    cost: float | None

    @property
    def share(self) -> float:
        return self.done / self.need if self.need else 0.0


def of(campaign: Campaign) -> Progress:
    """The state of things now."""
    batches = _batches(campaign)
    people = _people(campaign)
    done, need = sum(b.done for b in batches), sum(b.need for b in batches)
    spent = sum((row.seconds or 0) * row.done for row in people)
    judged = sum(row.done for row in people if row.seconds)
    left = max(need - done, 0)
    days = _days_active(campaign)
    per_day = sum(row.lately for row in people) / days
    active = sum(row.active_ms for row in people)
    return Progress(
        done=done,
        need=need,
        people=people,
        batches=batches,
        conditions=_conditions(campaign),
        hours_left=left * spent / judged / 3600 if judged else None,
        per_day=per_day,
        end=_end(left, per_day),
        active_ms=active,
        cost=campaign.cost(active),
    )


def _end(left: int, per_day: float) -> date | None:
    if not per_day or left / per_day > 3650:
        return None
    return timezone.now().date() + timedelta(days=round(left / per_day))


def _days_active(campaign: Campaign) -> int:
    """Days since it opened, today too, a week at most."""
    start = campaign.opened_at or timezone.now()
    return min(RATE_DAYS, (timezone.now().date() - start.date()).days + 1)


def _people(campaign: Campaign) -> list[PersonRow]:
    since = timezone.now().date() - timedelta(days=RATE_DAYS - 1)
    rows = Tally.objects.filter(participant__campaign=campaign).values("participant")
    sums = {
        row["participant"]: row
        for row in rows.annotate(
            done=Sum("n_done"),
            skipped=Sum("n_skipped"),
            ms=Sum("active_ms"),
            lately=Sum("n_done", filter=Q(day__gte=since), default=0),
        )
    }
    nothing = dict.fromkeys(("done", "skipped", "ms", "lately"), 0)
    set_aside, spent = _set_aside(campaign), _spent(campaign)
    people = []
    for person in campaign.participants.select_related("user"):
        of = sums.get(person.pk, nothing)
        aside = set_aside.get(person.pk, 0)
        n = of["done"] + aside  # the time is that of all of them
        seconds = of["ms"] / 1000 / n if n else None
        active = spent.get(person.pk, 0)
        more = (aside, active, campaign.cost(active))
        people.append(
            PersonRow(person, of["done"], of["skipped"], seconds, of["lately"], *more)
        )
    return people


def _set_aside(campaign: Campaign) -> dict[int, int]:
    rows = Judgment.objects.of(campaign).filter(state=Judgment.State.ASIDE, round=1)
    of_items = rows.filter(item__kind=Item.Kind.MAIN).order_by()
    counts = of_items.values("participant").annotate(n=Count("pk"))
    return dict(counts.values_list("participant", "n"))


def _spent(campaign: Campaign) -> dict[int, int]:
    rows = Judgment.objects.of(campaign).order_by().values("participant")
    sums = rows.annotate(ms=Sum("active_ms")).values_list("participant", "ms")
    return kept(f"spent-{campaign.pk}", campaign.n_items, lambda: dict(sums))


def done_and_needed(campaigns: list[Campaign]) -> dict[int, tuple[int, int]]:
    """Answers given and needed, by primary key; no entry without items."""
    small = [one for one in campaigns if one.n_items <= MANY]
    rows = Item.objects.main().filter(campaign__in=small).order_by().values("campaign")
    sums = {
        row["campaign"]: (row["done"], row["wanted"])
        for row in rows.annotate(done=Sum("n_done"), wanted=Sum("need"))
    }
    for one in campaigns:
        if one.n_items > MANY:
            parts = _sums(one).values()
            done, wanted = (sum(p[name] for p in parts) for name in ("done", "wanted"))
            sums[one.pk] = done, wanted
    return sums


_COMPLETE = Sum(
    Case(When(n_done__gte=F("need"), need__gt=0, then=1), output_field=IntegerField())
)


def _sums(campaign: Campaign) -> dict[int, Any]:
    """Of the items of each batch, by its primary key."""
    rows = campaign.items.main().order_by().values("batch_id")
    grouped = rows.annotate(
        done=Sum("n_done"), wanted=Sum("need"), complete=_COMPLETE, n=Count("pk")
    )
    return kept(
        f"items-{campaign.pk}",
        campaign.n_items,
        lambda: {row["batch_id"]: row for row in grouped},
    )


def _batches(campaign: Campaign) -> list[PartRow]:
    sums = _sums(campaign)
    batches = []
    for batch in campaign.batches.all():
        row = sums.get(batch.pk) or {"done": 0, "wanted": 0, "complete": 0, "n": 0}
        batches.append(
            PartRow(
                batch.name,
                row["done"],
                row["wanted"],
                row["complete"] or 0,
                row["n"],
                batch,
            )
        )
    return batches


def _conditions(campaign: Campaign) -> list[PartRow]:
    return kept(
        f"conditions-{campaign.pk}",
        campaign.n_items,
        lambda: _conditions_now(campaign),
    )


def _conditions_now(campaign: Campaign) -> list[PartRow]:
    main = Q(credits__item__kind="main")
    n_done, need = F("credits__item__n_done"), F("credits__item__need")
    complete = When(credits__item__n_done__gte=need, credits__item__need__gt=0, then=1)
    rows = campaign.conditions.filter(main).annotate(
        done=Sum(n_done),
        wanted=Sum(need),
        complete=Sum(Case(complete, output_field=IntegerField())),
        n=Count("credits"),
    )
    return [
        PartRow(row.name, row.done, row.wanted, row.complete or 0, row.n, row)
        for row in rows.order_by("position", "pk")
    ]
