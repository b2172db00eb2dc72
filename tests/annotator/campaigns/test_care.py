"""Careless work is flagged, each flag with its rule; careful work is told so, too."""

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Judgment, Participant
from annotator.pages.campaigns.annotator import annotator
from annotator.pages.site.quality import of_agreement
from annotator.services.reports import care
from annotator.services.reports.care import Sign
from tests.annotator.campaigns_cast import HEADER, campaign, draw, judge, judges
from tests.annotator.judged import Judged, judged
from tests.cast import Cast


@pytest.fixture
def made(cast: Cast) -> Judged:
    """32 items, each judged by two of three people, all at a careful pace."""
    return judged(cast, copies=2, k=2)


def rules(of: Judged, label: str) -> dict[str, Sign]:
    (row,) = [row for row in care.of(of.campaign) if row.person.label == label]
    return {rule.name: rule for rule in row.rules}


def mine(of: Judged, label: str) -> list[Judgment]:
    rows = Judgment.objects.of(of.campaign).filter(participant__label=label)
    return list(rows.order_by("saved_at", "pk"))


def broken(of: Judged, label: str) -> list[str]:
    return [name for name, rule in rules(of, label).items() if rule.is_broken]


def test_careful_people_break_no_rule_and_every_rule_is_listed(made: Judged) -> None:
    for label in ("A1", "A2", "A3"):
        assert broken(made, label) == []
        assert list(rules(made, label)) == ["speed", "same", "chance", "checks"]
    assert rules(made, "A1")["speed"].n == len(mine(made, "A1"))


def test_answers_in_a_third_of_a_second_are_flagged(made: Judged) -> None:
    Judgment.objects.filter(participant__label="A2").update(active_ms=300)
    assert broken(made, "A2") == ["speed"]
    speed = rules(made, "A2")["speed"]
    assert (speed.hits, speed.n) == (len(mine(made, "A2")),) * 2
    assert broken(made, "A1") == []


def test_a_few_fast_answers_are_no_flag(made: Judged) -> None:
    for row in mine(made, "A2")[:2]:
        Judgment.objects.filter(pk=row.pk).update(active_ms=300)
    assert broken(made, "A2") == []
    assert rules(made, "A2")["speed"].hits == 2


def test_the_same_answer_over_and_over_is_flagged(made: Judged) -> None:
    values = {"meaning": 3, "grammar": 3}
    for row in mine(made, "A3")[: care.SAME_RUN]:
        Judgment.objects.filter(pk=row.pk).update(values=values)
    assert "same" in broken(made, "A3")
    assert rules(made, "A3")["same"].hits >= care.SAME_RUN


def test_agreement_below_chance_is_flagged(made: Judged) -> None:
    for row in mine(made, "A1"):
        turned = {name: 6 - value for name, value in row.values.items()}
        Judgment.objects.filter(pk=row.pk).update(values=turned)
    assert "chance" in broken(made, "A1")
    assert rules(made, "A1")["chance"].value < 0


def test_failed_checks_are_flagged_by_the_rule_of_the_campaign(made: Judged) -> None:
    people = Participant.objects.filter(campaign=made.campaign, label="A1")
    people.update(n_checks=3, n_checks_failed=3)
    assert broken(made, "A1") == []  # too few to say
    people.update(n_checks=4, n_checks_failed=3)
    assert broken(made, "A1") == ["checks"]


def test_people_and_needs_show_flags_with_their_rules(
    made: Judged, client: Client
) -> None:
    Judgment.objects.filter(participant__label="A2").update(active_ms=300)
    made.campaign.state = "open"
    made.campaign.save()
    here = [made.cast.project.slug, made.campaign.code]
    client.force_login(made.cast.ada)
    page = " ".join(client.get(reverse("campaign_people", args=here)).text.split())
    n = len(mine(made, "A2"))
    assert f"{n} of {n} under 2 s" in page
    assert "Flag if more than 10 % of answers take under 2 s" in page
    assert "Flag if agreement is below chance" in page
    needs = [need for need in of_agreement(made.cast.ada) if need.chip == "Quality"]
    assert [need.text for need in needs] == [
        f"judge1 in Substitutes: {n} of {n} under 2 s."
    ]
    person = Participant.objects.get(campaign=made.campaign, label="A2")
    assert needs[0].url == reverse("campaign_annotator", args=[*here, person.code])
    assert needs[0].url in page


def test_a_check_names_what_is_expected_only_where_it_is_known(cast: Cast) -> None:
    text = HEADER.replace("\tgold_grammar", "")
    text += "The cook peeled onions.\tpeeled\tskinned\tx\t1\tgold\t4\t\n"
    text += "The cook ate onions.\tate\thad\tx\t1\tmain\t\t\n"
    made = campaign(cast, text=text, people=2, k=2, check_every=1)
    for user in judges(cast, 2):
        for one in draw(made, user, 4):
            judge(one)
    person = made.participants.get(label="A1")
    rows = annotator(made, person, {"show": "checks"})["answers"]
    ((_own, expected), (_grammar, unknown)) = rows[0].cells
    assert (expected, unknown) == (4, None)


def test_annotators_see_no_flags(made: Judged, client: Client) -> None:
    client.force_login(made.cast.bob)
    here = [made.cast.project.slug, made.campaign.code]
    assert client.get(reverse("campaign_people", args=here)).status_code == 403
