"""Large text parsed in pieces: nothing made twice, and no half of one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core.__main__ import main
from core.errors import InvalidValue
from core.pivoting.bitext import Bitext, BitextPair, parses_of, write_pairs
from core.pivoting.commands import parse
from tests import small_pcfg
from tests.running import ROOT

TEXTS = ("the dog met John", "a cat saw the dog", "Mary slept", "she saw a garden")


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "SIZE", 3)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    small_pcfg.written(folder / "small")
    return folder


def text(path: Path, n: int) -> Path:
    """Pairs whose sources come twice each."""
    rows = (
        BitextPair(k, "made", f"{TEXTS[k // 2 % 4]} near garden {k // 2}", TEXTS[k % 4])
        for k in range(n)
    )
    write_pairs(path, rows)
    return path


def run(models: Path, out: Path, *files: Path, trees: int = 1) -> None:
    words = ["pivot", "parse", "--engine", "small", "--models", str(models)]
    words += ["--in", *map(str, files), "--out", str(out), "--json"]
    words += ["--trees", str(trees)]
    assert main(words) == 0


def test_each_sentence_is_parsed_once_in_the_order_of_the_text(
    models: Path, tmp_path: Path
) -> None:
    one, other = text(tmp_path / "one.parquet", 8), text(tmp_path / "two.parquet", 12)
    run(models, tmp_path / "out", one, other)
    rows = list(parses_of(tmp_path / "out" / "parses.parquet"))
    assert [row.source for row in rows] == list(Bitext(other).sources())
    assert {row.tree[:3] for row in rows if row.tree} == {"(S "}


def test_several_trees_have_their_share_of_the_forest(
    models: Path, tmp_path: Path
) -> None:
    path = tmp_path / "pairs.parquet"
    ambiguous = "she saw a dog in the garden"
    write_pairs(path, [BitextPair(0, "a", ambiguous, TEXTS[0])])
    run(models, tmp_path / "one", path)
    run(models, tmp_path / "several", path, trees=9)
    (best,) = parses_of(tmp_path / "one" / "parses.parquet")
    rows = list(parses_of(tmp_path / "several" / "parses.parquet"))
    assert best.tree in [row.tree for row in rows]
    shares = [row.p for row in rows]
    assert len(shares) == len({row.tree for row in rows}) == 2
    assert shares == sorted(shares, reverse=True)
    assert min(shares) >= 0.01
    assert 0.5 < sum(shares) < 1  # what is left is of trees below .01


def test_what_is_there_is_not_made_again_when_text_grows(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    run(models, out, text(tmp_path / "one.parquet", 12))
    assert json.loads(capsys.readouterr().out)["made"] == 2
    run(models, out, text(tmp_path / "one.parquet", 18))
    report = json.loads(capsys.readouterr().out)
    assert (report["pieces"], report["made"]) == (3, 1)


def test_a_run_that_was_killed_goes_on_and_leaves_no_half(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = text(tmp_path / "one.parquet", 30), tmp_path / "killed"
    run(models, tmp_path / "whole", path)
    words = """
import os, sys
from core.__main__ import main
from core.pivoting import bitext
from core.pivoting.commands import parse
parse.SIZE, replace, made = 3, os.replace, []
def killed(*paths):  # at the second piece, between writing and renaming
    made.append(paths)
    os.kill(os.getpid(), 9) if len(made) == 2 else replace(*paths)
bitext.os.replace = killed
main(sys.argv[1:])
"""
    given = ["pivot", "parse", "--engine", "small", "--models", str(models)]
    given += ["--in", str(path), "--out", str(out)]
    done = subprocess.run(
        [sys.executable, "-c", words, *given], cwd=ROOT, timeout=300, check=False
    )
    assert done.returncode == -9
    assert len(list((out / "pieces").glob("*.parquet"))) == 1
    run(models, out, path)
    assert (out / "parses.parquet").read_bytes() == (
        tmp_path / "whole" / "parses.parquet"
    ).read_bytes()
    assert not list(out.rglob(".writing-*"))


def test_files_without_rows_are_refused(models: Path, tmp_path: Path) -> None:
    write_pairs(tmp_path / "none.parquet", [])
    options = {"engine": "small", "models": models, "trees": 1, "out": tmp_path}
    with pytest.raises(InvalidValue, match="no rows"):
        parse.run({**options, "files": [tmp_path / "none.parquet"]}, print)
