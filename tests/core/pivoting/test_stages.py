"""Large text in pieces: the same rows whoever made them, and nothing made twice."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core.__main__ import main
from core.errors import InvalidValue
from core.pivoting import stages
from core.pivoting.bitext import Bitext, BitextPair, parses_of, write_pairs
from core.pivoting.stages import StageOrder
from tests import small_pcfg
from tests.running import ROOT

TEXTS = ("the dog met John", "a cat saw the dog", "Mary slept", "she saw a garden")


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "SIZE", 3)


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


def run(
    models: Path,
    out: Path,
    *files: Path,
    stage: str = "parse",
    trees: int = 1,
) -> None:
    words = ["corpus", "run", stage, "--engine", "small", "--models", str(models)]
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


def test_pairs_keep_their_rows_and_get_links(models: Path, tmp_path: Path) -> None:
    path = tmp_path / "pairs.parquet"
    long = " ".join(["the"] * 41)
    rows = [BitextPair(3, "a", TEXTS[0], TEXTS[0]), BitextPair(7, "a", long, TEXTS[1])]
    write_pairs(path, rows)
    run(models, tmp_path / "out", path, stage="align")
    first, second = Bitext(tmp_path / "out" / "pairs.parquet").pairs()
    assert (first.pair_id, first.links) == (3, "0-0 1-1 2-2 3-3")
    assert (second.pair_id, second.links) == (7, None)


def test_what_is_there_is_not_made_again_when_text_grows(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    run(models, out, text(tmp_path / "one.parquet", 12))
    assert json.loads(capsys.readouterr().out)["made"] == 2
    run(models, out, text(tmp_path / "one.parquet", 18))
    report = json.loads(capsys.readouterr().out)
    assert (report["pieces"], report["made"]) == (3, 1)


def order_of(models: Path, out: Path) -> StageOrder:
    return StageOrder("parse", "small", str(models), str(out / "pieces"))


def test_pieces_made_in_any_order_by_anybody_give_the_same_file(
    models: Path, tmp_path: Path
) -> None:
    path = text(tmp_path / "one.parquet", 30)
    run(models, tmp_path / "here", path)
    out = tmp_path / "there"
    order = order_of(models, out)
    planned = stages.plan(order, [path])
    for key in sorted(planned["parses.parquet"]) * 2:
        stages.do(order, key)
    stages.finish(order, planned, out)
    assert same(tmp_path / "here", out)


def same(one: Path, other: Path) -> bool:
    names = ("parses.parquet",)
    return all((one / n).read_bytes() == (other / n).read_bytes() for n in names)


def test_a_run_that_was_killed_goes_on_and_leaves_no_half(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = text(tmp_path / "one.parquet", 30), tmp_path / "killed"
    run(models, tmp_path / "whole", path)
    words = """
import os, sys
from pathlib import Path
from core.pivoting import bitext
from core.pivoting import stages as pieces
pieces.SIZE = 3
order = pieces.StageOrder("parse", "small", sys.argv[1], sys.argv[2])
keys = pieces.plan(order, [Path(sys.argv[3])])["parses.parquet"]
pieces.do(order, keys[0])
bitext.os.replace = lambda *_: os.kill(os.getpid(), 9)  # between writing and renaming
pieces.do(order, keys[1])
"""
    given = [str(models), str(out / "pieces"), str(path)]
    done = subprocess.run(
        [sys.executable, "-c", words, *given], cwd=ROOT, timeout=300, check=False
    )
    assert done.returncode == -9
    made = list((out / "pieces" / "done").glob("*.parquet"))
    assert len(made) == 1
    run(models, out, path)
    assert same(tmp_path / "whole", out)
    assert not list(out.rglob(".writing-*"))


def test_files_without_rows_are_refused(models: Path, tmp_path: Path) -> None:
    write_pairs(tmp_path / "none.parquet", [])
    with pytest.raises(InvalidValue, match="no rows"):
        stages.plan(order_of(models, tmp_path), [tmp_path / "none.parquet"])
