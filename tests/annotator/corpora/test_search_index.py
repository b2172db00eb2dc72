"""The index of words in pairs outlives migrations that make its table anew."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test.utils import CaptureQueriesContext

from annotator.models import Pair, corpora
from annotator.models.corpora import containing
from tests.cast import Cast


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_words_are_found_after_going_back_and_on() -> None:
    MigrationExecutor(connection).migrate([("annotator", "0008_tokens_of_before")])
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    pair = Cast().pair
    Pair.objects.filter(pk=pair.pk).update(text="a lantern\nhung there")
    assert list(containing(Pair.objects.all(), "lantern")) == [pair]
    assert not containing(Pair.objects.all(), "nurse").exists()


@pytest.mark.parametrize("few", [0, 1, 2000])
def test_rare_and_common_words_are_found_alike(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """``few``: every word counts as common, some do, none does."""
    monkeypatch.setattr(corpora, "_FEW", few)
    rows = Pair.objects.filter(corpus=cast.pair.corpus)
    every = list(rows.order_by("-pk"))
    for word in ("nurse", "the", "houses", "nowhere", "THE nurse"):
        wanted = [
            pair
            for pair in every
            if set(word.lower().split()) <= set(pair.text.lower().split())
        ]
        assert list(rows.containing(word).order_by("-pk")) == wanted, word


def test_a_rare_word_is_looked_for_in_no_order(cast: Cast) -> None:
    """Asked for the first in some order, PostgreSQL reads a million pairs for it."""
    rows = Pair.objects.filter(corpus=cast.pair.corpus)
    with CaptureQueriesContext(connection) as asked:
        list(rows.containing("nurse").order_by("pk")[:10])
    searched = [row["sql"] for row in asked if "tsquery" in row["sql"]]
    assert len(searched) == (connection.vendor == "postgresql")
    assert not any("ORDER BY" in sql for sql in searched)
