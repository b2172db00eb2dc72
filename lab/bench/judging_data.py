"""The campaign that ``lab.bench.judging`` runs on, and the counts it must end with."""

from collections import Counter
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.db.models import F, Sum
from django.utils import timezone

from annotator.models import (
    Batch,
    Campaign,
    Instance,
    Item,
    Judgment,
    JudgmentEvent,
    Membership,
    Participant,
    Tally,
)
from annotator.services import accounts
from annotator.services.campaigns import participants, setup
from annotator.services.projects import members

SENTENCE = "In sentence {} the committee put off its decision until the autumn."
PHRASE = "put off"
PER_INSTANCE = 5
_acknowledged: set[str] = set()


def build(*, items: int, people: int, k: int, n: int) -> tuple[str, list[str]]:
    """Open a campaign; return its code and an Authorization header per annotator.

    ``n`` judgments are there already, by annotators of their own, spread evenly. A
    database that has the campaign (GEMEL_HOME of an earlier run) is used as it is.
    """
    call_command("migrate", verbosity=0, interactive=False)
    if there := Campaign.objects.filter(name="Bench").first():
        judges = User.objects.filter(username__startswith="annotator").order_by("pk")
        return there.code, [_token(user) for user in judges[:people]]
    owner, _ = members.ensure_owner()
    project = members.create("Bench", by=owner)
    campaign = setup.create(project, "Bench", by=owner)
    before = -(-n // items)
    setup.change(
        campaign, {"k": k + before, "overlap_share": 0, "check_every": 0}, by=owner
    )
    batch = Batch.objects.create(campaign=campaign, name="Main", n_items=items)
    _items(campaign, batch, items)
    Campaign.objects.filter(pk=campaign.pk).update(n_items=items)
    campaign.refresh_from_db()
    tokens = [_annotator(campaign, owner, i) for i in range(people)]
    setup.open_campaign(campaign, by=owner)
    if n:
        _judged(campaign, before)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return campaign.code, tokens


def _items(campaign: Campaign, batch: Batch, n: int) -> None:
    for first in range(0, n, 5000):
        numbers = range(first, min(first + 5000, n))
        instances = Instance.objects.bulk_create(
            _instance(campaign, i) for i in numbers[::PER_INSTANCE]
        )
        Item.objects.bulk_create(
            Item(
                campaign=campaign,
                batch=batch,
                number=i,
                instance=instances[(i - first) // PER_INSTANCE],
                paraphrase=f"postponed {i}",
            )
            for i in numbers
        )


def _instance(campaign: Campaign, i: int) -> Instance:
    text = SENTENCE.format(i)
    start = text.index(PHRASE)
    end = start + len(PHRASE)
    key = Instance.key_of(text, start, end)
    return Instance(
        campaign=campaign, sentence=text, start=start, end=end, phrase=PHRASE, key=key
    )


def _annotator(campaign: Campaign, owner: User, i: int) -> str:
    user = User.objects.create_user(f"annotator{i}")
    Membership.objects.create(project=campaign.project, user=user, role="annotator")
    participants.add_people(campaign, [user], by=owner)
    return _token(user)


def _token(user: User) -> str:
    return f"Token {accounts.make_token(user, name='bench', scope='annotate')[1]}"


def _judged(campaign: Campaign, each: int) -> None:
    """Store ``each`` answers per item by simulated annotators, with their events."""
    now = timezone.now()
    items = list(campaign.items.values_list("pk", flat=True))
    for one in range(each):
        person = Participant.objects.create(
            campaign=campaign, label=f"past{one}", is_simulated=True
        )
        for first in range(0, len(items), 10_000):
            made = Judgment.objects.bulk_create(
                Judgment(
                    item_id=pk,
                    participant=person,
                    state="done",
                    fills=True,
                    lease_until=now,
                    values={"meaning": 1 + pk % 5, "grammar": 1 + (pk + one) % 5},
                    revision=1,
                    saved_at=now,
                )
                for pk in items[first : first + 10_000]
            )
            JudgmentEvent.objects.bulk_create(
                JudgmentEvent(
                    judgment=judgment,
                    uuid=UUID(int=judgment.pk),
                    verb="save",
                    revision=1,
                    values=judgment.values,
                )
                for judgment in made
            )
    taken = F("n_taken") + each
    campaign.items.update(n_taken=taken, n_done=F("n_done") + each)


def acknowledged(clients: list[Any]) -> None:
    for one in clients:
        _acknowledged.update(one.acknowledged)


def faults(code: str) -> dict[str, int]:
    """Answers that were acknowledged and are not there, judgments stored twice, items
    with more judgments than they need."""
    campaign = Campaign.objects.get(code=code)
    rows = Judgment.objects.of(campaign).counted()
    done = Counter(rows.values_list("item_id", flat=True))
    needs = dict(campaign.items.values_list("pk", "need"))
    stored = JudgmentEvent.objects.filter(judgment__participant__campaign=campaign)
    uuids = {str(uuid) for uuid in stored.values_list("uuid", flat=True)}
    events = Counter(stored.values_list("judgment_id", flat=True))
    return {
        "lost": len(_acknowledged - uuids),
        "doubled": sum(n > 1 for n in events.values()),
        "over_k": sum(n > needs[pk] for pk, n in done.items()),
    }


def verify(code: str, *, exact: bool) -> dict[str, bool]:
    """Return whether each condition holds; ``exact``: also that no judgment is lost."""
    campaign = Campaign.objects.get(code=code)
    rows = Judgment.objects.of(campaign).counted()
    done = Counter(rows.values_list("item_id", flat=True))
    needs = dict(campaign.items.values_list("pk", "need"))
    counts = faults(code)
    tallied = Tally.objects.filter(participant__campaign=campaign)
    past = rows.filter(participant__is_simulated=True).count()
    right = {
        "no item over k": not counts["over_k"],
        "counters equal rows": all(
            done.get(pk, 0) == n for pk, n in campaign.items.values_list("pk", "n_done")
        ),
        "every acknowledged answer is there": not counts["lost"],
        "nothing twice": not counts["doubled"],
        "tallies equal rows": sum(done.values())
        == past + (tallied.aggregate(n=Sum("n_done"))["n"] or 0),
    }
    if exact:
        right["every item exactly k"] = all(
            done.get(pk, 0) == need for pk, need in needs.items()
        )
    return right
