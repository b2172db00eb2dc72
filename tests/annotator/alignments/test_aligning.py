"""Aligning a corpus as a job; which pairs are least certain."""

import pytest
from rest_framework.test import APIClient

from annotator.errors import BadRequest, NotAllowed
from annotator.models import (
    AlignmentLayer,
    Corpus,
    Job,
    Origin,
    PackedForest,
    Pair,
    Parse,
    Sentence,
)
from annotator.services import jobs
from annotator.services.alignments import phrases
from annotator.services.parses import parsers
from core.data.alignment import Link
from core.phrase_alignment.legitimacy import problems
from tests import cast
from tests.cast import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_parser")]
SOURCE = "(S (NP (DT a) (NN dog)) (VP (VBD saw) (NP (NNP Mary))))"
TARGET = (
    "(S (NP (NNP Mary)) (VP (VBD was) (VP (VBN seen) (PP (IN by) "
    "(NP (DT a) (NN dog))))))"
)


@pytest.fixture
def pair() -> Pair:
    team = Cast()
    made = cast.pair(team.corpus, SOURCE, TARGET)
    team.pair.delete()
    return Pair.objects.select_related("corpus__project").get(pk=made.pk)


def manager(corpus: Corpus) -> object:
    return corpus.project.memberships.get(role="manager").user


def run(pair: Pair) -> Job:
    by = manager(pair.corpus)
    job = phrases.start(pair.corpus, "small", by=by, enqueue=False)  # type: ignore[arg-type]
    jobs.run(job.pk)
    job.refresh_from_db()
    return job


def engine_layer(pair: Pair) -> AlignmentLayer:
    return pair.layers.get(origin=Origin.ENGINE)


def cells(links: tuple[Link, ...]) -> set[tuple[str, str]]:
    return {link.cell for link in links}


def test_a_job_leaves_a_legitimate_layer_on_the_gold_trees(pair: Pair) -> None:
    job = run(pair)
    assert (job.state, job.done, job.failed) == (Job.State.DONE, 1, 0), job.error
    layer = engine_layer(pair)
    assert layer.source_parse is not None
    assert layer.target_parse is not None
    assert layer.source_parse.origin == Origin.GOLD
    alignment = layer.to_core()
    trees = layer.source_parse.to_tree(), layer.target_parse.to_tree()
    assert problems(alignment, *trees) == []
    assert {("n0", "n0"), ("w0", "w4"), ("w1", "w5"), ("w3", "w0")} <= cells(
        alignment.links
    )
    assert all(0 <= float(link.attrs["prob"]) <= 1 for link in alignment.links)
    pair.refresh_from_db()
    assert pair.state == Pair.State.PROPOSED


def test_a_second_run_does_only_what_is_left(pair: Pair) -> None:
    run(pair)
    first = engine_layer(pair)
    assert run(pair).result["aligned"] == 0
    assert engine_layer(pair).pk == first.pk


def test_the_layer_says_how_many_links_may_be_wrong(pair: Pair) -> None:
    run(pair)
    layer = engine_layer(pair)
    links = layer.to_core().links
    least = sum(1 - float(link.attrs["prob"]) for link in links) / 2
    assert layer.doubt is not None
    assert least <= layer.doubt <= 2 * len(links)


def test_only_members_who_may_run_jobs_start_one(pair: Pair) -> None:
    with pytest.raises(NotAllowed):
        phrases.start(pair.corpus, "small", by=cast.person("nobody"))
    with pytest.raises(BadRequest):
        phrases.start(pair.corpus, "none-such", by=manager(pair.corpus))  # type: ignore[arg-type]


def test_the_api_lists_the_least_certain_first(pair: Pair) -> None:
    run(pair)
    client = APIClient()
    client.force_authenticate(manager(pair.corpus))
    rows = client.get(f"/api/corpora/{pair.corpus.code}/alignments/").json()
    assert [row["pair"] for row in rows] == [pair.code]
    assert rows[0]["doubt"] == pytest.approx(engine_layer(pair).doubt)
    Pair.objects.filter(pk=pair.pk).update(state=Pair.State.DONE)
    url = f"/api/corpora/{pair.corpus.code}/alignments/?state="
    assert client.get(url + "open").json() == []
    assert len(client.get(url + "done").json()) == 1


@pytest.fixture
def plain() -> Pair:
    """A pair without any tree."""
    team = Cast()
    team.corpus.pairs.all().delete()
    team.corpus.sentences.all().delete()
    sides = [
        cast.sentence(team.corpus, words)
        for words in ("the dog saw a cat .", "Mary saw a cat .")
    ]
    return Pair.objects.create(
        corpus=team.corpus,
        source=sides[0],
        target=sides[1],
        text="\n".join(side.text for side in sides),
        n_source=6,
        n_target=5,
        key="plain",
    )


def test_what_the_parser_said_is_kept_as_parsing_keeps_it(plain: Pair) -> None:
    job = run(plain)
    assert job.state == Job.State.DONE, job.error
    plain.refresh_from_db()
    assert plain.has_parse
    for side in (plain.source, plain.target):
        mine = Parse.objects.filter(sentence=side, engine="small")
        assert mine.get(rank=1).meta["nbest"] == phrases.TREES
        assert PackedForest.objects.filter(sentence=side, engine="small").exists()
    layer = engine_layer(plain)
    assert layer.source_parse is not None
    assert layer.source_parse.engine == "small"
    again = parsers.start(plain.corpus, "small", n=10, by=manager(plain.corpus))  # type: ignore[arg-type]
    jobs.run(again.pk)
    again.refresh_from_db()
    assert again.result["parsed"] == 0, "aligning has parsed them"


def test_a_language_that_the_parser_does_not_read_gets_no_parse(plain: Pair) -> None:
    Sentence.objects.filter(pk=plain.target_id).update(language="de")
    run(plain)
    assert Parse.objects.filter(sentence=plain.source, engine="small").exists()
    assert not Parse.objects.filter(sentence=plain.target, engine="small").exists()
