"""Callison-Burch's counts next to the paper's, on a small table."""

import gzip
import json
from pathlib import Path

from core.__main__ import main as engine
from lab.reproduce.callison_burch2008 import PAPER
from tests.core.pivoting import small_bitext


def lab_table(pairs: list[Path], parses: Path, out: Path) -> None:
    given = ["--bitext", *pairs, "--parses", parses, "--out", out, "--buckets", 1]
    assert engine([str(word) for word in ["pivot", "build", *given]]) == 0


def test_the_papers_counts_stand_beside_ours(tmp_path: Path, lab) -> None:
    pairs = [source.pairs for source in small_bitext.sources(tmp_path)]
    table, parses = tmp_path / "table", tmp_path / "parses.parquet"
    lab_table(pairs, parses, table)
    news = tmp_path / "wmt-newstest" / "newstest2008.en.gz"
    news.parent.mkdir()
    with gzip.open(news, "wt", encoding="utf-8") as file:
        file.write("The old sea is calm.\nWe like the old boat.\n")
    given = ["reproduce", "callison-burch2008", "--data", tmp_path, "--table", table]
    counts = json.loads(lab(*given, "--json"))
    ours = counts["ours"]
    assert counts["paper"] == json.loads(json.dumps(PAPER))
    assert ours["places"] >= ours["covered"]["baseline"] > 0
    assert ours["paraphrasable"]["baseline"] >= ours["paraphrasable"]["ccg"] > 0
    shown = lab(*given)
    assert "3,700,000" in shown
    assert "table 6 as published" in shown
