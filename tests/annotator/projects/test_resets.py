"""Managers give members who forgot their password a link that signs them in once."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotator.errors import Conflict, NotAllowed
from annotator.models import Identity, Invitation, LogEntry, Membership, Project
from annotator.services import accounts
from annotator.services.projects import invitations, members
from tests.cast import Cast


def membership(cast: Cast, person: User) -> Membership:
    return Membership.objects.get(project=cast.project, user=person)


def reset(client: Client, name: str) -> object:
    return client.post("/p/windows/people/", {"what": "sign-in", "member": name})


def test_a_link_of_the_people_page_signs_the_member_in_once(cast: Cast) -> None:
    manager, member = Client(), Client()
    manager.force_login(cast.ada)
    page = reset(manager, "bob")
    token = page.context["sign_in_link"].split("/join/")[1].strip("/")
    assert member.post(f"/join/{token}/").status_code == 302
    assert member.get("/account/").context["user"] == cast.bob
    assert Client().post(f"/join/{token}/").status_code == 409
    assert LogEntry.objects.filter(kind="sign-in link", name="bob").exists()


def test_who_does_not_manage_gets_none(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.bob)
    assert reset(client, "ada").status_code == 403
    assert not Invitation.objects.filter(user__isnull=False).exists()


@pytest.mark.parametrize("above", ["staff", "manager", "elsewhere"])
def test_none_for_people_with_more_rights(cast: Cast, above: str) -> None:
    if above == "staff":
        User.objects.filter(pk=cast.bob.pk).update(is_staff=True)
    elif above == "manager":
        Membership.objects.filter(user=cast.bob).update(role="manager")
    else:
        other = Project.objects.create(name="Other", slug="other")
        Membership.objects.create(project=other, user=cast.bob, role="annotator")
    with pytest.raises(NotAllowed):
        invitations.reset(membership(cast, cast.bob), by=cast.ada)


def test_the_owner_may_reset_managers(cast: Cast) -> None:
    User.objects.filter(pk=cast.ada.pk).update(is_superuser=True)
    Membership.objects.filter(user=cast.bob).update(role="manager")
    by = User.objects.get(pk=cast.ada.pk)
    token = invitations.reset(membership(cast, cast.bob), by=by)
    assert invitations.find_invitation(token) is not None


def test_none_for_an_account_that_signs_in_elsewhere(cast: Cast) -> None:
    Identity.objects.create(user=cast.bob, issuer="https://id.example", subject="1")
    cast.bob.set_unusable_password()
    cast.bob.save()
    with pytest.raises(Conflict):
        invitations.reset(membership(cast, cast.bob), by=cast.ada)


def test_a_manager_who_goes_leaves_no_link_behind(cast: Cast) -> None:
    Membership.objects.create(project=cast.project, user=cast.cyd, role="manager")
    token = invitations.reset(membership(cast, cast.bob), by=cast.cyd)
    members.remove_member(membership(cast, cast.cyd), by=cast.ada)
    assert invitations.find_invitation(token) is None


def test_a_closed_account_leaves_no_invitation_behind(cast: Cast) -> None:
    _, token = invitations.invite(cast.project, role="annotator", by=cast.ada)
    accounts.switch_off(cast.ada)
    assert invitations.find_invitation(token) is None


def test_spaces_in_a_name_become_dots_and_the_next_page_says_so(cast: Cast) -> None:
    _, token = invitations.invite(cast.project, role="annotator", by=cast.ada)
    form = {"username": " Anna  Berg ", "password": "seven green horses"}
    answer = Client().post(f"/join/{token}/", form, follow=True)
    assert User.objects.filter(username="Anna.Berg").exists()
    assert "You sign in as Anna.Berg." in answer.content.decode()


def test_a_link_that_was_made_ends_the_draft_of_its_form(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.ada)
    form = {"what": "invite", "role": "annotator", "note": "", "max_uses": "1"}
    form |= {"days": "14", "draft": "12345678-1234-1234-1234-123456789012"}
    answer = client.post("/p/windows/people/", form)
    assert answer.status_code == 200
    assert answer.cookies["gemel_form"].value == form["draft"]
