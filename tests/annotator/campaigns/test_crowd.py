"""Participants of a platform: from the link with its parameters to their payment."""

import csv
import io
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest
from annotator.models import (
    Campaign,
    Invitation,
    InvitationUse,
    Judgment,
    Membership,
    Project,
)
from annotator.services.campaigns import crowd
from annotator.services.projects import invitations
from tests.annotator.campaigns_cast import campaign, draw, judge, person
from tests.cast import Cast

CODES = {"completion_code": "DONE42", "rejection_code": "NOPE42"}


def ids(who: str, session: str = "s1") -> str:
    return urlencode({"PROLIFIC_PID": who, "STUDY_ID": "st", "SESSION_ID": session})


def entry(cast: Cast, made: Campaign, *, people: int = 2, **more: str) -> str:
    """The address of a link for Prolific."""
    platform = {"provider": "prolific", "consent": "You *judge* texts."} | CODES | more
    _made, token = invitations.invite(
        cast.project,
        role="annotator",
        by=cast.ada,
        campaign=made,
        max_uses=people,
        platform=platform,
    )
    return reverse("join", args=[token])


def enter(url: str, who: str) -> tuple[Client, int]:
    client = Client()
    return client, client.post(f"{url}?{ids(who)}", {"what": "agree"}).status_code


def guest(who: str) -> User:
    return InvitationUse.objects.get(external_id=who).user


def sheet(cast: Cast, made: Campaign) -> dict[str, dict[str, str]]:
    client = Client()
    client.force_login(cast.ada)
    url = reverse("campaign_participants", args=["windows", made.code, "csv"])
    text = client.get(url).getvalue().decode("utf-8-sig")
    return {row["participant"]: row for row in csv.DictReader(io.StringIO(text))}


def test_from_the_link_to_the_sheet(cast: Cast) -> None:
    made = campaign(cast, n=2, people=1, quota=1, cost_per_hour=60)
    url = entry(cast, made)
    page = Client().get(f"{url}?{ids('p1')}").text
    assert "<em>judge</em>" in page
    assert not InvitationUse.objects.exists()  # looking changes nothing
    client, status = enter(url, "p1")
    assert status == 302
    desk = reverse("api_desk", args=[made.code])
    assert "code" not in client.get(desk).json()["status"]
    judge(Judgment.objects.get(participant__user=guest("p1"), state="leased"))
    told = client.get(desk).json()["status"]
    assert told["code"] == "DONE42"
    assert told["back"] == "https://app.prolific.com/submissions/complete?cc=DONE42"
    row = sheet(cast, made)["p1"]
    assert (row["study"], row["session"], row["items"]) == ("st", "s1", "1")
    assert (row["code"], float(row["minutes"])) == ("DONE42", 0.01)


def test_the_same_participant_comes_back_to_the_same_answers(cast: Cast) -> None:
    made = campaign(cast, n=2)
    url = entry(cast, made, people=1)
    enter(url, "p1")
    client, status = enter(url, "p1")  # though all places are taken
    assert status == 302
    assert client.get(reverse("api_desk", args=[made.code])).status_code == 200
    assert InvitationUse.objects.count() == 1
    _client, status = enter(url, "p2")
    assert status == 409
    assert User.objects.filter(username__startswith="crowd-").count() == 1


def test_who_does_not_agree_or_finds_no_place_gets_the_other_code(cast: Cast) -> None:
    url = entry(cast, campaign(cast, n=2), people=1)
    client = Client()
    page = client.post(f"{url}?{ids('p1')}", {"what": "decline"})
    assert "NOPE42" in page.text
    assert not InvitationUse.objects.exists()
    enter(url, "p1")
    full = client.post(f"{url}?{ids('p2')}", {"what": "agree"})
    assert "NOPE42" in full.text
    assert "DONE42" not in full.text


def test_one_who_fails_the_checks_gets_the_other_code(cast: Cast) -> None:
    made = campaign(cast, n=2)
    client, _status = enter(entry(cast, made), "p1")
    one = person(made, guest("p1"))
    one.state = "blocked"
    one.save()
    desk = client.get(reverse("api_desk", args=[made.code])).json()
    assert desk["status"]["code"] == "NOPE42"


@pytest.mark.parametrize(
    ("provider", "query", "status"),
    [
        ("prolific", "", 409),
        ("prolific", "PROLIFIC_PID={{%PROLIFIC_PID%}}", 409),
        ("mturk", "workerId=w&assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE", 409),
        ("mturk", "workerId=w&assignmentId=a&hitId=h", 302),
        ("other", "participant=w", 302),
    ],
)
def test_only_an_address_that_names_someone_lets_in(
    cast: Cast, provider: str, query: str, status: int
) -> None:
    url = entry(cast, campaign(cast, n=2), provider=provider)
    assert Client().post(f"{url}?{query}", {"what": "agree"}).status_code == status
    assert InvitationUse.objects.count() == (status == 302)


def test_a_link_lets_no_one_into_an_account_that_it_did_not_make(cast: Cast) -> None:
    made = campaign(cast, n=2)
    url = entry(cast, made)
    client = Client()
    client.force_login(cast.ada)
    assert "preview" in client.get(f"{url}?{ids('p1')}").text
    assert client.post(f"{url}?{ids('p1')}", {"what": "agree"}).status_code == 409
    enter(url, "p1")
    user = guest("p1")
    assert not user.has_usable_password()
    assert Membership.objects.get(user=user).role == "annotator"
    client.force_login(user)
    for name in ("campaign", "campaign_people"):
        page = client.get(reverse(name, args=["windows", made.code]))
        assert page.status_code == 403


def test_a_closed_study_and_a_revoked_link_let_no_one_in(cast: Cast) -> None:
    made = campaign(cast, n=2)
    url = entry(cast, made)
    Campaign.objects.filter(pk=made.pk).update(state="paused")
    assert enter(url, "p1")[1] == 409
    invitations.revoke(Invitation.objects.get(), by=cast.ada)
    assert Client().get(f"{url}?{ids('p1')}").status_code == 410


def test_ids_are_deleted_and_the_answers_stay(cast: Cast) -> None:
    made = campaign(cast, n=2)
    url = entry(cast, made)
    enter(url, "p1")
    judge(draw(made, guest("p1"))[0])
    client = Client()
    client.force_login(cast.ada)
    people = reverse("campaign_people", args=["windows", made.code])
    link = Invitation.objects.get().code
    client.post(people, {"what": "forget", "link": link})
    assert list(sheet(cast, made)) == [""]
    assert made.participants.count() == 2
    assert made.items.filter(n_done=1).count() == 1
    assert Client().get(f"{url}?{ids('p1')}").status_code == 410


def test_the_form_makes_a_link_that_the_platform_fills_in(cast: Cast) -> None:
    made = campaign(cast, n=2)
    client = Client()
    client.force_login(cast.ada)
    url = reverse("campaign_people", args=["windows", made.code])
    sent = {"what": "invite", "role": "annotator", "provider": "prolific"}
    page = client.post(url, sent | {"max_uses": "30", "days": "3"})
    link = page.context["link"]
    assert link.endswith(
        "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}"
        "&SESSION_ID={{%SESSION_ID%}}"
    )
    made_link = Invitation.objects.get()
    assert made_link.max_uses == 30
    assert made_link.completion_code
    assert made_link.completion_code != made_link.rejection_code


@pytest.mark.parametrize("more", ["password", "role", "project", "staff"])
def test_an_account_that_became_more_opens_by_no_platform_id(
    cast: Cast, more: str
) -> None:
    made = campaign(cast, n=2)
    url = entry(cast, made)
    assert enter(url, "p1")[1] == 302
    user = guest("p1")
    if more == "password":
        user.set_password("correct horse battery")
    elif more == "role":
        Membership.objects.filter(user=user).update(role="manager")
    elif more == "project":
        other = Project.objects.create(name="Other", slug="other")
        Membership.objects.create(project=other, user=user, role="viewer")
    else:
        user.is_staff = True
    user.save()
    client, status = enter(url, "p1")
    assert status == 409
    assert "_auth_user_id" not in client.session


QUESTIONS = """Which language do you speak at home?
* German
- Danish

Which word is a verb?
- house
* open
* close
"""


def screened(cast: Cast, **more: str) -> str:
    made = campaign(cast, n=2)
    return entry(cast, made, screening=QUESTIONS, screening_code="OUT42", **more)


def test_right_answers_let_a_participant_in_and_are_not_kept(cast: Cast) -> None:
    url = screened(cast)
    page = Client().get(f"{url}?{ids('p1')}").text
    assert page.index("speak at home?") < page.index("I agree")
    sent = {"what": "agree", "screening-0": "0", "screening-1": "2"}
    client = Client()
    assert client.post(f"{url}?{ids('p1')}", sent).status_code == 302
    link = Invitation.objects.get()
    assert (link.n_uses, link.screened_out) == (1, [])
    again = Client().post(f"{url}?{ids('p1')}", {"what": "agree"})
    assert again.status_code == 302  # who is in is not asked again


def test_a_wrong_answer_gets_the_screen_out_code_for_good(cast: Cast) -> None:
    url = screened(cast)
    wrong = {"what": "agree", "screening-0": "0", "screening-1": "0"}
    page = Client().post(f"{url}?{ids('p1')}", wrong).text
    assert "OUT42" in page
    assert "NOPE42" not in page
    right = {"what": "agree", "screening-0": "0", "screening-1": "1"}
    assert "OUT42" in Client().post(f"{url}?{ids('p1')}", right).text
    assert not InvitationUse.objects.exists()
    link = Invitation.objects.get()
    assert len(link.screened_out) == 1
    assert "p1" not in str(link.screened_out)  # a digest
    assert Client().post(f"{url}?{ids('p2')}", right).status_code == 302
    crowd.forget(link, by=cast.ada)
    link.refresh_from_db()
    assert link.screened_out == []


@pytest.mark.parametrize("place", [None, "", "2", "-1", "x"])
def test_a_missing_answer_is_asked_for_again(cast: Cast, place: str | None) -> None:
    url = screened(cast)
    sent = {"what": "agree", "screening-1": "1"}
    sent |= {} if place is None else {"screening-0": place}
    answer = Client().post(f"{url}?{ids('p1')}", sent)
    assert answer.status_code == 400
    assert "Answer every question." in answer.text
    assert Invitation.objects.get().screened_out == []


def test_without_a_code_of_its_own_screening_uses_the_rejection_code(cast) -> None:
    made = campaign(cast, n=2)
    url = entry(cast, made, screening=QUESTIONS)
    wrong = {"what": "agree", "screening-0": "1", "screening-1": "1"}
    assert "NOPE42" in Client().post(f"{url}?{ids('p1')}", wrong).text


@pytest.mark.parametrize(
    "text",
    [
        "Only a question", "Q\n* a", "Q\n* a\n* b", "Q\n- a\n- b", "Q\na\nb",
        "* a\n- b", "Q\n* \n- b", "\n\n".join(["Q\n* a\n- b"] * 6),
    ],
)  # fmt: skip
def test_questions_without_right_and_wrong_choices_are_refused(text: str) -> None:
    with pytest.raises(BadRequest) as refused:
        crowd.questions(text)
    assert refused.value.facts["field"] == "screening"


def test_a_manager_writes_screening_questions_on_the_page(
    client: Client, cast: Cast
) -> None:
    made = campaign(cast, n=2)
    client.force_login(cast.ada)
    url = reverse("campaign_people", args=["windows", made.code])
    sent = {"what": "invite", "role": "annotator", "provider": "prolific"}
    client.post(url, sent | {"screening": QUESTIONS, "max_uses": "3"})
    first, second = Invitation.objects.get().screening
    assert (first["choices"], first["right"]) == (["German", "Danish"], [0])
    assert (second["question"], second["right"]) == ("Which word is a verb?", [1, 2])
