"""Scoring a corpus as a job, the scores in the list, and the biparse of a pair."""

import nltk
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotator.errors import BadRequest, Conflict, NotAllowed
from annotator.models import Job, PairScore, ScoreRun
from annotator.services import jobs
from annotator.services.alignments import scores as scoring
from core.itg.scores import SCORERS
from core.text import wordnet
from tests import cast as people

SWAPPED = (
    "(S (NP (DT the) (NN nurse)) (VP (VBD sang) (PP (IN after) (NN lunch))))",
    "(S (PP (IN after) (NN lunch)) (NP (DT the) (NN nurse)) (VP (VBD sang)))",
)
APART = (
    "(S (NP (NNS Rivers)) (VP (VBP freeze)))",
    "(S (NP (NNS Bakers)) (VP (VBD left)))",
)
JSON = "application/json"


@pytest.fixture(autouse=True)
def _no_thesaurus(monkeypatch, tmp_path) -> None:
    """Scores must not depend on what is installed here."""
    monkeypatch.setattr(wordnet, "SYSTEM_FOLDERS", ())
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    wordnet.thesaurus.cache_clear()


@pytest.fixture
def many(cast):
    people.pair(cast.corpus, *SWAPPED, label="paraphrase")
    people.pair(cast.corpus, *APART, label="not paraphrase")
    return cast


def do(cast, scorer: str = "plain") -> Job:
    cast.corpus.refresh_from_db()
    job = scoring.start(cast.corpus, scorer, by=cast.ada, enqueue=False)
    jobs.run(job.pk)
    job.refresh_from_db()
    return job


def values(run: ScoreRun) -> list[float]:
    return list(run.scores.order_by("pair_id").values_list("value", flat=True))


def test_job_scores_every_pair_and_says_with_what(many) -> None:
    job = do(many)
    assert (job.state, job.done, job.failed) == (Job.State.DONE, 3, 0)
    run = ScoreRun.objects.get()
    assert job.result == {"run": run.code, "scored": 3, "failed": 0}
    assert run.parameters["scorer"]["costs"]["inversion"] > 0
    swapped, apart = values(run)[1:]
    assert swapped > 0.9 > 0.6 > apart
    assert run.scores.get(pair__label="paraphrase").n_inverted == 1


def test_scored_again_nothing_is_done_twice(many) -> None:
    do(many)
    first = values(ScoreRun.objects.get())
    job = do(many)
    assert (job.state, job.done) == (Job.State.DONE, 3)
    assert values(ScoreRun.objects.get()) == first
    do(many, "wu2005")
    assert ScoreRun.objects.count() == 2


def test_killed_worker_leaves_a_job_that_goes_on(many, monkeypatch) -> None:
    monkeypatch.setattr(scoring, "BATCH", 1)
    many.corpus.refresh_from_db()
    job = scoring.start(many.corpus, "plain", by=many.ada, enqueue=False)
    steps = scoring.run(job)
    next(steps)
    next(steps)
    steps.close()  # as if the worker had died: one pair is stored
    assert PairScore.objects.count() == 1
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done) == (Job.State.DONE, 3)
    assert PairScore.objects.count() == 3


def test_cancelled_job_keeps_what_it_had(many, monkeypatch) -> None:
    monkeypatch.setattr(scoring, "BATCH", 1)
    monkeypatch.setattr(jobs, "FLUSH_S", 0.0)
    many.corpus.refresh_from_db()
    job = scoring.start(many.corpus, "plain", by=many.ada, enqueue=False)

    def stop(row: Job) -> None:
        if row.done == 1:
            jobs.cancel(row, by=many.ada)

    jobs.run(job.pk, on_step=stop)
    job.refresh_from_db()
    assert job.state == Job.State.CANCELLED
    assert PairScore.objects.count() == 2


def test_pair_too_long_is_an_issue_and_the_job_goes_on(many, monkeypatch) -> None:
    from core.errors import SentenceTooLong
    from core.itg import features

    real = features.best_biparse

    def short_only(weights):
        if weights.shape[0] < 3:
            raise SentenceTooLong(2, 1)
        return real(weights)

    monkeypatch.setattr(features, "best_biparse", short_only)
    job = do(many)
    assert (job.state, job.done, job.failed) == (Job.State.DONE, 2, 1)
    assert "at most" in job.issues.get().reason


def test_without_thesaurus_the_job_goes_on_and_says_so(many) -> None:
    job = do(many, "thesaurus")
    assert job.state == Job.State.DONE
    assert "wordnet-base" in job.result["lacking"][0]
    assert "wordnet-base" in job.issues.get().reason
    assert job.note == SCORERS["thesaurus"].label  # what it does; notices stand apart
    assert ScoreRun.objects.get().parameters["thesaurus"] is False


def test_tuned_scores_are_probabilities(many) -> None:
    do(many, "entailment")
    assert all(0 < value < 1 for value in values(ScoreRun.objects.get()))


def test_only_who_may_run_jobs_may_score_and_not_twice_at_once(many) -> None:
    with pytest.raises(NotAllowed):
        scoring.start(many.corpus, "plain", by=many.bob)
    with pytest.raises(BadRequest):
        scoring.start(many.corpus, "guess", by=many.ada)
    scoring.start(many.corpus, "plain", by=many.ada, enqueue=False)
    with pytest.raises(Conflict):
        scoring.start(many.corpus, "plain", by=many.ada, enqueue=False)


def listed(client: Client, query: str) -> list[str]:
    page = client.get(f"/p/windows/corpus/{query}")
    assert page.status_code == 200
    return [pair.source_text for pair in page.context["pairs"]]


def test_list_shows_sorts_and_filters_by_score(many, client: Client) -> None:
    client.force_login(many.bob)
    code = many.corpus.code
    assert "Score from" not in client.get(f"/p/windows/corpus/{code}/").content.decode()
    do(many)
    best = "the nurse sang after lunch"
    assert listed(client, f"{code}/?sort=-score")[0] == best
    assert listed(client, f"{code}/?sort=score")[-1] == best
    assert listed(client, f"{code}/?min_score=0.9") == [best]
    assert len(listed(client, f"{code}/?max_score=0.9")) == 2
    assert client.get(f"/p/windows/corpus/{code}/?sort=up").status_code == 400
    unknown = f"/p/windows/corpus/{code}/?scores={'0' * 16}"
    assert client.get(unknown).status_code == 400


def test_pages_in_order_of_score_follow_each_other(many, client, monkeypatch) -> None:
    from annotator.pages import corpora as pairs

    do(many)
    monkeypatch.setattr(pairs, "PAGE", 1)
    client.force_login(many.bob)
    seen, query = [], "?sort=-score"
    while query:
        page = client.get(f"/p/windows/corpus/{many.corpus.code}/{query}")
        seen += [pair.score for pair in page.context["pairs"]]
        query = page.context["next_url"]
    assert len(seen) == 3
    assert seen == sorted(seen, reverse=True)


def test_api_gives_scores_and_starts_scoring(many, client: Client) -> None:
    do(many)
    client.force_login(many.ada)
    base = f"/api/corpora/{many.corpus.code}"
    rows = client.get(f"{base}/pairs/?sort=-score").json()["results"]
    scores = [row["score"] for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert rows[0]["n_inverted"] == 1
    assert len(client.get(f"{base}/pairs/?min_score=0.9").json()["results"]) == 1
    runs = client.get(f"{base}/scores/").json()
    assert [run["scorer"] for run in runs] == ["plain"]
    started = client.post(f"{base}/scores/", {"scorer": "wu2005"}, JSON)
    assert started.status_code == 202
    assert started.json()["kind"] == "score"
    assert client.post(f"{base}/scores/", {"scorer": "guess"}, JSON).status_code == 400
    client.force_login(many.cyd)
    assert client.get(f"{base}/scores/").status_code == 404


def biparse_url(cast, rest: str = "") -> str:
    pair = cast.corpus.pairs.get(label="paraphrase")
    return f"/p/windows/pair/{pair.code}/biparse/{rest}"


def test_biparse_page_draws_blocks_and_says_the_same_in_a_table(many, client) -> None:
    client.force_login(many.bob)
    page = client.get(biparse_url(many, "?scorer=plain"))
    text = page.content.decode()
    assert page.status_code == 200
    assert text.count("<svg") == 2
    assert 'class="block inverted"' in text
    rows = page.context["rows"]
    assert rows[0]["orientation"] == "inverted"
    assert (rows[0]["source"], rows[0]["target"]) == (
        "the nurse sang after lunch",
        "after lunch the nurse sang",
    )
    assert {row["parent"] for row in rows if row["source"] == "nurse"} == {2}
    assert page.context["alone"] == {"source": [], "target": []}


def test_only_words_that_match_are_linked_and_the_replaced_are_listed(
    cast, client: Client, thesaurus
) -> None:
    from annotator.pages import biparse
    from tests.cast import pair

    made = pair(cast.corpus, "(S (NN it) (VB rang) (. .))", "(S (NN it) (NN door))")
    drawn = biparse.load(made, "thesaurus")
    assert drawn.biparse is not None
    assert drawn.matched == ((0, 0),)
    client.force_login(cast.bob)
    page = client.get(reverse("biparse", args=["windows", made.code]))
    assert [row["source"] for row in page.context["rows"]] == ["it"]
    assert {*page.context["replaced"]} == {
        (drawn.sides[0][i], drawn.sides[1][j])
        for i, j in drawn.biparse.links
        if (i, j) != (0, 0)
    }
    assert page.context["replaced"]
    assert "One word in place of another" in page.content.decode()


def test_of_equally_good_biparses_the_likeliest_is_drawn(cast, client: Client) -> None:
    """Any gate matches; after the first, most words are left to stand for the door."""
    source = "(S (NN wall) (NN gate) (NN gate) (NN lamp) (NN gate))"
    made = people.pair(cast.corpus, source, "(S (NN gate) (NN door))")
    client.force_login(cast.bob)
    address = reverse("biparse", args=["windows", made.code])
    page = client.get(address, {"scorer": "plain"})
    assert page.context["matched"] == ((1, 0),)
    scorer = SCORERS["plain"]
    first = scorer.score(scorer.view(made.source.forms, made.target.forms))
    assert (2, 0) in first.biparse.links  # what the search finds first
    assert page.context["value"] == first.value


def test_a_pair_that_is_too_long_to_choose_is_said_so(cast, client: Client) -> None:
    words = " ".join(f"(NN w{n})" for n in range(50))
    made = people.pair(cast.corpus, f"(S {words})", f"(S {words})")
    client.force_login(cast.bob)
    page = client.get(reverse("biparse", args=["windows", made.code]))
    assert "this pair is too long" in page.content.decode()
    assert len(page.context["matched"]) == 50


def test_biparse_figures_come_in_three_formats(many, client: Client) -> None:
    client.force_login(many.bob)
    for to, start in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        for what in ("matrix", "trees"):
            answer = client.get(biparse_url(many, f"{what}.{to}?scorer=plain"))
            assert answer.status_code == 200
            assert answer.content.startswith(start)
    assert client.get(biparse_url(many, "cake.svg")).status_code == 404
    assert client.get(biparse_url(many, "?scorer=guess")).status_code == 400


def test_strangers_see_no_biparse(many, client: Client) -> None:
    client.force_login(many.cyd)
    assert client.get(biparse_url(many)).status_code == 404


def test_button_starts_a_job_for_those_who_may(many, client: Client) -> None:
    client.force_login(many.bob)
    address = f"/p/windows/corpus/{many.corpus.code}/score/"
    assert client.post(address, {"scorer": "plain"}).status_code == 403
    client.force_login(many.ada)
    sent = client.post(address, {"scorer": "plain"})
    assert sent.status_code == 302
    assert Job.objects.get().code in sent.url


def test_scored_list_costs_the_same_queries_at_any_length(many, client: Client) -> None:
    do(many)
    client.force_login(many.bob)
    address = f"/p/windows/corpus/{many.corpus.code}/"
    counts = []
    for query in ("?min_score=0.9", ""):
        with CaptureQueriesContext(connection) as seen:
            client.get(address + query)
        counts.append(len([q for q in seen if "pair" in q["sql"]]))
    assert counts[1] <= counts[0]
