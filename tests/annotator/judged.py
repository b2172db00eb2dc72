"""A campaign that was judged: eight phrases, three conditions, three judges."""

from dataclasses import dataclass
from html.parser import HTMLParser

import numpy as np
from django.utils import timezone

from annotator.models import (
    Batch,
    Campaign,
    Condition,
    Credit,
    Instance,
    Item,
    Judgment,
    JudgmentEvent,
    Participant,
    RatingScale,
    Tally,
)
from tests.cast import Cast, person

SENTENCES = (
    ("The river rose", "overnight", "and took the bridge."),
    ("She answered", "at once", "and put the phone down."),
    ("They had", "a great deal of", "rain that spring."),
    ("The council", "turned down", "the plan for the harbour."),
    ("He carries", "no more than", "two bags of flour."),
    ("Nobody", "took part in", "the second meeting."),
    ("The baker opens", "at dawn", "except on Mondays."),
    ("We walked", "as far as", "the old mill."),
)
CONDITIONS = ("baseline", "syntax", "both")


@dataclass
class Judged:
    """The campaign with its parts, made by plain rows."""

    cast: Cast
    campaign: Campaign
    items: list[Item]
    participants: list[Participant]


def judged(cast: Cast, *, copies: int = 1, people: int = 3, k: int = 2) -> Judged:
    campaign = Campaign.objects.create(project=cast.project, name="Substitutes", k=k)
    scales(campaign)
    users = [cast.bob, *(person(f"judge{i}") for i in range(1, people))]
    participants = [
        Participant.objects.create(campaign=campaign, user=user, label=f"A{i + 1}")
        for i, user in enumerate(users)
    ]
    items = made(campaign, copies)
    answer(items, participants, k)
    return Judged(cast, campaign, items, participants)


def scales(campaign: Campaign) -> None:
    points = [
        {"value": v, "label": str(v), "anchor": f"level {v}"} for v in range(5, 0, -1)
    ]
    for position, (name, threshold) in enumerate((("meaning", 3), ("grammar", 4))):
        RatingScale.objects.create(
            campaign=campaign,
            position=position,
            name=name,
            title=name.capitalize(),
            points=points,
            threshold=threshold,
        )


def made(campaign: Campaign, copies: int) -> list[Item]:
    """Baseline and syntax differ; "both" repeats what one of them made."""
    batch = Batch.objects.create(campaign=campaign, name="all")
    rows = [
        Condition.objects.create(
            campaign=campaign, name=name, position=i, is_baseline=not i
        )
        for i, name in enumerate(CONDITIONS)
    ]
    items, credits = [], []
    for copy in range(copies):
        for number, (before, phrase, after) in enumerate(SENTENCES):
            text = f"{before} {phrase} {after}" + (f" ({copy})" if copy else "")
            start = len(before) + 1
            instance = Instance.objects.create(
                campaign=campaign,
                sentence=text,
                start=start,
                end=start + len(phrase),
                phrase=phrase,
                key=Instance.key_of(text, start, start + len(phrase)),
            )
            for variant in (0, 1):
                items.append(
                    Item(
                        campaign=campaign,
                        batch=batch,
                        number=len(items),
                        instance=instance,
                        paraphrase=f"{phrase} {'indeed' if variant else 'so to say'}",
                    )
                )
                credits.append((len(items) - 1, rows[variant]))
                if variant == number % 2:
                    credits.append((len(items) - 1, rows[2]))
    items = Item.objects.bulk_create(items)
    Credit.objects.bulk_create(
        Credit(item=items[at], condition=condition) for at, condition in credits
    )
    Campaign.objects.filter(pk=campaign.pk).update(n_items=len(items))
    return items


def answer(items: list[Item], participants: list[Participant], k: int) -> None:
    """k judges an item, by turns; syntax is better than the baseline."""
    rng = np.random.default_rng(1)
    now = timezone.now()
    rows = []
    for at, item in enumerate(items):
        for turn in range(k):
            who = participants[(at + turn) % len(participants)]
            base = 4 if at % 2 else 2
            values = {
                name: int(np.clip(base + rng.integers(-1, 2), 1, 5))
                for name in ("meaning", "grammar")
            }
            rows.append(
                Judgment(
                    item=item,
                    participant=who,
                    state=Judgment.State.DONE,
                    fills=True,
                    lease_until=now,
                    values=values,
                    active_ms=4000 + 100 * at,
                    saved_at=now,
                    guideline=1,
                )
            )
    Judgment.objects.bulk_create(rows)
    for who in participants:
        n_done = sum(row.participant is who for row in rows)
        Tally.objects.create(
            participant=who, batch=items[0].batch, day=now.date(), n_done=n_done
        )
    Item.objects.filter(pk__in=[item.pk for item in items]).update(
        need=k, n_taken=k, n_done=k
    )


def save_again(judgment: Judgment, **values: int) -> None:
    """Change an answer as its judge would, ledger included."""
    from uuid import uuid4

    judgment.values = judgment.values | values
    judgment.revision += 1
    judgment.save()
    JudgmentEvent.objects.create(
        judgment=judgment,
        uuid=uuid4(),
        verb=JudgmentEvent.Verb.SAVE,
        revision=judgment.revision,
        values=judgment.values,
    )


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.urls: list[str] = []

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.urls += [value for key, value in attrs if tag == "a" and key == "href"]


def links(page: str) -> list[str]:
    """Where the page's anchors lead."""
    parser = _Links()
    parser.feed(page)
    return parser.urls
