"""Bilingual links against people's: what is read, what is counted."""

import json
from pathlib import Path

import numpy as np
import pytest

from core.errors import FormatError
from core.word_alignment import eflomal
from core.word_alignment.bilingual import BitextLinks
from lab.evaluation.bitext_golds import LinkedSentences, read_linked
from lab.evaluation.bitext_words import scores
from lab.evaluation.commands import bitext

WORDS = ["the small house", "the house", "a small book", "a book"]
GERMAN = ["das kleine Haus", "das Haus", "ein kleines Buch", "ein Buch"]


def write(path: Path, rows: list[str]) -> Path:
    path.write_text("".join(row + "\n" for row in rows))
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    rows = [
        {
            "src_words": source.split(),
            "tgt_words": target.split(),
            "alignment": [[i, i] for i in range(len(source.split()))],
        }
        for source, target in zip(WORDS, GERMAN, strict=True)
    ]
    return write(tmp_path / "gold.jsonl", [json.dumps(row) for row in rows])


def test_the_measures_are_those_of_och_and_ney() -> None:
    sure, possible = {(0, 0), (1, 1)}, {(0, 0), (1, 1), (1, 2)}
    gold = LinkedSentences(
        ("a", "b"), ("x", "y", "z"), frozenset(sure), frozenset(possible)
    )
    links = BitextLinks(np.array([[0, 0], [1, 2], [0, 1]], np.int16), np.array([0, 3]))
    figures = scores([gold], links)
    assert figures["precision"] == pytest.approx(2 / 3, abs=1e-4)
    assert figures["recall"] == pytest.approx(2 / 3, abs=1e-4)
    assert figures["aer"] == pytest.approx(1 - (1 + 2) / (3 + 2), abs=1e-4)


def test_the_command_compares_on_the_same_text(gold: Path, tmp_path: Path) -> None:
    text = [
        write(tmp_path / "more.en", [*WORDS, "", "lonely"] * 3),
        write(tmp_path / "more.de", [*GERMAN, "einsam", ""] * 3),
    ]
    options = {"gold": [gold], "format": "jsonl", "text": text}
    options |= {"aligners": ["hmm", "ibm1"], "symmetrise": "grow-diag-final-and"}
    said: list[str] = []
    results = bitext.run(options, said.append)
    assert results["text"] == 12
    assert results["aligners"]["hmm"]["f1"] > 0.8
    assert said[0] == "4 linked pairs, 12 pairs of text"
    assert "hmm" in "\n".join(bitext.lines(results))


def test_universal_dependencies_name_words_by_id(tmp_path: Path) -> None:
    english = ["1\tA", "2\thouse", "", "1\tyes", ""]
    german = ["1\tein", "2-3\tx", "2\tHaus", "", "1\tja", ""]
    links = tmp_path / "links.json"
    links.write_text(json.dumps([{"2": ["2"], "X": ["1"]}, {"1": ["1", "X"]}]))
    files = [write(tmp_path / "a", english), write(tmp_path / "b", german), links]
    first, second = read_linked(files, "ud")
    assert (first.source, first.target) == (("A", "house"), ("ein", "Haus"))
    assert first.sure == {(1, 1)}
    assert second.sure == {(0, 0)}


def test_possible_links_are_no_sure_ones(tmp_path: Path) -> None:
    files = [write(tmp_path / n, [t]) for n, t in (("a", "a b"), ("b", "x y"))]
    (pair,) = read_linked([*files, write(tmp_path / "c", ["0-0 1?1"])], "moses")
    assert (pair.sure, pair.possible) == ({(0, 0)}, {(0, 0), (1, 1)})


@pytest.mark.parametrize("row", ["[]", '{"src_words": ["a"]}', "not json"])
def test_a_row_that_is_none_says_where(row: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="line 1"):
        read_linked([write(tmp_path / "gold", [row])], "jsonl")


@pytest.mark.skipif(not eflomal.is_installed(), reason="eflomal is not installed")
def test_eflomal_links_the_same_pairs() -> None:
    # Texts of one word leave its sampler no second way to link the others.
    words = [("the", "das"), ("small", "kleine"), ("house", "Haus"), ("book", "Buch")]
    pairs = [*zip(WORDS, GERMAN, strict=True), *words, ("a", "ein")] * 10
    links = eflomal.align([*pairs, ("", "allein")])
    assert len(links) == 91
    assert links.pharaoh(90) == ""
    assert links.pharaoh(1) == "0-0 1-1"
    assert all(
        i < len(s.split()) and j < len(t.split())
        for p, (s, t) in enumerate(pairs)
        for i, j in links.of(p)
    )
