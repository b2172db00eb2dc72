"""Pages of parses: trying a sentence, a corpus against gold, one sentence."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Corpus, Job, PackedForest, Parse, Sentence
from annotator.pages import parses
from annotator.services import jobs
from annotator.services.parses import parsers
from annotator.services.parses.parsers import stored_forest
from core.parsing import registry
from tests import cast
from tests.cast import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_parser")]
GOLD = (
    "(S (NP (NNP Mary)) (VP (VBD saw) (NP (NP (DT a) (NN cat))"
    " (PP (IN in) (NP (DT a) (NN garden))))))"
)
OTHER = "(S (NP (PRP she)) (VP (VBD slept)))"


@pytest.fixture
def parsed() -> Cast:
    team = Cast()
    cast.pair(team.corpus, GOLD, OTHER)
    job = parsers.start(team.corpus, "small", n=5, by=team.ada, enqueue=False)
    jobs.run(job.pk)
    return team


def _client(user: object) -> Client:
    client = Client()
    client.force_login(user)
    return client


def _get(client: Client, url: str, **query: object) -> str:
    response = client.get(url, query)
    assert response.status_code == 200, response.content.decode()[:500]
    return response.content.decode()


def test_a_typed_sentence_is_drawn_with_its_other_trees(parsed: Cast) -> None:
    url = reverse("try")
    page = _get(
        _client(parsed.bob), url, text="Mary saw a cat in a garden", engine="small"
    )
    assert page.count('class="pp"') >= 6
    assert len(re.findall(r"&amp;rank=\d", page)) == 2
    other = _get(
        _client(parsed.bob),
        url,
        text="Mary saw a cat in a garden",
        engine="small",
        rank=2,
    )
    assert other != page
    assert Sentence.objects.filter(text__contains="Mary").count() == 1  # the corpus's


@pytest.mark.parametrize(
    ("text", "engine", "reason"),
    [
        ("a " * 1001, "small", "2000 characters"),
        ("a " * 41, "small", "at most 40"),
        ("a cat", "klingon", "Parsers:"),
    ],
)
def test_what_cannot_be_parsed_is_said(
    parsed: Cast, text: str, engine: str, reason: str
) -> None:
    query = {"text": text, "engine": engine}
    response = _client(parsed.bob).get(reverse("try"), query)
    assert response.status_code == 400
    assert reason in response.content.decode()


def test_no_parse_is_an_answer(parsed: Cast) -> None:
    page = _get(_client(parsed.bob), reverse("try"), text="xyzzy", engine="small")
    assert "finds no tree" in page


def test_the_corpus_pages_show_scores_and_sentences(parsed: Cast) -> None:
    args = [parsed.project.slug, parsed.corpus.code]
    page = _get(_client(parsed.bob), reverse("sentences", args=args))
    assert "Mary saw a cat in a garden" in page
    assert 'data-name="F1">100.0' in page
    page = _get(_client(parsed.bob), reverse("parses", args=args))
    assert f'href="{reverse("sentences", args=args)}?engine=small' in page
    assert "Parse remaining sentences" not in page  # Bob runs no engines


def test_trees_of_a_parser_of_before_are_kept_and_shown_as_its_own(
    parsed: Cast,
) -> None:
    row = Sentence.objects.get(text="she slept")
    cast.parse(row, "(S (NP (PRP she)) (VP (VBD slept)))", engine="nltk-chart")
    url = reverse("parses", args=[parsed.project.slug, parsed.corpus.code])
    page = " ".join(_get(_client(parsed.ada), url).split())
    assert 'nltk-chart </a> <span class="chip">no longer part of Gemel' in page
    assert "<option>nltk-chart" not in page
    tree = _get(
        _client(parsed.ada),
        reverse("sentence", args=[parsed.project.slug, row.code]),
        engine="nltk-chart ",
    )
    assert "Tree 1 of nltk-chart" in tree
    refused = _client(parsed.ada).post(url, {"engine": "nltk-chart", "n": "1"})
    assert refused.status_code == 400


def _proposed(cast_: Cast) -> list[str]:
    page = _get(_client(cast_.ada), reverse("parses", args=_where(cast_)))
    return re.findall(r'<option value="([^"]+)" selected', page)


def _where(cast_: Cast) -> list[str]:
    return [cast_.project.slug, cast_.corpus.code]


def test_the_rest_of_a_corpus_is_for_the_parser_that_began_it(parsed: Cast) -> None:
    here = Corpus.objects.filter(pk=parsed.corpus.pk)
    here.update(n_sentences=4)
    assert _proposed(parsed) == [registry.DEFAULT]
    here.update(n_sentences=5)
    assert _proposed(parsed) == ["small"]


def test_a_manager_starts_a_parser_and_lands_on_its_job(parsed: Cast) -> None:
    url = reverse("parses", args=[parsed.project.slug, parsed.corpus.code])
    response = _client(parsed.ada).post(url, {"engine": "small", "n": "3"})
    job = Job.objects.filter(kind="parse").order_by("-pk")[0]
    assert response.status_code == 302
    assert job.code in response.headers["Location"]
    assert job.params["n"] == 3
    refused = _client(parsed.bob).post(url, {"engine": "small", "n": "3"})
    assert refused.status_code == 403


def test_a_sentence_marks_what_differs_from_gold(parsed: Cast) -> None:
    row = Sentence.objects.get(text__contains="garden")
    url = reverse("sentence", args=[parsed.project.slug, row.code])
    client = _client(parsed.bob)
    first = _get(client, url)
    ranks = [_get(client, url, rank=rank) for rank in (1, 2)]
    assert "Gold" in first
    exact = [page for page in ranks if "exact" in page]
    assert len(exact) == 1
    assert "≠</text>" not in exact[0].replace(" ≠", "≠")
    assert all("≠</text>" in page for page in ranks if page not in exact)
    assert any("% sure" in page for page in ranks)
    assert client.get(url, {"rank": "9"}).status_code == 404


def test_what_is_not_sure_is_listed_the_least_sure_first(parsed: Cast) -> None:
    row = Sentence.objects.get(text__contains="garden")
    url = reverse("sentence", args=[parsed.project.slug, row.code])
    page = _get(_client(parsed.bob), url, rank=2)
    _, _, table = page.partition("Least certain for the parser")
    shares = [float(p) for p in re.findall(r'class="num">([\d.]+) %', table)]
    assert shares
    assert shares == sorted(shares)
    assert all(share < 95 for share in shares)


def test_the_consensus_is_shown_by_what_it_is_chosen_for(parsed: Cast) -> None:
    """Two attachments with one half each, say, as wholes; of the brackets most are
    sure. The engine's own choice must not look worse than the others."""
    row = Sentence.objects.get(text__contains="Mary")
    rows = Parse.objects.filter(sentence=row, engine="small", kind="constituency")
    assert rows.count() == 2
    rows.filter(rank=1).update(score=-9.0)  # a consensus may be improbable as a whole
    page = _get(_client(parsed.bob), reverse("sentence", args=["windows", row.code]))
    trees = parses.stored(row, "small", "1", stored_forest(row, "small", "1"))
    shown = [float(f1) for f1 in re.findall(r">expected F1\s+([\d.]+)</span>", page)]
    assert shown == [pytest.approx(tree.f1, abs=0.06) for tree in trees]
    assert shown[0] > shown[1] > 50
    assert "Tree 1 is the consensus" in " ".join(page.split())
    assert "below 0.1 %" in page
    assert "0.0 %" not in page


def test_trees_without_a_forest_are_shown_by_their_probability(parsed: Cast) -> None:
    PackedForest.objects.all().delete()
    row = Sentence.objects.get(text__contains="Mary")
    page = _get(_client(parsed.bob), reverse("sentence", args=["windows", row.code]))
    assert "Expected F1: the F1 that the parser" not in page
    assert "how probable the whole tree is" in page


def test_a_stranger_sees_none_of_it(parsed: Cast) -> None:
    row = Sentence.objects.get(text__contains="garden")
    client = _client(parsed.cyd)
    corpus = parsed.corpus.code
    pages = (("sentence", row.code), ("parses", corpus), ("sentences", corpus))
    for name, code in pages:
        url = reverse(name, args=[parsed.project.slug, code])
        assert client.get(url).status_code == 404
    assert Client().get(reverse("try")).status_code == 302


def test_the_corpus_page_costs_the_same_for_one_sentence_and_for_twenty(
    parsed: Cast, django_assert_max_num_queries: object
) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    url = reverse("sentences", args=[parsed.project.slug, parsed.corpus.code])
    client = _client(parsed.bob)
    _get(client, url)
    with CaptureQueriesContext(connection) as few:
        _get(client, url)
    for i in range(20):
        cast.pair(parsed.corpus, f"(S (NP (NN x{i})) (VP (VBD y)))", OTHER)
    with CaptureQueriesContext(connection) as many:
        _get(client, url)
    assert len(many) == len(few)


def test_programs_list_parsers_start_one_and_read_parses(parsed: Cast) -> None:
    client = _client(parsed.ada)
    assert client.get("/api/parsers/").json() == [*registry.names(), "small"]
    url = f"/api/corpora/{parsed.corpus.code}/parses/"
    (engine,) = client.get(url).json()
    assert (engine["engine"], engine["scores"]["f1"] > 0) == ("small", True)
    made = client.post(url, {"engine": "small", "n": 2}, "application/json")
    assert made.status_code == 201
    assert made.json()["kind"] == "parse"
    bad = client.post(url, {"engine": "small", "n": 99}, "application/json")
    assert bad.status_code == 400
    row = Sentence.objects.get(text__contains="garden")
    parses = client.get(f"/api/sentences/{row.code}/parses/").json()
    assert [(p["origin"], p["rank"]) for p in parses] == [
        ("gold", 1),
        ("engine", 1),
        ("engine", 2),
    ]
    stranger = _client(parsed.cyd)
    assert stranger.get(url).status_code == 404
    assert stranger.get(f"/api/sentences/{row.code}/parses/").status_code == 404


@pytest.fixture
def treebank(db) -> Cast:
    """Gold trees alone: no pair of them, no parser has seen them."""
    team = Cast()
    team.corpus = cast.corpus(team.project, "Bank")
    for brackets in (GOLD, OTHER):
        made = cast.sentence(team.corpus, cast.ptb_words(brackets))
        cast.parse(made, brackets)
    return team


def test_a_treebank_without_pairs_or_parser_is_listed_searched_and_drawn(
    treebank: Cast,
) -> None:
    client = _client(treebank.bob)
    url = reverse("sentences", args=["windows", treebank.corpus.code])
    corpus = _get(client, reverse("corpus", args=["windows", treebank.corpus.code]))
    assert f'href="{url}"' in corpus
    page = _get(client, url)
    assert page.count("gold constituents") == 2
    matches = _get(client, url, words="garden mary")
    assert "Mary saw a cat" in matches
    assert "she slept" not in matches
    assert "No sentence has all these words" in _get(client, url, words="klingon")
    assert client.get(url, {"word": "typo"}).status_code == 400
    row = treebank.corpus.sentences.get(text="she slept")
    drawn = _get(client, reverse("sentence", args=["windows", row.code]))
    assert drawn.count('class="pp"') == 3


def test_two_trees_stand_side_by_side_whoever_made_them(parsed: Cast) -> None:
    row = Sentence.objects.get(text__contains="garden")
    second = row.parses.get(engine="small", rank=2)
    url = reverse("sentence", args=[parsed.project.slug, row.code])
    page = _get(_client(parsed.bob), url, compare=second.code)
    assert page.count("<figure") == 2
    assert re.search(r"<figcaption>small \S+, tree 2", page)
    assert "≠</text>" in page


def test_other_annotators_trees_are_not_shown_to_annotators(parsed: Cast) -> None:
    row = Sentence.objects.get(text__contains="garden")
    hers = row.parses.get(engine="small", rank=2)
    hers.origin, hers.engine, hers.author = "annotator", "", parsed.ada
    hers.save()
    url = reverse("sentence", args=[parsed.project.slug, row.code])
    assert _client(parsed.bob).get(url, {"compare": hers.code}).status_code == 404
    assert hers.code not in _get(_client(parsed.bob), url)
    assert hers.code in _get(_client(parsed.ada), url)
    listed = _client(parsed.bob).get(f"/api/sentences/{row.code}/parses/").json()
    assert hers.code not in [one["code"] for one in listed]
