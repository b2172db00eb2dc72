"""The list that says what a campaign has and what it lacks before people can judge."""

import pytest

from annotator.models import Membership
from annotator.models.projects import Role
from annotator.pages.campaigns import setup as campaign_setup
from annotator.services.campaigns import items, participants, setup
from tests.annotator.campaigns_cast import HEADER, rows, upload
from tests.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return Cast()


def steps(made) -> dict[str, campaign_setup.SetupStep]:
    listed = campaign_setup.steps(
        made, made.scales.all(), made.participants.all().count()
    )
    return {step.title: step for step in listed}


def page(client, cast, made) -> str:
    client.force_login(cast.ada)
    return client.get(f"/p/{cast.project.slug}/campaign/{made.code}/").content.decode()


def test_a_new_campaign_lacks_items_and_people(client, cast) -> None:
    made = setup.create(cast.project, "Round one", by=cast.ada)
    by_title = steps(made)
    lacking = campaign_setup.lacking(list(by_title.values()))
    assert [step.title for step in lacking] == ["Items", "People"]
    text = page(client, cast, made)
    assert "Waiting for" in text
    assert "Start campaign" not in text


def test_what_is_there_is_said_in_words(client, cast) -> None:
    made = setup.create(cast.project, "Round one", by=cast.ada)
    kept = upload(made, cast.ada, HEADER + rows(12) + rows(1, kind="gold", gold="4"))
    list(items.load(made, kept, by=cast.ada))
    participants.add_people(made, [cast.bob], by=cast.ada)
    setup.write_guideline(made, "Read all of it.", by=cast.ada)
    made.refresh_from_db()
    by_title = steps(made)
    assert by_title["Items"].text == "12 items, 1 check."
    assert by_title["People"].text == "1 annotator."
    assert by_title["Scales"].text == "Meaning 1–5, Grammar 1–5"
    assert by_title["Guidelines"].text == "Version 1."
    assert campaign_setup.lacking(list(by_title.values())) == []
    assert campaign_setup.in_words(list(by_title.values())[:1]) == "items"
    assert campaign_setup.in_words(list(by_title.values())[:3]) == (
        "items, scales and guideline"
    )
    assert "Start campaign" in page(client, cast, made)


def test_who_does_not_manage_sees_the_list_without_its_buttons(client, cast) -> None:
    made = setup.create(cast.project, "Round one", by=cast.ada)
    Membership.objects.create(project=cast.project, user=cast.cyd, role=Role.VIEWER)
    client.force_login(cast.cyd)
    answer = client.get(f"/p/{cast.project.slug}/campaign/{made.code}/")
    assert answer.status_code == 200
    text = answer.content.decode()
    assert "No one yet." in text
    assert f"/campaign/{made.code}/people/" not in text
    assert "Start campaign" not in text
