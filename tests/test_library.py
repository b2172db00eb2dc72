"""Gemel as a library: its page of examples, its drawings, its errors."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

import gemel
from tests.core.pivoting.test_table import built
from tests.examples import failures_of

TEXTS = "The nurse (she was tired) opened it.", "It was opened by the tired nurse."


@pytest.fixture(scope="module")
def pair() -> tuple[gemel.Parsed, gemel.Parsed]:
    source, target = gemel.parse_all(TEXTS)
    return source, target


def test_the_page_of_examples_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(tmp_path, best=100).close()
    monkeypatch.chdir(tmp_path)
    assert failures_of("library", {}) == []


def test_every_value_draws_itself(pair: tuple[gemel.Parsed, gemel.Parsed]) -> None:
    drawn = [
        pair[0],
        gemel.align(*pair),
        gemel.align(*pair, words=True),
        gemel.joint(*pair),
        gemel.joint(*pair, pair[0]),
        gemel.score(*pair),
        gemel.agreement([("s", "ada", "yes"), ("s", "bob", "no")]),
    ]
    for value in drawn:
        root = ElementTree.fromstring(value._repr_svg_())
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert str(value)


def test_brackets_of_the_text_are_words_of_nltk_and_escaped_in_brackets(
    pair: tuple[gemel.Parsed, gemel.Parsed],
) -> None:
    assert pair[0].to_nltk().leaves() == list(pair[0].words)
    assert "(-LRB- -LRB-)" in pair[0].to_brackets()


def test_an_alignment_stands_on_the_trees_that_it_shows(
    pair: tuple[gemel.Parsed, gemel.Parsed],
) -> None:
    aligned = gemel.align(*pair)
    assert r"\begin{tikzpicture}" in aligned.to_latex()
    for link, row in zip(aligned.links, aligned.rows(), strict=True):
        assert set(row["source"].split()) <= set(pair[0].words), link
        assert 0 <= row["probability"] <= 1


def test_a_table_of_ratings_is_read_from_pandas_and_from_a_file(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    rows = [("s", "ada", 3.0), ("s", "bob", None), ("t", "ada", 1.0), ("t", "bob", 2.0)]
    table = pandas.DataFrame(rows, columns=["item", "annotator", "value"])
    measured = gemel.agreement(table, scale=(1, 5))
    assert measured["raw"].n == 1
    path = tmp_path / "ratings.tsv"
    table.to_csv(path, sep="\t", index=False)
    again = gemel.agreement(path, scale=(1, 5))
    assert again["raw"] == measured["raw"]
    with pytest.raises(gemel.GemelError, match=r"missing: .*annotator"):
        gemel.agreement(table.drop(columns="annotator"))


def test_an_unknown_scorer_is_refused_with_the_known_ones(
    pair: tuple[gemel.Parsed, gemel.Parsed],
) -> None:
    with pytest.raises(gemel.GemelError, match="one of plain, thesaurus"):
        gemel.score(*pair, scorer="guess")
