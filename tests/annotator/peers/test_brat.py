"""brat's standoff files: a folder an annotator, answers in attributes and notes."""

from tests.annotator.peers.brought import (
    FILES,
    archive,
    bad,
    counts,
    good,
    is_even,
    read,
    sheet,
    zipped,
)


def said(export) -> dict[tuple[str, str, str], str]:
    return {(r["annotator"], r["item"], r["scale"]): r["value"] for r in good(export)}


def test_attributes_and_notes_are_ratings_of_spans() -> None:
    export = sheet("brat")
    assert export.report.title == (
        "brat export (standoff, 1 document), 3 tasks, 2 annotators"
    )
    assert said(export) == {
        ("zoe", "day1:10-14", "Meaning"): "5",
        ("zoe", "day1:10-14", "Idiom"): "yes",
        ("zoe", "day1:10-14", "note"): "departed",
        ("zoe", "day1:36-41", "Meaning"): "2",
        ("zoe", "day1:36-41", "Idiom"): "no",
        ("yan", "day1:10-14", "Meaning"): "4",
        ("yan", "day1:10-14", "Idiom"): "no",
        ("yan", "day1:36-41", "Meaning"): "3",
        ("yan", "day1:36-41", "Idiom"): "no",
    }


def test_what_is_not_taken_is_counted() -> None:
    report = sheet("brat").report
    assert counts(report) == ((3, 5, 2, 9), (2, 4, 2, 9))
    assert is_even(report)
    assert ("annotations", 1, "empty: no answer in it") in report.left
    assert dict(report.losses) == {
        "relations": 1,
        "events": 1,
        "equivalences": 1,
        "links to knowledge bases": 1,
        "attributes and notes of relations and events": 1,
    }


def test_the_sentence_is_the_line_that_the_span_is_in() -> None:
    row = next(row for row in good(sheet("brat")) if row["item"] == "day1:36-41")
    assert row["sentence"] == "Her brother fixed the gate."
    assert row["sentence"][int(row["start"]) : int(row["end"])] == row["phrase"]


def test_spans_are_items_with_the_note_to_choose_for_a_paraphrase() -> None:
    rows = good(sheet("brat", items=True))
    assert [row["phrase"] for row in rows] == ["left", "fixed", "brother"]
    assert {row["note"] for row in rows} == {"", "departed"}


def test_the_folder_of_annotators_is_found_at_any_depth() -> None:
    inside = {
        "corpus/news/zoe/a.ann": b"T1\tVerb 0 3\tran\nA1\tM T1 1\n",
        "corpus/news/yan/a.ann": b"T1\tVerb 0 3\tran\nA1\tM T1 2\n",
        "corpus/mail/zoe/b.ann": b"T1\tVerb 0 3\tran\nA1\tM T1 3\n",
        "corpus/mail/yan/b.ann": b"T1\tVerb 0 3\tran\nA1\tM T1 4\n",
    }
    assert said(read(zipped(inside), "c.zip")) == {
        ("zoe", "corpus/news/a:0-3", "M"): "1",
        ("yan", "corpus/news/a:0-3", "M"): "2",
        ("zoe", "corpus/mail/b:0-3", "M"): "3",
        ("yan", "corpus/mail/b:0-3", "M"): "4",
    }


def test_without_folders_all_of_it_is_one_annotator() -> None:
    export = read(archive(FILES / "brat/letters/zoe"), "zoe.zip")
    assert {row["annotator"] for row in good(export)} == {"all"}
    assert "no folder for each annotator" in export.report.notes[0]


def test_a_span_that_is_not_where_it_says_is_named() -> None:
    inside = {"zoe/a.txt": b"She ran.\n", "zoe/a.ann": b"T1\tVerb 4 6\tran\nrubbish\n"}
    first, second = bad(read(zipped(inside), "c.zip"))
    assert (first.line, second.line) == (1, 2)
    assert first.reason == "zoe/a.ann: T1: characters 4 to 6 are 'ra', not 'ran'"
    assert second.reason == "zoe/a.ann: no annotation of brat's"


def test_pieces_of_a_span_and_line_ends_of_windows() -> None:
    text = b"He looked\r\nit up.\r\n"
    ann = b"T1\tVerb 3 9;14 16\tlooked up\nA1\tM T1 2\n"
    export = read(zipped({"zoe/a.txt": text, "zoe/a.ann": ann}), "c.zip")
    assert not bad(export)
    assert said(export) == {("zoe", "a:3-16", "M"): "2"}
