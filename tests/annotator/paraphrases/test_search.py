"""Searching a table of paraphrases in the browser's way."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotator.models import ParaphraseTable
from core.pivoting.building.pipeline import build_table
from core.pivoting.building.settings import BuildSettings
from tests.cast import Cast
from tests.core.pivoting import small_bitext


@pytest.fixture
def table(cast: Cast, settings, tmp_path: Path) -> ParaphraseTable:
    settings.GEMEL_HOME = tmp_path
    row = ParaphraseTable.objects.create(
        project=cast.project, name="Sea", created_by=cast.ada
    )
    row.folder.mkdir(parents=True)
    sources = small_bitext.sources(tmp_path)
    list(build_table(row.folder, sources, BuildSettings(buckets=2)))
    row.made_at = timezone.now()
    row.save()
    return row


def page(person, table: ParaphraseTable, name: str = "paraphrase_search", **query: str):
    client = Client()
    client.force_login(person)
    where = reverse(name, args=[table.project.slug, table.code])
    return client.get(where, query)


def test_a_phrase_has_its_paraphrases_and_where_it_stands(
    cast: Cast, table: ParaphraseTable
) -> None:
    text = page(cast.bob, table, phrase="Old").content.decode()
    assert "ancient" in text
    assert "the old sea is calm ." in text.lower()


def test_the_foreign_phrases_behind_a_paraphrase_are_shown(
    cast: Cast, table: ParaphraseTable
) -> None:
    answer = page(cast.bob, table, "paraphrase_why", phrase="old", paraphrase="ancient")
    assert "alte" in answer.content.decode()


def test_a_label_keeps_only_what_stands_under_it(
    cast: Cast, table: ParaphraseTable
) -> None:
    results = page(cast.bob, table, phrase="old", label="JJ").context["found"]
    assert {row.label for row in results.rows} == {"JJ"}
    assert "JJ" in results.labels


def test_a_phrase_that_is_not_there_is_said_so(
    cast: Cast, table: ParaphraseTable
) -> None:
    assert "No paraphrase of" in page(cast.bob, table, phrase="xyzzy").content.decode()


def test_an_unknown_condition_and_a_parameter_nobody_reads_are_refused(
    cast: Cast, table: ParaphraseTable
) -> None:
    assert page(cast.bob, table, phrase="old", condition="best").status_code == 400
    assert page(cast.bob, table, phrase="old", sort="p").status_code == 400


def test_a_stranger_finds_nothing(cast: Cast, table: ParaphraseTable) -> None:
    assert page(cast.cyd, table, phrase="old").status_code == 404


def test_a_table_that_is_not_made_leads_to_its_job(
    cast: Cast, table: ParaphraseTable
) -> None:
    ParaphraseTable.objects.update(made_at=None)
    text = page(cast.bob, table, phrase="old").content.decode()
    assert "has not been created yet" in text


def test_one_text_alone_says_what_it_adds(cast: Cast, table: ParaphraseTable) -> None:
    of_all = page(cast.bob, table, phrase="old").context
    of_one = page(cast.bob, table, phrase="old", corpus="sea.de").context
    assert of_all["measure"] == "Sum of probabilities"  # which may be more than 1
    assert of_one["measure"] == "Probability"
    both, alone = (shown["found"].rows for shown in (of_all, of_one))
    assert alone[0].text == "ancient"
    assert 0 < alone[0].p <= both[0].p
    assert alone[0].pivots <= both[0].pivots
    assert page(cast.bob, table, phrase="old", corpus="none").status_code == 400


def test_a_sentence_offers_its_words_and_constituents(
    cast: Cast, table: ParaphraseTable
) -> None:
    name, text = "paraphrase_substitute", "The old boat came."
    choices = page(cast.bob, table, name, sentence=text).context["choices"]
    labels = {one.phrase: one.label for one in choices}
    assert labels["old"] == "JJ"
    assert labels["The old boat"] == "NP"
    assert "old boat came" not in labels


def test_from_a_sentence_to_the_newest_table(
    cast: Cast, table: ParaphraseTable
) -> None:
    client = Client()
    client.force_login(cast.bob)
    where = reverse("paraphrases_of", args=[table.project.slug])
    answer = client.get(where, {"sentence": "It rains."})
    assert f"{table.code}/substitute/?sentence=It+rains." in answer["Location"]
    ParaphraseTable.objects.update(made_at=None)
    answer = client.get(where, {"sentence": "It rains."})
    assert answer["Location"].endswith("/paraphrases/")


def test_each_label_of_a_phrase_has_its_table(
    cast: Cast, table: ParaphraseTable
) -> None:
    answer = page(cast.bob, table, "paraphrase_tables_of", phrase="old")
    assert answer.context["found"][0].label == ""
    assert "Table 3" in answer.content.decode()
    assert page(cast.bob, table, "paraphrase_tables_of").status_code == 400
