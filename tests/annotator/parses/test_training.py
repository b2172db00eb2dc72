"""Training a project's own parser on gold trees, and parsing the rest with it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest, Conflict, NotAllowed
from annotator.models import Corpus, Job, Membership, Origin, Parse, Project
from annotator.services import jobs
from annotator.services.alignments import phrases, words
from annotator.services.parses import accuracy, offered, parsers, training
from core.parsing import registry
from tests import cast
from tests.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(settings: Any, tmp_path: Path) -> Cast:
    """Ada's corpus has 30 gold trees, and a sentence that lacks a tree."""
    settings.MODELS_DIR = tmp_path / "models"
    team = Cast()
    cast.gold_pairs(team.corpus)
    cast.sentence(team.corpus, "John met the old cat .")
    return team


def _words(corpus: Corpus, parser: str, **options: Any) -> Job:
    return words.start(corpus, parser, many=False, **options)


def _trained(people: Cast) -> Job:
    job = training.start(people.corpus, by=people.ada, enqueue=False)
    jobs.run(job.pk)
    job.refresh_from_db()
    return job


def test_a_parser_is_trained_with_its_cross_validated_f1(people: Cast) -> None:
    job = _trained(people)
    assert job.state == Job.State.DONE, job.error
    assert job.result["parser"] == "houses-1"
    assert job.result["trees"] == training.n_gold(people.corpus)
    assert 0 < job.result["cross_validated"]["f1"] <= 100
    assert job.done == job.total


def test_the_rest_is_parsed_with_it(people: Cast) -> None:
    _trained(people)
    job = parsers.start(people.corpus, "houses-1", n=1, by=people.ada, enqueue=False)
    jobs.run(job.pk)
    row = Parse.objects.get(sentence__text="John met the old cat .")
    assert (row.engine, row.origin) == ("houses-1", Origin.ENGINE)
    assert "(VP (VBD met) (NP (DT the) (JJ old) (NN cat)))" in row.text


def test_sentences_that_a_parser_was_trained_on_do_not_count(
    people: Cast, client: Client
) -> None:
    name = _trained(people).result["parser"]
    golds = accuracy.with_gold(people.corpus).count()
    new = cast.sentence(people.corpus, "an unseen green garden slept")
    cast.parse(
        new, "(S (NP (DT an) (JJ unseen) (JJ green) (NN garden)) (VP (VBD slept)))"
    )
    job = parsers.start(people.corpus, name, n=1, by=people.ada, enqueue=False)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.result["trained_on"], job.result["sentences"]) == (golds, 1)
    (engine,) = [one for one in accuracy.engines_of(people.corpus) if one.name == name]
    assert (engine.trained_on, engine.n_with_gold) == (golds, golds + 1)
    client.force_login(people.ada)
    url = reverse("parses", args=["windows", people.corpus.code])
    page = " ".join(client.get(url).content.decode().split())
    said = f"{golds} of {golds + 1} excluded: this parser was trained on them"
    assert said in page


def test_another_training_makes_another_parser(people: Cast) -> None:
    assert [_trained(people).result["parser"] for _ in range(2)] == [
        "houses-1",
        "houses-2",
    ]


def test_other_projects_do_not_see_it(people: Cast) -> None:
    _trained(people)
    theirs = Project.objects.create(name="Theirs", slug="theirs")
    Membership.objects.create(project=theirs, user=people.cyd, role="manager")
    assert "houses-1" in offered.names_of(people.project)
    assert "houses-1" not in offered.names_of(theirs)
    assert [one.value for one in offered.of_person(people.cyd)] == [*registry.names()]
    with pytest.raises(BadRequest):
        parsers.start(cast.corpus(theirs), "houses-1", n=1, by=people.cyd)


def test_only_managers_train(people: Cast) -> None:
    Membership.objects.filter(user=people.bob).update(role="curator")
    with pytest.raises(NotAllowed):
        training.start(people.corpus, by=people.bob)


def test_too_few_trees_are_refused(people: Cast) -> None:
    with pytest.raises(BadRequest, match="0 gold trees"):
        training.start(cast.corpus(people.project, "Empty"), by=people.ada)


def test_one_training_of_a_corpus_at_a_time(people: Cast) -> None:
    training.start(people.corpus, by=people.ada, enqueue=False)
    with pytest.raises(Conflict):
        training.start(people.corpus, by=people.ada, enqueue=False)


def test_a_cancelled_training_leaves_no_model(people: Cast) -> None:
    job = training.start(people.corpus, by=people.ada, enqueue=False)
    Job.objects.filter(pk=job.pk).update(state=Job.State.RUNNING)
    steps = training.run(job)
    _some(steps, 3)
    steps.close()
    assert "houses-1" not in offered.names_of(people.project)


def _some(steps: Iterator[object], n: int) -> None:
    for _, _ in zip(range(n), steps, strict=False):
        pass


def test_the_page_trains_for_managers_alone(people: Cast, client: Client) -> None:
    page = reverse("parses", args=[people.project.slug, people.corpus.code])
    client.force_login(people.bob)
    assert b"Train a parser" not in client.get(page).content
    assert client.post(page, {"do": "train"}).status_code == 403
    client.force_login(people.ada)
    shown = " ".join(client.get(page).content.decode().split())
    assert "Train a parser on these trees" in shown
    answer = client.post(page, {"do": "train"})
    assert answer.status_code == 302
    assert Job.objects.get(kind="train_parser").by == people.ada
    client.force_login(people.cyd)
    assert client.post(page, {"do": "train"}).status_code == 404


def test_it_is_offered_wherever_a_parser_is_chosen(
    people: Cast, client: Client
) -> None:
    f1 = _trained(people).result["cross_validated"]["f1"]
    label = f"houses-1 (trained in Windows, F1 {f1:.1f} cross-validated)"
    client.force_login(people.ada)
    args = [people.project.slug, people.corpus.code]
    for name in ("parses", "alignments"):
        page = client.get(reverse(name, args=args)).content.decode()
        assert f'<option value="houses-1">{label}</option>' in page
    joint = " ".join(client.get(reverse("joint", args=args)).content.decode().split())
    assert f'<option value="houses-1" disabled>{label}, no arcs</option>' in joint
    tried = client.get(reverse("try")).content.decode()
    assert f'<option value="windows/houses-1">{label}</option>' in tried


def test_a_sentence_is_tried_with_it_by_members_alone(
    people: Cast, client: Client
) -> None:
    _trained(people)
    query = {"text": "John met the old cat .", "engine": "windows/houses-1"}
    client.force_login(people.bob)
    assert 'class="pp"' in client.get(reverse("try"), query).content.decode()
    client.force_login(people.cyd)
    refused = client.get(reverse("try"), query)
    assert refused.status_code == 400
    assert "trained in Windows" not in refused.content.decode()


@pytest.mark.parametrize("service", [phrases.start, _words])
def test_pairs_are_aligned_with_it(people: Cast, service: Any) -> None:
    _trained(people)
    people.corpus.project = people.project
    job = service(people.corpus, "houses-1", by=people.ada, enqueue=False)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.failed) == (Job.State.DONE, 0), job.error
    theirs = Project.objects.create(name="Theirs", slug="theirs")
    Membership.objects.create(project=theirs, user=people.cyd, role="manager")
    with pytest.raises(BadRequest, match="Parsers: english"):
        service(cast.corpus(theirs), "houses-1", by=people.cyd)


def test_programs_train_and_list_parsers(people: Cast, client: Client) -> None:
    url = f"/api/corpora/{people.corpus.code}/parsers/"
    client.force_login(people.bob)
    assert client.post(url, {}, "application/json").status_code == 403
    client.force_login(people.cyd)
    assert client.post(url, {}, "application/json").status_code == 404
    assert client.get("/api/projects/windows/parsers/").status_code == 404
    client.force_login(people.ada)
    typo = client.post(url, {"fold": 3}, "application/json")
    assert typo.status_code == 400
    assert not Job.objects.filter(kind="train_parser").exists()
    made = client.post(url, {}, "application/json")
    assert (made.status_code, made.json()["kind"]) == (201, "train_parser")
    jobs.run(Job.objects.get(kind="train_parser").pk)
    rows = client.get("/api/projects/windows/parsers/").json()
    assert [row["name"] for row in rows] == [*registry.names(), "houses-1"]
    own = rows[-1]
    assert (own["owner"], own["gives_arcs"]) == ("Windows", False)
    assert 0 < own["f1"] <= 100
    assert rows[0] == {"name": "english", "owner": "", "f1": None, "gives_arcs": True}
