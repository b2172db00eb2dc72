"""Messages to annotators and answers to their flags, and who reads them."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.http import Http404
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest, NotAllowed
from annotator.models import CampaignMessage, LogEntry, Membership
from annotator.pages.site import mailing, needs
from annotator.services import accounts
from annotator.services.campaigns import answers, judging, messages
from annotator.services.projects import keeping, removals
from tests.annotator.campaigns_cast import answer, campaign, draw, person
from tests.cast import Cast


def texts(user: User) -> list[str]:
    return [row.text for row in messages.of(user) if row.is_unread]


@pytest.fixture
def made(cast: Cast):
    return campaign(cast, people=2)


@pytest.fixture
def other(made) -> User:
    return User.objects.get(username="judge1")


def flagged(made, user: User, note: str = "No verb here."):
    [judgment] = draw(made, user)
    said = answer(note=note)
    return answers.take(judgment.code, "flag", said, campaign=made.code, by=user)


def test_a_message_to_one_is_read_by_that_person_alone(cast: Cast, made, other) -> None:
    messages.send(made, "Slower, please.", by=cast.ada, to=person(made, cast.bob))
    assert (texts(cast.bob), texts(other)) == (["Slower, please."], [])
    assert texts(cast.ada) == texts(cast.cyd) == []
    assert LogEntry.objects.filter(act="wrote to", name="bob").exists()


def test_a_message_to_everyone_reaches_who_judges_then(cast: Cast, made, other) -> None:
    messages.send(made, "A day longer.", by=cast.ada)
    assert texts(cast.bob) == texts(other) == ["A day longer."]
    late = User.objects.create_user("late")
    Membership.objects.create(project=cast.project, user=late, role="annotator")
    client = Client()
    client.force_login(cast.ada)
    url = reverse("campaign_people", args=[cast.project.slug, made.code])
    client.post(url, {"person": "late"})
    assert texts(late) == []


def test_marking_a_message_as_read_keeps_newer_ones(cast: Cast, made, other) -> None:
    first = messages.send(made, "First.", by=cast.ada)
    messages.send(made, "Second.", by=cast.ada)
    messages.mark_read(person(made, cast.bob), first.code)
    assert (texts(cast.bob), texts(other)) == (["Second."], ["Second.", "First."])
    [second, earlier] = messages.sent(made)
    assert (second.n_read, earlier.n_read) == (0, 1)
    own = messages.send(made, "Third.", by=cast.ada, to=person(made, other))
    with pytest.raises(Http404):
        messages.mark_read(person(made, cast.bob), own.code)


@pytest.mark.parametrize("text", ["", "  \r\n ", "x" * 2001])
def test_an_empty_or_endless_message_is_refused(cast: Cast, made, text) -> None:
    with pytest.raises(BadRequest):
        messages.send(made, text, by=cast.ada)
    assert not CampaignMessage.objects.exists()


@pytest.mark.parametrize("role", ["curator", "viewer", "annotator"])
def test_only_managers_write_and_answer(cast: Cast, made, role) -> None:
    judgment = flagged(made, cast.bob)
    Membership.objects.create(project=cast.project, user=cast.cyd, role=role)
    with pytest.raises(NotAllowed):
        messages.send(made, "Hello.", by=cast.cyd)
    with pytest.raises(NotAllowed):
        messages.answer_flag(judgment, "Hello.", by=cast.cyd, is_resolved=True)
    client = Client()
    client.force_login(cast.cyd)
    url = reverse("campaign_act", args=[cast.project.slug, made.code])
    client.post(url, {"what": "message", "text": "Hello."})
    assert not CampaignMessage.objects.exists()


def test_the_annotator_sees_the_answer_to_a_flag(cast: Cast, made, other) -> None:
    judgment = flagged(made, cast.bob)
    assert [need.chip for need in needs.needs(cast.ada)] == ["Flags"]
    messages.answer_flag(judgment, "It is a title.", by=cast.ada, is_resolved=False)
    assert [need.chip for need in needs.needs(cast.ada)] == ["Flags"]
    messages.answer_flag(judgment, "", by=cast.ada, is_resolved=True)
    assert needs.needs(cast.ada) == []
    desk = judging.of(person(made, cast.bob))["messages"]
    about = f"{judgment.item.instance.phrase} → {judgment.item.paraphrase}"
    assert [(one["text"], one["resolved"]) for one in desk] == [
        ("", True),
        ("It is a title.", False),
    ]
    assert {(one["about"], one["flag"]) for one in desk} == {(about, "No verb here.")}
    assert judging.of(person(made, other))["messages"] == []


def test_a_changed_flag_is_open_again(cast: Cast, made) -> None:
    judgment = flagged(made, cast.bob)
    messages.answer_flag(judgment, "", by=cast.ada, is_resolved=True)
    assert not messages.open_flags().exists()
    said = answer(note="Still no verb.", seen=judgment.revision)
    answers.take(judgment.code, "flag", said, campaign=made.code, by=cast.bob)
    assert messages.open_flags().count() == 1
    judgment.refresh_from_db()
    assert not messages.threads([judgment])[judgment.pk].answers


def test_a_resolved_flag_can_be_reopened_in_silence(cast: Cast, made) -> None:
    judgment = flagged(made, cast.bob)
    messages.answer_flag(judgment, "Fixed.", by=cast.ada, is_resolved=True)
    with pytest.raises(BadRequest):
        messages.answer_flag(judgment, "", by=cast.ada, is_resolved=True)
    messages.answer_flag(judgment, "", by=cast.ada, is_resolved=False)
    assert messages.open_flags().get() == judgment
    assert texts(cast.bob) == ["Fixed."]


def test_pages_of_manager_and_annotator_carry_both_ways(cast: Cast, made) -> None:
    judgment, slug = flagged(made, cast.bob), cast.project.slug
    ada, bob = Client(), Client()
    ada.force_login(cast.ada)
    bob.force_login(cast.bob)
    act = reverse("campaign_act", args=[slug, made.code])
    sent = {"what": "answer", "judgment": judgment.code, "flag": "resolve"}
    flags = ada.post(act, sent | {"text": "It is one.", "back": "flags"}, follow=True)
    assert "It is one." in flags.content.decode()
    assert "resolved" in flags.content.decode()
    people = {"what": "message", "text": "Thanks <all>.", "back": "people"}
    assert "Thanks &lt;all&gt;." in ada.post(act, people, follow=True).content.decode()
    home = bob.get("/").content.decode()
    assert home.index("Thanks &lt;all&gt;.") < home.index("It is one.")
    desk = bob.get(f"/api/judge/{made.code}/messages/").json()["messages"]
    assert [one["text"] for one in desk] == ["Thanks <all>.", "It is one."]
    url = reverse("judge_messages", args=[slug, made.code])
    bob.post(url, {"message": desk[1]["code"], "back": "home"})
    assert "It is one." not in bob.get("/").content.decode()
    read = bob.post(
        f"/api/judge/{made.code}/messages/",
        {"message": desk[0]["code"]},
        content_type="application/json",
    )
    assert read.status_code == 204
    assert bob.get(f"/api/judge/{made.code}/messages/").json() == {"messages": []}
    assert "It is one." in bob.get(url).content.decode()
    assert ada.get(url).status_code == 404
    place = reverse(
        "campaign_annotator", args=[slug, made.code, person(made, cast.bob).code]
    )
    assert "Thanks" not in ada.get(place).content.decode()


def test_the_page_of_flags_says_why_an_item_was_skipped(
    cast: Cast, made, client: Client
) -> None:
    [judgment] = draw(made, cast.bob)
    said = answer(note="broken")
    answers.take(judgment.code, "skip", said, campaign=made.code, by=cast.bob)
    client.force_login(cast.ada)
    page = client.get(reverse("campaign_flags", args=[cast.project.slug, made.code]))
    assert "skipped: The text is damaged" in " ".join(page.text.split())


def test_who_left_the_project_reads_no_more(cast: Cast, made) -> None:
    messages.send(made, "Only for us.", by=cast.ada)
    Membership.objects.filter(user=cast.bob).delete()
    assert texts(cast.bob) == []


def test_messages_are_mailed_to_who_wants_mail(
    cast: Cast, made, other, settings, mailoutbox
) -> None:
    settings.EMAIL_HOST, settings.SITE_URL = "mail.example", "https://gemel.example"
    accounts.set_notices(cast.bob, "bob@people.example", is_wanted=True)
    messages.send(made, "A day longer.", by=cast.ada)
    assert mailing.send_due() == 1
    assert "A day longer." in mailoutbox[0].body
    assert f"/judge/{made.code}/messages/" in mailoutbox[0].body
    assert mailing.send_due() == 0
    messages.send(made, "And a pay rise.", by=cast.ada)
    assert mailing.send_due() == 1  # not only the next day
    assert "A day longer." not in mailoutbox[1].body


def test_messages_go_with_their_campaign(cast: Cast, made) -> None:
    judgment = flagged(made, cast.bob)
    messages.answer_flag(judgment, "Yes.", by=cast.ada, is_resolved=True)
    messages.send(made, "All.", by=cast.ada)
    removed = removals.remove(made, by=cast.ada)
    assert texts(cast.bob) == []
    keeping.purge(removed.at + timedelta(days=removals.KEEP_DAYS + 1))
    assert not CampaignMessage.objects.exists()


def test_a_program_writes_messages_and_answers_flags(
    cast: Cast, made, other, client: Client
) -> None:
    base, json = f"/api/campaigns/{made.code}/", "application/json"
    client.force_login(cast.ada)
    bob = person(made, cast.bob)
    assert client.post(f"{base}messages/", {"text": "Hello."}, json).status_code == 201
    sent = {"text": "Slower, please.", "person": bob.code}
    assert client.post(f"{base}messages/", sent, json).status_code == 201
    assert texts(cast.bob) == ["Slower, please.", "Hello."]
    assert texts(other) == ["Hello."]
    messages.mark_read(bob, messages.of(cast.bob)[0].code)
    assert [
        (row["text"], row["person"], row["by"], row["n_read"])
        for row in client.get(f"{base}messages/").json()
    ] == [("Slower, please.", bob.code, "ada", 1), ("Hello.", None, "ada", 1)]

    judgment = flagged(made, cast.bob)
    [flag] = client.get(f"{base}flags/").json()["flags"]
    assert flag["judgment"] == judgment.code
    assert flag["flag"] == judgment.flag
    asked = {"judgment": judgment.code, "text": "Right.", "is_resolved": True}
    assert client.post(f"{base}flags/", asked, json).json() == {"flags": []}
    assert "Right." in texts(cast.bob)
    client.force_login(cast.bob)
    for place in ("messages/", "flags/"):
        assert client.get(base + place).status_code in (403, 404)
        assert client.post(base + place, asked, json).status_code in (403, 404)
