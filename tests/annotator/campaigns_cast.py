"""A small campaign for tests: Ada manages, Bob and more annotators judge."""

import io
from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from django.contrib.auth.models import User

from annotator.models import Campaign, Judgment, Membership, Participant, Upload
from annotator.services.campaigns import (
    answers,
    item_files,
    items,
    leases,
    participants,
    scales,
    setup,
)

HEADER = (
    "sentence\tphrase\tparaphrase\tcondition\trank\tkind\tgold_meaning\tgold_grammar"
    "\twhy\n"
)
GOOD = {"meaning": 4, "grammar": 5}


def rows(n: int, *, kind: str = "main", gold: str = "", why: str = "") -> str:
    """``n`` lines, each another sentence."""
    return "".join(
        f"The {kind} cook number {i} peeled the onions.\tpeeled the onions\t"
        f"{kind} skinned onions {i}\tsystem {i % 2}\t1\t{kind}\t{gold}\t{gold}\t{why}\n"
        for i in range(n)
    )


def upload(campaign: Campaign, by: User, text: str, name: str = "i.tsv") -> Upload:
    return item_files.keep(campaign, name, io.BytesIO(text.encode()), by=by)


def campaign(
    cast: Any,
    *,
    n: int = 6,
    people: int = 1,
    text: str = "",
    is_open: bool = True,
    **settings: Any,
) -> Campaign:
    """An open campaign of ``n`` items in Ada's project, judged by ``people``."""
    made = setup.create(cast.project, f"Test {uuid4().hex[:6]}", by=cast.ada)
    chosen = {"overlap_share": 0, "prefetch": 4} | settings
    setup.change(made, chosen, by=cast.ada)
    kept = upload(made, cast.ada, text or HEADER + rows(n))
    list(items.load(made, kept, by=cast.ada))
    participants.add_people(made, list(judges(cast, people)), by=cast.ada)
    if is_open:
        setup.open_campaign(made, by=cast.ada)
    return made


def judges(cast: Any, n: int) -> Iterable[User]:
    yield cast.bob
    for i in range(1, n):
        user, fresh = User.objects.get_or_create(username=f"judge{i}")
        if fresh:
            user.set_password("correct horse battery")
            user.save()
        Membership.objects.get_or_create(
            project=cast.project, user=user, defaults={"role": "annotator"}
        )
        yield user


def person(of: Campaign, user: User) -> Participant:
    return of.participants.select_related("campaign").get(user=user)


def answer(values: dict[str, Any] | None = None, seen: int = 0, **more: Any) -> Any:
    values = GOOD if values is None else values
    return answers.Answer(uuid=uuid4(), seen=seen, values=values, **more)


def judge(judgment: Judgment, values: dict[str, Any] | None = None) -> Judgment:
    """Bob's (or whoever's) answer through the front door of the service."""
    who = judgment.participant
    return answers.take(
        judgment.code,
        "save",
        answer(values, judgment.revision, active_ms=900),
        campaign=who.campaign.code,
        by=who.user,
    )


def draw(of: Campaign, user: User, want: int = 1) -> list[Judgment]:
    held = list(
        Judgment.objects.filter(participant__user=user, state="leased").values_list(
            "code", flat=True
        )
    )
    return leases.draw(person(of, user).pk, want=want, held=held)


TEXT = {"title": "Why", "kind": "text"}
SPANS = {"title": "Lost", "kind": "spans"}
LABEL = {"title": "Same", "kind": "nominal", "points": [{"value": "y"}, {"value": "n"}]}


def open_campaign(
    cast: Any, *kinds: dict[str, Any], people: int = 2, n: int = 2, **settings: Any
) -> Campaign:
    """An open campaign of ``n`` items on these scales, each item for two people."""
    head = "sentence\tphrase\tparaphrase\tcondition\trank\tkind\n"
    text = head + "".join(
        f"Cook {i} peeled onions.\tpeeled\tskinned all\tc\t1\t\n" for i in range(n)
    )
    made = campaign(cast, text=text, people=people, k=2, is_open=False, **settings)
    scales.set_scales(made, kinds, by=cast.ada)
    setup.open_campaign(made, by=cast.ada)
    return made
