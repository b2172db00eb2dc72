"""Counting plain text, and keeping the counts."""

import gzip
from collections import Counter
from itertools import pairwise
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import FormatError
from core.protocols import Step
from core.substitution.linking import (
    BOUNDARY,
    LinkingCounts,
    Recorder,
    counted,
    in_case_of,
    load,
    number_shape,
    save,
    sentences_in,
)

sentences = st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=5))


def recorded(text: list[list[str]]) -> LinkingCounts:
    recorder = Recorder()
    for sentence in text:
        recorder.add(sentence)
    return recorder.freeze()


@given(sentences)
def test_counts_are_those_of_a_plain_count(text: list[list[str]]) -> None:
    counts = recorded(text)
    stream = [BOUNDARY]
    for sentence in text:
        stream += [*sentence, BOUNDARY]
    assert dict(zip(counts.words, counts.unigrams, strict=True)) == Counter(stream)
    names = counts.words
    pairs = {
        (names[a], names[b]): int(times)
        for a, b, times in zip(counts.first, counts.second, counts.times, strict=True)
    }
    assert pairs == Counter(pairwise(stream))
    assert counts.n_tokens == sum(map(len, text))


def test_a_first_word_is_counted_as_it_is_written_elsewhere() -> None:
    counts = recorded([["The", "dog"], ["see", "the", "dog"], ["Ada", "saw", "Ada"]])
    assert counts.count("the") == 2
    assert counts.count("The") == 0
    assert counts.count("Ada") == 2
    assert counts.form_of("The", initial=True) == "the"
    assert counts.form_of("The", initial=False) == "The"


def test_numbers_are_counted_by_their_shape() -> None:
    counts = recorded([["in", "1999"], ["in", "2004"]])
    assert counts.count("0000") == 2
    assert counts.form_of("1812", initial=False) == "0000"


def test_counts_come_back_as_they_were_saved(tmp_path: Path) -> None:
    counts = recorded([["a", "b"], ["b"]])
    save(counts, tmp_path / "x.npz")
    again = load(tmp_path / "x.npz")
    assert again.words == counts.words
    assert again.times.tolist() == counts.times.tolist()
    assert again.digest == counts.digest != ""


def test_an_empty_corpus_can_be_saved(tmp_path: Path) -> None:
    save(recorded([]), tmp_path / "x.npz")
    assert load(tmp_path / "x.npz").n_tokens == 0


def test_what_is_no_counts_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    path.write_text("hello")
    with pytest.raises(FormatError, match=r"x\.npz: not counts"):
        load(path)


def test_folders_archives_and_compressed_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text("The cat sat. It slept.\n")
    with gzip.open(tmp_path / "apart.txt.gz", "wt") as file:
        file.write("The cat sat .\nIt slept , too .\n")
    with ZipFile(tmp_path / "tagged.zip", "w") as archive:
        archive.writestr("one", "the/at cat/nn sat/vbd ./.\n")
        archive.writestr("README", "not a text")
    *steps, counts = list(counted([tmp_path], licence="CC0"))
    assert len(steps) == 3
    assert all(isinstance(step, Step) for step in steps)
    assert isinstance(counts, LinkingCounts)
    assert counts.count("cat") == 3
    assert counts.count("slept") == 2
    assert counts.licence == "CC0"


def test_trees_give_their_words() -> None:
    trees = ["(S (NP (DT the) (NN cat))", " (VP (VBD sat)) (. .))"]
    assert list(sentences_in(trees)) == [("the", "cat", "sat", ".")]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"nowhere\.txt: there is no such file"):
        list(counted([tmp_path / "nowhere.txt"]))


def test_a_broken_archive_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_text("no archive")
    with pytest.raises(FormatError, match=r"bad\.zip: cannot be read"):
        list(counted([tmp_path / "bad.zip"]))


def test_a_cut_off_file_is_named(tmp_path: Path) -> None:
    whole = gzip.compress(b"one line after another .\n" * 400)
    (tmp_path / "cut.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FormatError, match=r"cut\.gz: cannot be read"):
        list(counted([tmp_path / "cut.gz"]))


@pytest.mark.parametrize(
    ("form", "shape"),
    [
        ("1,234.5", "0,000.0"),
        ("1989-90", "0000-00"),
        ("CD4", ""),
        ("x", ""),
        ("7th", ""),
    ],
)
def test_shape_of_numbers(form: str, shape: str) -> None:
    assert number_shape(form) == shape


@pytest.mark.parametrize(
    ("form", "model", "wanted"),
    [
        ("dog", "Wug", "Dog"),
        ("dog", "WUG", "DOG"),
        ("Dog", "wug", "dog"),
        ("dog", "mWug", "dog"),
        ("dog", "I", "Dog"),
    ],
)
def test_letter_case_is_carried_over(form: str, model: str, wanted: str) -> None:
    assert in_case_of(form, model) == wanted
