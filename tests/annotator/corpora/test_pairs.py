"""The pairs list: filters, search, paging; the same cost for one row and for many."""

import django_filters
import pytest
from django import forms
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Exists, OuterRef
from django.http import QueryDict
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from annotator.forms import PairFilter
from annotator.models import AlignmentLayer, Corpus, Pair, Sentence
from tests.cast import SOURCE, TARGET, Cast, layer, pair


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


WRONG = ("?corpus__project__slug=x", "?owner=1", "?parsed=nonsense", "?state=x")


@pytest.mark.parametrize("query", WRONG)
def test_unknown_parameters_and_values_are_refused(
    cast, client: Client, query: str
) -> None:
    client.force_login(cast.bob)
    page = client.get(url(cast, query))
    assert page.status_code == 400
    assert query[1:].partition("=")[0] in page.content.decode()
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


def values(field: forms.Field) -> list[str]:
    """What a filter of this field may be asked for: all of it, where that is little."""
    if isinstance(field, forms.ChoiceField):
        return [value for value, _ in field.choices if value]
    return ["0", "1", "100"] if isinstance(field, forms.DecimalField) else ["bob", "a"]


def answers(filter_set: type[PairFilter], cast: Cast, by: User) -> dict[str, set[int]]:
    """Which pairs each value of each filter leaves for this person."""
    request, found = RequestFactory().get("/"), {}
    for name, field in filter_set.fields().items():
        for value in values(field):
            request.GET, request.user = QueryDict(f"{name}={value}"), by
            fits = filter_set(queryset=cast.corpus.pairs.all(), request=request)
            found[f"{name}={value}"] = {row.pk for row in fits.rows()}
    return found


class Naive(PairFilter):
    linked = django_filters.BooleanFilter(
        field_name="layers", lookup_expr="isnull", exclude=True, widget=forms.Select
    )

    @classmethod
    def fields(cls):
        yes_or_no = forms.ChoiceField(choices=[("true", ""), ("false", "")])
        return super().fields() | {"linked": yes_or_no}


class Careful(Naive):
    linked = django_filters.BooleanFilter(method="by_layers")

    def by_layers(self, pairs, name, value):
        mine = AlignmentLayer.objects.visible_to(self.request.user)
        some = Exists(mine.filter(pair=OuterRef("pk")))
        return pairs.filter(some) if value else pairs.exclude(some)


@pytest.mark.parametrize(
    ("filter_set", "tells"), [(PairFilter, False), (Careful, False), (Naive, True)]
)
def test_no_filter_tells_annotators_of_layers_of_colleagues(
    cast: Cast, filter_set, tells: bool
) -> None:
    """``state`` of a pair is no one's layer: every member sees it in the list."""
    add(cast.corpus, 1)
    cast.layer.delete()
    before = answers(filter_set, cast, cast.bob)
    layer(cast.pair, author=cast.ada, name="bob")
    assert (answers(filter_set, cast, cast.bob) != before) == tells
    assert before != {}
