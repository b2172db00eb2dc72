"""An edited corpus and what differs in its export."""

from random import Random

import pytest

from annotator.exchange import registry
from lab.bench import edits
from tests.core.formats.test_formats_trees import MANY

TREES = """( (S (NP-SBJ (DT The) (NN dog))
     (VP (VBZ naps) (PP (IN at) (NP (NN home))))) )
( (S (NP (PRP She)) (VP (VBZ runs))) )
( (S (NP (PRP She)) (VP (VBZ runs))) )
"""


@pytest.fixture
def data(tmp_path):
    """A folder with treebanks of three formats."""
    for name in ("arcs", "pairs", "trees"):
        (tmp_path / name).mkdir()
    (tmp_path / "arcs" / "it.conllu").write_text(MANY)
    (tmp_path / "trees" / "it.mrg").write_text(TREES)
    (tmp_path / "trees" / "README.txt").write_text("no treebank")
    for name, text in registry.FORMATS["treealigner"].example.items():
        (tmp_path / "pairs" / name).write_text(text)
    return tmp_path


@pytest.mark.django_db
def test_every_treebank_below_a_folder_differs_in_the_edited_sentence_alone(
    data,
) -> None:
    banks = {one.name: one for one in edits.treebanks(data)}
    assert sorted(banks) == ["arcs", "pairs/links", "trees"]
    for name in ("arcs", "trees"):
        rows = list(edits.edited(banks[name], Random(1), 1))
        assert [row["edit"] for row in rows] == list(
            edits.ARCS if name == "arcs" else edits.TREES
        )
        assert all(map(edits.is_sound, rows)), rows


def test_a_change_elsewhere_in_the_file_is_a_fault() -> None:
    (bank,) = [edits.Treebank("trees", "ptb", {"it.mrg": TREES.encode()})]
    (first, *_) = edits.records(registry.find("ptb"), TREES)
    tree = first.parse.tree
    after = {"it.mrg": TREES.replace("NP-SBJ", "NX").replace("runs", "ran").encode()}
    place = edits.Place("it.mrg", first.forms, 0)
    facts = edits.compared(bank.files, after, place, tree, bank)
    assert facts["outside"] > 0
    assert not facts["as_edited"]
