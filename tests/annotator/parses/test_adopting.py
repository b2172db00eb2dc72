"""A parser trained on corrections is compared with what runs, adopted, and left."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotator.errors import BadRequest, NotAllowed
from annotator.models import Corpus, Job, LogEntry, TreeDraft, TreeEvent
from annotator.pages.site import learning
from annotator.services import jobs
from annotator.services.parses import offered, training
from core.parsing import registry
from tests import cast
from tests.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(settings: Any, tmp_path: Path) -> Cast:
    """30 gold trees in a language that no shipped parser reads."""
    settings.MODELS_DIR = tmp_path / "models"
    team = Cast()
    cast.gold_pairs(team.corpus)
    Corpus.objects.update(source_language="eo", target_language="eo")
    team.corpus.refresh_from_db()
    return team


def trained(people: Cast) -> Job:
    job = training.start(people.corpus, by=people.ada, enqueue=False)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.error
    return job


def test_a_parser_of_a_new_language_is_adopted_and_left(
    people: Cast, client: Client
) -> None:
    assert trained(people).result["compared"] is None
    client.force_login(people.ada)
    page = reverse("learn", args=["windows"])
    assert "houses-1" in client.get(page).content.decode()
    home = reverse("project", args=["windows"])
    assert "1 model to adopt" in client.get(home).content.decode()
    client.post(page, {"do": "adopt", "model": "parsers:houses-1"})
    people.project.refresh_from_db()
    assert offered.default_of(people.project) == "houses-1"
    assert "1 own model" in client.get(home).content.decode()
    parses = reverse("parses", args=["windows", people.corpus.code])
    assert 'value="houses-1" selected' in client.get(parses).content.decode()
    client.post(page, {"do": "undo", "model": "parsers:houses-1"})
    people.project.refresh_from_db()
    assert offered.default_of(people.project) == registry.DEFAULT
    acts = LogEntry.objects.filter(kind="parser").order_by("pk")
    assert [row.act for row in acts] == ["adopted", "left"]


def test_undoing_returns_to_the_parser_before(people: Cast) -> None:
    trained(people)
    trained(people)
    for name in ("houses-1", "houses-2", "houses-1"):
        offered.adopt(people.project, name, by=people.ada)
    assert offered.undo_adoption(people.project, by=people.ada) == "houses-2"
    assert offered.undo_adoption(people.project, by=people.ada) == "houses-1"
    assert offered.undo_adoption(people.project, by=people.ada) == registry.DEFAULT
    with pytest.raises(BadRequest):
        offered.undo_adoption(people.project, by=people.ada)


def test_a_parser_is_compared_on_trees_that_neither_has_seen(people: Cast) -> None:
    trained(people)
    offered.adopt(people.project, "houses-1", by=people.ada)
    seen = trained(people).result["compared"]
    assert seen == {"parser": "houses-1", "sentences": 0}
    new = "(S (NP (DT an) (JJ unseen) (JJ green) (NN garden)) (VP (VBD slept)))"
    cast.parse(cast.sentence(people.corpus, cast.ptb_words(new)), new)
    compared = trained(people).result["compared"]
    assert (compared["parser"], compared["sentences"]) == ("houses-1", 1)
    assert compared["low"] <= compared["gain"] <= compared["high"]


def test_a_gain_that_may_be_chance_is_not_offered() -> None:
    facts = ("parsers", "Parser", "p", "", 30, 80.0, None)
    assert learning.OwnModel(*facts, "english", 9, 1.0, 0.2, 1.8).is_better
    assert not learning.OwnModel(*facts, "english", 9, 1.0, -0.2, 2.2).is_better
    assert learning.OwnModel(*facts, "", 0, 0.0, 0.0, 0.0).is_better


def test_only_managers_adopt_and_annotators_do_not_see_it(
    people: Cast, client: Client
) -> None:
    trained(people)
    client.force_login(people.bob)
    page = reverse("learn", args=["windows"])
    assert client.get(page).status_code == 403
    assert (
        client.post(page, {"do": "adopt", "model": "parsers:houses-1"}).status_code
        == 403
    )
    with pytest.raises(NotAllowed):
        offered.adopt(people.project, "houses-1", by=people.bob)
    with pytest.raises(BadRequest):
        offered.adopt(people.project, "english", by=people.ada)


def test_hours_of_trees_leave_out_long_pauses(people: Cast) -> None:
    sentence = people.corpus.sentences.first()
    draft = TreeDraft.objects.create(sentence=sentence, author=people.bob)
    begin = timezone.now() - timedelta(days=1)
    minutes = (0, 4, 8, 30, 31)  # a pause of 22 minutes
    for revision, after in enumerate(minutes, 1):
        at = begin + timedelta(minutes=after)
        TreeEvent.objects.create(draft=draft, revision=revision, by=people.bob, at=at)
    trained(people)
    (one,) = learning.learning(people.project, by=people.ada)["models"]
    assert one.hours == pytest.approx((4 + 4 + 1) / 60)
