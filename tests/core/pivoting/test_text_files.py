"""A paraphrase table from text files by one command, which continues where it was."""

import gzip
import json
from pathlib import Path

import pytest

from core.__main__ import main
from core.errors import FormatError, InvalidValue
from core.pivoting import text_files
from core.pivoting.bitext import Bitext
from tests import small_pcfg

ENGLISH = [
    "the dog met John",
    "a cat saw the dog",
    "Mary slept",
    "",
    "she saw a garden",
]
GERMAN = [
    "der Hund traf John",
    "eine Katze sah den Hund",
    "Mary schlief",
    "ja",
    "x " * 90,
]


def written(folder: Path, **texts: list[str]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, lines in texts.items():
        (folder / f"text.{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def pairs(folder: Path, work: Path, said: list[str]) -> list[Path]:
    return text_files.pairs_of([folder], work, said.append, is_tokenised=True)


def test_one_command_makes_a_table_and_the_next_run_makes_nothing_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small_pcfg.written(tmp_path / "models" / "small")
    english = ["the dog met John", "a dog saw John"] * 10
    german = ["der Hund traf John"] * 20
    folder = written(tmp_path / "in", en=[*english, ""], de=[*german, "ja"])
    words = ["pivot", "build", "--text", str(folder), "--out", str(tmp_path / "table")]
    words += ["--engine", "small", "--models", str(tmp_path / "models"), "--json"]
    words += ["--buckets", "2", "--labels", "none"]
    assert main(words) == 0
    first = capsys.readouterr()
    assert json.loads(first.out)["phrases"] > 0
    assert "de: 20 pairs; 1 left out" in first.err
    assert "parsing: 1 of 1 pieces" in first.err
    assert main(words) == 0
    again = capsys.readouterr()
    assert "left out" not in again.err
    assert "parsing" not in again.err


def test_pairs_are_cleaned_linked_and_numbered_by_line(tmp_path: Path) -> None:
    said: list[str] = []
    folder = written(tmp_path / "in", en=ENGLISH, de=GERMAN)
    (folder / "README").write_text("no text", "utf-8")
    (made,) = pairs(folder, tmp_path / "work", said)
    rows = list(Bitext(made).pairs())
    assert [(row.pair_id, row.corpus) for row in rows] == [
        (0, "de"),
        (1, "de"),
        (2, "de"),
    ]
    assert all(row.links is not None for row in rows)
    assert said[0] == "5 lines in 2 files"


def test_another_text_in_the_same_file_is_read_again(tmp_path: Path) -> None:
    folder = written(tmp_path / "in", en=ENGLISH, de=GERMAN)
    (first,) = pairs(folder, tmp_path / "work", [])
    written(folder, de=[*GERMAN[:4], "sie sah einen Garten"])
    (second,) = pairs(folder, tmp_path / "work", [])
    assert first != second
    assert len(Bitext(second)) == 4


def test_a_gzip_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    path = tmp_path / "en.gz"
    path.write_bytes(gzip.compress("\ufeffthe dog\n".encode()))
    assert list(text_files.lines_of(path)) == ["the dog\n"]


def test_a_wrong_encoding_is_refused_at_its_line_with_a_way_out(tmp_path: Path) -> None:
    folder = written(tmp_path / "in", en=["a", "b"])
    (folder / "text.de.txt").write_bytes("gut\nschön\n".encode("latin-1"))
    with pytest.raises(FormatError, match="0xF6 is not UTF-8") as refused:
        pairs(folder, tmp_path / "work", [])
    assert (refused.value.line, "iconv" in refused.value.remedy) == (2, True)


def test_different_numbers_of_lines_are_refused_with_both(tmp_path: Path) -> None:
    folder = written(tmp_path / "in", en=ENGLISH, de=GERMAN[:2])
    with pytest.raises(
        InvalidValue, match=r"text.en.txt: 5 lines; text.de.txt: 2 lines"
    ):
        pairs(folder, tmp_path / "work", [])


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("ep.de.gz", "de"), ("en.txt", "en"), ("news_german.txt", "de"),
        ("corpus-fr", "fr"), ("README", ""), ("ep.ids.gz", ""),
    ],
)  # fmt: skip
def test_languages_are_read_from_names(name: str, language: str) -> None:
    assert text_files.language_of(name) == language


def test_what_is_no_parallel_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match=r"English text .* found: de"):
        text_files.files_of([written(tmp_path / "in", de=GERMAN)])
    with pytest.raises(InvalidValue, match="no such file"):
        text_files.files_of([tmp_path / "en.txt", tmp_path / "de.txt"])
    twice = written(tmp_path / "two", en=ENGLISH, de=GERMAN)
    (twice / "other.de.txt").write_text("x", "utf-8")
    with pytest.raises(InvalidValue, match="is de, too"):
        text_files.files_of([twice])
    assert main(["pivot", "build", "--out", str(tmp_path / "t")]) != 0
