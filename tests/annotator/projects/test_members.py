"""Projects, invitations, sign-in: nobody gets in without a link."""

import contextlib
import threading
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotator import access
from annotator.errors import BadRequest, Conflict, NotAllowed
from annotator.models import Invitation, Membership, Project, Role
from annotator.services.campaigns import answers
from annotator.services.projects import invitations, members
from tests.annotator import campaigns_cast
from tests.cast import PASSWORD

STRONG = "seven green horses"


def test_an_invitation_works_once(cast) -> None:
    _, token = invitations.invite(cast.project, role="annotator", by=cast.ada)
    joined = invitations.accept(token, user=None, username="dan", password=STRONG)
    assert access.role_in(joined, cast.project) == Role.ANNOTATOR
    with pytest.raises(Conflict):
        invitations.accept(token, user=None, username="eve", password=STRONG)
    assert not User.objects.filter(username="eve").exists()


def test_the_token_is_not_kept(cast) -> None:
    made, token = invitations.invite(cast.project, role="viewer", by=cast.ada)
    assert token not in str(Invitation.objects.values_list().get(pk=made.pk))


def test_an_expired_invitation_is_no_invitation(cast) -> None:
    made, token = invitations.invite(cast.project, role="viewer", by=cast.ada)
    yesterday = timezone.now() - timedelta(days=1)
    Invitation.objects.filter(pk=made.pk).update(expires_at=yesterday)
    assert invitations.find_invitation(token) is None


@pytest.mark.parametrize("password", ["short", "password", "12345678901"])
def test_a_weak_password_makes_no_account(cast, password: str) -> None:
    _, token = invitations.invite(cast.project, role="annotator", by=cast.ada)
    with pytest.raises(BadRequest):
        invitations.accept(token, user=None, username="dan", password=password)
    assert invitations.find_invitation(token) is not None


def test_only_managers_invite(cast) -> None:
    for user in (cast.bob, cast.cyd):
        with pytest.raises(NotAllowed):
            invitations.invite(cast.project, role="manager", by=user)


def test_a_project_keeps_a_manager(cast) -> None:
    ada = Membership.objects.get(project=cast.project, user=cast.ada)
    with pytest.raises(Conflict):
        members.set_role(ada, "viewer", by=cast.ada)
    with pytest.raises(Conflict):
        members.remove_member(ada, by=cast.ada)


def test_a_member_who_leaves_keeps_the_authorship(cast) -> None:
    bob = Membership.objects.get(project=cast.project, user=cast.bob)
    members.remove_member(bob, by=cast.ada)
    cast.layer.refresh_from_db()
    assert cast.layer.author == cast.bob


def test_equal_names_get_different_addresses(cast) -> None:
    slugs = {members.create("Doors & Keys", by=cast.ada).slug for _ in range(3)}
    assert slugs == {"doors-keys", "doors-keys-2", "doors-keys-3"}


def test_opening_a_link_changes_nothing_posting_signs_in(cast, client: Client) -> None:
    owner, _ = members.ensure_owner()
    token = invitations.sign_in_link(owner)
    for _ in range(2):
        assert client.get(f"/join/{token}/").status_code == 200
    assert client.post(f"/join/{token}/").status_code == 302
    assert client.get("/account/").status_code == 200
    assert client.get(f"/join/{token}/").status_code == 410


def test_sign_in_goes_where_it_should_and_nowhere_else(cast, client: Client) -> None:
    form = {"username": "ada", "password": PASSWORD}
    good = client.post("/sign-in/", form | {"next": "/p/windows/"})
    evil = Client().post("/sign-in/", form | {"next": "https://evil.example/"})
    assert (good.url, evil.url) == ("/p/windows/", "/")


def test_guessing_passwords_locks_out(cast, client: Client) -> None:
    for _ in range(8):
        client.post("/sign-in/", {"username": "ada", "password": "wrong"})
    locked = client.post("/sign-in/", {"username": "ada", "password": PASSWORD})
    assert locked.status_code == 429


PAGES = ["/p/windows/", "/p/windows/people/", "/p/windows/jobs/"]


@pytest.mark.parametrize("page", PAGES)
def test_strangers_see_no_project_members_do(cast, client: Client, page: str) -> None:
    assert client.get(page).status_code == 302
    client.force_login(cast.cyd)
    assert client.get(page).status_code == 404
    client.force_login(cast.bob)
    assert client.get(page).status_code == 200


def test_an_annotator_cannot_manage_people(cast, client: Client) -> None:
    client.force_login(cast.bob)
    form = {"what": "role", "member": "bob", "role": "manager"}
    assert client.post("/p/windows/people/", form).status_code == 403
    assert access.role_in(cast.bob, cast.project) == Role.ANNOTATOR


def test_a_new_project_belongs_to_its_maker(cast, client: Client) -> None:
    client.force_login(cast.cyd)
    client.post("/p/new/", {"name": "Mine"})
    made = Project.objects.get(name="Mine")
    assert access.may(cast.cyd, "manage", made)


@pytest.mark.parametrize("goes", ["removed", "demoted"])
def test_who_manages_no_more_does_not_come_back_by_their_own_link(cast, goes) -> None:
    ada = Membership.objects.get(project=cast.project, user=cast.ada)
    other = Membership.objects.get(project=cast.project, user=cast.bob)
    members.set_role(other, Role.MANAGER, by=cast.ada)
    _, mine = invitations.invite(cast.project, role="manager", by=cast.ada)
    _, theirs = invitations.invite(cast.project, role="annotator", by=cast.bob)
    if goes == "removed":
        members.remove_member(ada, by=cast.bob)
    else:
        members.set_role(ada, "viewer", by=cast.bob)
    with pytest.raises(Conflict):
        invitations.accept(mine, user=cast.ada)
    assert invitations.find_invitation(theirs) is not None


def test_names_that_match_labels_are_for_managers_and_curators(cast) -> None:
    campaign = campaigns_cast.campaign(cast)
    Membership.objects.create(project=cast.project, user=cast.cyd, role="viewer")
    client = Client()
    client.force_login(cast.cyd)
    progress = client.get(f"/api/campaigns/{campaign.code}/progress/")
    assert progress.json()["people"] == []
    (judgment,) = campaigns_cast.draw(campaign, cast.bob)
    answers.skip(judgment, campaigns_cast.answer(note=next(iter(answers.SKIP_REASONS))))
    managing = Client()
    managing.force_login(cast.ada)
    for name in ("campaign", "campaign_flags"):
        address = reverse(name, args=[cast.project.slug, campaign.code])
        assert ">bob<" in managing.get(address).content.decode()
        page = client.get(address)
        assert page.status_code == 200
        assert ">bob<" not in page.content.decode()
    assert client.get(f"/api/campaigns/{campaign.code}/people/").status_code == 403


@pytest.mark.django_db(transaction=True)
def test_two_managers_who_go_at_once_leave_one(cast) -> None:
    second = Membership.objects.get(project=cast.project, user=cast.bob)
    Membership.objects.filter(pk=second.pk).update(role=Role.MANAGER)
    both = [
        Membership.objects.get(project=cast.project, user=user)
        for user in (cast.ada, cast.bob)
    ]
    start = threading.Barrier(2)

    def leave(member: Membership) -> None:
        start.wait()
        with contextlib.suppress(Conflict, OperationalError):
            members.remove_member(member, by=member.user)
        connection.close()

    threads = [threading.Thread(target=leave, args=(one,)) for one in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    managers = Membership.objects.filter(project=cast.project, role=Role.MANAGER)
    assert managers.count() == 1


def test_who_was_invited_creates_no_project_unless_the_setting_says_so(
    cast, settings
) -> None:
    _, token = invitations.invite(cast.project, role="annotator", by=cast.ada)
    dan = invitations.accept(token, user=None, username="dan", password=STRONG)
    client = Client()
    client.force_login(dan)
    assert "New project" not in client.get("/").content.decode()
    name = {"name": "Mine"}
    assert client.post("/api/projects/", name, "application/json").status_code == 403
    assert client.post("/p/new/", name).status_code == 403
    assert not Project.objects.filter(name="Mine").exists()
    settings.INVITED_CREATE = True
    assert client.post("/api/projects/", name, "application/json").status_code == 201
    assert "New project" in client.get("/").content.decode()
