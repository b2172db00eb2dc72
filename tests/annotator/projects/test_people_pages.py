"""The people of a project, some at a time, and by name."""

import re

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from annotator.models import Membership
from annotator.pages.site.settings import PEOPLE
from tests.cast import Cast

NAMES = [f"judge{n:03}" for n in range(PEOPLE + 20)]
ROW = re.compile(r"<tr><td>(judge\d{3})</td>")


@pytest.fixture
def url(cast: Cast, client: Client) -> str:
    users = get_user_model().objects
    made = users.bulk_create([users.model(username=name) for name in NAMES])
    Membership.objects.bulk_create(
        [Membership(project=cast.project, user=one, role="annotator") for one in made]
    )
    client.force_login(cast.ada)
    return reverse("people", args=[cast.project.slug])


def test_each_member_is_on_one_page(client: Client, cast: Cast, url: str) -> None:
    shown = [client.get(url, {"people": n}).content.decode() for n in (1, 2)]
    names = [ROW.findall(page) for page in shown]
    assert sorted(names[0] + names[1]) == NAMES
    n = cast.project.memberships.count()
    assert f"{PEOPLE + 1} to {n} of {n}" in shown[1]


def test_a_member_is_known_by_a_part_of_the_name(client: Client, url: str) -> None:
    page = client.get(url, {"q": "Judge11"}).content.decode()
    assert ROW.findall(page) == [f"judge11{n}" for n in range(10)]
    page = client.get(url, {"q": "nobody"}).content.decode()
    assert "No member has this name." in page


def test_a_role_is_changed_on_the_page_where_somebody_is(
    client: Client, cast: Cast, url: str
) -> None:
    sent = {"what": "role", "member": "judge119", "role": "curator"}
    page = client.post(f"{url}?people=2", sent).content.decode()
    assert "judge119" in page
    assert "judge000" not in page
    assert cast.project.memberships.get(user__username="judge119").role == "curator"


def test_a_short_list_needs_no_search(client: Client, cast: Cast) -> None:
    client.force_login(cast.ada)
    page = client.get(reverse("people", args=[cast.project.slug])).content.decode()
    assert 'type="search"' not in page
