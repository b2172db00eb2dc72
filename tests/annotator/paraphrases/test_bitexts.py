"""Parallel text in the browser: brought in, linked, parsed, taken away."""

import gzip
import io
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotator.errors import Conflict
from annotator.exchange import bitexts as reading
from annotator.exchange.bitexts import BitextReading
from annotator.exchange.files import Source
from annotator.models import Bitext, Issue, Job
from annotator.services import jobs
from annotator.services.paraphrases import bitext_links, bitext_parses
from annotator.services.paraphrases.bitext_links import followed
from annotator.services.parses import offered
from core.formats import ptb
from core.pivoting.bitext import parses_of
from tests import hostile
from tests.cast import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_parser")]

ENGLISH = "Mary saw a cat\nshe slept\nMary saw a cat\nshe saw a dog\n"
GERMAN = "Mary sah eine Katze\nsie schlief\n\nsie sah einen Hund\n"


@pytest.fixture(autouse=True)
def media(settings, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path
    return tmp_path


@pytest.fixture
def ada(cast: Cast, client):
    client.force_login(cast.ada)
    return client


def form(source: str = ENGLISH, target: str = GERMAN, **fields) -> dict:
    return {
        "source_text": SimpleUploadedFile("mine.en", source.encode()),
        "target_text": SimpleUploadedFile("mine.de", target.encode()),
        "format": "moses",
        "name": "Mine, German",
        "source_language": "en",
        "target_language": "de",
        "licence": "CC0",
    } | fields


def finish(url: str) -> Job:
    job = Job.objects.get(code=url.rstrip("/").rpartition("/")[2])
    jobs.run(job.pk)
    job.refresh_from_db()
    return job


def brought_in(client, **fields) -> Bitext:
    url = client.post("/p/windows/bitexts/upload/", form(**fields)).url
    finish(url)
    job = finish(client.post(url).url)
    assert job.state == Job.State.DONE, job.note
    return Bitext.objects.get(code=job.code)


def test_from_two_text_files_to_a_bitext(ada) -> None:
    url = ada.post("/p/windows/bitexts/upload/", form()).url
    assert finish(url).result["pairs"] == 3
    page = ada.get(url).content.decode()
    assert "Checked; nothing is imported yet." in page
    assert not Bitext.objects.exists()
    finish(ada.post(url).url)
    bitext = Bitext.objects.get()
    assert (bitext.n_pairs, bitext.n_gaps, bitext.n_sentences) == (3, 1, 3)
    assert (bitext.n_source_tokens, bitext.n_target_tokens) == (10, 10)
    assert [pair.pair_id for pair in bitext.pairs.pairs()] == [0, 1, 3]
    assert {pair.corpus for pair in bitext.pairs.pairs()} == {"Mine, German"}
    assert [file["name"] for file in bitext.files] == ["mine.en", "mine.de"]
    page = ada.get(f"/p/windows/bitext/{bitext.code}/").content.decode()
    assert "sie schlief" in page
    assert "CC0" in page
    assert "Mine, German" in ada.get("/p/windows/bitexts/").content.decode()


def test_bad_lines_are_told_and_keep_the_rest_out(ada, media: Path) -> None:
    sent = form(source=ENGLISH.replace("slept", "sl\0ept"))
    url = ada.post("/p/windows/bitexts/upload/", sent).url
    finish(url)
    issue = Issue.objects.get()
    assert (issue.file, issue.line) == ("mine.en", 2)
    assert "control character" in ada.get(url).content.decode()
    assert finish(ada.post(url).url).state == Job.State.FAILED
    assert not Bitext.objects.exists()
    assert not list(media.glob("bitexts/*"))
    assert finish(ada.post(url, {"partial": "yes"}).url).state == Job.State.DONE
    assert Bitext.objects.get().n_pairs == 2


@pytest.mark.parametrize("target", ["\n\n\n\n", "sie schlief \1\n" * 4])
def test_nothing_is_offered_where_no_line_has_both_sides(ada, target: str) -> None:
    url = ada.post("/p/windows/bitexts/upload/", form(target=target)).url
    assert finish(url).result["pairs"] == 0
    page = ada.get(url).content.decode()
    assert "Import the rest" not in page
    assert "<button>Import</button>" not in page
    assert "Choose other files" in page


def test_a_bitext_that_is_there_is_not_offered_again(ada) -> None:
    check = ada.post("/p/windows/bitexts/upload/", form()).url
    finish(check)
    made = ada.post(check).url
    finish(made)
    page = ada.get(check).content.decode()
    assert made in page
    assert "<button>Import</button>" not in page


def packed(text: str, name: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, gzip.compress(text.encode()))


def test_files_packed_with_gzip_are_read_as_what_is_in_them(ada) -> None:
    sides = {
        "source_text": packed(ENGLISH, "mine.en.gz"),
        "target_text": packed(GERMAN, "mine.de.gz"),
    }
    bitext = brought_in(ada, **sides)
    assert (bitext.n_pairs, bitext.n_gaps) == (3, 1)
    assert next(iter(bitext.pairs.pairs())).target == "Mary sah eine Katze"


def test_a_small_file_that_unpacks_to_a_big_one_is_refused(ada, settings) -> None:
    settings.MAX_UNPACKED_MB = 1
    bomb = packed("a b\tc\n" * 2**18, "bomb.gz")
    sent = form(format="tsv") | {"source_text": bomb}
    del sent["target_text"]
    job = finish(ada.post("/p/windows/bitexts/upload/", sent).url)
    assert job.state == Job.State.FAILED
    assert "bomb.gz is more than 1 MB when unpacked" in job.note + job.error
    assert not Bitext.objects.exists()


@pytest.mark.parametrize("keep", [30, 12])
def test_a_broken_gzip_file_is_named(ada, keep: int) -> None:
    cut = gzip.compress(ENGLISH.encode())[:keep]
    sent = form() | {"source_text": SimpleUploadedFile("cut.gz", cut)}
    answer = ada.post("/p/windows/bitexts/upload/", sent)
    assert answer.status_code == 400
    assert "cut.gz: the gzip file is broken" in answer.content.decode()
    assert not Job.objects.exists()


def test_a_gzip_file_that_breaks_further_on_is_named_too(ada) -> None:
    text = "".join(f"{n * 7919 % 10007} {n * n % 99991}\n" for n in range(20_000))
    cut = gzip.compress(text.encode())[:-9]
    sent = form(target=text) | {"source_text": SimpleUploadedFile("cut.gz", cut)}
    job = finish(ada.post("/p/windows/bitexts/upload/", sent).url)
    assert job.state == Job.State.FAILED
    assert "cut.gz: the gzip file is broken" in job.note + job.error


def test_files_of_unequal_length_are_told(ada) -> None:
    sent = form(target="nur eine\n")
    finish(ada.post("/p/windows/bitexts/upload/", sent).url)
    assert "same number of lines" in Issue.objects.get().remedy


def test_a_name_is_taken_once(ada) -> None:
    brought_in(ada)
    answer = ada.post("/p/windows/bitexts/upload/", form())
    assert answer.status_code == 409
    assert "Choose another name" in answer.content.decode()


def test_given_links_are_kept(ada) -> None:
    links = SimpleUploadedFile("mine.links", b"0-0 1-1\n0-0\n\n1-1\n")
    bitext = brought_in(ada, links=links)
    assert [pair.links for pair in bitext.pairs.pairs()] == ["0-0 1-1", "0-0", "1-1"]
    assert (bitext.aligner, bitext.n_links) == ("given", 4)
    page = ada.get(f"/p/windows/bitext/{bitext.code}/").content.decode()
    assert page.count("<svg") >= 3
    assert "Pair 1: 2 links" in page


def test_words_are_linked_by_a_job(cast: Cast, ada) -> None:
    bitext = brought_in(ada)
    url = f"/p/windows/bitext/{bitext.code}/do/"
    sent = {"what": "link", "engine": "hmm", "symmetrise": "intersect"}
    job = finish(ada.post(url, sent).url)
    assert job.state == Job.State.DONE, job.note
    assert job.done == job.total
    bitext.refresh_from_db()
    assert bitext.aligner == "hmm 1"
    links = [pair.links for pair in bitext.pairs.pairs()]
    assert None not in links
    assert bitext.n_links == sum(len((one or "").split()) for one in links)
    bitext_links.start(bitext, by=cast.ada, enqueue=False)
    with pytest.raises(Conflict, match="already running: Link"):
        bitext_links.start(bitext, by=cast.ada, enqueue=False)


def test_each_sentence_is_parsed_once_and_found_by_the_next_bitext(
    cast: Cast, ada, monkeypatch
) -> None:
    bitext = brought_in(ada)
    job = bitext_parses.start(bitext, "small", by=cast.ada, enqueue=False)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done) == (Job.State.DONE, 3), job.note
    bitext.refresh_from_db()
    rows = list(parses_of(bitext.parses_path))
    assert [row.source for row in rows] == list(bitext.pairs.sources())
    assert all(row.tree.startswith("(") for row in rows)
    other = brought_in(ada, name="Mine again", target_language="nl")
    small = offered.load("small", cast.project)
    monkeypatch.setattr(small, "analyse", _never)
    job = bitext_parses.start(other, "small", by=cast.ada, enqueue=False)
    jobs.run(job.pk)
    assert list(parses_of(other.parses_path)) == rows


def test_trees_of_sentences_with_brackets_can_be_read_back(cast: Cast, ada) -> None:
    bitext = brought_in(ada, source="she ( Mary ) slept\n", target="sie schlief\n")
    job = bitext_parses.start(bitext, "small", by=cast.ada, enqueue=False)
    jobs.run(job.pk)
    (row,) = parses_of(bitext.parses_path)
    tree = ptb.parse_one(row.tree)
    assert ptb.record_of(tree).forms == ("she", "(", "Mary", ")", "slept")


def _never(sentences, *, want):
    assert not sentences
    return []


def test_parsing_goes_on_where_it_ended(cast: Cast, ada, monkeypatch) -> None:
    monkeypatch.setattr(bitext_parses, "PART", 1)
    bitext = brought_in(ada)
    job = bitext_parses.start(bitext, "small", by=cast.ada, enqueue=False)
    steps = bitext_parses.run(job)
    for _ in range(3):
        next(steps)
    steps.close()
    done = sorted(bitext.folder.glob("parses-*/part-*"))
    assert len(done) == 2
    stamps = [path.stat().st_mtime_ns for path in done]
    left = bitext_parses.run(job)
    for _ in range(3):
        next(left)
    assert [path.stat().st_mtime_ns for path in done] == stamps
    assert len(list(left)) == 1
    assert [row.source for row in parses_of(bitext.parses_path)] == list(
        bitext.pairs.sources()
    )


def test_deleting_takes_the_files_away_once_the_row_is_gone(
    ada, media: Path, django_capture_on_commit_callbacks
) -> None:
    bitext = brought_in(ada)
    with django_capture_on_commit_callbacks(execute=True):
        ada.post(f"/p/windows/bitext/{bitext.code}/do/", {"what": "delete"})
        assert bitext.pairs_path.exists()
    assert not Bitext.objects.exists()
    assert not list(media.glob("bitexts/*"))


def test_strangers_see_nothing_and_annotators_start_nothing(cast: Cast, ada) -> None:
    bitext = brought_in(ada)
    url = f"/p/windows/bitext/{bitext.code}/"
    ada.force_login(cast.cyd)
    assert ada.get(url).status_code == 404
    ada.force_login(cast.bob)
    assert ada.get(url).status_code == 200
    sent = {"what": "link", "engine": "hmm", "symmetrise": "union"}
    assert ada.post(url + "do/", sent).status_code == 403
    assert ada.get("/p/windows/bitexts/upload/").status_code == 403


def test_markup_in_the_text_is_text(ada) -> None:
    source = hostile.PAYLOAD.replace("\n", " ") + "\n"
    links = SimpleUploadedFile("l", b"0-0\n")
    bitext = brought_in(ada, source=source, target=source, links=links)
    page = ada.get(f"/p/windows/bitext/{bitext.code}/").content.decode()
    assert "<script>alert" not in page


def test_work_that_calls_back_is_followed_and_can_be_stopped() -> None:
    told: list[int] = []

    def work(tell) -> str:
        for n in range(1_000):
            tell(n)
            told.append(n)
        return "made"

    steps = followed(work)
    assert [next(steps) for _ in range(3)] == [0, 1, 2]
    steps.close()
    assert len(told) < 100

    def broken(tell) -> str:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        list(followed(broken))


def test_a_worker_that_died_when_all_was_stored_stores_nothing_twice(ada) -> None:
    bitext = brought_in(ada)
    jobs_of = Job.objects.filter(code=bitext.code)
    before = list(bitext.pairs.pairs())
    jobs_of.update(state=Job.State.QUEUED, claim="")  # as ``reap`` leaves it
    jobs.run(jobs_of.get().pk)
    job = jobs_of.get()
    assert job.state == Job.State.DONE, job.error
    assert Bitext.objects.get() == bitext
    assert list(bitext.pairs.pairs()) == before
    assert job.result["sentences"] == bitext.n_sentences


@pytest.mark.parametrize("kind", ["moses", "tmx"])
def test_an_english_side_without_words_is_a_gap(kind: str) -> None:
    def unit(english: str) -> str:
        return (
            f'<tu><tuv xml:lang="en"><seg>{english}</seg></tuv>'
            '<tuv xml:lang="de"><seg>sie schlief</seg></tuv></tu>'
        )

    memory = f"<tmx><body>{unit(' ')}{unit('she slept')}</body></tmx>"
    texts = [memory] if kind == "tmx" else [" \nshe slept\n", "sie schlief\n" * 2]
    sources = [Source("x", lambda one=one: io.BytesIO(one.encode())) for one in texts]
    read = reading.read(sources, BitextReading(kind, "en", "de", raw=True))
    rows = [(record.source, record.target) for _, record in read]
    target = ("sie", "schlief")
    assert rows == [((), target), (("she", "slept"), target)]
