"""Parallel text on disk: what is written comes back, whole or not at all."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidValue
from core.pivoting.bitext import (
    Bitext,
    BitextPair,
    BitextParse,
    BitextSizes,
    join_files,
    parses_of,
    set_links,
    trees_in,
    write_pairs,
    write_parses,
)

token = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1)
sentence = st.lists(
    token | st.sampled_from(["\\N", '"', "'", "\\", ",", "NULL"]), min_size=1
).map(lambda words: " ".join(" ".join(words).split()))
pairs = st.lists(
    st.tuples(sentence, sentence, st.sampled_from([None, "", "0-0"])), max_size=5
)


@settings(max_examples=25)
@given(rows=pairs)
def test_what_is_written_is_read(
    rows: list[tuple[str, str, str | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("bitext") / "pairs.parquet"
    written = [BitextPair(3 * i, "mine.fr", *row) for i, row in enumerate(rows)]
    assert write_pairs(path, written) == len(rows)
    assert list(Bitext(path).pairs()) == written
    assert len(Bitext(path)) == len(rows)


def a_bitext(path: Path) -> list[BitextPair]:
    rows = [
        BitextPair(0, "mine.de", "a house", "ein Haus"),
        BitextPair(2, "mine.de", "the sea", "die See"),
        BitextPair(3, "mine.de", "a house", "das Haus"),
    ]
    write_pairs(path, rows)
    return rows


def test_each_distinct_source_is_given_once_in_order(tmp_path: Path) -> None:
    path = tmp_path / "pairs.parquet"
    a_bitext(path)
    assert list(Bitext(path).sources()) == ["a house", "the sea"]
    assert Bitext(path).sizes() == BitextSizes(3, 2, 6, 6, 0)
    assert list(Bitext(path).sources(start=1)) == ["the sea"]


def test_links_are_set_in_order(tmp_path: Path) -> None:
    path = tmp_path / "pairs.parquet"
    a_bitext(path)
    assert Bitext(path).n_linked == 0
    set_links(path, ["0-0 1-1", "", "1-1"])
    assert [pair.links for pair in Bitext(path).pairs()] == ["0-0 1-1", "", "1-1"]
    assert Bitext(path).n_linked == 3


@pytest.mark.parametrize("links", [["0-0"], ["0-0"] * 4])
def test_a_wrong_number_of_links_changes_nothing(
    links: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "pairs.parquet"
    rows = a_bitext(path)
    with pytest.raises(InvalidValue):
        set_links(path, links)
    assert list(Bitext(path).pairs()) == rows
    assert [file.name for file in tmp_path.iterdir()] == ["pairs.parquet"]


@pytest.mark.parametrize(
    "bad",
    [
        BitextPair(0, "x", "two  spaces", "y"),
        BitextPair(0, "x", "", "y"),
        BitextPair(0, "x", "a\tb", "y"),
    ],
)
def test_a_bad_row_leaves_no_file(bad: BitextPair, tmp_path: Path) -> None:
    with pytest.raises(InvalidValue):
        write_pairs(tmp_path / "pairs.parquet", [bad])
    assert list(tmp_path.iterdir()) == []


def test_pair_ids_must_grow(tmp_path: Path) -> None:
    row = BitextPair(1, "x", "a", "b")
    with pytest.raises(InvalidValue, match="must increase"):
        write_pairs(tmp_path / "pairs.parquet", [row, row])


def test_parses_come_back(tmp_path: Path) -> None:
    rows = [BitextParse("a house", "(NP (DT a) (NN house))"), BitextParse("x", "")]
    assert write_parses(tmp_path / "parses.parquet", rows) == 2
    assert list(parses_of(tmp_path / "parses.parquet")) == rows


def test_parts_become_one_file_and_trees_are_found(tmp_path: Path) -> None:
    parts = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    rows = [BitextParse("x", "(X x)"), BitextParse("y", "(Y y)")]
    for part, row in zip(parts, rows, strict=True):
        write_parses(part, [row])
    join_files(parts, tmp_path / "parses.parquet")
    assert list(parses_of(tmp_path / "parses.parquet")) == rows
    there = [tmp_path / "parses.parquet", tmp_path / "none.parquet"]
    assert trees_in(there, ["y", "z"]) == {"y": "(Y y)"}
