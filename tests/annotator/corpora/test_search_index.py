"""The index of words in pairs outlives migrations that make its table anew."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from annotator.models import Pair
from annotator.models.search import containing
from tests.cast import Cast


@pytest.mark.django_db(transaction=True)
def test_words_are_found_after_going_back_and_on() -> None:
    MigrationExecutor(connection).migrate([("annotator", "0008_tokens_of_before")])
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    pair = Cast().pair
    Pair.objects.filter(pk=pair.pk).update(text="a lantern\nhung there")
    assert list(containing(Pair.objects.all(), "lantern")) == [pair]
    assert not containing(Pair.objects.all(), "nurse").exists()
