"""What substitution does, counted against gold trees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agreement.paired import f1_swap_p
from core.data.tokens import Sentence, Token
from core.evaluation.golds import Gold
from core.evaluation.substitution import effect
from core.formats import ptb
from core.substitution.options import Method, Options
from core.substitution.substituting import Substituting
from tests.core.substitution.flat import TEXT, Flat

GOLDS = [
    "(S (DT the) (NN wug) (VBZ sleeps))",
    "(S (DT the) (NN cat) (VBZ plimbs))",
    "(S (DT the) (NN cat) (VBZ sleeps))",
]


def gold_of(text: str) -> Gold:
    tree = ptb.parse_one(text)
    return Gold(Sentence(tuple(map(Token, tree.words))), tree)


@pytest.mark.parametrize("method", ["replace", "doubt", "tell", "sum"])
def test_tags_of_query_words_are_counted_before_and_after(method: Method) -> None:
    options = Options(method=method, f_q=1, f_c=2, f_lc=2, n_nearest=2)
    parser = Substituting(Flat(), TEXT, options)
    ((done, counted),) = effect(parser, [gold_of(text) for text in GOLDS])
    result = counted.to_json()
    assert done == result["sentences"] == 3
    assert result["replaced"] == result["changed"] == 2
    assert result["query_words"] == 2
    assert result["tags"] == {"before": 0.0, "after": 100.0}
    assert result["f1"] == {"before": 100.0, "after": 100.0}
    assert result["p"] == 1.0
    assert result["unknown_words"] == pytest.approx(22.22)


rows = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)),
    min_size=1,
    max_size=7,
)


@given(rows)
def test_swapping_estimates_the_share_of_all_swaps(
    counts: list[tuple[int, int, int]],
) -> None:
    before = np.array([[a, 2 * (a + extra)] for a, _, extra in counts], float)
    after = np.array([[b, 2 * (b + extra)] for _, b, extra in counts], float)

    def f1(table: np.ndarray) -> float:
        return float(2 * table[:, 0].sum() / max(table[:, 1].sum(), 1))

    seen = abs(f1(after) - f1(before)) - 1e-12
    hits = 0
    for mask in range(2 ** len(counts)):
        swap = np.array([[mask >> k & 1] for k in range(len(counts))])
        x, y = np.where(swap, after, before), np.where(swap, before, after)
        hits += abs(f1(y) - f1(x)) >= seen
    p = f1_swap_p(before, after, np.random.default_rng(1), draws=4000)
    assert p == pytest.approx(hits / 2 ** len(counts), abs=0.04)


def test_nothing_changed_is_no_evidence() -> None:
    same = np.array([[1.0, 2.0]])
    assert f1_swap_p(same, same, np.random.default_rng(1)) == 1.0
