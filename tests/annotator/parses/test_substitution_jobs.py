"""Linking corpora counted, and a corpus parsed with one: services, page, API."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest, NotAllowed
from annotator.models import Corpus, Job, Membership, Parse, Project
from annotator.pages.jobs import next_pages
from annotator.services import jobs
from annotator.services.parses import (
    accuracy,
    linking_corpora,
    offered,
    parsers,
    substitution,
)
from tests import cast, small_pcfg
from tests.cast import Cast

pytestmark = pytest.mark.django_db
TEXT = ("the cat slept", "the wug slept", "the dog saw a wug", "the dog saw a cat")
GOLD = "(S (NP (DT the) (NN wug)) (VP (VBD slept)) (. .))"
OTHER = "(S (NP (DT the) (NN dog)) (VP (VBD slept)) (. .))"


@pytest.fixture
def people(settings: Any, tmp_path: Path) -> Cast:
    """A parser for everybody; a corpus with gold; another of plain text."""
    settings.MODELS_DIR = tmp_path / "models"
    settings.MEDIA_ROOT = tmp_path / "media"
    small_pcfg.written(settings.MODELS_DIR / "small")
    team = Cast()
    cast.pair(team.corpus, GOLD, OTHER)
    plain = cast.corpus(team.project, "Plain")
    for k in range(12):
        for line in TEXT:
            cast.sentence(plain, f"{line} {'.' * (k + 1)}")
    team.corpus.project = team.project
    return team


def _plain(people: Cast) -> Corpus:
    return people.project.corpora.get(name="Plain")


def _done(job: Job) -> Job:
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.error
    return job


def _counted(people: Cast, name: str = "plain") -> Job:
    corpora = [_plain(people)]
    return _done(
        linking_corpora.start(
            people.project, name, corpora=corpora, by=people.ada, enqueue=False
        )
    )


def _helped(people: Cast, method: str = "replace") -> Job:
    return _done(
        substitution.start(
            people.corpus,
            "small",
            "plain",
            method=method,
            n=2,
            by=people.ada,
            enqueue=False,
        )
    )


def test_sentences_are_counted_with_their_hash_and_licence(people: Cast) -> None:
    job = _counted(people)
    (counts,) = linking_corpora.of_project(people.project)
    assert (counts.name, counts.licence, counts.sources) == ("plain", "CC0", ("Plain",))
    assert counts.tokens == 12 * 20
    assert len(counts.digest) == 64
    assert linking_corpora.load(people.project, "plain").count("wug") == 24
    assert job.done == job.total == 48
    assert job.result["counted_before"] is False


def test_the_same_text_is_not_counted_twice(people: Cast) -> None:
    _counted(people)
    assert _counted(people, "again").result["counted_before"] is True
    first, second = linking_corpora.of_project(people.project)
    assert first.digest == second.digest
    cast.sentence(_plain(people), "the cat saw a wug")
    assert _counted(people, "more").result["counted_before"] is False


def test_a_cancelled_count_leaves_nothing(people: Cast) -> None:
    job = linking_corpora.start(
        people.project, "plain", corpora=[_plain(people)], by=people.ada, enqueue=False
    )
    steps = linking_corpora.run(job)
    next(steps)
    next(steps)
    steps.close()
    assert linking_corpora.of_project(people.project) == []


def test_only_text_of_the_project_is_counted_by_its_managers(people: Cast) -> None:
    with pytest.raises(NotAllowed):
        linking_corpora.start(
            people.project, "x", corpora=[_plain(people)], by=people.bob
        )
    theirs = Project.objects.create(name="Theirs", slug="theirs")
    Membership.objects.create(project=theirs, user=people.cyd, role="manager")
    with pytest.raises(BadRequest, match="Only text of this project"):
        linking_corpora.start(theirs, "x", corpora=[_plain(people)], by=people.cyd)
    _counted(people)
    with pytest.raises(BadRequest, match="none yet"):
        linking_corpora.load(theirs, "plain")


@pytest.mark.parametrize("name", ["", "..", "x" * 21, "plain"])
def test_a_name_that_is_none_or_taken_is_refused(people: Cast, name: str) -> None:
    _counted(people)
    with pytest.raises(BadRequest) as refusal:
        linking_corpora.start(
            people.project, name, corpora=[_plain(people)], by=people.ada
        )
    assert refusal.value.facts["field"] == "name"


def test_a_name_cannot_lead_elsewhere(people: Cast) -> None:
    job = _counted(people, "../../Some Text")
    folder = offered.folder_of(people.project) / "linking" / "some-text"
    assert job.result["linking"] == folder.name
    assert (folder / "manifest.json").is_file()


def test_a_corpus_is_parsed_without_substitution_and_with_it(people: Cast) -> None:
    _counted(people)
    job = _helped(people)
    assert job.done == job.total == 2 * people.corpus.sentences.count()
    engines = {one.name: one for one in accuracy.engines_of(people.corpus)}
    assert set(engines) == {"small", "small-plain-replace"}
    helped, plain = engines["small-plain-replace"], engines["small"]
    assert helped.helps == plain.key
    assert helped.before == plain.scores["f1"]
    assert helped.gain[0] in "+-"
    unknown = {row["most"]: row["unknown"] for row in plain.by_unknown}
    assert sum(unknown.values()) > 0
    assert unknown[0.0] == 0
    row = people.corpus.sentences.get(text="the wug slept .")
    stored = Parse.objects.get(sentence=row, engine=helped.name, rank=1)
    assert stored.to_tree().words == ("the", "wug", "slept", ".")
    (advice,) = stored.meta["advice"]
    assert advice["read_as"] in ("cat", "dog")
    assert helped.name in offered.names_of(people.project)


def test_a_second_parse_of_the_helped_parser_keeps_what_it_is_compared_with(
    people: Cast,
) -> None:
    _counted(people)
    _helped(people)
    name = "small-plain-replace"
    _done(parsers.start(people.corpus, name, n=2, by=people.ada, enqueue=False))
    engines = {one.name: one for one in accuracy.engines_of(people.corpus)}
    assert engines[name].helps == engines["small"].key


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (["ein kurzer Satz"], "does not have its unknown words"),
        (["Ωραία μέρα σήμερα"], "does not have its unknown words"),
        ([], "the linking corpus is empty"),
        (["wug wug wug"] * 30, "no known word is near enough"),
    ],
)
def test_what_cannot_be_helped_is_parsed_as_it_stands_and_says_so(
    people: Cast, client: Client, text: list[str], why: str
) -> None:
    other = cast.corpus(people.project, "Other")
    for k, line in enumerate(text):
        cast.sentence(other, f"{line} {k}")
    _done(
        linking_corpora.start(
            people.project, "plain", corpora=[other], by=people.ada, enqueue=False
        )
    )
    _helped(people)
    row = people.corpus.sentences.get(text="the wug slept .")
    trees = Parse.objects.filter(sentence=row, rank=1, origin="engine")
    assert len({parse.text for parse in trees}) == 1
    client.force_login(people.bob)
    page = client.get(
        reverse("sentence", args=["windows", row.code]),
        {
            "engine": next(
                str(t.engine) + " " + t.version for t in trees if "-" in t.engine
            )
        },
    ).content.decode()
    _, _, said = " ".join(page.split()).partition("without substitution: ")
    assert why in said[:120]


def test_a_parser_that_hides_its_words_is_refused(people: Cast) -> None:
    _counted(people)
    with pytest.raises(BadRequest, match="does not list its training words"):
        substitution.start(people.corpus, "english", "plain", n=1, by=people.ada)
    with pytest.raises(BadRequest, match="Linking corpora: plain"):
        substitution.start(people.corpus, "small", "other", n=1, by=people.ada)
    with pytest.raises(NotAllowed):
        substitution.start(people.corpus, "small", "plain", n=1, by=people.bob)


def test_the_page_counts_a_file_and_parses_with_it(
    people: Cast, client: Client
) -> None:
    url = reverse("substitution", args=["windows", people.corpus.code])
    client.force_login(people.cyd)
    assert client.get(url).status_code == 404
    client.force_login(people.bob)
    assert client.post(url, {"do": "count", "name": "x"}).status_code == 403
    client.force_login(people.ada)
    file = SimpleUploadedFile("mine.txt", "\n".join(TEXT * 12).encode())
    sent = {"do": "count", "name": "Mine", "licence": "CC0", "text": file}
    assert client.post(url, sent).status_code == 302
    _done(Job.objects.get(kind="linking"))
    assert linking_corpora.of_project(people.project)[0].tokens == 12 * 16
    assert "mine.txt" in client.get(url).content.decode()
    wanted = {"do": "parse", "parser": "small", "linking": "mine", "n": "1"}
    wrong = client.post(url, wanted | {"method": "guess"})
    assert wrong.status_code == 400
    assert "Methods: tell" in wrong.content.decode()
    assert client.post(url, wanted | {"method": "replace"}).status_code == 302
    job = _done(Job.objects.get(kind="substitution"))
    told = client.get(reverse("job", args=["windows", job.code])).content.decode()
    assert "Compare the parsers" in told
    page = client.get(reverse("sentences", args=["windows", people.corpus.code]))
    assert "Unknown words" in page.content.decode()


def test_a_sentence_shows_both_trees_beside_each_other(
    people: Cast, client: Client
) -> None:
    _counted(people)
    _helped(people)
    row = people.corpus.sentences.get(text="the wug slept .")
    client.force_login(people.bob)
    page = client.get(
        reverse("sentence", args=["windows", row.code]),
        {"engine": next(e.key for e in accuracy.engines_of(people.corpus) if e.helps)},
    ).content.decode()
    _, _, beside = page.partition('<div class="beside">')
    assert beside.count("<svg") >= 2
    assert '<th scope="row">wug</th>' in page


def test_programs_count_and_parse_with_strict_names(
    people: Cast, client: Client
) -> None:
    client.force_login(people.ada)
    lists, helped = "/api/projects/windows/linking/", "/api/corpora/{}/substitution/"
    asked = {"name": "plain", "corpora": [_plain(people).code]}
    json = "application/json"
    assert client.post(lists, asked | {"licens": "x"}, json).status_code == 400
    assert client.post(lists, asked | {"corpora": ["0" * 16]}, json).status_code == 400
    assert client.post(lists, asked, json).status_code == 201
    _done(Job.objects.get(kind="linking"))
    assert [row["name"] for row in client.get(lists).json()] == ["plain"]
    url = helped.format(people.corpus.code)
    wanted = {"parser": "small", "linking": "plain", "method": "doubt"}
    assert client.post(url, wanted | {"m": 1}, json).status_code == 400
    assert client.post(url, wanted | {"n": 99}, json).status_code == 400
    assert client.post(url, wanted, json).json()["kind"] == "substitution"
    client.force_login(people.cyd)
    assert client.post(url, wanted, json).status_code == 404
    assert client.get(lists).status_code == 404


def test_a_count_leads_back_to_the_corpus_it_was_asked_on(people: Cast) -> None:
    text = [_plain(people)]
    asked = {"corpora": text, "by": people.ada, "enqueue": False}
    here = linking_corpora.start(people.project, "here", page=people.corpus, **asked)
    (page,) = next_pages(_done(here), by=people.ada)
    args = ["windows", people.corpus.code]
    assert page == {"label": "Parse with it", "url": reverse("substitution", args=args)}
    nowhere = linking_corpora.start(people.project, "nowhere", **asked)
    (page,) = next_pages(_done(nowhere), by=people.ada)
    assert page["url"] == reverse("corpora", args=["windows"])
