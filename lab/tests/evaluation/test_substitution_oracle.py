"""The headroom of lexical substitution."""

from collections.abc import Mapping

import pytest

from core.data.tokens import Sentence
from core.errors import InvalidValue
from core.protocols import Analysis
from core.substitution.options import Options
from core.substitution.substituting import Substituting
from lab.evaluation.substitution_oracle import oracle
from tests.core.evaluation.test_substitution_eval import GOLDS, gold_of
from tests.core.substitution.flat import LEXICON, TEXT, Flat


class Picky(Flat):
    """Parses only what it knows, and no sentence with its worst word."""

    def _answer(
        self, sentence: Sentence, guide: Mapping[int, Mapping[str, float]]
    ) -> Analysis | Exception:
        if {*sentence.forms} <= LEXICON.keys() - {"sleeps"}:
            return super()._answer(sentence, guide)
        return InvalidValue("no parse")


def test_the_best_reading_is_above_the_mean_one_and_words_at_random() -> None:
    options = Options(f_q=1, f_c=2, f_lc=2, n_nearest=2)
    parser = Substituting(Picky(), TEXT, options)
    scores = oracle(parser, [gold_of(text) for text in GOLDS])
    assert (scores["sentences"], scores["helped"]) == (3, 2)
    assert scores["before"] == 0
    # Of three sentences "plimbs" can be read as "runs"; "sleeps" is in the others.
    assert scores["oracle"] == 50
    assert 0 <= scores["random_one"] < scores["random"] <= scores["oracle"]
    assert 0 < scores["one"] < scores["oracle"]
    gain, low, high = scores["gain"]
    assert gain == pytest.approx(scores["oracle"] - scores["random"], abs=8)
    assert low <= gain <= high
