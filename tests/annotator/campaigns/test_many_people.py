"""The page of a campaign with hundreds of people shows some at a time."""

import re

from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from annotator.models import Membership, Participant
from annotator.pages.campaigns import overview
from tests.annotator.campaigns_cast import campaign
from tests.cast import Cast

N = 5 * overview.PEOPLE
LABEL = re.compile(r"<tr><td>(judge\d{3})\b")


def test_each_of_many_people_is_on_one_page_and_pages_stay_small(
    client: Client, cast: Cast
) -> None:
    judged = campaign(cast, n=2)
    users = get_user_model().objects
    made = users.bulk_create([users.model(username=f"judge{n:03}") for n in range(N)])
    Membership.objects.bulk_create(
        [Membership(project=cast.project, user=one, role="annotator") for one in made]
    )
    Participant.objects.bulk_create(
        [
            Participant(campaign=judged, user=one, label=f"judge{n:03}")
            for n, one in enumerate(made)
        ]
    )
    client.force_login(cast.ada)
    url, seen, sizes = reverse("campaign", args=["windows", judged.code]), [], []
    while url:
        page = client.get(url).content
        sizes.append(len(page))
        seen += LABEL.findall(page.decode())
        after = re.search(r'href="(\?people=\d+)">Next page', page.decode())
        url = url.partition("?")[0] + after[1] if after else ""
    assert sorted(seen) == [f"judge{n:03}" for n in range(N)]
    assert max(sizes) < 200_000
