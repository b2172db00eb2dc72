"""A parser that keeps no list of its training words is given one."""

import pytest

from core.data.tokens import Sentence
from core.errors import InvalidValue, Unavailable
from core.protocols import TagGuided, TrainingCounts
from core.substitution.options import Options
from core.substitution.substituting import Substituting
from lab.reproduce.counted import Counted, counts_of
from tests.core.substitution.flat import TEXT, Flat

TAGGED = [
    [("the", "DT"), ("cat", "NN"), ("sleeps", "VBZ")],
    [("the", "DT"), ("cat", "NN"), ("runs", "VBZ"), ("?", "")],
    [("the", "DT"), ("dog", "NN"), ("cat", "VB")],
]


def test_words_are_counted_by_tag_as_they_are_written() -> None:
    counts = counts_of(TAGGED)
    assert counts["cat"] == {"NN": 2, "VB": 1}
    assert counts["the"] == {"DT": 3}
    assert "?" not in counts
    with pytest.raises(InvalidValue, match="no tagged word"):
        counts_of([[("the", "")], []])


def test_such_a_parser_can_be_helped_by_replacing_alone() -> None:
    parser = Counted(Flat(), counts_of(TAGGED))
    assert isinstance(parser, TrainingCounts)
    assert not isinstance(parser, TagGuided)
    helped = Substituting(
        parser, TEXT, Options(method="replace", f_q=1, f_c=2, f_lc=2, n_nearest=1)
    )
    plan = helped.plan(Sentence.of("the wug sleeps"))
    assert plan.read.forms == ("the", "cat", "sleeps")
    with pytest.raises(Unavailable, match="does not accept tags"):
        Substituting(parser, TEXT, Options(method="tell"))
