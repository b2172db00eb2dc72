"""The page of a campaign's rules: people's units, problems at their fields."""

import re

import pytest
from django.test import Client

from annotator.models import Campaign
from tests.annotator.campaigns_cast import HEADER, campaign, rows
from tests.cast import Cast


@pytest.fixture
def ada(cast: Cast, client: Client) -> Client:
    client.force_login(cast.ada)
    return client


def url_of(made: Campaign) -> str:
    return f"/p/windows/campaign/{made.code}/rules/"


def value_of(html: str, name: str) -> str:
    field = re.search(rf'name="{name}" value="([^"]*)"', html)
    assert field, name
    return field[1]


def sent(**changed: str) -> dict[str, str]:
    plain = {
        "k": "2", "overlap_share": "20", "overlap_k": "3", "quota": "",
        "lease_s": "20", "prefetch": "4", "check_every": "0", "check_tolerance": "1",
        "check_min": "4", "check_fail_share": "50", "training_pass_share": "0",
        "repeat_every": "0", "repeat_gap_h": "24", "adaptive_gap": "2",
        "seconds_per_item": "12", "cost_per_hour": "0", "mode": "single",
        "contact": "", "currency": "",
    }  # fmt: skip
    return plain | changed


def test_time_is_in_minutes_and_shares_are_in_percent(cast: Cast, ada: Client) -> None:
    made = campaign(cast, n=4, is_open=False, overlap_share=0.25)
    html = ada.get(url_of(made)).content.decode()
    assert value_of(html, "lease_s") == "20"
    assert value_of(html, "overlap_share") == "25"
    assert value_of(html, "check_fail_share") == "50"
    changed = sent(lease_s="45", overlap_share="12,5", check_fail_share="30")
    assert ada.post(url_of(made), changed).status_code == 302
    made.refresh_from_db()
    assert (made.lease_s, made.overlap_share) == (2700, 0.125)
    assert made.check_fail_share == 0.3


def test_every_problem_stands_at_its_field_and_nothing_typed_is_lost(
    cast: Cast, ada: Client
) -> None:
    made = campaign(cast, n=4, is_open=False)
    wrong = sent(k="0", overlap_share="120", prefetch="seven", contact="me@here")
    answer = ada.post(url_of(made), wrong)
    html = answer.content.decode()
    assert answer.status_code == 400
    assert [value_of(html, name) for name in ("k", "overlap_share", "prefetch")] == [
        "0", "120", "seven",
    ]  # fmt: skip
    assert 'value="me@here"' in html
    problems = dict(re.findall(r'id="wrong-(\w+)">([^<]+)<', html))
    assert problems == {
        "k": "Enter a number from 1 to 50.",
        "overlap_share": "Enter a number from 0 to 100.",
        "prefetch": "Enter a number from 1 to 20.",
    }
    made.refresh_from_db()
    assert made.contact == ""


def test_what_nobody_changed_is_folded_and_said_in_words(
    cast: Cast, ada: Client
) -> None:
    made = campaign(cast, n=4, is_open=False)
    html = " ".join(ada.get(url_of(made)).content.decode().split())
    assert '<details class="card" open>' not in html
    assert "An item is reserved for one person for 20 minutes." in html
    assert "No checks: this campaign has no gold items." in html
    made.repeat_every = 10
    made.save()
    html = " ".join(ada.get(url_of(made)).content.decode().split())
    assert html.count('<details class="card" open>') == 1
    assert "A repeat about every 10 items." in html


def test_what_is_fixed_cannot_be_typed_and_the_rest_is_stored(
    cast: Cast, ada: Client
) -> None:
    made = campaign(cast, n=4)
    html = ada.get(url_of(made)).content.decode()
    tag = re.search(r'<select id="mode"[^>]*>', html)
    assert tag
    assert "disabled" in tag[0]
    fixed = {"mode"}
    rest = {name: value for name, value in sent().items() if name not in fixed}
    assert ada.post(url_of(made), rest | {"lease_s": "30"}).status_code == 302
    made.refresh_from_db()
    assert made.lease_s == 1800


def test_checks_without_gold_items_are_refused(cast: Cast, ada: Client) -> None:
    made = campaign(cast, n=4, is_open=False)
    html = ada.get(url_of(made)).text
    assert value_of(html, "check_every") == "0"
    answer = ada.post(url_of(made), sent(check_every="15"))
    assert answer.status_code == 400
    problems = dict(re.findall(r'id="wrong-(\w+)">([^<]+)<', answer.text))
    assert problems == {
        "check_every": "This campaign has no gold items. Add some, or turn checks off.",
    }
    assert ada.post(url_of(made), sent(check_every="0")).status_code == 302


def test_rules_say_how_often_checks_come_where_there_are_some(
    cast: Cast, ada: Client
) -> None:
    text = HEADER + rows(4) + rows(2, kind="gold", gold="4")
    made = campaign(cast, text=text, is_open=False)
    html = " ".join(ada.get(url_of(made)).text.split())
    assert value_of(html, "check_every") == "15"
    assert "fails more than 50% of at least 4 checks is stopped" in html
    assert ada.post(url_of(made), sent(check_every="0")).status_code == 302
    html = " ".join(ada.get(url_of(made)).text.split())
    assert "Checks are off: 2 gold items are not shown." in html
