"""Ways to link phrases, and weights that are fitted, by command."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.phrase_alignment.aligner import PhraseAligner
from lab.__main__ import main
from lab.evaluation.commands.fit_phrases import RANGES
from tests.annotator.commands import test_align_command

SOURCE = test_align_command.SOURCE
pairs = test_align_command.pairs
WA = """<sentence id="1" status="">
<source>
1 the : 
2 dog : 
3 saw : 
4 Mary : 
</source>
<translation>
1 a : 
2 dog : 
3 saw : 
4 Mary : 
</translation>
<alignment>
1 2 <==> 1 2 // EQUI // 5 // the dog <==> a dog
3 <==> 3 // EQUI // 5 // saw <==> saw
4 <==> 4 // EQUI // 5 // Mary <==> Mary
</alignment>
</sentence>
"""


@pytest.fixture
def small(small_models: Path) -> tuple[object, ...]:
    """The options that name the small parser."""
    return "--engine", "small", "--models", small_models


def evaluate(lab: Any, small: Any, path: Path, method: str) -> dict[str, Any]:
    given = ("--pairs", path, "--method", method, *small, "--json")
    scores: dict[str, Any] = json.loads(lab("evaluate", "alignment", *given))
    return scores


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """What the command says when it cannot run."""
    capsys.readouterr()
    assert main([str(word) for word in words]) == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    "method", ["gold-trees", "overlap", "no-em", "monotonic", "no-crossing"]
)
def test_the_same_sentence_is_aligned_by_all_methods(
    lab, small, pairs, method: str
) -> None:
    scores = evaluate(lab, small, pairs, method)
    assert scores["pairs"] == 3
    assert scores["reachability"] == 1.0
    assert scores["multiword"]["recall"] == 1.0
    assert (scores["sure"]["links"] > 0) == (method != "overlap")


def test_recall_counts_what_two_annotators_both_linked(lab, small, pairs) -> None:
    scores = evaluate(lab, small, pairs, "overlap")
    # One "a" for "the" is not found: 5 of 6, 5 of 6 and 6 of 7 links.
    assert 0.8 < scores["recall"] < 0.9
    assert scores["precision"] == 1.0


@pytest.mark.parametrize("method", ["forest", "overlap", "no-em"])
def test_given_chunks_are_linked_and_scored(
    lab, small, tmp_path: Path, method: str
) -> None:
    path = tmp_path / "talk.wa"
    path.write_text(WA)
    scores = evaluate(lab, small, path, method)
    assert (scores["pairs"], scores["f1"]) == (1, 1.0)


def test_a_file_of_chunks_is_refused_in_words(small, tmp_path: Path, capsys) -> None:
    path = tmp_path / "talk.wa"

    def said(method: str = "forest") -> str:
        given = ("--pairs", path, "--method", method, *small)
        return refused(capsys, "evaluate", "alignment", *given)

    assert "talk.wa: No such file" in said()
    path.write_text(WA.replace("4 Mary", "5 Mary", 1))
    assert "talk.wa: line 6, column 1: token 4" in said()
    path.write_bytes(WA.replace("Mary", "Zoë").encode("latin-1"))
    assert "save the text as UTF-8" in said()
    path.write_text("\n")
    assert "it has no pairs" in said()
    assert "no gold trees in it" in said("gold-trees")


def test_weights_that_are_not_there_are_named(
    small, pairs, tmp_path: Path, capsys
) -> None:
    for text in (None, "{}"):
        path = tmp_path / "em.json"
        if text:
            path.write_text(text)
        given = ("--pairs", pairs, "--em", path, *small)
        assert "em.json: " in refused(capsys, "evaluate", "alignment", *given)


@pytest.mark.usefixtures("thesaurus")
def test_tuning_goes_on_and_says_what_it_is_worth(
    small, pairs, tmp_path, capsys
) -> None:
    kept = tmp_path / "study.db"

    def tune(n: int) -> tuple[int, dict[str, Any]]:
        given = [*f"--tune {n} --folds 3 --json".split(), *map(str, small)]
        fit = ["fit", "phrases", "--pairs", str(pairs), "--study", str(kept), *given]
        capsys.readouterr()
        assert main(fit) == 0
        written = capsys.readouterr()
        return written.err.count("trial "), json.loads(written.out)

    n_first, first = tune(2)
    n_second, second = tune(3)
    assert (n_first, n_second) == (2, 1)
    assert second["trials"] == 3
    assert second["f1_now"] == first["f1_now"] <= second["f1_best"]
    assert set(second["numbers"]) == set(RANGES)


@pytest.mark.usefixtures("thesaurus")
def test_weights_fitted_anew_keep_the_settings_and_name_the_parser(
    lab,
    pairs,
    tmp_path: Path,
) -> None:
    out = tmp_path / "phrases.json"
    lab("fit", "phrases", "--pairs", pairs, "--out", out)
    made, shipped = PhraseAligner.load(out), PhraseAligner.load()
    assert made.settings == shipped.settings
    assert made.facts["vectors"] == shipped.facts["vectors"]


def test_phrases_of_a_treebank_take_weights_of_another(tmp_path, capsys) -> None:
    other = tmp_path / "other.xml"
    assert "other" in refused(capsys, "fit", "phrases", "--pairs", other)


def test_a_pair_tells_which_tree_of_the_source_is_right(
    lab, small, tmp_path, capsys
) -> None:
    (tmp_path / "art.tree").write_text(SOURCE + "\n")
    header = "corpus\tsent_id\tsource\tparaphrase\toperations\n"
    rows = "toy\tart:1\ta dog saw Mary\tMary saw a dog\tlex\n"
    file = tmp_path / "pairs.tsv"
    file.write_text(header + rows + rows.replace("art:1", "art:9"))
    given = ("evaluate", "alignment", "--pairs", file, *small)
    scores = json.loads(lab(*given, "--gold", tmp_path / "art.tree", "--json"))
    assert (scores["sentences"], scores["without_gold_tree"]) == (1, 1)
    assert scores["toy"]["f1_after"] == scores["f1_after"]
    assert "no source has a gold tree" in refused(capsys, *given)
