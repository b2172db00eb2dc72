"""``evaluate alignment`` on a file of our own."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

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


def evaluate(path: Path, trees: str = "gold") -> dict[str, Any]:
    out = StringIO()
    call_command(
        "evaluate",
        "alignment",
        pairs=path,
        trees=trees,
        engine="small",
        json=True,
        stdout=out,
    )
    scores: dict[str, Any] = json.loads(out.getvalue())
    return scores


@pytest.mark.parametrize("trees", ["gold", "one-best", "forest"])
def test_the_same_sentence_is_aligned_over_all_trees(pairs: Path, trees: str) -> None:
    scores = evaluate(pairs, trees)
    assert scores["pairs"] == 3
    assert scores["reachability"] == 1.0
    assert scores["multiword"]["recall"] == 1.0
    assert scores["human_recall"] == pytest.approx((1 + 1 + 6 / 7) / 3)
    assert scores["human_precision"] == 1.0


def test_a_folder_of_spade_is_evaluated_pair_by_pair(tmp_path: Path) -> None:
    tree = (
        '<sentence id="x"><cons id="c0" cat="S" pa1="c0" pa2="c0" pa3="c0">'
        '<cons id="c1" cat="NP" pa1="c1" pa2="c1" pa3="-1"><tok id="t0" pos="NNP">'
        'Mary</tok></cons><cons id="c2" cat="VP" pa1="c2" pa2="c2" pa3="c2">'
        '<tok id="t1" pos="VBD">slept</tok></cons></cons></sentence>'
    )
    for name in ("s-001", "t-001", "dev-s-002", "dev-t-002"):
        (tmp_path / f"{name}.xml").write_text(tree)
    scores = evaluate(tmp_path)
    assert (scores["pairs"], scores["recall"]) == (2, 1.0)
    (tmp_path / "t-001.xml").write_bytes(b"\xff" + tree.encode())
    with pytest.raises(CommandError, match="UTF-8"):
        evaluate(tmp_path)
    (tmp_path / "t-001.xml").unlink()
    with pytest.raises(CommandError, match=r"t-001\.xml: No such file"):
        evaluate(tmp_path)


def test_a_link_to_no_node_is_refused_with_its_pair(tmp_path: Path) -> None:
    row = {"id": "x7", "source_tree": SOURCE, "paraphrase_tree": TARGET}
    path = tmp_path / "bad.json"
    path.write_text(json.dumps([row | {"links": {"A": [[0, 40]]}}]))
    with pytest.raises(CommandError, match="x7"):
        evaluate(path)
    path.write_text(json.dumps([row]))
    with pytest.raises(CommandError, match=r"bad\.json: pair 1"):
        evaluate(path)
