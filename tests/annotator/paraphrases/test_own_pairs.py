"""Phrases that a project's own links align become a table of paraphrases."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest
from annotator.models import AlignmentLayer, Job, ParaphraseTable
from annotator.services import jobs
from annotator.services.paraphrases import own_pairs, tables
from core.data.alignment import Alignment, Link
from core.formats import ptb
from tests import cast as people
from tests.cast import Cast

LINKS = (("w0", "w4"), ("w1", "w5"), ("w2", "w3"), ("w3", "w0"), ("w4", "w1"))
SOURCE = "(S (NP (DT The) (NN cook)) (VP (VBD cut) (NP (DT the) (NN loaf))) (. .))"
TARGET = (
    "(S (NP (DT The) (NN bread)) (VP (VBD was) (VBN cut) (NP (DT the) (NN chef)))"
    " (. .))"
)


def linked(cast: Cast, *, by: str = "gold") -> AlignmentLayer:
    """One pair in which "the loaf" goes with "the bread", and a cook is a chef."""
    pair = people.pair(cast.corpus, SOURCE, TARGET)
    made = people.layer(pair, author=cast.bob if by == "bob" else None)
    links = tuple(Link(s, t) for s, t in LINKS)
    made.links, made.n_links = Alignment(links).to_json(), len(links)
    made.state = AlignmentLayer.State.DONE
    made.save()
    return made


def made(cast: Cast) -> ParaphraseTable:
    codes = [cast.corpus.code]
    table = tables.start(
        cast.project, "Own", (), corpora=codes, by=cast.ada, enqueue=False
    )
    jobs.run(table.job.pk)
    table.refresh_from_db()
    assert table.job.state == Job.State.DONE, table.job.error
    return table


@pytest.fixture(autouse=True)
def home(settings, tmp_path: Path) -> None:
    settings.GEMEL_HOME = settings.MEDIA_ROOT = tmp_path


def test_linked_phrases_become_paraphrases_under_their_label(cast: Cast) -> None:
    linked(cast)
    table = made(cast)
    with tables.opened(table, model=True) as files:
        best = files.table.lookup("the loaf")
        under = files.table.lookup("the loaf", label="NP")
        back = files.table.lookup("the bread", label="NP")
        (example, *_rest) = files.table.examples("the loaf")
        assert files.model is not None
    assert {one.text for one in best} >= {"the bread", "the bread was"}
    assert [one.text for one in under] == ["the bread"]
    assert back[0].text == "the loaf"
    assert example.target == "The bread was cut the chef ."
    assert table.facts["bitexts"] == ["Houses"]
    assert not (table.folder / tables.OWN).exists()


def test_the_page_makes_the_table_and_searches_it(cast: Cast) -> None:
    linked(cast)
    client = Client()
    client.force_login(cast.ada)
    page = reverse("paraphrases", args=["windows"])
    assert "Linked pairs of your corpora" in client.get(page).content.decode()
    sent = {"name": "Own", "corpora": [cast.corpus.code], "length": "5"}
    client.post(page, sent)
    table = ParaphraseTable.objects.get()
    jobs.run(table.job.pk)
    there = reverse("paraphrase_search", args=["windows", table.code])
    assert "the bread" in client.get(there, {"phrase": "the loaf"}).content.decode()
    where = reverse("paraphrase_campaign", args=["windows", table.code])
    assert client.get(where).status_code == 200


def test_a_layer_that_someone_is_still_at_is_not_used(cast: Cast) -> None:
    layer = linked(cast, by="bob")
    assert list(own_pairs.linked_corpora(cast.project)) == [cast.corpus]
    AlignmentLayer.objects.filter(pk=layer.pk).update(state="open")
    assert not own_pairs.linked_corpora(cast.project)
    with pytest.raises(BadRequest, match="linked pairs"):
        tables.start(cast.project, "Own", (), corpora=[cast.corpus.code], by=cast.ada)
    with pytest.raises(BadRequest, match="Choose"):
        tables.start(cast.project, "Own", (), by=cast.ada)


def test_words_of_a_linked_phrase_count_where_none_is_linked() -> None:
    trees = [ptb.parse_one(text) for text in (SOURCE, TARGET)]
    whole = Link("n1", "n1")  # The cook, The bread: as if they meant the same
    assert own_pairs.word_cells(Alignment((Link("w2", "w3"), whole)), *trees) == [
        (0, 0), (0, 1), (1, 0), (1, 1), (2, 3),
    ]  # fmt: skip
    assert own_pairs.word_cells(Alignment((Link("w0", "w4"), whole)), *trees) == [
        (0, 4)
    ]
