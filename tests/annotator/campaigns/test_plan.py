"""The plan the other way round: from a difference to items, judgments and money."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest
from annotator.models import Campaign, Project
from annotator.services.campaigns.needed import Aim, needed, pilots
from annotator.templatetags.gemel import work_time
from tests.annotator.campaigns_cast import HEADER, campaign
from tests.cast import Cast


def paired(n: int) -> str:
    """``n`` sentences, a paraphrase of each by both systems."""
    return HEADER + "".join(
        f"The cook number {i} peeled onion {i}.\tpeeled onion {i}\tskinned it {i}"
        f" {one}\tsystem {one}\t1\tmain\t\t\t\n"
        for i in range(n)
        for one in (1, 2)
    )


@pytest.mark.parametrize(
    ("hours", "text"),
    [
        (0, "0 minutes"), (0.001, "1 minute"), (0.06, "4 minutes"), (1, "1 hour"),
        (1.96, "2 hours"), (2.5, "2.5 hours"), (12.34, "12.3 hours"),
    ],
)  # fmt: skip
def test_working_time_is_said_as_people_do(hours: float, text: str) -> None:
    assert work_time(hours) == text


def of(made: Campaign, *, people: int = 3, **sent: str):
    return needed(made, Aim.read(sent, made), people=people, rho=0.2, common=40)


def test_the_default_aim_counts_items_judgments_and_money(cast: Cast) -> None:
    made = campaign(
        cast,
        text=paired(40),
        people=3,
        k=1,
        overlap_k=2,
        overlap_share=0.5,
        seconds_per_item=10,
        cost_per_hour=12,
        is_open=False,
    )
    plan = of(made)
    assert (plan.aim.difference, plan.aim.power) == (9.0, 0.8)
    assert plan.items == 2 * plan.each == 2 * plan.instances
    assert plan.judgments == plan.items + round(plan.items * 0.5)
    assert plan.hours == pytest.approx(plan.judgments * 10 / 3600)
    assert plan.cost == pytest.approx(plan.hours * 12)
    by_size = {n: power for n, _, power in plan.curve}
    assert by_size[plan.each] == pytest.approx(0.8, abs=0.002)
    assert list(by_size.values()) == sorted(by_size.values())
    assert plan.now is not None
    assert plan.now < 0.8


def test_a_smaller_difference_or_other_phrases_need_more(cast: Cast) -> None:
    made = campaign(cast, text=paired(4), is_open=False)
    plain = of(made).each
    assert of(made, difference="4").each > 4 * plain
    apart = of(made, paired="no")
    assert apart.each > plain
    assert apart.instances == 2 * apart.each
    assert of(made, k="3").each < plain
    assert of(made, unit="points", difference="2").each < of(made, unit="points").each


def test_phrases_that_come_again_raise_the_number(cast: Cast) -> None:
    same = "".join(
        f"Cook {i} peeled the onions.\tpeeled the onions\tskinned {one} {i}\t{one}\t"
        "1\tmain\t\t\t\n"
        for i in range(5)
        for one in "AB"
    )
    alone = of(campaign(cast, text=paired(5), is_open=False)).each
    again = of(campaign(cast, text=HEADER + same, is_open=False)).each
    assert again == pytest.approx((1 + 4 * 0.2) * alone, rel=0.02)


@pytest.mark.once
def test_a_rehearsal_says_how_its_annotators_differ(cast: Cast) -> None:
    made = campaign(cast, text=paired(150), k=2, is_open=False)
    call_command("simulate", made.code, people=4, seed=5, stdout=StringIO())
    copy = Campaign.objects.get(is_simulated=True)
    known = [one.code for one in pilots(made)]
    assert f"{copy.code}:meaning" in known
    assert not any(code.startswith(made.code) for code in known)  # nobody judged yet
    in_points = of(made, unit="points", pilot=f"{copy.code}:meaning")
    assert in_points.aim.item == pytest.approx(1.0, abs=0.25)
    assert in_points.aim.annotator == pytest.approx(0.3, abs=0.3)
    assert in_points.aim.residual == pytest.approx(0.7, abs=0.15)
    shares = of(made, unit="share", pilot=f"{copy.code}:meaning")
    assert 0.3 < shares.aim.base < 0.9
    assert 0.2 < shares.aim.within < 0.9
    assert shares.components[0].annotator >= 0
    assert min(in_points.each, shares.each) > 2


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"unit": "pounds"}, "unit: one of share, points"),
        ({"difference": "none"}, "difference: enter a number from 0.01 to 100"),
        ({"target": "1"}, "target: enter a number from 0.1 to 0.999"),
        ({"paired": "perhaps"}, "paired: yes or no"),
        ({"difference": "70", "base": "0.5"}, "cannot differ by 70%"),
        ({"difference": "0.01", "unit": "points"}, None),
        ({"pilot": "0123456789abcdef:meaning"}, "no such judgments"),
        ({"pilot": "rubbish"}, "no such judgments"),
    ],
)
def test_an_aim_that_makes_no_sense_is_told(cast: Cast, sent, told) -> None:
    made = campaign(cast, text=paired(2), is_open=False)
    if told is None:
        assert of(made, **sent).each > 100_000
        return
    with pytest.raises(BadRequest, match=told):
        of(made, **sent)


def test_a_campaign_of_others_is_no_pilot(cast: Cast) -> None:
    made = campaign(cast, text=paired(2), is_open=False)
    other = campaign(cast, text=paired(2))
    Campaign.objects.filter(pk=other.pk).update(
        project=Project.objects.create(name="Doors", slug="doors")
    )
    assert pilots(made) == []
    with pytest.raises(BadRequest, match="no such judgments"):
        of(made, pilot=f"{other.code}:meaning")


def test_too_little_judged_is_told_to_measure_anything(cast: Cast) -> None:
    made = campaign(cast, text=paired(2))
    with pytest.raises(BadRequest, match="Too few judgments"):
        of(made, pilot=f"{made.code}:meaning")


def test_the_page_says_what_is_needed_and_what_widths_mean(
    client: Client, cast: Cast
) -> None:
    made = campaign(cast, text=paired(40), people=3, overlap_share=0.5, is_open=False)
    client.force_login(cast.ada)
    url = reverse("campaign_design", args=["windows", made.code])
    page = client.get(url, {"difference": "12", "agreement": "0.6"})
    text = page.content.decode()
    assert page.status_code == 200
    assert "to see a difference of 12 percentage points" in " ".join(text.split())
    assert "Expected: " in text
    assert "Power by items of each condition</title>" in text
    assert '<input type="hidden" name="agreement" value="0.6">' in text
    assert '<input type="hidden" name="difference" value="12">' in text


def test_a_wrong_aim_stays_in_the_form_with_what_is_wrong(
    client: Client, cast: Cast
) -> None:
    made = campaign(cast, text=paired(2), is_open=False)
    client.force_login(cast.ada)
    url = reverse("campaign_design", args=["windows", made.code])
    page = client.get(url, {"difference": "a lot", "k": "2"})
    text = page.content.decode()
    assert page.status_code == 400
    assert "difference: enter a number from 0.01 to 100." in text
    assert 'value="a lot"' in text
    assert client.get(url, {"diference": "9"}).status_code == 400


def test_a_program_gets_the_plan_with_what_is_needed(
    client: Client, cast: Cast
) -> None:
    made = campaign(cast, text=paired(40), people=3, overlap_share=0.5, is_open=False)
    client.force_login(cast.ada)
    url = f"/api/campaigns/{made.code}/plan/"
    body = client.get(url, {"unit": "points", "difference": "0.5"}).json()
    plan = body["needed"]
    assert plan["items"] == 2 * plan["items_each"]
    assert plan["curve"][3]["power"] == pytest.approx(0.8, abs=0.01)
    assert body["aim"]["unit"] == "points"
    assert [row["scale"] for row in body["kappa"]] == ["Meaning", "Grammar"]
    assert all(row["verdict"] for row in body["kappa"])
    wrong = client.get(url, {"difference": "none"})
    assert wrong.status_code == 400
    assert wrong.json()["error"]["facts"] == {"field": "difference"}
    assert client.get(url, {"diference": "9"}).status_code == 400


def test_people_who_share_eight_items_are_connected_and_warned(
    client: Client, cast: Cast
) -> None:
    made = campaign(cast, n=40, people=2, overlap_share=0.2)
    client.force_login(cast.ada)
    url = reverse("campaign_design", args=[cast.project.slug, made.code])
    text = " ".join(client.get(url).text.split())
    assert "some pairs share only about 8" in text
    assert "not connected" not in text
    told = client.get(f"/api/campaigns/{made.code}/plan/").json()
    assert (told["is_connected"], told["overlapping"]) == (True, 8)
