"""The pairs list: filters, search, paging; the same cost for one row and for many."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotator.models import Corpus, Pair, Sentence
from tests.cast import SOURCE, TARGET, pair


def add(corpus: Corpus, n: int) -> None:
    """``n`` more pairs without trees."""
    for i in range(n):
        words = f"door number {i} of the house"
        side = Sentence.objects.create(
            corpus=corpus,
            key=Sentence.key_of(words),
            text=words,
            tokens=words,
            n_tokens=6,
        )
        Pair.objects.create(
            corpus=corpus,
            ref=f"d{i}",
            source=side,
            target=side,
            text=f"{words}\n{words}",
            n_source=6 + i,
            n_target=6,
            key=Sentence.key_of(words, "pair"),
        )
    Corpus.objects.filter(pk=corpus.pk).update(n_pairs=corpus.pairs.count())


def url(cast, query: str = "") -> str:
    return f"/p/windows/corpus/{cast.corpus.code}/{query}"


def refs(client: Client, address: str) -> list[str]:
    return [row.ref for row in client.get(address).context["pairs"]]


def test_one_row_costs_as_many_queries_as_fifty(cast, client: Client) -> None:
    client.force_login(cast.bob)
    with CaptureQueriesContext(
        connection,
    ) as one:
        client.get(url(cast))
    add(cast.corpus, 49)
    with CaptureQueriesContext(connection) as many:
        assert len(client.get(url(cast)).context["pairs"]) == 50
    assert len(one) == len(many)


def test_pages_follow_each_other_without_gap_or_repeat(cast, client: Client) -> None:
    client.force_login(cast.bob)
    add(cast.corpus, 120)
    seen, address = [], url(cast)
    while address:
        page = client.get(address).context
        seen += [row.code for row in page["pairs"]]
        address = page["next_url"] and url(cast, page["next_url"])
    assert len(seen) == len(set(seen)) == 121


@pytest.mark.parametrize(
    ("query", "n_pairs"),
    [
        ("?q=NURSE+window", 1),
        ("?q=door+7", 1),
        ("?q=nurse+door", 0),
        ("?q=%22", 0),
        ("?min_words=10", 6),
        ("?min_words=8&max_words=9", 2),
        ("?parsed=true", 1),
        ("?label=paraphrase", 0),
        ("?state=none", 11),
    ],
)
def test_filters(cast, client: Client, query: str, n_pairs: int) -> None:
    client.force_login(cast.bob)
    add(cast.corpus, 10)
    assert len(client.get(url(cast, query)).context["pairs"]) == n_pairs


def test_search_follows_changes(cast, client: Client) -> None:
    client.force_login(cast.bob)
    Pair.objects.filter(pk=cast.pair.pk).update(text="A doctor left.\nOut went she.")
    assert len(refs(client, url(cast, "?q=doctor"))) == 1
    assert refs(client, url(cast, "?q=nurse")) == []
    cast.layer.delete()
    cast.pair.delete()
    assert refs(client, url(cast, "?q=doctor")) == []


@pytest.mark.parametrize(
    "query", ["?corpus__project__slug=x", "?owner=1", "?stat=done"]
)
def test_unknown_parameters_are_refused(cast, client: Client, query: str) -> None:
    client.force_login(cast.bob)
    assert client.get(url(cast, query)).status_code == 400
    answer = client.get(f"/api/corpora/{cast.corpus.code}/pairs/{query}")
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid"


def test_markup_in_data_shows_as_text(cast, client: Client) -> None:
    client.force_login(cast.bob)
    payload = "<script>alert(1)</script>"
    Pair.objects.filter(pk=cast.pair.pk).update(
        text=f"{payload}\n{payload}", ref=payload
    )
    page = client.get(url(cast)).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_the_api_lists_the_same_pairs(cast, client: Client) -> None:
    client.force_login(cast.bob)
    pair(cast.corpus, TARGET, SOURCE, label="paraphrase")
    page = client.get(f"/api/corpora/{cast.corpus.code}/pairs/?label=paraphrase").json()
    assert [row["source"] for row in page["results"]] == [
        "The window was opened by the nurse ."
    ]
    client.force_login(cast.cyd)
    assert client.get(f"/api/corpora/{cast.corpus.code}/pairs/").json()["results"] == []


@pytest.mark.parametrize("sort", ["score", "-score"])
def test_order_by_scores_that_nobody_made_is_the_order_as_it_is(
    cast, client: Client, sort: str
) -> None:
    client.force_login(cast.ada)
    plain = client.get(f"/api/corpora/{cast.corpus.code}/pairs/").json()
    answer = client.get(f"/api/corpora/{cast.corpus.code}/pairs/?sort={sort}")
    assert answer.status_code == 200
    assert answer.json()["results"] == plain["results"] != []
    assert client.get(f"/api/corpora/{'0' * 16}/pairs/?sort={sort}").status_code == 200
