"""Aligning the words of a corpus as a job, by form and by API."""

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from annotator.errors import BadRequest, Conflict, NotAllowed
from annotator.models import AlignmentLayer, Job, Pair
from annotator.pages import canvas
from annotator.services import jobs
from annotator.services.alignments import layers, phrases, words
from core.protocols import Step
from tests import cast as people
from tests.cast import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_parser")]
SOURCE = "(S (NP (DT the) (NN nurse)) (VP (VBD opened) (NP (DT a) (NN window))))"
TARGET = (
    "(S (NP (DT a) (NN window)) (VP (VBD was) (VP (VBN opened) (PP (IN by) "
    "(NP (DT the) (NN nurse))))))"
)
WANTED = {("w1", "w6"), ("w2", "w3"), ("w3", "w0"), ("w4", "w1")}


@pytest.fixture
def some(cast: Cast) -> Cast:
    people.pair(cast.corpus, SOURCE, TARGET)
    cast.pair.delete()
    cast.corpus.refresh_from_db()
    return cast


def start(cast: Cast, parser: str = "", *, many: bool = False) -> Job:
    return words.start(cast.corpus, parser, many=many, by=cast.ada, enqueue=False)


def done(job: Job) -> Job:
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.error
    return job


@pytest.mark.parametrize("parser", ["", "small"])
def test_a_job_leaves_a_layer_of_word_links(some: Cast, parser: str) -> None:
    job = done(start(some, parser))
    assert (job.done, job.failed, job.result["aligned"]) == (1, 0, 1)
    assert job.result["without_vectors"] == 1
    layer = AlignmentLayer.objects.get()
    assert (layer.source_parse_id, layer.target_parse_id) == (None, None)
    links = layer.to_core().links
    assert {link.cell for link in links} >= WANTED
    assert all(0 <= float(link.attrs["prob"]) <= 1 for link in links)
    assert layer.n_links == len(links)
    assert layer.doubt is not None
    assert layer.pair.state == Pair.State.PROPOSED


def test_only_what_lacks_it_is_aligned_again(some: Cast) -> None:
    done(start(some))
    first = AlignmentLayer.objects.get().pk
    people.pair(some.corpus, TARGET, SOURCE)
    job = done(start(some))
    assert (job.done, job.result["aligned"]) == (2, 1)
    done(start(some, many=True))
    made = AlignmentLayer.objects.order_by("pk")
    assert made[0].pk == first
    assert [one.name for one in made] == ["", "", *[words.MANY] * 2]


def test_a_stopped_job_goes_on_where_it_was(
    some: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "BATCH", 1)
    for word in ("door", "gate", "box"):
        people.pair(some.corpus, SOURCE.replace("window", word), TARGET)
    job = start(some)
    steps: Iterator[Step] = words.run(job)
    next(steps), next(steps)
    assert AlignmentLayer.objects.count() == 1
    assert done(job).result["aligned"] == 3
    assert AlignmentLayer.objects.count() == 4


def test_it_refuses_strangers_unknown_parsers_and_a_second_job(some: Cast) -> None:
    with pytest.raises(NotAllowed):
        words.start(some.corpus, "", many=False, by=some.bob)
    with pytest.raises(BadRequest):
        start(some, "none-such")
    with pytest.raises(BadRequest):
        words.start_by(some.corpus, "letters", "", by=some.ada)
    start(some)
    with pytest.raises(Conflict):
        start(some)


def test_whoever_annotates_sees_the_links_as_suggestions(some: Cast) -> None:
    done(start(some))
    pair = Pair.objects.select_related("corpus__project", "source", "target").get()
    mine = layers.start(pair, by=some.ada)
    shown = canvas.on_layer(canvas.load(pair, None, user=some.ada), mine)
    assert {(s, t) for s, t, *_ in shown.suggestions()} >= WANTED
    assert not shown.is_aligned


def test_suggested_phrases_stay_when_words_are_aligned_later(some: Cast) -> None:
    done(phrases.start(some.corpus, "small", by=some.ada, enqueue=False))
    done(start(some))
    pair = Pair.objects.select_related("corpus__project", "source", "target").get()
    shown = canvas.load(pair, None, user=some.ada)
    assert shown.is_aligned
    assert any(s.startswith("n") for s, *_ in shown.suggestions())


@pytest.mark.parametrize("method", ["words", "words-many", "phrases"])
def test_api_and_form_start_the_same_jobs(some: Cast, method: str) -> None:
    sent = {"method": method, "parser": "small"}
    client = APIClient()
    client.force_authenticate(some.ada)
    answer = client.post(
        f"/api/corpora/{some.corpus.code}/alignments/", sent, format="json"
    )
    assert answer.status_code == 201
    job = Job.objects.get()
    kind = "align" if method == "phrases" else words.KIND
    assert (job.kind, job.params["parser"]) == (kind, "small")
    job.delete()
    page = Client()
    page.force_login(some.ada)
    url = reverse("alignments", args=[some.project.slug, some.corpus.code])
    assert page.post(url, sent).status_code == 302
    again = Job.objects.get()
    assert (again.kind, again.params, again.title) == (kind, job.params, job.title)
    again.delete()
    assert page.post(url, sent | {"method": "letters"}).status_code == 400
    assert b"Words, many to many" in page.get(url).content
