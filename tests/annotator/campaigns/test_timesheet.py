"""Active time and its cost, by person and day, the same on every screen."""

import csv
import io
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotator.models import Campaign, Judgment, JudgmentEvent
from annotator.services.campaigns import progress, setting_aside
from tests.annotator.campaigns_cast import HEADER, campaign, draw, judge, person, rows
from tests.cast import Cast

MINUTE = 60_000


@pytest.fixture
def made(cast: Cast) -> Campaign:
    """Bob: two items yesterday, one item and a check today, a minute and a half each,
    an hour for 40 euros."""
    text = HEADER + rows(3) + rows(1, kind="gold", gold="5")
    made = campaign(
        cast, text=text, people=2, check_every=1, cost_per_hour=40, prefetch=4
    )
    made.currency = "EUR"
    made.save()
    for judgment in draw(made, cast.bob, 4):
        judge(judgment)
    JudgmentEvent.objects.update(active_ms=1.5 * MINUTE)
    Judgment.objects.update(active_ms=1.5 * MINUTE)
    first = JudgmentEvent.objects.order_by("pk").values_list("pk", flat=True)[:2]
    yesterday = timezone.now() - timedelta(days=1)
    JudgmentEvent.objects.filter(pk__in=list(first)).update(at=yesterday)
    return made


def sheet(client: Client, made: Campaign) -> list[dict[str, str]]:
    url = reverse("campaign_timesheet", args=["windows", made.code, "csv"])
    text = client.get(url).getvalue().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def test_the_sheet_has_a_row_for_each_person_and_day(
    cast: Cast, client: Client, made: Campaign
) -> None:
    client.force_login(cast.ada)
    days = sheet(client, made)
    assert [row["answers"] for row in days] == ["2", "2"]
    assert {row["name"] for row in days} == {"bob"}
    assert [float(row["minutes"]) for row in days] == [3.0, 3.0]
    assert [float(row["cost"]) for row in days] == [2.0, 2.0]
    assert {row["currency"] for row in days} == {"EUR"}


def test_the_campaign_and_the_person_show_the_time_of_the_sheet(
    cast: Cast, client: Client, made: Campaign
) -> None:
    setting_aside.set_aside(person(made, cast.bob), by=cast.ada)  # work all the same
    client.force_login(cast.ada)
    total = sum(float(row["minutes"]) for row in sheet(client, made))
    now = progress.of(made)
    assert now.active_ms == total * MINUTE
    assert now.cost == 4.0
    page = client.get(reverse("campaign", args=["windows", made.code])).text
    assert "6 minutes of work so far." in page
    assert "It cost 4.00 EUR." in page
    here = ["windows", made.code, person(made, cast.bob).code]
    assert "6 minutes" in client.get(reverse("campaign_annotator", args=here)).text


def test_only_managers_get_the_sheet(
    cast: Cast, client: Client, made: Campaign
) -> None:
    url = reverse("campaign_timesheet", args=["windows", made.code, "csv"])
    client.force_login(cast.bob)
    assert client.get(url).status_code == 403
