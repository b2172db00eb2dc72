"""Every command of the engine says in one line what it cannot read of a file."""

import argparse
import gzip
import io
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.__main__ import main
from core.commands.catalogue import ENGINE
from tests import small_pcfg

COMMANDS = [(group, what) for group, them in ENGINE.groups.items() for what in them]


def _zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x", b"\xff")


KINDS: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: None,
    "folder": Path.mkdir,
    "empty": Path.touch,
    "latin-1": lambda path: path.write_bytes("a\tb\nGröße\tc\n".encode("latin-1")),
    "text": lambda path: path.write_text("no tree, no table, no JSON\n" * 3),
    "binary": lambda path: path.write_bytes(bytes(range(256)) * 9),
    "cut gzip": lambda path: path.write_bytes(gzip.compress(b"a b c\n" * 99)[:-9]),
    "zip": _zip,
    "half JSON": lambda path: path.write_text('[{"a":\n 1,'),
    "other JSON": lambda path: path.write_text('[{"a": 1}, 3, null, "x"]'),
    "JSON object": lambda path: path.write_text('{"version": 1, "pairs": 3}'),
    "cut parquet": lambda path: path.write_bytes(b"PAR1" + b"\0" * 60 + b"PAR1"),
}
SUFFIXES = ("", ".gz", ".json", ".xml", ".tsv", ".parquet", ".wa")


def _given(group: str, what: str, file: Path, out: Path) -> list[str]:
    """The command with this file for every file that it needs."""
    parser = argparse.ArgumentParser()
    ENGINE.module_of(group, what).add_arguments(parser)
    words = [group, what]
    for action in parser._actions:
        needed = action.required or not action.option_strings
        if not needed and action.dest not in ("ptb", "gold"):
            continue
        is_out = action.dest == "out"
        value = str(out if is_out else file) if action.type is Path else "x"
        if action.choices:
            value = str(next(iter(action.choices)))
        words += [*action.option_strings[:1], value]
    if "--out" in parser.format_help() and "--out" not in words:
        words += ["--out", str(out)]
    return words


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for kind, make in KINDS.items():
        for suffix in SUFFIXES:
            file = folder / f"{kind.replace(' ', '-')}{suffix}"
            make(file)
            yield f"{kind}{suffix}", file


@pytest.mark.parametrize(("group", "what"), COMMANDS)
def test_a_file_that_cannot_be_read_is_one_line_of_words(
    group: str, what: str, tmp_path: Path, capsys, monkeypatch
) -> None:
    wrong = {}
    for name, file in _files(tmp_path):
        words = _given(group, what, file, tmp_path / "out")
        given = io.TextIOWrapper(io.BytesIO(b"(S (NN x))\n"))
        monkeypatch.setattr(sys, "stdin", given)
        try:
            status = main(words)
        except Exception as error:  # noqa: BLE001 - each is a fault, named at the end
            wrong[name] = f"{type(error).__name__}: {error}"[:160]
            continue
        told = [
            line for line in capsys.readouterr().err.splitlines() if "gemel: " in line
        ]
        if status != 2 or len(told) != 1:
            wrong[name] = f"status {status}, {told}"
    assert not wrong, "\n".join(f"{name}: {fault}" for name, fault in wrong.items())


def test_the_first_byte_that_is_not_utf_8_is_named_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wanted.txt"
    path.write_bytes(b"one\nGr\xc3\xb6\xdfe\n")
    bitext = tmp_path / "pairs.parquet"
    bitext.write_bytes(b"PAR1")
    words = ["pivot", "build", "--bitext", str(bitext), "--wanted", str(path)]
    assert main([*words, "--out", str(tmp_path / "table")]) == 2
    assert capsys.readouterr().err == (
        f"gemel: {path}: line 2, column 4: byte 0xDF is not UTF-8 "
        "(save the text as UTF-8)\n"
    )


def test_text_given_as_parquet_is_named_with_what_to_give(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "en.txt"
    text.write_text("It rained.\n")
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "a.parquet").write_text("It rained.\n")
    for path, named in ((text, text), (folder, folder / "a.parquet")):
        words = ["pivot", "build", "--bitext", str(path)]
        assert main([*words, "--out", str(tmp_path / "table")]) == 2
        told = capsys.readouterr().err
        assert told.startswith(f"gemel: {named}: line 1: not a Parquet file (")
        assert "docs/methods.md" in told


def _engine(*words: str, given: bytes) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "core", *words]
    return subprocess.run(command, input=given, capture_output=True, check=False)


def test_a_line_of_standard_input_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    small = str(small_pcfg.written(tmp_path / "small"))
    done = _engine("parse", "--engine", small, given=b"She slept.\nA caf\xe9.\n")
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "gemel: standard input: line 2, column 6: byte 0xE9 is not UTF-8 "
        "(save the text as UTF-8)\n"
    )


def test_a_program_that_stops_reading_is_no_fault(tmp_path: Path) -> None:
    small = str(small_pcfg.written(tmp_path / "small"))
    command = f"{sys.executable} -m core parse --engine {small} | head -n 1"
    done = subprocess.run(
        ["/bin/bash", "-c", f"set -o pipefail; {command}"],
        input=b"She slept.\n" * 20_000,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
