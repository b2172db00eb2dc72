"""What aligners of words are fitted on."""

from pathlib import Path

import pytest

from core.errors import FormatError
from lab.evaluation.folds import grouped
from lab.evaluation.word_methods import apart, read_versions, texts_of
from lab.tests.evaluation.test_word_links import case


def test_pairs_that_share_a_sentence_are_told_apart() -> None:
    cases = [case("A cat .", "One cat ."), case("the dog", "a dog")]
    assert apart(cases, [case("a  CAT", "something else")]) == cases[1:]
    chain = [case("a b", "c d"), case("x", "y"), case("c d", "e f"), case("e f", "g")]
    assert grouped([texts_of(one) for one in chain]) == [[0, 2, 3], [1]]


def test_versions_are_the_first_two_that_differ(tmp_path: Path) -> None:
    eight = " ".join("abcdefgh")
    for at, line in enumerate((eight, eight, f"{eight} i")):
        (tmp_path / f"x.{at}").write_text(f"{line}\ntoo short\n")
    ((first, second),) = read_versions(tmp_path / "x")
    assert (len(first), len(second)) == (8, 9)
    with pytest.raises(FormatError, match="are missing"):
        read_versions(tmp_path / "y")
