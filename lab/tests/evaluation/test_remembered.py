"""A parser whose answers are kept: what it was asked once it is not asked again."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from core.data.tokens import Sentence
from core.errors import FormatError, Unavailable
from core.forests.kbest import trees_of
from core.parsing.conformance import violations
from core.protocols import Analysis, Capability
from lab.evaluation.remembered import Remembered
from tests.core.substitution.flat import EVERYTHING, Flat, Mute

KEPT = EVERYTHING - {"forest"}  # forests are never kept
SENTENCES = [Sentence.of("the old cat sleeps"), Sentence.of("the ( wug )")]


class Counting(Flat):
    """Flat, and how many sentences it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def analyse_guided(
        self,
        sentences: list[Sentence],
        guides: Sequence[Mapping[int, Mapping[str, float]]],
        *,
        want: frozenset[Capability],
    ) -> list[Analysis | Exception]:
        self.asked += len(sentences)
        return super().analyse_guided(sentences, guides, want=want)


def trees(answers: Sequence[Analysis | Exception]) -> list[object]:
    return [
        (trees_of(answer, 1)[0][1], answer.xpos)
        for answer in answers
        if isinstance(answer, Analysis)
    ]


def test_kept_answers_are_the_parsers_own(tmp_path: Path) -> None:
    own = trees(Flat().analyse(SENTENCES, want=KEPT))
    first = Remembered(Flat(), tmp_path)
    assert violations(first, SENTENCES) == []
    first.analyse(SENTENCES, want=KEPT)
    again = Counting()
    kept = Remembered(again, tmp_path).analyse(SENTENCES, want=KEPT)
    assert trees(kept) == own
    assert again.asked == 0


def test_other_tags_are_another_question() -> None:
    parser = Counting()
    remembered = Remembered(parser)
    for tag in ("VBZ", "NN", "VBZ"):
        guide = {3: {tag: 1.0}}
        answers = remembered.analyse_guided(SENTENCES[:1], [guide], want=KEPT)
        assert isinstance(answers[0], Analysis)
        assert answers[0].xpos[3] == tag
    assert parser.asked == 2


def test_a_line_cut_off_by_a_kill_is_parsed_anew(tmp_path: Path) -> None:
    Remembered(Flat(), tmp_path).analyse(SENTENCES, want=KEPT)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-9])
    parser = Counting()
    answers = Remembered(parser, tmp_path).analyse(SENTENCES, want=KEPT)
    assert parser.asked == 1
    assert len(trees(answers)) == 2
    assert len(file.read_text().splitlines()) == 2


def test_what_is_no_such_file_is_refused(tmp_path: Path) -> None:
    Remembered(Flat(), tmp_path).analyse(SENTENCES, want=KEPT)
    (file,) = tmp_path.iterdir()
    file.write_text("not JSON\n")
    with pytest.raises(FormatError, match="no kept parses"):
        Remembered(Flat(), tmp_path)


def test_an_error_is_kept_as_one(tmp_path: Path) -> None:
    long = [Sentence.of("the cat " * 20)]
    Remembered(Flat(), tmp_path).analyse(long, want=KEPT)
    (answer,) = Remembered(Flat(), tmp_path).analyse(long, want=KEPT)
    assert isinstance(answer, Exception)


def test_a_parser_that_tells_no_training_words_is_refused() -> None:
    with pytest.raises(Unavailable):
        Remembered(Mute())
