"""Corpora come in whole or not at all, once, and every bad row is named."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotator.errors import BadRequest, Conflict, NotAllowed, TooLarge
from annotator.models import (
    AlignmentLayer,
    Corpus,
    Job,
    LinkEvent,
    Membership,
    Pair,
    Parse,
    Project,
    Sentence,
    Upload,
)
from annotator.services import jobs
from annotator.services.corpora import batches, exports, imports, storing
from annotator.services.projects import keeping, removals
from tests import cast as people
from tests import hostile

TABLES = (Corpus, Sentence, Parse, Pair, AlignmentLayer, LinkEvent)
TSV = (
    "id\tsource\ttarget\tlabel\n"
    "1\tThe nurse opened it.\tIt was opened.\tsame\n"
    "2\tShe can't.\tShe cannot.\tsame\n"
)
BRACKETS = (
    "(S (NP (PRP It)) (VP (VBD rained)))\n(S (NN Rain) (. .))\n(S (NN Rain) (. .))\n"
)
RAIN = """# sent_id = {name}
# text = Rain.
1\tRain\train\tNOUN\tNN\t_\t0\troot\t_\tSpaceAfter=No
2\t.\t.\tPUNCT\t.\t_\t1\tpunct\t_\t_

"""
RAINED = """# sent_id = a
# text = It rained
1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\trained\train\tVERB\tVBD\t_\t0\troot\t_\t_

"""
NOTHING = dict.fromkeys(("sentences", "pairs", "parses", "layers", "links"), 0)
CONLLU = RAINED + RAIN.format(name="b") + RAIN.format(name="c")


def counts() -> dict[str, int]:
    return {table.__name__: table.objects.count() for table in TABLES}


def sent(cast, content, name: str = "a.tsv") -> Upload:
    """The file as it was kept."""
    data = content if isinstance(content, bytes) else content.encode()
    return storing.keep(cast.project, name, io.BytesIO(data), by=cast.ada)


def start(cast, upload: Upload, **asked) -> Job:
    """An import of one file into News; nobody is woken for it."""
    asked = {"kind": "pairs", "corpus": "News", "dry_run": False} | asked
    return imports.start(cast.project, [upload], by=cast.ada, enqueue=False, **asked)


def bring_in(cast, content, *, name: str = "a.tsv", **asked) -> Job:
    """Import this one file, to the end of the job."""
    job = start(cast, sent(cast, content, name), **asked)
    jobs.run(job.pk)
    job.refresh_from_db()
    return job


def test_a_dry_run_counts_and_writes_nothing(cast) -> None:
    before = counts()
    job = bring_in(cast, TSV, dry_run=True)
    assert job.state == Job.State.DONE
    assert (job.result["pairs"], job.result["sentences"], job.result["issues"]) == (
        2,
        4,
        0,
    )
    assert job.result["new"] == NOTHING | {"sentences": 4, "pairs": 2}
    assert counts() == before


def test_rows_keep_their_ids_labels_and_texts(cast) -> None:
    bring_in(cast, TSV)
    corpus = Corpus.objects.get(name="News")
    rows = corpus.pairs.values_list("ref", "label", "text", "n_source", "n_target")
    assert list(rows) == [
        ("1", "same", "The nurse opened it.\nIt was opened.", 5, 4),
        ("2", "same", "She can't.\nShe cannot.", 4, 4),
    ]
    assert (corpus.n_pairs, corpus.n_sentences) == (2, 4)


def test_raw_text_is_tokenised(cast) -> None:
    bring_in(cast, TSV)
    pair = Pair.objects.get(ref="2")
    assert pair.source.forms == ["She", "ca", "n't", "."]


def test_the_same_file_again_adds_nothing(cast) -> None:
    bring_in(cast, TSV)
    before = counts()
    job = bring_in(cast, TSV)
    assert job.result["new"] == NOTHING
    assert counts() == before


def test_equal_pairs_without_ids_stay_two(cast) -> None:
    bring_in(cast, "a b\tc d\na b\tc d\n")
    bring_in(cast, "a b\tc d\na b\tc d\n")
    assert Corpus.objects.get(name="News").pairs.count() == 2


def test_bad_rows_stop_an_import_unless_the_others_are_wanted(cast) -> None:
    before = counts()
    job = bring_in(cast, TSV + "3\tonly one side\n")
    assert job.state == Job.State.FAILED
    assert "Rows that cannot be read: 1; so nothing was imported" in job.note
    assert counts() == before
    job = bring_in(cast, TSV + "3\tonly one side\n", partial=True)
    assert (job.state, Corpus.objects.get(name="News").n_pairs) == (Job.State.DONE, 2)
    issue = job.issues.get()
    assert (issue.file, issue.line, issue.column) == ("a.tsv", 4, 16)
    assert (issue.remedy, issue.excerpt) != ("", "")


def test_files_without_a_sentence_make_no_corpus(cast) -> None:
    job = bring_in(cast, "3\tonly one side\n", kind="msrpc", partial=True)
    assert (job.state, "no row can be read" in job.note) == (Job.State.FAILED, True)
    for text in ("\ufeff", "\n\n", "# a comment\n", "id\tsource\ttarget\n"):
        job = bring_in(cast, text)
        assert (job.state, "nothing to import" in job.note) == (Job.State.FAILED, True)
    assert bring_in(cast, "\n", kind="ptb").state == Job.State.FAILED
    assert bring_in(cast, "\n", dry_run=True).state == Job.State.DONE
    assert not Corpus.objects.filter(name="News").exists()


def test_what_the_database_cannot_take_names_its_file(cast) -> None:
    job = bring_in(cast, f"id\tsource\ttarget\n{'i' * 201}\tIt rained.\tRain fell.\n")
    issue = job.issues.get()
    assert (issue.file, issue.line) == ("a.tsv", 2)
    assert issue.reason == "id of 201 characters"


@pytest.mark.parametrize("file", list(hostile.files()), ids=lambda file: file.name)
def test_hostile_files_are_named_and_change_nothing(cast, file) -> None:
    before = counts()
    job = bring_in(cast, file.content, kind=file.kind, name=file.name)
    assert job.state == Job.State.FAILED, job.note
    assert not job.error, "a broken file is no bug"
    issues = [f"{one.reason} {one.remedy}" for one in job.issues.all()]
    assert any(file.says in issue for issue in issues), issues
    assert counts() == before


@pytest.mark.parametrize(
    "file", [one for one in hostile.files() if one.good], ids=lambda file: file.name
)
def test_what_can_be_read_of_a_hostile_file_can_be_had(cast, file) -> None:
    job = bring_in(cast, file.content, kind=file.kind, name=file.name, partial=True)
    assert job.state == Job.State.DONE
    result = job.result
    n = result["sentences"] + result["pairs"] if file.kind == "gemel" else 0
    got = n or result["pairs"] or result["sentences"]
    assert got == file.good


def test_parses_of_one_sentence_meet_whatever_format_they_came_in(cast) -> None:
    bring_in(cast, BRACKETS, kind="ptb", name="doc.ptb", corpus="Rain")
    bring_in(cast, CONLLU, kind="conllu", name="doc.conllu", corpus="Rain")
    corpus = Corpus.objects.get(name="Rain")
    assert corpus.n_sentences == 3
    rows = corpus.sentences.order_by("pk")
    assert [row.parses.count() for row in rows] == [2, 2, 2]
    assert [(row.ref, row.text) for row in rows] == [
        ("a", "It rained"), ("b", "Rain."), ("c", "Rain."),
    ]  # fmt: skip
    assert rows[0].columns["upos"] == ["PRON", "VERB"]


def test_a_worker_that_dies_is_followed_by_one_that_finishes(cast, monkeypatch) -> None:
    rows = "".join(f"{n}\tsource {n}\ttarget {n}\n" for n in range(1200))
    job = start(cast, sent(cast, "id\tsource\ttarget\n" + rows))
    steps = imports.run(Job.objects.get(pk=job.pk))
    while Pair.objects.filter(corpus__name="News").count() == 0:
        next(steps)
    monkeypatch.setattr(
        imports, "_undo", lambda *_: None
    )  # a killed worker undoes nothing
    steps.close()
    assert 0 < Pair.objects.filter(corpus__name="News").count() < 1200
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE
    assert list(
        Pair.objects.filter(corpus__name="News")
        .order_by("pk")
        .values_list("ref", flat=True)
    ) == [str(n) for n in range(1200)]


def test_a_cancelled_import_takes_back_what_it_added(cast) -> None:
    bring_in(cast, TSV)
    before = counts()
    rows = "".join(f"new {n}\ttoo {n}\n" for n in range(1200))
    job = start(cast, sent(cast, rows))
    steps = imports.run(Job.objects.get(pk=job.pk))
    while counts() == before:
        next(steps)
    Job.objects.filter(pk=job.pk).update(cancel_asked=True)
    steps.close()
    assert counts() == before
    corpus = Corpus.objects.get(name="News")
    assert (corpus.n_pairs, corpus.n_sentences) == (2, 4)


def test_an_import_cancelled_after_a_dead_worker_leaves_nothing(
    cast, monkeypatch
) -> None:
    before = counts()
    rows = "".join(f"new {n}\ttoo {n}\n" for n in range(1800))
    job = start(cast, sent(cast, rows))

    def half(n: int):
        steps = imports.run(Job.objects.get(pk=job.pk))
        while Pair.objects.filter(corpus__name="News").count() < n:
            next(steps)
        return steps

    with monkeypatch.context() as killed:
        killed.setattr(imports, "_undo", lambda *_: None)
        half(500).close()
    steps = half(1000)
    Job.objects.filter(pk=job.pk).update(cancel_asked=True)
    steps.close()
    assert counts() == before


def test_a_worker_whose_job_another_has_taken_takes_nothing_back(cast) -> None:
    rows = "".join(f"new {n}\ttoo {n}\n" for n in range(1200))
    job = start(cast, sent(cast, rows))
    steps = imports.run(Job.objects.get(pk=job.pk))
    while not Pair.objects.filter(corpus__name="News").exists():
        next(steps)
    before = counts()
    Job.objects.filter(pk=job.pk).update(claim="another", cancel_asked=True)
    steps.close()
    assert counts() == before


def test_what_people_have_worked_on_is_never_taken_back(cast) -> None:
    rows = "".join(f"new {n}\ttoo {n}\n" for n in range(1200))
    job = start(cast, sent(cast, rows))
    steps = imports.run(Job.objects.get(pk=job.pk))
    while not Pair.objects.filter(corpus__name="News").exists():
        next(steps)
    pair = Pair.objects.filter(corpus__name="News").first()
    layer = people.layer(pair, author=cast.bob)
    LinkEvent.objects.create(layer=layer, revision=1, op="link", by=cast.bob)
    Job.objects.filter(pk=job.pk).update(cancel_asked=True)
    steps.close()
    assert LinkEvent.objects.filter(layer=layer).exists()


def test_a_dry_run_is_followed_by_the_import_of_the_same_files(cast) -> None:
    job = bring_in(cast, TSV, dry_run=True)
    after = imports.go_on(job, by=cast.ada, partial=False)
    jobs.run(after.pk)
    assert Corpus.objects.get(name="News").n_pairs == 2
    with pytest.raises(Conflict):
        imports.go_on(after, by=cast.ada, partial=False)


def test_asking_twice_is_asking_once(cast) -> None:
    assert start(cast, sent(cast, TSV)) == start(cast, sent(cast, TSV))


def test_two_imports_into_one_corpus_wait_for_each_other(cast) -> None:
    start(cast, sent(cast, TSV))
    with pytest.raises(Conflict, match="is running"):
        start(cast, sent(cast, TSV + "3\tc\td\te\n"))


@pytest.mark.parametrize("who", ["bob", "cyd"])
def test_only_managers_bring_corpora_in(cast, who: str) -> None:
    with pytest.raises(NotAllowed):
        storing.keep(cast.project, "a", io.BytesIO(b"x"), by=getattr(cast, who))


def test_uploads_have_a_limit_and_no_say_in_paths(cast, settings) -> None:
    settings.MAX_UPLOAD_MB = 1
    with pytest.raises(TooLarge, match="GEMEL_MAX_UPLOAD_MB"):
        storing.keep(cast.project, "a", io.BytesIO(b"x" * (2**20 + 1)), by=cast.ada)
    with pytest.raises(BadRequest, match="empty"):
        storing.keep(cast.project, "a", io.BytesIO(b""), by=cast.ada)
    name = "../../etc/..\\cron.d/evil\0\u202e.tsv"
    upload = storing.keep(cast.project, name, io.BytesIO(b"a\tb\n"), by=cast.ada)
    assert upload.name == "evil.tsv"
    path = Path(upload.file.path)
    assert path.is_relative_to(settings.MEDIA_ROOT)
    assert "evil" not in path.name
    assert path.stat().st_mode & 0o077 == 0


def test_the_command_reports_one_object(cast, tmp_path, capsys) -> None:
    path = tmp_path / "rain.ptb"
    path.write_text(BRACKETS)
    call_command("import_corpus", str(tmp_path), "--format", "ptb", "--corpus", "Rain",
                 "--project", "windows", "--json")  # fmt: skip
    said = json.loads(capsys.readouterr().out)
    names = ("sentences", "pairs", "parses", "layers", "links", "issues")
    assert [said[name] for name in names] == [3, 0, 3, 0, 0, 0]


def test_the_command_says_in_words_what_came_in(cast, tmp_path, capsys) -> None:
    path = tmp_path / "rain.ptb"
    path.write_text("(S (NN rain))\n")

    def said(*more: str) -> str:
        call_command("import_corpus", str(path), "--format", "ptb", "--corpus", "Rain",
                     "--project", "windows", *more)  # fmt: skip
        return capsys.readouterr().out

    counts = "1 sentence, 0 pairs, 1 parse, 0 layers, 0 links.\n"
    assert said("--dry-run") == counts + "Only checked; nothing was written.\n"
    new = "Written to Rain: 1 sentence, 0 pairs, 1 parse, 0 layers, 0 links.\n"
    assert said() == counts + new
    assert said() == counts + "All of it was in Rain already.\n"


def test_latin_1_brackets_are_read_as_such(cast) -> None:
    job = bring_in(cast, "(S (NN Café))\n".encode("latin-1"), kind="ptb", name="a.mrg")
    assert job.state == Job.State.DONE
    assert Sentence.objects.get(corpus__name="News").text == "Café"


def test_rows_as_they_were_read_are_kept_for_the_report(cast) -> None:
    job = bring_in(cast, BRACKETS, kind="", name="a.mrg", dry_run=True)
    assert job.params["format"] == "ptb"
    assert job.result["rows"][0] == {
        "source": "It rained",
        "tree": "(S (NP (PRP It)) (VP (VBD rained)))",
    }
    assert len(job.result["rows"]) == 3
    assert "rows" not in bring_in(cast, BRACKETS, kind="ptb", name="a.mrg").result


def test_what_no_format_reads_is_refused_with_a_remedy(cast) -> None:
    with pytest.raises(BadRequest, match="Choose the format you meant"):
        start(cast, sent(cast, "A boat left.\nIt was noon.\n"), kind="")


GERMAN = "Die Frau hat das Fenster geöffnet, und der Mann schlief noch eine Weile."
ABOUT = {"source_language": "en", "target_language": "en"}


def test_a_language_that_does_not_fit_is_asked_about_once(cast) -> None:
    rows = f"The woman opened the window while the man was asleep.\t{GERMAN}\n"
    job = bring_in(cast, rows, dry_run=True, corpus="Two", about=ABOUT)
    assert job.result["languages"] == {"target": "de"}
    made = imports.go_on(
        job, by=cast.ada, partial=False, languages={"target_language": "de"}
    )
    jobs.run(made.pk)
    corpus = Corpus.objects.get(name="Two")
    assert (corpus.source_language, corpus.target_language) == ("en", "de")
    again = bring_in(cast, rows, dry_run=True, corpus="Two", about=ABOUT)
    assert again.result["languages"] == {}


@pytest.mark.parametrize("text", ["Anna Peter Maria", "x1 x2 x3 x4 x5 x6 x7 x8 x9"])
def test_names_and_codes_are_no_language(cast, text: str) -> None:
    job = bring_in(cast, f"{text}\t{text}\n", dry_run=True, corpus="Two", about=ABOUT)
    assert job.result["languages"] == {}


def test_an_import_goes_on_to_align_once(cast) -> None:
    job = bring_in(cast, TSV, dry_run=True)
    made = imports.go_on(job, by=cast.ada, partial=False, align=True)
    jobs.run(made.pk)
    made.refresh_from_db()
    (align,) = Job.objects.filter(kind="align")
    assert made.result["align"] == align.code
    assert align.params == {"corpus": made.project.corpora.get(name="News").code,
                            "parser": "english-gum"}  # fmt: skip
    assert align.by == cast.ada


def test_nobody_aligns_who_may_no_longer(cast) -> None:
    job = bring_in(cast, TSV, dry_run=True)
    made = imports.go_on(job, by=cast.ada, partial=False, align=True)
    Membership.objects.filter(user=cast.ada).update(role="viewer")
    jobs.run(made.pk)
    made.refresh_from_db()
    assert made.state == Job.State.DONE
    assert not Job.objects.filter(kind="align").exists()


MANY = "".join(f"new {n}\ttoo {n}\n" for n in range(1200))


def half_way(cast) -> tuple[Job, Any]:
    """An import into a new corpus, of which some pairs are there."""
    job = start(cast, sent(cast, MANY))
    steps = imports.run(Job.objects.get(pk=job.pk))
    while not Pair.objects.filter(job=job).exists():
        next(steps)
    return job, steps


def test_an_import_follows_its_corpus_when_that_is_renamed(cast) -> None:
    _job, steps = half_way(cast)
    keeping.describe(Corpus.objects.get(name="News"), {"name": "Old"}, by=cast.ada)
    list(steps)
    assert Corpus.objects.get(name="Old").pairs.count() == 1200
    assert not Corpus.objects.filter(name="News").exists()


def test_a_second_worker_goes_on_in_the_renamed_corpus(cast, monkeypatch) -> None:
    with monkeypatch.context() as killed:
        killed.setattr(imports, "_undo", lambda *_: None)
        job, steps = half_way(cast)
        steps.close()
    keeping.describe(Corpus.objects.get(name="News"), {"name": "Old"}, by=cast.ada)
    for _ in imports.run(Job.objects.get(pk=job.pk)):
        pass
    assert Pair.objects.filter(job=job).count() == 1200
    assert Corpus.objects.get(name="Old").pairs.count() == 1200


def test_a_cancelled_import_takes_back_what_it_added_to_a_renamed_corpus(cast) -> None:
    before = counts()
    job, steps = half_way(cast)
    keeping.describe(Corpus.objects.get(name="News"), {"name": "Old"}, by=cast.ada)
    Job.objects.filter(pk=job.pk).update(cancel_asked=True)
    steps.close()
    assert counts() == before


def test_an_import_whose_corpus_was_deleted_leaves_nothing(cast) -> None:
    before = counts()
    _job, steps = half_way(cast)
    holder = Project.objects.create(name="Deleted", slug="deleted-x")
    Corpus.objects.filter(name="News").update(project=holder)
    with pytest.raises(Conflict, match="deleted meanwhile"):
        list(steps)
    assert counts() == before


def test_a_renamed_corpus_that_is_written_to_cannot_be_deleted(cast) -> None:
    job, _steps = half_way(cast)
    Job.objects.filter(pk=job.pk).update(state=Job.State.RUNNING)
    corpus = Corpus.objects.get(name="News")
    keeping.describe(corpus, {"name": "Old"}, by=cast.ada)
    with pytest.raises(Conflict):
        removals.remove(corpus, by=cast.ada)


def linked(n: int, *, more: str = "") -> str:
    """Pairs of one source sentence with two links each, as JSON Lines."""
    rows = (
        {
            "id": f"{k}{more}",
            "source": ["It", "rained"],
            "target": ["Rain", f"fell{k}"],
            "links": "0-0 1-1",
        }
        for k in range(n)
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_the_check_counts_a_sentence_of_two_batches_once(cast, monkeypatch) -> None:
    monkeypatch.setattr(batches, "BATCH", 2)
    asked = {"name": "a.jsonl", "kind": "jsonl"}
    checked = bring_in(cast, linked(5), dry_run=True, **asked).result
    new = {"sentences": 6, "pairs": 5, "parses": 0, "layers": 5, "links": 10}
    assert checked["new"] == {name: checked[name] for name in new} == new
    assert bring_in(cast, linked(5), **asked).result["new"] == new
    more = bring_in(cast, linked(5) + linked(1, more="x"), dry_run=True, **asked)
    assert more.result["new"] == NOTHING | {"pairs": 1, "layers": 1, "links": 2}


def test_sentences_one_a_line_come_in_and_go_out(cast) -> None:
    text = "She can't.\n\nIt rained.\nIt rained.\n"
    job = bring_in(cast, text, name="news.txt", kind="lines")
    assert job.result["new"] == NOTHING | {"sentences": 3}
    corpus = Corpus.objects.get(name="News")
    assert [row.forms for row in corpus.sentences.order_by("pk")][:2] == [
        ["She", "ca", "n't", "."],
        ["It", "rained", "."],
    ]
    (part,) = exports.parts(corpus, "lines", by=cast.ada)
    assert (part.name, "".join(part.lines)) == ("news.txt", text.replace("\n\n", "\n"))
    changed = text.replace("can't", "could")
    again = bring_in(cast, changed, name="news.txt", kind="lines")
    assert again.result["new"] == NOTHING | {"sentences": 1}, "a line that is new"


def test_text_that_is_tokenised_is_cut_at_spaces_alone(cast) -> None:
    rows = "She can't. Go\tDon't. Stop\n"
    assert not bring_in(cast, rows, corpus="Cut here").params["tokenised"]
    checked = bring_in(cast, rows, dry_run=True, tokenised=True)
    job = imports.go_on(checked, by=cast.ada, partial=False)
    jobs.run(job.pk)
    pair = Pair.objects.get(corpus__name="News")
    assert (pair.source.forms, pair.target.forms) == (
        ["She", "can't.", "Go"],
        ["Don't.", "Stop"],
    )
    assert pair.source.text == "She can't. Go"
    assert Pair.objects.get(corpus__name="Cut here").source.forms[1] == "ca"


def test_form_api_and_command_take_text_that_is_tokenised(cast, client) -> None:
    client.force_login(cast.ada)
    file = io.BytesIO(b"It can't. be\n")
    file.name = "a.txt"
    about = {"source_language": "en", "target_language": "en"}
    sent = {"format": "", "corpus": "By form", "tokenised": "on", "files": file}
    assert client.post("/p/windows/upload/", sent | about).status_code == 302
    by_form = Job.objects.latest("pk").params
    assert (by_form["format"], by_form["tokenised"]) == ("lines", True)
    file.seek(0)
    sent = {"format": "lines", "corpus": "By API", "tokenised": "true", "files": file}
    assert client.post("/api/projects/windows/imports/", sent).status_code == 201
    assert Job.objects.latest("pk").params["tokenised"]
