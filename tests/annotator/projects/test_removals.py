"""Deleting: out of everybody's sight at once, back within a month, then gone."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from annotator import access
from annotator.errors import Conflict, NotAllowed
from annotator.models import (
    AlignmentLayer,
    Campaign,
    Corpus,
    Judgment,
    JudgmentEvent,
    LinkEvent,
    LogEntry,
    Pair,
    Project,
    Removal,
    Report,
    Role,
    TreeEvent,
)
from annotator.services import jobs
from annotator.services.campaigns import answers, leases
from annotator.services.parses import drafts
from annotator.services.projects import invitations, keeping, removals
from tests.annotator.campaigns_cast import answer, campaign, person

LATER = timedelta(days=removals.KEEP_DAYS, hours=1)


def judged(cast) -> Campaign:
    """A campaign in which Bob has answered one item."""
    made = campaign(cast)
    bob = person(made, cast.bob)
    (first, *_) = leases.draw(bob.pk, want=2)
    answers.save(first, answer())
    return made


def pages_of(made: Campaign) -> list[str]:
    here = f"/p/windows/campaign/{made.code}/"
    return [here, f"{here}items/", f"/p/windows/agreement/campaign/{made.code}/"]


def test_a_deleted_campaign_is_nowhere_and_comes_back_whole(cast, client) -> None:
    made = judged(cast)
    client.force_login(cast.ada)
    assert {client.get(page).status_code for page in pages_of(made)} == {200}
    removal = removals.remove(made, by=cast.ada)
    assert {client.get(page).status_code for page in pages_of(made)} == {404}
    assert made.name not in client.get("/p/windows/campaigns/").text
    removals.restore(removal, by=cast.ada)
    assert {client.get(page).status_code for page in pages_of(made)} == {200}
    assert Judgment.objects.filter(state="done").count() == 1


def test_judges_of_a_deleted_campaign_are_sent_away_until_it_is_back(cast) -> None:
    made = judged(cast)
    bob = Client()
    bob.force_login(cast.bob)
    url = f"/p/windows/judge/{made.code}/"
    assert bob.get(url).status_code == 200
    removal = removals.remove(made, by=cast.ada)
    assert bob.get(url).status_code == 404
    removals.restore(removal, by=cast.ada)
    assert bob.get(url).status_code == 200


def test_a_deleted_corpus_takes_its_pairs_and_searches_along(cast, client) -> None:
    client.force_login(cast.ada)
    pair = f"/p/windows/pair/{cast.pair.code}/"
    assert client.get(pair).status_code == 200
    removal = removals.remove(cast.corpus, by=cast.ada)
    for url in (pair, f"/p/windows/corpus/{cast.corpus.code}/"):
        assert client.get(url).status_code == 404
    assert not Pair.objects.visible_to(cast.ada).exists()
    assert not AlignmentLayer.objects.visible_to(cast.bob).exists()
    removals.restore(removal, by=cast.ada)
    assert client.get(pair).status_code == 200


def test_a_deleted_project_is_seen_by_nobody_and_comes_back_with_all(cast) -> None:
    removal = removals.remove(cast.project, by=cast.ada)
    assert not Project.objects.visible_to(cast.ada).exists()
    for user in (cast.bob, cast.cyd):
        assert not removals.deleted_projects(user)
        with pytest.raises(NotAllowed):
            removals.restore(removal, by=user)
    assert removals.deleted_projects(cast.ada) == [removal]
    removals.restore(removal, by=cast.ada)
    assert access.role_in(cast.ada, cast.project) == Role.MANAGER
    assert access.role_in(cast.bob, cast.project) == Role.ANNOTATOR


def test_no_link_leads_into_what_is_deleted(cast) -> None:
    made = campaign(cast)
    into = {"role": "annotator", "by": cast.ada}
    tokens = [
        invitations.invite(cast.project, **into, campaign=one)[1]
        for one in (None, made)
    ]
    removal = removals.remove(made, by=cast.ada)
    assert invitations.find_invitation(tokens[0]) is not None
    assert invitations.find_invitation(tokens[1]) is None
    removals.restore(removal, by=cast.ada)
    removals.remove(cast.project, by=cast.ada)
    assert [invitations.find_invitation(token) for token in tokens] == [None, None]


def test_its_name_is_free_at_once_and_never_taken_twice(cast) -> None:
    removal = removals.remove(cast.corpus, by=cast.ada)
    Corpus.objects.create(project=cast.project, name=cast.corpus.name)
    back = removals.restore(removal, by=cast.ada)
    assert back.name == f"{cast.corpus.name} (restored 1)"


def test_frozen_reports_go_and_come_with_their_campaign(cast) -> None:
    made = judged(cast)
    fields = {"title": "Scope", "body": {}, "digest": "0", "version": "1"}
    Report.objects.create(project=cast.project, campaign=made, **fields)
    removal = removals.remove(made, by=cast.ada)
    assert not Report.objects.visible_to(cast.ada).exists()
    removals.restore(removal, by=cast.ada)
    assert Report.objects.visible_to(cast.ada).count() == 1


def test_nothing_is_deleted_under_a_job_that_is_at_work_on_it(cast) -> None:
    other = Corpus.objects.create(project=cast.project, name="Doors")
    params = {"parts": [{"corpus": cast.corpus.code}]}
    jobs.create(cast.project, "parse", title="Parse", by=cast.ada, params=params)
    for thing in (cast.corpus, cast.project):
        with pytest.raises(Conflict, match="Parse"):
            removals.remove(thing, by=cast.ada)
    removals.remove(other, by=cast.ada)


def test_only_managers_delete(cast) -> None:
    for user in (cast.bob, cast.cyd):
        for thing in (cast.corpus, cast.project):
            with pytest.raises(NotAllowed):
                removals.remove(thing, by=user)
    assert not Removal.objects.exists()


def test_after_a_month_it_goes_for_good_and_nothing_else_does(cast) -> None:
    made, kept = judged(cast), judged(cast)
    removals.remove(made, by=cast.ada)
    removals.remove(cast.corpus, by=cast.ada)
    assert keeping.purge() == 0
    assert keeping.purge(timezone.now() + LATER) == 2
    assert list(Campaign.objects.all()) == [kept]
    assert Judgment.objects.filter(state="done").count() == 1
    assert JudgmentEvent.objects.count() == 1
    assert not Pair.objects.exists()
    assert not Removal.objects.exists()
    assert list(Project.objects.all()) == [cast.project]


def test_a_project_goes_with_all_that_people_did_in_it(cast) -> None:
    judged(cast)
    draft = drafts.start(cast.pair.source, by=cast.bob)
    for sent in ({"op": "relabel", "node": 1, "label": "NX"}, {"op": "undo"}):
        step = {"uuid": uuid4(), "base_rev": draft.revision} | sent
        drafts.play(draft, drafts.DraftStep.read(step, draft.to_tree()), by=cast.bob)
    LinkEvent.objects.create(layer=cast.layer, revision=1, op="link", by=cast.bob)
    removals.remove(cast.corpus, by=cast.ada)
    removals.remove(cast.project, by=cast.ada)
    assert keeping.purge(timezone.now() + LATER) == 2
    models = (Project, Corpus, Pair, Campaign, Judgment, LinkEvent, TreeEvent, LogEntry)
    for model in models:
        assert not model.objects.exists(), model


def test_what_is_to_go_cannot_come_back_half(cast) -> None:
    removal = removals.remove(cast.corpus, by=cast.ada)
    Removal.objects.update(at=timezone.now() - LATER)
    with pytest.raises(Conflict):
        removals.restore(removal, by=cast.ada)


def test_the_log_tells_of_it(cast) -> None:
    removals.restore(removals.remove(cast.corpus, by=cast.ada), by=cast.ada)
    lines = [str(row) for row in LogEntry.objects.filter(project=cast.project)]
    assert lines == ["restored corpus Houses", "deleted corpus Houses"]
