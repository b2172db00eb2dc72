"""Ways to align words, and weights that are fitted, by command."""

import json
from pathlib import Path
from typing import Any

from lab.__main__ import main
from tests.annotator.commands import test_words_command

pairs = test_words_command.pairs
GIVEN = ("--format", "jacana", "--json")


def run(lab: Any, models: Path, *options: object) -> dict[str, Any]:
    given = ("--engine", "small", "--models", models, *options)
    scores: dict[str, Any] = json.loads(lab("evaluate", "words", *given, *GIVEN))
    return scores


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
