"""Sentences by their share of unknown words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agreement.trees import parseval
from core.evaluation.parsers import ENDS, Rates
from core.formats import ptb

GOLD = ptb.parse_one("(S (NP (DT the) (NN cat)) (VP (VBD slept)))")
WRONG = ptb.parse_one("(S (DT the) (X (NN cat) (VBD slept)))")


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=12), max_size=8))
def test_every_sentence_is_in_the_class_of_its_share(told: list[list[bool]]) -> None:
    rates = Rates()
    for one in told:
        rates.add(["yes" if known else "no" for known in one], "yes".__eq__, None)
    rows = rates.to_json()
    for row, least in zip(rows, (-1.0, *ENDS), strict=False):
        mine = [one for one in told if least < 1 - sum(one) / len(one) <= row["most"]]
        assert row["sentences"] == len(mine)
        assert row["unknown"] == sum(len(one) - sum(one) for one in mine)
        assert row["f1"] is None
    assert sum(row["words"] for row in rows) == sum(map(len, told))


def test_f1_is_over_the_sentences_of_a_class_that_have_gold() -> None:
    rates = Rates()
    rates.add(["a"], "a".__eq__, parseval.compare(GOLD, GOLD))
    rates.add(["b"], "a".__eq__, parseval.compare(GOLD, WRONG))
    rates.add(["b"], "a".__eq__, None)
    rows = rates.to_json()
    assert (rows[0]["f1"], rows[0]["scored"]) == (100.0, 1)
    assert (rows[-1]["sentences"], rows[-1]["scored"]) == (2, 1)
    assert rows[-1]["f1"] == pytest.approx(40.0)


def test_signs_and_numbers_are_no_words_and_a_first_capital_is_none() -> None:
    rates = Rates()
    rates.add(["The", "1", "cat", "."], {"the", "cat"}.__contains__, None)
    rates.add(["cat", "The"], {"the", "cat"}.__contains__, None)
    rows = rates.to_json()
    assert (rows[0]["sentences"], rows[0]["words"]) == (1, 2)
    assert (rows[-1]["sentences"], rows[-1]["unknown"]) == (1, 1)
    assert (rows[-1]["words"], rows[-1]["most"]) == (2, 1.0)
