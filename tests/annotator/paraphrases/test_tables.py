"""From parallel text to a table of paraphrases, and from there to a campaign."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest, Conflict, NotAllowed
from annotator.models import Bitext, Campaign, Job, Origin, ParaphraseTable, Parse
from annotator.services import jobs
from annotator.services.paraphrases import tables, test_sets
from core.pivoting.table import open_table
from tests.cast import Cast, corpus, sentence
from tests.core.pivoting import small_bitext


@pytest.fixture
def bitexts(cast: Cast, settings, tmp_path: Path) -> list[Bitext]:
    settings.GEMEL_HOME = settings.MEDIA_ROOT = tmp_path
    return bitexts_in(tmp_path, cast)


def bitexts_in(folder: Path, cast: Cast) -> list[Bitext]:
    rows = []
    for source in small_bitext.sources(folder):
        row = Bitext.objects.create(
            project=cast.project,
            name=source.pairs.stem,
            target_language=source.pairs.stem[-2:],
            aligner="hmm",
            parser="english",
        )
        row.folder.mkdir(parents=True)
        source.pairs.rename(row.pairs_path)
        row.parses_path.write_bytes(source.parses[0].read_bytes())
        rows.append(row)
    return rows


def made(cast: Cast, bitexts: list[Bitext]) -> ParaphraseTable:
    codes = [one.code for one in bitexts]
    table = tables.start(cast.project, "Sea", codes, by=cast.ada, enqueue=False)
    jobs.run(table.job.pk)
    table.refresh_from_db()
    return table


def test_a_table_is_made_by_a_job_with_its_language_model(
    cast: Cast, bitexts: list[Bitext]
) -> None:
    table = made(cast, bitexts)
    assert table.job.state == Job.State.DONE
    assert table.made_at is not None
    assert (table.folder / tables.MODEL).is_file()
    assert table.facts["bitexts"] == ["sea.de", "sea.fr"]


def test_words_must_be_aligned_first(cast: Cast, bitexts: list[Bitext]) -> None:
    Bitext.objects.update(aligner="")
    codes = [bitexts[0].code]
    with pytest.raises(BadRequest, match="not aligned"):
        tables.start(cast.project, "Sea", codes, by=cast.ada, prepare=False)


def test_others_text_and_others_rights_make_no_table(
    cast: Cast, bitexts: list[Bitext]
) -> None:
    with pytest.raises(BadRequest):
        tables.start(cast.project, "Sea", ["0" * 16], by=cast.ada)
    with pytest.raises(NotAllowed):
        tables.start(cast.project, "Sea", [bitexts[0].code], by=cast.bob)


def test_a_table_that_is_being_made_is_not_made_twice_nor_removed(
    cast: Cast, bitexts: list[Bitext]
) -> None:
    codes = [bitexts[0].code]
    table = tables.start(cast.project, "Sea", codes, by=cast.ada, enqueue=False)
    with pytest.raises(Conflict):
        tables.start(cast.project, "Sea", codes, by=cast.ada, enqueue=False)
    with pytest.raises(Conflict):
        tables.remove(table, by=cast.ada)


def test_a_sentence_is_rewritten_by_each_condition(
    cast: Cast, bitexts: list[Bitext]
) -> None:
    table = made(cast, bitexts)
    client = Client()
    client.force_login(cast.bob)
    where = reverse("paraphrase_substitute", args=[cast.project.slug, table.code])
    query = {"sentence": "The old boat came.", "phrase": "old"}
    rewritten = client.get(where, query).context["found"]
    assert rewritten.columns[0].name == "Baseline"
    assert len(rewritten.columns) == 8
    assert "ancient" in [one.paraphrase.text for one in rewritten.columns[0].rows]
    assert (rewritten.before, rewritten.phrase, rewritten.after) == (
        "The",
        "old",
        "boat came .",
    )


def test_a_phrase_that_is_not_in_the_sentence_is_said_so(
    cast: Cast, bitexts: list[Bitext]
) -> None:
    table = made(cast, bitexts)
    client = Client()
    client.force_login(cast.bob)
    where = reverse("paraphrase_substitute", args=[cast.project.slug, table.code])
    text = client.get(where, {"sentence": "It rains.", "phrase": "old"})
    assert "not in the sentence" in text.content.decode()


def test_a_campaign_is_filled_with_the_items_of_every_condition(
    cast: Cast, bitexts: list[Bitext]
) -> None:
    table = made(cast, bitexts)
    row = sentence(cast.corpus, "We like the old boat .")
    Parse.objects.create(
        sentence=row,
        kind=Parse.Kind.CONSTITUENCY,
        origin=Origin.GOLD,
        text=small_bitext.TREES[2],
        digest="old boat",
    )
    _, job = test_sets.start(
        table, cast.corpus, "Old boats", n_phrases=20, by=cast.ada, enqueue=False
    )
    jobs.run(job.pk)
    job.refresh_from_db()
    campaign = Campaign.objects.get(name="Old boats")
    assert job.state == Job.State.DONE, job.error or job.note
    assert campaign.items.filter(paraphrase="ancient").exists()
    assert campaign.conditions.filter(name="baseline").exists()
    assert not job.issues.exists()


def test_a_corpus_without_trees_makes_no_campaign(
    cast: Cast, bitexts: list[Bitext]
) -> None:
    table = made(cast, bitexts)
    bare = corpus(cast.project, "Bare")
    with pytest.raises(BadRequest, match="no trees"):
        test_sets.start(table, bare, "None", n_phrases=5, by=cast.ada)


def test_a_form_that_is_refused_keeps_what_it_held(
    cast: Cast, bitexts: list[Bitext]
) -> None:
    client = Client()
    client.force_login(cast.ada)
    where = reverse("paraphrases", args=[cast.project.slug])
    sent = {"name": " ", "bitexts": [bitexts[1].code], "length": "7"}
    answer = client.post(where, sent)
    assert answer.status_code == 400
    form = answer.context["form"]
    assert (form.bitexts, form.length, form.prepare) == ((bitexts[1].code,), 7, False)
    assert "<option selected>7</option>" in answer.content.decode()
    assert not ParaphraseTable.objects.exists()


def test_a_table_goes_out_as_files_and_comes_in_elsewhere(
    cast: Cast, bitexts: list[Bitext], tmp_path: Path
) -> None:
    table = made(cast, bitexts)
    phrase = open_table(table.folder)
    call_command("export_table", "Sea", tmp_path / "out", project=cast.project.slug)
    call_command(
        "import_table", tmp_path / "out", name="Sea again", project=cast.project.slug
    )
    again = ParaphraseTable.objects.get(name="Sea again")
    assert again.made_at is not None
    assert (again.folder / tables.MODEL).is_file()
    names = [
        sorted(one.relative_to(each.folder) for one in tables.files_of(each))
        for each in (table, again)
    ]
    assert names[0] == names[1]
    assert phrase.corpora == open_table(again.folder).corpora
    client = Client()
    client.force_login(cast.ada)
    address = reverse("paraphrase_search", args=[cast.project.slug, again.code])
    page = client.get(address, {"phrase": "the sea"})
    assert page.status_code == 200


def test_a_folder_without_a_table_and_a_name_twice_are_refused(
    cast: Cast, bitexts: list[Bitext], tmp_path: Path
) -> None:
    table = made(cast, bitexts)
    where = {"project": cast.project.slug}
    with pytest.raises(CommandError, match="not a paraphrase table"):
        call_command("import_table", tmp_path / "nothing", **where)
    with pytest.raises(CommandError, match="There is a table called Sea"):
        call_command("import_table", table.folder, name="Sea", **where)
    manifest = table.folder / "manifest.json"
    facts = json.loads(manifest.read_text()) | {"table": "../../elsewhere"}
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret").write_text("no table")
    manifest.write_text(json.dumps(facts))
    with pytest.raises(CommandError, match="subpath"):
        call_command("import_table", table.folder, name="Odd", **where)
