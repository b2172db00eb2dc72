"""Pages with hundreds of people show some at a time, and find one by name."""

import re
from collections.abc import Iterator

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from annotator.models import Batch, Campaign, Membership, Participant
from annotator.pages.site.settings import PEOPLE, at_once
from annotator.services.campaigns import participants
from tests.annotator.campaigns_cast import campaign
from tests.cast import Cast

N = 5 * PEOPLE
NAMES = [f"judge{n:03}" for n in range(N)]
LABEL = re.compile(r">(judge\d{3})</a>")
TICK = re.compile(r'name="person"\s+value="(judge\d{3})"')
ROW = re.compile(r'<tr><th scope="row">(judge\d{3})')


@pytest.fixture
def many(cast: Cast) -> Cast:
    """Ada's project with five hundred more members."""
    users = get_user_model().objects
    made = users.bulk_create([users.model(username=name) for name in NAMES])
    Membership.objects.bulk_create(
        [Membership(project=cast.project, user=one, role="annotator") for one in made]
    )
    return cast


@pytest.fixture
def judged(many: Cast) -> Campaign:
    """A campaign in which all of them judge."""
    made = campaign(many, n=2)
    users = get_user_model().objects.filter(username__in=NAMES).order_by("username")
    Participant.objects.bulk_create(
        [Participant(campaign=made, user=one, label=one.username) for one in users]
    )
    return made


@pytest.fixture
def ada(many: Cast, client: Client) -> Client:
    client.force_login(many.ada)
    return client


def pages(client: Client, url: str, name: str) -> Iterator[str]:
    """One after the other, by the links between them."""
    here = url
    while here:
        yield (page := client.get(here).content.decode())
        after = re.search(rf'href="(\?{name}=\d+)[^"]*"\s*>Next page', page)
        here = url + after[1] if after else ""


def test_each_of_many_people_is_on_one_page_and_pages_stay_small(
    judged: Campaign, ada: Client
) -> None:
    url = reverse("campaign", args=["windows", judged.code])
    shown = list(pages(ada, url, "people"))
    assert sorted(name for one in shown for name in LABEL.findall(one)) == NAMES
    assert max(map(len, shown)) < 200_000


def test_those_who_could_judge_are_on_one_page_each(many: Cast, ada: Client) -> None:
    url = reverse("campaign_people", args=["windows", campaign(many, n=2).code])
    shown = list(pages(ada, url, "members"))
    assert sorted(name for one in shown for name in TICK.findall(one)) == NAMES
    assert max(map(len, shown)) < 100_000


def test_one_who_could_judge_is_known_by_a_part_of_the_name(
    many: Cast, ada: Client
) -> None:
    made = campaign(many, n=2)
    url = reverse("campaign_people", args=["windows", made.code])
    page = ada.get(url, {"q": " JUDGE49 "}).content.decode()
    assert TICK.findall(page) == [f"judge49{n}" for n in range(10)]
    ada.post(f"{url}?q=judge49", {"person": ["judge493"]})
    assert made.participants.filter(user__username="judge493").exists()
    page = ada.get(url, {"q": "nobody"}).content.decode()
    assert "No member has this name." in page
    assert "All of them judge already" not in page


def test_batches_of_many_people_are_set_a_page_at_a_time(
    judged: Campaign, ada: Client
) -> None:
    """All at once were more fields than a form may have."""
    more = [Batch(campaign=judged, name=f"B{n}", position=n) for n in range(1, 12)]
    Batch.objects.bulk_create(more)
    assert at_once(13) < PEOPLE
    url = reverse("campaign_people", args=["windows", judged.code])
    shown = list(pages(ada, url, "judges"))
    assert sorted(name for one in shown for name in ROW.findall(one)) == NAMES
    last = shown[-1]
    codes = re.findall(r'name="seen-([^"]+)"', last)
    batches = [one.code for one in judged.batches.all()]
    sent = {f"seen-{code}": "1" for code in codes}
    sent |= {f"of-{code}": batches[:-1] for code in codes}
    action = re.search(r'action="([^"]+/batches/\?judges=\d+)"', last)
    assert action
    answer = ada.post(action[1], sent)
    assert answer["Location"] == f"{url}?{action[1].partition('?')[2]}"
    own = judged.participants.filter(has_own_batches=True)
    assert set(own.values_list("code", flat=True)) == set(codes)


def test_a_full_page_of_batches_is_taken(judged: Campaign, ada: Client) -> None:
    batches = [Batch(campaign=judged, name=f"B{n}", position=n) for n in range(1, 30)]
    Batch.objects.bulk_create(batches)
    page = ada.get(reverse("campaign_people", args=["windows", judged.code]))
    codes = re.findall(r'name="seen-([^"]+)"', page.content.decode())
    every = [one.code for one in judged.batches.all()]
    sent = {f"seen-{code}": "1" for code in codes}
    sent |= {f"of-{code}": every for code in codes}
    answer = ada.post(reverse("campaign_batches", args=["windows", judged.code]), sent)
    assert answer.status_code == 302
    assert len(codes) == at_once(1 + len(every))


def test_a_simulated_judge_is_known_by_the_label(many: Cast, ada: Client) -> None:
    made = campaign(many, n=2)
    participants.add_participant(made, label="Robot 1")
    Batch.objects.create(campaign=made, name="B", position=1)
    url = reverse("campaign_people", args=["windows", made.code])
    assert "Robot 1" in ada.get(url, {"q": "robot"}).content.decode()
    assert "Robot 1" not in ada.get(url, {"q": "bob"}).content.decode()


def test_a_page_of_members_is_known_by_no_other_words(many: Cast, ada: Client) -> None:
    made = campaign(many, n=2)
    for url in (
        reverse("campaign_people", args=["windows", made.code]),
        reverse("people", args=["windows"]),
    ):
        assert ada.get(url, {"page": "2"}).status_code == 400
        assert ada.get(url, {"q": "\x00", "people": "x"}).status_code in (200, 400)
