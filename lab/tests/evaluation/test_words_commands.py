"""Ways to align words, and weights that are fitted, by command."""

import json
from pathlib import Path
from typing import Any

import pytest

from lab.__main__ import main

NOUNS = ["nurse", "cook", "king", "baker", "pilot", "judge", "farmer", "singer"]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    rows = []
    for at, noun in enumerate(NOUNS):
        source = f"the old {noun} opened a window on Monday ."
        target = f"on Monday the old {noun} opened a window ."
        links = "0-2 1-3 2-4 3-5 4-6 5-7 6-0 7-1 8-8"
        rows.append({"id": at, "source": source, "target": target, "sureAlign": links})
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(rows))
    return path


GIVEN = ("--format", "jacana", "--json")


def run(lab: Any, models: Path, *options: object) -> dict[str, Any]:
    given = ("--engine", "small", "--models", models, *options)
    scores: dict[str, Any] = json.loads(lab("evaluate", "words", *given, *GIVEN))
    return scores


@pytest.mark.parametrize("links", ["one", "many"])
def test_reordered_sentences_are_aligned(
    lab, small_models, pairs: Path, links: str
) -> None:
    given = ("--pairs", pairs, "--links", links, "--no-wordnet")
    scores = run(lab, small_models, *given)
    assert scores["f1"] > 0.95
    assert scores["aer"] == pytest.approx(1 - scores["f1"])
    assert (scores["pairs"], scores["gold_links"]) == (8, 72)
    assert scores["wordnet"] is False
    assert scores["pairs_per_second"] > 0


def test_bad_files_are_named(small_models, tmp_path: Path, capsys) -> None:
    path = tmp_path / "bad.json"
    path.write_text('[{"source": "a", "target": "b", "sureAlign": "0-9"}]')
    given = f"--pairs {path} --format jacana --engine small --models {small_models}"
    assert main(["evaluate", "words", *given.split()]) == 2
    assert "bad.json, line 1: link 0-9" in capsys.readouterr().err


def test_methods_without_training_are_there_to_compare(
    lab, small_models, pairs
) -> None:
    assert run(lab, small_models, "--pairs", pairs, "--method", "lexical")["f1"] > 0.9
    # A PCFG has no vectors.
    assert run(lab, small_models, "--pairs", pairs, "--method", "cosine")["links"] == 0


def test_cross_validation_fits_weights_for_every_pair(lab, small_models, pairs) -> None:
    given = ("--folds", 2, "--method", "plain", "--no-wordnet")
    scores = run(lab, small_models, "--pairs", pairs, *given)
    assert scores["weights"] == "fitted here, 2 folds"
    assert scores["f1"] > 0.8


def test_a_fit_without_vectors_says_what_it_needs(
    small_models,
    pairs,
    tmp_path: Path,
    capsys,
) -> None:
    for at in (0, 1):
        (tmp_path / f"text.{at}").write_text(f"a b c d e f g h {at}\n")
    out, text = tmp_path / "words.json", tmp_path / "text"
    given = f"--pairs {pairs} --paraphrases {text} --out {out}".split()
    given += ["--engine", "small", "--models", str(small_models)]
    assert main(["fit", "words", *given]) == 2
    assert "vectors" in capsys.readouterr().err
    assert not out.exists()
