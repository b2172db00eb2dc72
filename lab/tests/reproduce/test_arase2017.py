"""Arase & Tsujii's table and training without links, on a file of our own."""

import json
from pathlib import Path

import numpy as np
import pytest

from core.evaluation.phrase_alignment import read
from lab.__main__ import main
from lab.reproduce import arase2017

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


@pytest.mark.usefixtures("thesaurus")
def test_table_three_has_the_paper_beside_ours(pairs, small_models) -> None:
    options = {"data": pairs.parent, "engine": "small", "folds": 3, "seed": 0}
    options["models"] = small_models
    options |= {"em": [], "self_trained": None, "method": None, "em_only": False}
    text = "\n".join(arase2017.lines(arase2017.run(options, print)))
    assert "83.64" in text
    assert "93.49" in text
    assert "monotonic" in text
    assert "not by people" in text
    assert "gain of" in text
    assert "non-compositional links" in text
    assert "untrained" in text


@pytest.mark.usefixtures("thesaurus")
def test_table_three_is_told_by_halves_that_share_no_sentence(
    pairs, tmp_path, small_models, lab
) -> None:
    rows = json.loads(pairs.read_text())
    rows = [row | {"id": noun} for row, noun in zip(rows, NOUNS, strict=True)]
    rows += [row | {"id": f"again {row['id']}"} for row in rows]
    folder = tmp_path / "phrase-alignments"
    folder.mkdir()
    (folder / "dev.json").write_text(json.dumps(rows))
    options = {"data": tmp_path, "engine": "small", "folds": 3, "seed": 0}
    options["models"] = small_models
    options |= {"em": [], "self_trained": None, "method": None, "em_only": False}
    cases = read(folder / "dev.json", None)
    halves = arase2017.halves_of(cases)
    texts = [{cases[at].pair.source.words for at in half} for half in halves.values()]
    assert len(texts) == 2
    assert texts[0].isdisjoint(texts[1])
    scores = arase2017.run(options, print)
    assert scores["halves"] == {half: len(at) for half, at in halves.items()}
    forest = scores["rows"]["forest"]
    assert min(forest["dev"]["f1"], forest["test"]["f1"]) > 0.5
    assert (forest["not_maximum"], forest["addable"]) == (0, 0)
    assert scores["learnt on dev"]["gold-trees"]["recall"] > 0.5
    assert "weights of dev" in "\n".join(arase2017.lines(scores))


@pytest.mark.usefixtures("thesaurus")
def test_an_aligner_is_trained_without_any_link(
    pairs, tmp_path, small_models, lab
) -> None:
    lines = (
        "the old dog saw the cat near the garden with mary .",
        "a dog left the woman in the green garden near mary .",
        "a dog that nobody knows here barks at all times .",
    )
    texts = [tmp_path / "talk.en.0", tmp_path / "talk.en.1"]
    texts[0].write_text("\n".join(lines))
    texts[1].write_text(
        "\n".join(
            line.replace("cat", "green cat").replace("woman", "man") for line in lines
        )
    )
    kept = tmp_path / "self.json"
    small = ("--engine", "small", "--models", small_models)
    lab("train", "phrases", *texts, "--out", kept, *small, "--self-train")
    options = {"data": pairs.parent, "engine": "small", "folds": 3, "seed": 0}
    options["models"] = small_models
    options |= {"em": [], "self_trained": kept, "method": ["no-em"], "em_only": False}
    scores = arase2017.run(options, print)
    assert scores["rows"]["self-trained"]["reachability"] == 1.0
    assert "self-training" in scores["gains"]
    em = tmp_path / "em"
    lab("train", "phrases", *texts, "--out", em, *small)
    before = em.read_text()
    assert json.loads(before)["step"] == 3
    scores = arase2017.run(options | {"em": [em]}, print)
    assert {"em", "taught", "em-taught"} <= scores["rows"].keys()
    assert {"links over EM", "EM under links"} <= scores["gains"].keys()
    assert em.read_text() == before
    alone = arase2017.run(options | {"em": [em], "em_only": True}, print)
    assert list(alone["rows"]) == ["untrained", "em"]
    for name in alone["rows"]:
        for figure in ("recall", "precision"):
            assert alone["rows"][name][figure] == scores["rows"][name][figure]
    gain = alone["gains"]["EM"]
    assert list(alone["gains"]) == ["EM"]
    assert "em over forest" in scores["gains"]
    for nodes, of in (("all nodes", dict), ("phrases", lambda row: row["multiword"])):
        f1 = [of(row)["f1"] for row in alone["rows"].values()]
        assert gain[nodes]["difference"] == pytest.approx(100 * (f1[1] - f1[0]))
        assert gain[nodes]["low"] <= gain[nodes]["difference"] <= gain[nodes]["high"]
    assert "gain of" in "\n".join(arase2017.lines(alone))


def test_a_gain_is_beyond_chance_only_where_the_pairs_agree() -> None:
    rng = np.random.default_rng(0)
    wanted = np.full((40, 2, 3), 10.0)
    before = np.stack([rng.integers(4, 9, wanted.shape), wanted], -1)
    better, mixed = before.copy(), before.copy()
    better[..., 0] += 1
    mixed[..., 0] += np.where(np.arange(40) % 2, 1, -1)[:, None, None]
    sure, chance, none = (
        arase2017.f1_change(before, after, rng) for after in (better, mixed, before)
    )
    assert sure["p"] < 0.001 < 0.5 < chance["p"]
    assert sure["low"] > 0
    assert chance["low"] < 0 < chance["high"]
    assert (none["difference"], none["p"]) == (0, 1)


@pytest.mark.usefixtures("thesaurus")
def test_translations_end_at_line_ends_and_are_as_many(
    tmp_path, small_models, lab, capsys
) -> None:
    line = "the old dog\u2028saw the cat\x85near the garden with mary ."
    texts = [tmp_path / "talk.en.0", tmp_path / "talk.en.1"]
    for text, word in zip(texts, ("old", "green"), strict=True):
        text.write_text(line.replace("old", word) + "\n", encoding="utf-8")
    kept = tmp_path / "em.json"
    small = ("--engine", "small", "--models", small_models, "--epochs", 1)
    lab("train", "phrases", *texts, "--out", kept, *small)
    assert json.loads(kept.read_text())["step"] == 1
    texts[1].write_text(f"{line}\n{line}\n", encoding="utf-8")
    words = ["train", "phrases", *texts, "--out", kept, *small]
    assert main([str(word) for word in words]) == 2
    assert "talk.en.1: 2 lines, 1 in the first" in capsys.readouterr().err
