"""``evaluate alignment`` on a file of our own."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core.evaluation.commands.fit_phrases import RANGES
from core.phrase_alignment.aligner import PhraseAligner

pytestmark = pytest.mark.usefixtures("small_parser")
SOURCE = "(S (NP (DT a) (NN dog)) (VP (VBD saw) (NP (NNP Mary))))"
TARGET = "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (NNP Mary))))"
NOUNS = ("dog", "man", "telescope")  # pairs that share a sentence stay in one fold
LINKS = [[n, n] for n in range(7)]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    rows = [
        {
            "id": str(at),
            "source_tree": SOURCE.replace("dog", noun),
            "paraphrase_tree": TARGET.replace("dog", noun),
            "links": {"A": LINKS, "B": LINKS, "C": LINKS[:-1]},
        }
        for at, noun in enumerate(NOUNS)
    ]
    path = tmp_path / "dev.json"
    path.write_text(json.dumps(rows))
    return path


def evaluate(path: Path, method: str) -> dict[str, Any]:
    out = StringIO()
    call_command(
        "evaluate",
        "alignment",
        pairs=path,
        method=method,
        engine="small",
        json=True,
        stdout=out,
    )
    scores: dict[str, Any] = json.loads(out.getvalue())
    return scores


@pytest.mark.parametrize(
    "method", ["gold-trees", "overlap", "no-em", "monotonic", "no-crossing"]
)
def test_the_same_sentence_is_aligned_by_all_methods(pairs: Path, method: str) -> None:
    scores = evaluate(pairs, method)
    assert scores["pairs"] == 3
    assert scores["reachability"] == 1.0
    assert scores["multiword"]["recall"] == 1.0
    assert scores["human_recall"] == pytest.approx((1 + 1 + 6 / 7) / 3)
    assert scores["human_precision"] == 1.0
    assert (scores["sure"]["links"] > 0) == (method != "overlap")


def test_a_folder_of_spade_is_evaluated_pair_by_pair(tmp_path: Path) -> None:
    tree = (
        '<sentence id="x"><cons id="c0" cat="S" pa1="c0" pa2="c0" pa3="c0">'
        '<cons id="c1" cat="NP" pa1="c1" pa2="c1" pa3="-1"><tok id="t0" pos="NNP">'
        'Mary</tok></cons><cons id="c2" cat="VP" pa1="c2" pa2="c2" pa3="c2">'
        '<tok id="t1" pos="VBD">slept</tok></cons></cons></sentence>'
    )
    for name in ("s-001", "t-001", "dev-s-002", "dev-t-002"):
        (tmp_path / f"{name}.xml").write_text(tree)
    scores = evaluate(tmp_path, "gold-trees")
    assert (scores["pairs"], scores["recall"]) == (2, 1.0)
    (tmp_path / "t-001.xml").write_bytes(b"\xff" + tree.encode())
    with pytest.raises(CommandError, match="UTF-8"):
        evaluate(tmp_path, "gold-trees")
    (tmp_path / "t-001.xml").unlink()
    with pytest.raises(CommandError, match=r"t-001\.xml: No such file"):
        evaluate(tmp_path, "gold-trees")


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


@pytest.mark.parametrize("method", ["forest", "overlap", "no-em"])
def test_given_chunks_are_linked_and_scored(tmp_path: Path, method: str) -> None:
    path = tmp_path / "talk.wa"
    path.write_text(WA)
    scores = evaluate(path, method)
    assert (scores["pairs"], scores["f1"]) == (1, 1.0)


def test_a_file_of_chunks_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "talk.wa"
    with pytest.raises(CommandError, match=r"talk\.wa: No such file"):
        evaluate(path, "forest")
    path.write_text(WA.replace("4 Mary", "5 Mary", 1))
    with pytest.raises(CommandError, match=r"talk\.wa: line 6, column 1: token 4"):
        evaluate(path, "forest")
    path.write_bytes(WA.replace("Mary", "Zoë").encode("latin-1"))
    with pytest.raises(CommandError, match="save the text as UTF-8"):
        evaluate(path, "forest")
    path.write_text("\n")
    with pytest.raises(CommandError, match="it has no pairs"):
        evaluate(path, "forest")
    with pytest.raises(CommandError, match="no gold trees in it"):
        evaluate(path, "gold-trees")


def test_weights_that_are_not_there_are_named(pairs: Path, tmp_path: Path) -> None:
    for text in (None, "{}"):
        path = tmp_path / "em.json"
        if text:
            path.write_text(text)
        with pytest.raises(CommandError, match=r"em\.json: "):
            call_command("evaluate", "alignment", pairs=pairs, em=path, engine="small")


def test_recall_counts_what_two_annotators_both_linked(pairs: Path) -> None:
    scores = evaluate(pairs, "overlap")
    # One "a" for "the" is not found: 5 of 6, 5 of 6 and 6 of 7 links.
    assert 0.8 < scores["recall"] < 0.9
    assert scores["precision"] == 1.0


def test_a_link_to_no_node_is_refused_with_its_pair(tmp_path: Path) -> None:
    row = {"id": "x7", "source_tree": SOURCE, "paraphrase_tree": TARGET}
    path = tmp_path / "bad.json"
    path.write_text(json.dumps([row | {"links": {"A": [[0, 40]]}}]))
    with pytest.raises(CommandError, match="x7"):
        evaluate(path, "gold-trees")
    path.write_text(json.dumps([row]))
    with pytest.raises(CommandError, match=r"bad\.json: pair 1"):
        evaluate(path, "gold-trees")


@pytest.mark.usefixtures("thesaurus")
def test_tuning_goes_on_and_says_what_it_is_worth(pairs: Path, tmp_path: Path) -> None:
    kept = tmp_path / "study.db"

    def tune(n: int) -> tuple[int, dict[str, Any]]:
        out, told = StringIO(), StringIO()
        call_command(
            "fit",
            "phrases",
            pairs=[pairs],
            tune=n,
            study=kept,
            folds=3,
            engine="small",
            json=True,
            stdout=out,
            stderr=told,
        )
        return told.getvalue().count("trial "), json.loads(out.getvalue())

    n_first, first = tune(2)
    n_second, second = tune(3)
    assert (n_first, n_second) == (2, 1)
    assert second["trials"] == 3
    assert second["f1_now"] == first["f1_now"] <= second["f1_best"]
    assert set(second["numbers"]) == set(RANGES)


@pytest.mark.usefixtures("thesaurus")
def test_weights_fitted_anew_keep_the_settings_and_name_the_parser(
    pairs: Path, tmp_path: Path
) -> None:
    out = tmp_path / "phrases.json"
    call_command("fit", "phrases", pairs=[pairs], out=out, stdout=StringIO())
    made, shipped = PhraseAligner.load(out), PhraseAligner.load()
    assert made.settings == shipped.settings
    assert made.facts["vectors"] == shipped.facts["vectors"]


def test_phrases_of_a_treebank_take_weights_of_another(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="other"):
        call_command("fit", "phrases", pairs=[tmp_path / "other.xml"])


def test_a_pair_tells_which_tree_of_the_source_is_right(tmp_path: Path) -> None:
    (tmp_path / "art.tree").write_text(SOURCE + "\n")
    header = "corpus\tsent_id\tsource\tparaphrase\toperations\n"
    rows = "toy\tart:1\ta dog saw Mary\tMary saw a dog\tlex\n"
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text(header + rows + rows.replace("art:1", "art:9"))
    out = StringIO()
    call_command(
        "evaluate",
        "alignment",
        pairs=pairs,
        gold=[tmp_path / "art.tree"],
        engine="small",
        json=True,
        stdout=out,
    )
    scores = json.loads(out.getvalue())
    assert (scores["sentences"], scores["without_gold_tree"]) == (1, 1)
    assert scores["toy"]["f1_after"] == scores["f1_after"]
    with pytest.raises(CommandError, match="no source has a gold tree"):
        call_command("evaluate", "alignment", pairs=pairs, engine="small")
