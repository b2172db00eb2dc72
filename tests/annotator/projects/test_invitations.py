"""Links that let several people in, straight to a campaign, and can be taken back."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotator.errors import BadRequest, Conflict, NotAllowed
from annotator.models import Membership, Participant
from annotator.services.projects import invitations
from tests.annotator.campaigns_cast import campaign

STRONG = "seven green horses"


def link(cast, **fields) -> tuple[object, str]:
    return invitations.invite(
        cast.project, **{"role": "annotator", "by": cast.ada} | fields
    )


def joined(client: Client, token: str, name: str) -> object:
    form = {"username": name, "password": STRONG}
    return client.post(f"/join/{token}/", form)


def test_a_campaigns_link_leads_each_person_straight_to_judging(cast) -> None:
    made = campaign(cast)
    _, token = link(cast, campaign=made, max_uses=2)
    for name in ("dan", "eve"):
        client = Client()
        answer = joined(client, token, name)
        assert answer.url == f"/p/windows/judge/{made.code}/"
        assert client.get(answer.url).status_code == 200
    assert joined(Client(), token, "fay").status_code == 409
    assert not User.objects.filter(username="fay").exists()
    labels = Participant.objects.filter(campaign=made).values_list("label", flat=True)
    assert len(set(labels)) == 3


def test_who_came_in_by_it_may_come_again_and_does_not_use_it_up(cast) -> None:
    made = campaign(cast)
    invitation, token = link(cast, campaign=made, max_uses=1)
    client = Client()
    joined(client, token, "dan")
    invitation.refresh_from_db()
    assert (invitation.n_uses, invitation.state) == (1, "used")
    _, second = link(cast, campaign=made, max_uses=5)
    for _ in range(3):
        client.post(f"/join/{second}/")
    assert invitations.find_invitation(second).n_uses == 1
    assert Participant.objects.filter(campaign=made, user__username="dan").count() == 1


def test_a_link_into_a_draft_admits_and_leads_home(cast) -> None:
    made = campaign(cast, is_open=False)
    _, token = link(cast, campaign=made)
    assert joined(Client(), token, "dan").url == "/"
    assert made.participants.filter(user__username="dan").exists()


def test_a_viewer_is_told_why_the_campaigns_link_does_not_work(cast) -> None:
    made = campaign(cast)
    Membership.objects.create(project=cast.project, user=cast.cyd, role="viewer")
    _, token = link(cast, campaign=made)
    client = Client()
    client.force_login(cast.cyd)
    answer = client.post(f"/join/{token}/")
    assert answer.status_code == 400
    assert "may not annotate" in answer.text
    assert invitations.find_invitation(token).n_uses == 0


def test_a_revoked_link_is_none(cast) -> None:
    made, token = link(cast, max_uses=9)
    with pytest.raises(NotAllowed):
        invitations.revoke(made, by=cast.bob)
    invitations.revoke(made, by=cast.ada)
    assert Client().get(f"/join/{token}/").status_code == 410
    with pytest.raises(Conflict):
        invitations.accept(token, user=cast.cyd)


BAD = [{"max_uses": 0}, {"max_uses": 501}, {"days": 0}, {"days": 91}, {"role": "king"}]


@pytest.mark.parametrize("fields", BAD)
def test_numbers_out_of_range_make_no_link(cast, fields) -> None:
    with pytest.raises(BadRequest):
        link(cast, **fields)


def test_who_judges_must_be_let_judge(cast) -> None:
    with pytest.raises(BadRequest):
        link(cast, campaign=campaign(cast), role="viewer")


def test_the_page_makes_lists_and_revokes_links(cast, client: Client) -> None:
    client.force_login(cast.ada)
    made = campaign(cast)
    for url in ("/p/windows/people/", f"/p/windows/campaign/{made.code}/people/"):
        form = {"what": "invite", "role": "annotator", "max_uses": "3", "note": "<b>x"}
        shown = client.post(url, form).text
        assert "/join/" in shown
        assert "&lt;b&gt;x" in shown
        assert "0 of 3" in shown
        code = made_link(cast, "<b>x").code
        after = client.post(url, {"what": "revoke", "link": code}).text
        assert "revoked" in after
        assert "/join/" not in after


def made_link(cast, note: str):
    rows = cast.project.invitation_set.filter(note=note, revoked_at=None)
    return rows.get()


def test_annotators_see_no_links_and_make_none(cast, client: Client) -> None:
    link(cast, note="for Dan")
    client.force_login(cast.bob)
    assert "for Dan" not in client.get("/p/windows/people/").text
    form = {"what": "invite", "role": "manager", "max_uses": "3"}
    assert client.post("/p/windows/people/", form).status_code == 403
