"""Several readings of a sentence as one answer."""

import numpy as np
import pytest

from core.data.tokens import Sentence
from core.errors import InvalidValue
from core.forests.inside import forest_log_partition
from core.forests.kbest import best_trees, trees_of
from core.forests.mixture import ranked_forest
from core.formats.ptb import parse_one
from core.protocols import Analysis
from core.substitution.options import Options
from core.substitution.substituting import Substituting, summed
from tests.core.substitution.flat import EVERYTHING, TEXT, Flat

LEFT = "(S (NP (NN a) (NN b)) (VP (VB c)))"
RIGHT = "(S (NP (NN a)) (VP (VB b) (NP (NN c))))"


def reading(text: str, words: str = "a b c") -> Analysis:
    tree = parse_one(text)
    return Analysis(Sentence.of(words), *ranked_forest([(-9.0, tree)]), xpos=tree.tags)


def test_what_most_readings_say_is_shown() -> None:
    answer = summed([reading(LEFT), reading(RIGHT), reading(RIGHT)])
    assert isinstance(answer, Analysis)
    (_, tree), (_, second) = trees_of(answer, 2)
    assert tree == parse_one(RIGHT)
    assert second.spans == parse_one(LEFT).spans
    assert answer.best is not None
    assert answer.best[0] == pytest.approx(np.log(2 / 3))
    assert answer.xpos == parse_one(RIGHT).tags


def test_brackets_that_most_readings_have_are_shown_though_no_reading_has_all() -> None:
    pairs = [("(A (X a) (X b))", "(X a) (X b)"), ("(B (X c) (X d))", "(X c) (X d)")]
    pairs += [("(C (X e) (X f))", "(X e) (X f)")]
    texts = [
        "(S " + " ".join(pair[k == flat] for k, pair in enumerate(pairs)) + ")"
        for flat in range(3)
    ]
    answer = summed([reading(text, "a b c d e f") for text in texts])
    assert isinstance(answer, Analysis)
    tree = trees_of(answer, 1)[0][1]
    assert tree == parse_one("(S " + " ".join(pair[0] for pair in pairs) + ")")
    assert answer.forest is not None
    assert answer.edge_weights is not None
    words, tags = answer.sentence.forms, answer.xpos
    kept = best_trees(answer.forest, answer.edge_weights, 9, words=words, tags=tags)
    assert tree in [one for _, one in kept]
    assert forest_log_partition(answer.forest, answer.edge_weights) == pytest.approx(0)
    assert answer.best is not None
    assert answer.best[0] == pytest.approx(np.log(1 / 4))  # as one reading more


def test_readings_that_agree_on_no_top_show_the_likeliest() -> None:
    tops = ("S", "S", "T", "U", "V", "W")
    answer = summed([reading(f"({top} (A (X a) (X b)) (X c))") for top in tops])
    assert isinstance(answer, Analysis)
    assert trees_of(answer, 1)[0][1] == parse_one("(S (A (X a) (X b)) (X c))")


def test_the_sum_is_a_distribution() -> None:
    answer = summed([reading(LEFT), reading(RIGHT)])
    assert isinstance(answer, Analysis)
    assert answer.forest is not None
    assert answer.edge_weights is not None
    total = forest_log_partition(answer.forest, answer.edge_weights)
    assert total == pytest.approx(0.0)


def test_a_reading_that_failed_is_left_out() -> None:
    failed = InvalidValue("no")
    answer = summed([failed, reading(LEFT)])
    assert isinstance(answer, Analysis)
    assert trees_of(answer, 1)[0][1] == parse_one(LEFT)
    assert summed([failed]) is failed


def test_words_in_doubt_are_read_with_several_candidates() -> None:
    options = Options(method="sum", f_q=1, f_c=2, f_lc=2, n_read=2)
    parser = Substituting(Flat(), TEXT, options)
    (answer,) = parser.analyse([Sentence.of("the wug sleeps")], want=EVERYTHING)
    assert isinstance(answer, Analysis)
    assert answer.sentence.forms == ("the", "wug", "sleeps")
    assert answer.xpos == ("DT", "NN", "VBZ")
    plan = parser.plan(Sentence.of("the wug sleeps"))
    (query,) = plan.queries
    words = [plan.read_with(rank).forms[1] for rank in range(len(query.candidates))]
    assert words == [candidate.form for candidate in query.candidates]
    assert plan.read_with(99).forms[1] == words[-1]
