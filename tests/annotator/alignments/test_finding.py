"""Paraphrases found in corpora by a job, and the precision that people estimate."""

from typing import Any

import nltk
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotator.errors import BadRequest, Conflict, NotAllowed
from annotator.models import Campaign, Corpus, Item, Job, Judgment, Pair, Participant
from annotator.services import jobs
from annotator.services.alignments import finding
from core.text import wordnet
from tests import cast as people
from tests.cast import Cast

SENTENCES = (
    "the old baker of Ghent sold his small oven",
    "his small oven was sold by the old baker of Ghent",
    "a grey heron waits near the frozen pond",
    "near the frozen pond a grey heron waits",
    "nobody knows why the lamp flickers",
    "THE OLD BAKER of Ghent sold his small oven",
    "too short",
)
JSON = "application/json"


@pytest.fixture(autouse=True)
def _no_thesaurus(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Scores must not depend on what is installed here."""
    monkeypatch.setattr(wordnet, "SYSTEM_FOLDERS", ())
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    wordnet.thesaurus.cache_clear()


def filled(corpus: Corpus, sentences: tuple[str, ...] = SENTENCES) -> Corpus:
    for text in sentences:
        people.sentence(corpus, text)
    corpus.n_sentences = corpus.sentences.count()
    corpus.save()
    return corpus


def find(cast: Cast, **how: Any) -> Job:
    filled(cast.corpus)
    how = {"name": "Found", "by": cast.ada, "least": 0.0, "sample": 0} | how
    job = finding.start(cast.corpus, enqueue=False, **how)
    return ran(job)


def ran(job: Job) -> Job:
    jobs.run(job.pk)
    job.refresh_from_db()
    return job


def texts(name: str = "Found") -> set[tuple[str, str]]:
    rows = Pair.objects.filter(corpus__name=name)
    return {(row.source_text, row.target_text) for row in rows}


TWO = {(SENTENCES[0], SENTENCES[1]), (SENTENCES[2], SENTENCES[3])}


def test_pairs_found_within_a_corpus_go_into_another_with_their_scores(cast) -> None:
    job = find(cast)
    assert (job.state, job.done, job.total) == (Job.State.DONE, 2, 2)
    assert texts() == TWO
    found = Corpus.objects.get(name="Found")
    assert (found.n_pairs, found.n_sentences) == (2, 4)
    run = found.score_runs.get()
    assert (run.code, run.n_scored) == (job.result["run"], 2)
    assert run.parameters["vectors"] == ""
    assert all(0 < one.value < 1 and one.n_links > 4 for one in run.scores.all())
    pair = found.pairs.first()
    assert pair.ref == f"{pair.source.ref}-{pair.target.ref}"
    assert cast.corpus.sentences.filter(code=pair.source.ref).exists()


def test_pairs_between_two_corpora_have_a_side_in_each(cast) -> None:
    other = filled(people.corpus(cast.project, "Other"), (SENTENCES[1], SENTENCES[2]))
    people.sentence(cast.corpus, SENTENCES[0])
    filled(cast.corpus, (SENTENCES[0], SENTENCES[3]))
    job = finding.start(
        cast.corpus, other, name="Found", by=cast.ada, least=0, sample=0, enqueue=False
    )
    assert ran(job).state == Job.State.DONE
    assert texts() == {(SENTENCES[0], SENTENCES[1]), (SENTENCES[3], SENTENCES[2])}


def test_run_again_it_adds_only_what_is_missing(cast) -> None:
    find(cast)
    before = set(Pair.objects.filter(corpus__name="Found").values_list("pk", flat=True))
    job = find(cast)
    assert (job.state, job.result["found"]) == (Job.State.DONE, 2)
    pairs = Pair.objects.filter(corpus__name="Found")
    assert set(pairs.values_list("pk", flat=True)) == before
    assert Corpus.objects.get(name="Found").score_runs.get().n_scored == 2


def test_pairs_that_the_corpus_has_are_not_found(cast) -> None:
    filled(cast.corpus)
    sides = [cast.corpus.sentences.get(text=text) for text in SENTENCES[2:4]]
    Pair.objects.create(
        corpus=cast.corpus,
        source=sides[1],
        target=sides[0],
        text="\n".join(SENTENCES[2:4]),
        n_source=8,
        n_target=8,
        key="known",
    )
    find(cast)
    assert texts() == {(SENTENCES[0], SENTENCES[1])}


def test_cancelling_keeps_the_pairs_that_are_stored(cast, monkeypatch) -> None:
    monkeypatch.setattr(finding, "BATCH", 1)
    monkeypatch.setattr(jobs, "FLUSH_S", 0.0)
    filled(cast.corpus)
    job = finding.start(
        cast.corpus, name="Found", by=cast.ada, least=0, sample=0, enqueue=False
    )

    def stop(row: Job) -> None:
        if row.done == 1:
            jobs.cancel(row, by=cast.ada)

    jobs.run(job.pk, on_step=stop)
    job.refresh_from_db()
    assert job.state == Job.State.CANCELLED
    assert 1 <= len(texts()) <= 2


def test_what_cannot_be_searched_is_refused(cast) -> None:
    german = filled(people.corpus(cast.project, "German"))
    Corpus.objects.filter(pk=german.pk).update(source_language="de")
    german.refresh_from_db()
    for field, how in (
        ("name", {"name": "Houses"}),
        ("name", {"name": " "}),
        ("other", {"other": german}),
        ("other", {"other": cast.corpus}),
        ("least", {"least": 1.5}),
        ("sample", {"sample": 9999}),
    ):
        with pytest.raises(BadRequest) as refused:
            find(cast, **how)
        assert refused.value.facts["field"] == field
    with pytest.raises(NotAllowed):
        find(cast, by=cast.bob)
    assert not Corpus.objects.filter(name="Found").exists()
    finding.start(cast.corpus, name="Found", by=cast.ada, sample=0, enqueue=False)
    with pytest.raises(Conflict):
        finding.start(cast.corpus, name="More", by=cast.ada, enqueue=False)
    assert not Campaign.objects.exists()


def test_judgments_of_the_sample_estimate_precision(cast, client: Client) -> None:
    job = find(cast, sample=10)
    assert job.result["sampled"] == 2
    assert [row["size"] for row in job.result["strata"]] == [1, 1]
    campaign = Campaign.objects.get(code=job.result["campaign"])
    assert campaign.n_items == 2
    assert finding.finds_of(cast.corpus)[0].precision is None
    first, second = campaign.items.filter(kind=Item.Kind.MAIN).order_by("pk")
    ends = [one.instance.end for one in (first, second)]
    assert ends == [len(first.instance.sentence), len(second.instance.sentence)]
    answer(cast, campaign, {first: "yes", second: "no"})
    shown = finding.finds_of(cast.corpus)[0]
    assert (shown.n_judged, shown.precision.value) == (2, 0.5)
    assert 0 <= shown.precision.low < 0.5 < shown.precision.high <= 1
    client.force_login(cast.ada)
    page = client.get(reverse("find_paraphrases", args=["windows", cast.corpus.code]))
    assert "<strong>50 %</strong>" in page.content.decode()


def answer(cast: Cast, campaign: Campaign, values: dict[Item, str]) -> None:
    """Bob's answers."""
    by = Participant.objects.create(campaign=campaign, user=cast.bob, label="A1")
    for item, value in values.items():
        Judgment.objects.create(
            item=item,
            participant=by,
            state=Judgment.State.DONE,
            fills=True,
            lease_until=timezone.now(),
            values={"same": value},
        )


def test_the_page_starts_a_search_and_annotators_do_not_see_it(
    cast, client: Client
) -> None:
    filled(cast.corpus)
    client.force_login(cast.ada)
    url = reverse("find_paraphrases", args=["windows", cast.corpus.code])
    assert 'value="Paraphrases found in Houses"' in client.get(url).content.decode()
    bad = client.post(url, {"name": "", "least": "0.5", "sample": "5"})
    assert bad.status_code == 400
    sent = {"name": "New pairs", "other": "", "least": "0.5", "sample": "5"}
    answer = client.post(url, sent)
    job = Job.objects.get(kind=finding.KIND)
    assert answer.headers["Location"] == reverse("job", args=["windows", job.code])
    assert (job.params["least"], job.params["sample"]) == (0.5, 5)
    assert (
        reverse("job", args=["windows", job.code]) in client.get(url).content.decode()
    )
    client.force_login(cast.bob)
    assert client.get(url).status_code == 403


def test_programs_start_a_search_and_read_its_precision(cast, client: Client) -> None:
    filled(cast.corpus)
    client.force_login(cast.ada)
    url = f"/api/corpora/{cast.corpus.code}/finds/"
    sent = {"name": "Found", "least": 0.0, "sample": 4}
    started = client.post(url, sent, content_type=JSON)
    assert started.status_code == 202
    ran(Job.objects.get(code=started.json()["code"]))
    (row,) = client.get(url).json()
    assert (row["state"], row["found"], row["precision"]) == ("done", 2, None)
    assert [part["size"] for part in row["parts"]] == [1, 1]
    assert row["corpus"] == Corpus.objects.get(name="Found").code
    assert client.post(url, {**sent, "x": 1}, content_type=JSON).status_code == 400
    client.force_login(cast.bob)
    assert client.get(url).status_code == 403


def test_samples_into_the_same_corpus_are_campaigns_of_their_own(cast) -> None:
    find(cast, sample=2)
    find(cast, sample=2)
    names = Campaign.objects.order_by("pk").values_list("name", flat=True)
    assert list(names) == ["Found", "Found (2)"]
