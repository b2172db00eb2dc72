"""The sample's parallel text, and the shortest way from text to a table."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotator.errors import Conflict
from annotator.models import Bitext, Campaign, Job
from annotator.sample import texts
from annotator.services import jobs
from annotator.services.paraphrases import bitexts as bitext_service
from annotator.services.paraphrases import tables, test_sets
from core.pivoting.bitext import BitextPair, write_pairs
from tests.cast import Cast

LINES = 12


def lines(name: str) -> list[str]:
    return texts.path_of(name).read_text(encoding="utf-8").splitlines()


def test_the_texts_have_three_hundred_lines_each_and_no_line_twice() -> None:
    by_name = {name: lines(name) for name in texts.TEXTS}
    assert {len(rows) for rows in by_name.values()} == {300}
    assert all(line.strip() for rows in by_name.values() for line in rows)
    assert len(set(by_name[texts.SOURCE])) == 300


@pytest.fixture
def bare(cast: Cast, settings, tmp_path: Path) -> Bitext:
    """A few lines of the sample, neither linked nor parsed."""
    settings.GEMEL_HOME = settings.MEDIA_ROOT = tmp_path
    row = Bitext.objects.create(
        project=cast.project, name="Town", target_language="de", n_pairs=LINES
    )
    row.folder.mkdir(parents=True)
    sides = [
        [line.replace(".", " .") for line in lines(name)[:LINES]]
        for name in ("english", "german")
    ]
    rows = enumerate(zip(*sides, strict=True))
    write_pairs(row.pairs_path, [BitextPair(i, "Town", a, b) for i, (a, b) in rows])
    Bitext.objects.update(n_sentences=LINES)
    row.refresh_from_db()
    return row


def test_a_table_links_and_parses_what_lacks_it(cast: Cast, bare: Bitext) -> None:
    table = tables.start(cast.project, "Town", [bare.code], by=cast.ada, enqueue=False)
    with pytest.raises(Conflict):
        bitext_service.delete(bare, by=cast.ada)
    jobs.run(table.job.pk)
    table.refresh_from_db()
    bare.refresh_from_db()
    assert table.job.state == Job.State.DONE, table.job.error or table.job.note
    assert table.job.done == table.job.total
    assert bare.aligner.startswith("hmm")
    assert bare.parser.startswith("english")
    with tables.opened(table) as files:
        paraphrases = files.table.lookup("as soon as possible")
        assert "as quickly as possible" in [one.text for one in paraphrases]
        assert files.table.known(["bicycles", "as soon as possible"]) == {
            "as soon as possible"
        }
    _, job = test_sets.start(
        table, bare, "Own text", n_phrases=8, by=cast.ada, enqueue=False
    )
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.error or job.note
    assert job.done == job.total
    assert Campaign.objects.get(name="Own text").items.exists()


def test_a_sample_text_is_handed_out_and_nothing_else(cast: Cast) -> None:
    client = Client()
    assert client.get("/sample/german.txt").status_code == 302
    client.force_login(cast.bob)
    answer = client.get("/sample/german.txt")
    assert b"".join(answer.streaming_content) == texts.path_of("german").read_bytes()
    assert "attachment" in answer["Content-Disposition"]
    assert client.get("/sample/items.txt").status_code == 404


def test_links_and_cutting_do_not_go_together(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.ada)
    files = {
        name: SimpleUploadedFile(name, b"a b\n")
        for name in ("source_text", "target_text", "links")
    }
    sent = {"format": "moses", "name": "x", "source_language": "en"}
    sent |= {"target_language": "de", "raw": "on"}
    answer = client.post("/p/windows/bitexts/upload/", sent | files)
    assert answer.status_code == 400
    assert "clear this box" in answer.content.decode()
