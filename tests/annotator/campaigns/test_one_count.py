"""A campaign judged from start to end: every screen says the same numbers."""

import re
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotator.models import Campaign, Judgment
from annotator.pages.site.figures import agreement_line
from annotator.services.campaigns import progress
from tests.annotator.campaigns_cast import HEADER, campaign, judges, rows
from tests.cast import Cast

TEXT = (
    HEADER
    + rows(24)
    + rows(4, kind="gold", gold="4")
    + rows(2, kind="attention", gold="5")
    + rows(3, kind="training", gold="4", why="So it is.")
)


@pytest.fixture
def made(cast: Cast) -> Campaign:
    return campaign(
        cast,
        text=TEXT,
        people=2,
        k=1,
        overlap_share=0.5,
        overlap_k=2,
        check_every=5,
        check_fail_share=1.0,  # nobody is paused, whatever checks they draw
    )


class DeskClient:
    """One judge, through the API that the screen uses."""

    def __init__(self, of: Campaign, user: User) -> None:
        self.of, self.user, self.client = of, user, Client()
        self.client.force_login(user)
        self.told = self.look()

    def look(self) -> dict[str, Any]:
        told = self.client.get(reverse("api_desk", args=[self.of.code])).json()
        return told

    def send(self, card: dict[str, Any], **message: Any) -> dict[str, Any]:
        body = {
            "uuid": str(uuid4()), "judgment": card["code"], "seen": card["revision"],
            "active_ms": 4000, **message,
        }  # fmt: skip
        url = reverse("api_answers", args=[self.of.code])
        answer = self.client.post(url, body, content_type="application/json")
        assert answer.status_code == 200, answer.content
        return dict(answer.json())

    @property
    def home(self) -> tuple[int, int] | None:
        """Items left, and in all, as the home page has them; None if no task."""
        text = " ".join(self.client.get("/").text.split())
        if found := re.search(r"(\d+) skipped items? left", text):
            return int(found[1]), -1
        found = re.search(r"(\d+) of (\d+) items? left", text)
        return (int(found[1]), int(found[2])) if found else None


def check_judge(desk: DeskClient) -> dict[str, Any]:
    """Home and desk agree; the numbers of what is done and left add up."""
    status = desk.look()["status"]
    person = desk.of.participants.get(user=desk.user)
    done = person.judgments.answered().exclude(item__kind="training").count()
    assert status["done"] == done
    assert status["expected"] == status["done"] + status["left"]
    row = next(r for r in progress.of(desk.of).people if r.person.pk == person.pk)
    assert status["done"] == row.done + person.n_checks + person.n_repeats
    if not status["left"]:
        assert desk.home is None
    elif status["left"] == status["skipped"]:
        assert desk.home == (status["left"], -1)
    else:
        assert desk.home == (status["left"], status["expected"])
    return dict(status)


def check_manager(cast: Cast, of: Campaign) -> int:
    """Overview, items, report and API count the same judgments of items."""
    client, here = Client(), [cast.project.slug, of.code]
    client.force_login(cast.ada)
    overview = " ".join(client.get(reverse("campaign", args=here)).text.split())
    found = re.search(r"(\d+) of (\d+) judgments \(", overview)
    assert found
    done, need = map(int, found.groups())
    api = client.get(f"/api/campaigns/{of.code}/progress/").json()
    assert (api["done"], api["need"]) == (done, need)
    assert sum(one["done"] for one in api["people"]) == done
    items = client.get(f"/api/campaigns/{of.code}/items/?page_size=100").json()
    by_item = {one["code"]: one for one in items["results"]}
    main = [one for one in by_item.values() if one["kind"] == "main"]
    assert sum(one["n_done"] for one in main) == done
    listed = client.get(reverse("campaign_items", args=here)).context["page"]
    for item in listed:
        answered = item.judgments.filter(state="done").count()
        assert item.n_answers == by_item[item.code]["n_done"] == answered
    report = client.get(reverse("report", args=[here[0], "campaign", of.code]))
    assert report.context["facts"]["judgments"] == done
    return done


def check_agreement(cast: Cast, of: Campaign) -> None:
    """The figure on the overview is that of the report, interval and all."""
    client = Client()
    client.force_login(cast.ada)
    url = reverse("report", args=[cast.project.slug, "campaign", of.code])
    body = client.get(url).context["page"].body
    for shown, scale in zip(agreement_line(of)["scales"], body["scales"], strict=True):
        (figure,) = [
            row["figure"] for row in scale["headline"] if row["key"] == "alpha_ordinal"
        ]
        assert {name: shown[name] for name in figure} == figure


@pytest.mark.slow
def test_all_screens_count_the_same_from_start_to_end(
    cast: Cast, made: Campaign
) -> None:
    desks = [DeskClient(made, user) for user in judges(cast, 2)]
    for desk in desks:
        assert desk.told["status"]["training"] == [0, 3]
        for n, card in enumerate(desk.told["next"][:3], 1):
            assert card["training"]
            body = desk.send(card, values={"meaning": 4, "grammar": 4})
            assert body["training"] == [n, 3]
        assert check_judge(desk)["done"] == 0
    turn, skipped = 0, False
    while any(one.look()["next"] for one in desks):
        desk = desks[turn % 2]
        turn += 1
        for card in desk.look()["next"][:2]:
            before = check_judge(desk)
            if not skipped and before["done"] == 5:
                skipped = True
                desk.send(card, verb="skip", note="unclear")
                continue
            values = {"meaning": 1 + turn % 5, "grammar": 1 + (turn // 2) % 5}
            desk.send(card, values=values)
            after = check_judge(desk)
            assert after["done"] == before["done"] + 1
            assert after["left"] in (before["left"] - 1, before["left"])
        if turn % 5 == 0:
            check_manager(cast, made)
    ends = [check_judge(desk) for desk in desks]
    assert check_manager(cast, made) + 1 >= progress.of(made).need
    assert {one["left"] - one["skipped"] for one in ends} == {0}
    check_agreement(cast, made)
    assert Judgment.objects.of(made).filter(item__kind="gold").exists()


def test_a_skipped_item_is_called_so_at_home(cast: Cast) -> None:
    made = campaign(cast, n=3)
    desk = DeskClient(made, cast.bob)
    first, *others = desk.told["next"]
    desk.send(first, verb="skip", note="unclear")
    for card in others:
        desk.send(card, values={"meaning": 4, "grammar": 4})
    status = check_judge(desk)
    assert (status["state"], status["left"], status["skipped"]) == ("skipped", 1, 1)
    assert desk.home == (1, -1)


def test_a_check_that_two_people_answered_is_judged_twice(cast: Cast) -> None:
    text = HEADER + rows(4) + rows(1, kind="gold", gold="4")
    made = campaign(cast, text=text, people=2, k=2, check_every=2)
    for user in judges(cast, 2):
        desk = DeskClient(made, user)
        while cards := desk.look()["next"]:
            for card in cards:
                desk.send(card, values={"meaning": 4, "grammar": 4})
    client = Client()
    client.force_login(cast.ada)
    url = reverse("campaign_items", args=[cast.project.slug, made.code])
    counts = {item.kind: item.n_answers for item in client.get(url).context["page"]}
    assert counts == {"main": 2, "gold": 2}
    check_manager(cast, made)
