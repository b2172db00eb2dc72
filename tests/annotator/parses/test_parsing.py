"""Parsing a corpus as a job, with the small grammar so that it is quick."""

import pytest

from annotator.errors import BadRequest, Conflict, NotAllowed
from annotator.models import Corpus, Job, Origin, PackedForest, Parse
from annotator.services import jobs
from annotator.services.parses import accuracy, parsers
from core.forests.inside import forest_log_partition
from core.formats import forest_npz
from tests import cast
from tests.cast import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_parser")]
GOLD = (
    "(S (NP (NNP Mary)) (VP (VBD saw) (NP (NP (DT a) (NN cat))"
    " (PP (IN in) (NP (DT a) (NN garden))))))"
)
OTHER = "(S (NP (PRP she)) (VP (VBD slept)))"


@pytest.fixture
def corpus() -> Corpus:
    team = Cast()
    pair = cast.pair(team.corpus, GOLD, OTHER)
    cast.sentence(team.corpus, "the dog met John")
    team.pair.delete()
    team.corpus.sentences.filter(text__contains="window").delete()
    type(pair).objects.filter(pk=pair.pk).update(has_parse=False)
    return Corpus.objects.select_related("project").get(pk=team.corpus.pk)


def _ada(corpus: Corpus) -> object:
    return corpus.project.memberships.get(role="manager").user


def _parse(corpus: Corpus, n: int = 5) -> Job:
    job = parsers.start(corpus, "small", n=n, by=_ada(corpus), enqueue=False)
    jobs.run(job.pk)
    job.refresh_from_db()
    return job


def _trees(corpus: Corpus) -> list[Parse]:
    rows = Parse.objects.filter(sentence__corpus=corpus, origin=Origin.ENGINE)
    return list(rows.order_by("sentence", "rank"))


def test_a_job_stores_ranked_trees_with_engine_version_and_score(
    corpus: Corpus,
) -> None:
    job = _parse(corpus)
    assert (job.state, job.done, job.failed, job.total) == (Job.State.DONE, 3, 0, 3)
    trees = _trees(corpus)
    assert [parse.rank for parse in trees] == [1, 2, 1, 1]
    scores = [parse.score for parse in trees[:2]]
    assert scores == sorted(scores, reverse=True)
    assert {parse.engine for parse in trees} == {"small"}
    assert all(parse.version for parse in trees)
    assert corpus.pairs.get().has_parse


def test_the_forest_is_stored_and_read_back(corpus: Corpus) -> None:
    _parse(corpus)
    row = PackedForest.objects.filter(sentence__corpus=corpus).order_by("pk").first()
    assert row is not None
    stored = forest_npz.load(bytes(row.data))
    trees = [parse.score for parse in _trees(corpus)[:2]]
    assert forest_log_partition(stored.forest, stored.weights) > max(
        score for score in trees if score is not None
    )


def test_run_again_it_goes_on_where_it_ended(corpus: Corpus) -> None:
    first = parsers.start(corpus, "small", n=2, by=_ada(corpus), enqueue=False)
    parsers.BATCH, usual = 1, parsers.BATCH
    try:
        steps = parsers.run(first)
        for _ in range(3):
            next(steps)
        steps.close()  # the worker is gone after one sentence
    finally:
        parsers.BATCH = usual
    before = [parse.pk for parse in _trees(corpus)]
    assert len(before) == 2
    jobs.run(first.pk)
    first.refresh_from_db()
    assert (first.state, first.result["parsed"]) == (Job.State.DONE, 2)
    assert first.done == 3
    assert [p.pk for p in _trees(corpus)][:2] == before


def test_parsing_twice_adds_nothing_and_more_trees_add_only_those(
    corpus: Corpus,
) -> None:
    _parse(corpus, n=1)
    before = {parse.pk for parse in _trees(corpus)}
    assert _parse(corpus, n=1).result["parsed"] == 0
    assert {parse.pk for parse in _trees(corpus)} == before
    assert _parse(corpus, n=3).result["parsed"] == 3
    after = {parse.pk for parse in _trees(corpus)}
    assert before < after
    assert len(after) == 4
    assert _parse(corpus, n=3).result["parsed"] == 0


def test_a_sentence_without_a_parse_is_an_issue_and_the_rest_goes_on(
    corpus: Corpus,
) -> None:
    cast.sentence(corpus, "xyzzy")
    cast.sentence(corpus, " ".join(["the"] * 41))
    job = _parse(corpus)
    assert (job.done, job.failed, job.state) == (3, 2, Job.State.DONE)
    reasons = [issue.reason for issue in job.issues.all()]
    assert "no tree" in reasons[0]
    assert "at most 40" in reasons[1]


def test_sentences_in_another_language_are_left_alone(corpus: Corpus) -> None:
    corpus.sentences.update(language="de")
    assert _parse(corpus).result["parsed"] == 0


def test_only_those_who_may_run_engines_start_it(corpus: Corpus) -> None:
    bob = corpus.project.memberships.get(role="annotator").user
    with pytest.raises(NotAllowed):
        parsers.start(corpus, "small", n=1, by=bob)


@pytest.mark.parametrize(("engine", "n"), [("klingon", 1), ("small", 51)])
def test_what_cannot_be_done_is_refused(corpus: Corpus, engine: str, n: int) -> None:
    with pytest.raises(BadRequest):
        parsers.start(corpus, engine, n=n, by=_ada(corpus))


def test_a_second_start_waits_for_the_first(corpus: Corpus) -> None:
    parsers.start(corpus, "small", n=1, by=_ada(corpus), enqueue=False)
    with pytest.raises(Conflict):
        parsers.start(corpus, "small", n=9, by=_ada(corpus), enqueue=False)


def test_scores_over_gold_come_with_the_job_and_by_sentence(corpus: Corpus) -> None:
    job = _parse(corpus)
    assert job.result["sentences"] == 2
    (engine,) = accuracy.engines_of(corpus)
    assert engine.n_sentences == 3
    assert engine.scores["f1"] == job.result["f1"]
    assert engine.scores["uas"] is None
    first, second, third = accuracy.by_sentence(
        corpus, engine.name, engine.version, size=9
    )
    assert first.brackets is not None
    assert second.brackets is not None
    total = first.brackets + second.brackets
    assert engine.scores["f1"] == round(100 * total.f1, 2)
    assert (second.brackets.exact, first.brackets.exact) == (1, 0)
    assert first.arcs is None
    assert third.gold_tree is None
    assert third.brackets is None


def test_what_the_parser_does_not_read_is_said_and_left_alone(corpus: Corpus) -> None:
    corpus.sentences.filter(text="she slept").update(language="de")
    foreign = cast.sentence(corpus, "نامت القطة في الحديقة")
    job = _parse(corpus)
    assert (job.state, job.result["in_other_languages"]) == (Job.State.DONE, 1)
    reasons = sorted(job.issues.values_list("reason", flat=True))
    assert "1 sentence is in 'de', and small reads en" in reasons
    assert any("written in Arabic script" in reason for reason in reasons)
    assert not foreign.parses.exists()


def test_a_sentence_in_another_script_is_tried_and_the_reader_warned(
    corpus: Corpus, client
) -> None:
    client.force_login(_ada(corpus))
    page = client.get("/try/", {"text": "猫 睡觉", "engine": "small"}).content
    assert "written in Chinese script, and small reads en" in page.decode()
    page = client.get("/try/", {"text": "she slept", "engine": "small"}).content
    assert "script, and" not in page.decode()
