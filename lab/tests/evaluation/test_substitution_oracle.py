"""The headroom of lexical substitution."""

from core.substitution.options import Options
from core.substitution.substituting import Substituting
from lab.evaluation.substitution_oracle import oracle
from tests.core.evaluation.test_substitution_eval import GOLDS, gold_of
from tests.core.substitution.flat import TEXT, Flat


def test_the_oracle_is_never_below_the_parse_as_it_stands() -> None:
    parser = Substituting(Flat(), TEXT, Options(f_q=1, f_c=2, f_lc=2))
    scores = oracle(parser, [gold_of(text) for text in GOLDS])
    assert scores["oracle"] >= scores["before"]
    assert (scores["sentences"], scores["helped"]) == (3, 2)
