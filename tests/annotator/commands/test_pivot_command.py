"""``pivot`` and what measures its tables, as ``manage.py`` has them."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core.pivoting.language_model import train, write_arpa
from core.pivoting.table import open_table
from core.pivoting.weighting import JudgedSubstitute, candidates, fit_weights
from tests.core.pivoting import small_bitext
from tests.core.pivoting.test_weighting import sites


def answer(*words: object) -> str:
    out = StringIO()
    call_command(*map(str, words), stdout=out, stderr=StringIO())
    return out.getvalue()


def told(*words: object) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(answer(*words, "--json"))
    return report


@pytest.fixture
def table(tmp_path: Path) -> Path:
    pairs = [source.pairs for source in small_bitext.sources(tmp_path)]
    out, parses = tmp_path / "table", tmp_path / "parses.parquet"
    given = ["--bitext", *pairs, "--parses", parses, "--out", out, "--buckets", 1]
    assert told("pivot", "build", *given)["phrases"] > 10
    return out


def test_a_table_is_built_and_asked(table: Path, tmp_path: Path) -> None:
    lookup = told("pivot", "lookup", "--table", table, "calm")
    assert [one["text"] for one in lookup["paraphrases"]] == ["quiet"]
    assert "quiet" in answer("pivot", "lookup", "--table", table, "calm")
    trees, model = tmp_path / "trees.mrg", tmp_path / "english.arpa"
    trees.write_text("\n".join(small_bitext.TREES), encoding="utf-8")
    english = [small_bitext.english(at).lower().split() for at in range(6)]
    write_arpa(train(english * 3), model)
    given = ["--table", table, "--tree", trees, "--lm", model, "old"]
    rows = told("pivot", "substitute", *given)["substitutes"]
    assert len({row["condition"] for row in rows}) == 8
    given = ["--table", table, "--trees", trees, "--lm", model, "--phrases", 20]
    made = told("pivot", "items", *given, "--out", tmp_path / "items.tsv")
    assert made["covered"]["averaged+lm"] > 0
    assert (tmp_path / "items.tsv").read_text().count("\n") == made["items"] + 1
    with pytest.raises(CommandError, match="not a paraphrase table"):
        answer("pivot", "lookup", "--table", tmp_path, "calm")


def test_fitted_weights_are_a_ninth_condition(table: Path, tmp_path: Path) -> None:
    opened = open_table(table)
    judged = [
        JudgedSubstitute(site, one.text, 1 / (1 + len(one.text)))
        for site in sites(opened)
        for one in candidates(opened, site)
    ]
    weights, trees = tmp_path / "weights.json", tmp_path / "trees.mrg"
    weights.write_text(json.dumps(fit_weights(opened, judged).to_json()))
    trees.write_text("\n".join(small_bitext.TREES), encoding="utf-8")
    given = ["--table", table, "--weights", weights]
    (best,) = told("pivot", "lookup", *given, "calm")["paraphrases"]
    assert best["text"] == "quiet"
    rows = told("pivot", "substitute", *given, "--tree", trees, "old")["substitutes"]
    assert rows[-1]["condition"] == "weighted"
    assert len({row["condition"] for row in rows}) > 1
    one = ["--condition", "weighted", "--tree", trees, "old"]
    assert told("pivot", "substitute", *given, *one)["substitutes"] == rows[-1:]
    made = told("pivot", "items", *given, "--trees", trees, "--phrases", 20)
    assert made["covered"]["weighted"] > 0
    with pytest.raises(CommandError, match="give --weights"):
        answer("pivot", "substitute", "--table", table, *one)
    weights.write_text("{}")
    with pytest.raises(CommandError, match=r"weights\.json: not weights"):
        answer("pivot", "lookup", *given, "calm")
