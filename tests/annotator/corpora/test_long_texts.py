"""Texts that are too long: refused when they come in, and said when they are there."""

import json

import pytest
from django.test import Client

from annotator.errors import BadRequest
from annotator.models import Issue, Sentence
from annotator.services.corpora import trees
from tests.annotator.corpora.test_importing import bring_in
from tests.cast import Cast, pair, sentence

N = 60_000


def bundle(words: list[str]) -> bytes:
    items = [
        {"type": "bundle", "gemel": 1},
        {"type": "sentence", "id": "s1", "tokens": words},
        {"type": "sentence", "id": "s2", "tokens": ["short"]},
        {"type": "pair", "id": "p1", "source": "s1", "target": "s2"},
        {"type": "end", "records": 4},
    ]
    return "".join(json.dumps(one) + "\n" for one in items).encode()


def test_a_sentence_of_too_many_words_in_a_bundle_is_named(cast: Cast, settings):
    settings.MAX_WORDS = 50
    job = bring_in(cast, bundle(["word"] * 51), kind="gemel", name="b.gemel")
    issue = Issue.objects.filter(job=job).order_by("line").first()
    assert issue is not None
    assert (issue.line, "51 words" in issue.reason) == (2, True)
    assert "at most 50" in issue.remedy
    assert not Sentence.objects.filter(n_tokens=51).exists()


def test_a_pasted_tree_of_too_many_words_is_refused(cast: Cast, settings) -> None:
    settings.MAX_WORDS = 3
    with pytest.raises(BadRequest, match="at most 3"):
        trees.paste(cast.pair, "s", "(S (A a) (A b) (A c) (A d))", by=cast.bob)


@pytest.fixture
def long(cast: Cast):
    """A pair from before there was a limit."""
    made = pair(cast.corpus, "(S (A one))", "(S (A two))")
    words = " ".join(f"w{i}" for i in range(N))
    many = sentence(cast.corpus, words)
    rows = type(made).objects.filter(pk=made.pk)
    rows.update(source=many, n_source=N, text=f"{words}\ntwo")
    made.refresh_from_db()
    return made


def test_a_pair_that_is_too_long_is_told_at_once_on_every_page(cast, long) -> None:
    ada = Client()
    ada.force_login(cast.ada)
    project = cast.project.slug
    for page in (
        f"/p/{project}/pair/{long.code}/",
        f"/p/{project}/pair/{long.code}/biparse/",
        f"/p/{project}/pair/{long.code}/joint/",
        f"/p/{project}/sentence/{long.source.code}/",
        f"/api/pairs/{long.code}/trees/",
    ):
        answer = ada.get(page)
        assert answer.status_code == 413, page
        assert "60,000 words" in answer.content.decode(), page
        assert len(answer.content) < 20_000


def test_the_list_of_a_corpus_shows_the_beginning_of_a_long_text(cast, long) -> None:
    ada = Client()
    ada.force_login(cast.ada)
    page = f"/p/{cast.project.slug}/corpus/{long.corpus.code}/"
    content = ada.get(page).content
    assert b"w0 w1" in content
    assert len(content) < 100_000


def test_a_word_without_end_is_named(cast: Cast) -> None:
    rows = [("It rains.", "Rain falls."), ("a" * 20_000, "b"), ("It snows.", "Snow.")]
    table = "".join(f"{a}\t{b}\n" for a, b in rows).encode()
    job = bring_in(cast, b"source\ttarget\n" + table, kind="pairs", name="p.tsv")
    issue = Issue.objects.get(job=job)
    assert (issue.line, issue.column) == (3, 1)
    assert "20,000 characters" in issue.reason
    assert "at most 2,000" in issue.remedy
