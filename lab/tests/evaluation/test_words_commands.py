"""Ways to align words, and weights that are fitted, by command."""

import json
from pathlib import Path
from typing import Any

import pytest

from lab.__main__ import main
from tests.annotator.commands import test_words_command

pairs = test_words_command.pairs
pytestmark = pytest.mark.usefixtures("small_parser")
GIVEN = ("--engine", "small", "--format", "jacana", "--json")


def run(lab: Any, *options: object) -> dict[str, Any]:
    scores: dict[str, Any] = json.loads(lab("evaluate", "words", *options, *GIVEN))
    return scores


def test_methods_without_training_are_there_to_compare(lab, pairs) -> None:
    assert run(lab, "--pairs", pairs, "--method", "lexical")["f1"] > 0.9
    # A PCFG has no vectors.
    assert run(lab, "--pairs", pairs, "--method", "cosine")["links"] == 0


def test_cross_validation_fits_weights_for_every_pair(lab, pairs) -> None:
    given = ("--folds", 2, "--method", "plain", "--no-wordnet")
    scores = run(lab, "--pairs", pairs, *given)
    assert scores["weights"] == "fitted here, 2 folds"
    assert scores["f1"] > 0.8


def test_a_fit_without_vectors_says_what_it_needs(
    pairs,
    tmp_path: Path,
    capsys,
) -> None:
    for at in (0, 1):
        (tmp_path / f"text.{at}").write_text(f"a b c d e f g h {at}\n")
    out, text = tmp_path / "words.json", tmp_path / "text"
    given = f"--pairs {pairs} --paraphrases {text} --engine small --out {out}".split()
    assert main(["fit", "words", *given]) == 2
    assert "vectors" in capsys.readouterr().err
    assert not out.exists()
