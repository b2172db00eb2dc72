"""Words of two languages: kernels against enumeration, and what an aligner must do."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidValue
from core.word_alignment.bilingual import (
    BitextSettings,
    BitextStep,
    TokenCorpus,
    align_bitext,
    cooccurrence,
    symmetrise,
)
from core.word_alignment.kernels import bilingual as kernels
from tests.oracles import bitext as oracle

weights = st.floats(0.01, 1)


@st.composite
def hmm_pairs(draw):
    n, m = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    lex = [[draw(weights) for _ in range(n)] for _ in range(m)]
    none = [draw(weights) for _ in range(m)]
    return lex, none, [draw(weights) for _ in range(5)]


def run_hmm(lex, none, jumps, p_none=0.2, uniform=0.1):
    m, n, size = len(lex), len(lex[0]), 6
    table, empty = np.full((size, size), np.nan), np.full(size, np.nan)
    table[:m, :n], empty[:m] = lex, none
    move, leave = np.empty((size + 1, size)), np.empty(size + 1)
    kernels.moves(np.array(jumps), n, uniform, move, leave)
    fwd, made = np.empty((size + 1, size + 1)), np.empty((size, size))
    scale, back = np.empty(size), np.empty((3, size + 1))
    posterior, passed = np.empty((size, size)), np.empty((size + 1, size))
    likelihood = kernels.forward_backward(
        table, empty, n, m, p_none, move, leave, fwd, made, scale, back, posterior,
        passed,
    )  # fmt: skip
    counts = np.zeros(len(jumps))
    kernels.pool_jumps(n, move, passed, fwd[m], leave, counts)
    return likelihood, posterior[:m, :n], counts


@settings(max_examples=50)
@given(hmm_pairs())
def test_the_hmm_equals_enumeration(pair) -> None:
    lex, none, jumps = pair
    total, posterior, passed = oracle.hmm(lex, none, jumps, 0.2, 0.1)
    likelihood, shares, counts = run_hmm(lex, none, jumps)
    assert likelihood == pytest.approx(math.log(total), abs=1e-9)
    assert shares == pytest.approx(np.array(posterior), abs=1e-9)
    expected = np.zeros(5)
    for (q, i), value in passed.items():
        expected[2 + max(-2, min(2, i - q))] += value
    assert counts == pytest.approx(expected, abs=1e-9)


CORPUS = [
    (["a", "b"], ["x", "y"]),
    (["a"], ["x"]),
    (["b", "c", "b"], ["y", "z"]),
]


def test_a_round_of_model_1_equals_enumeration() -> None:
    source = TokenCorpus.of([s for s, _ in CORPUS])
    target = TokenCorpus.of([t for _, t in CORPUS])
    table = cooccurrence(source, target, max_tokens=9)
    lex = np.linspace(0.1, 0.9, len(table.source)).astype(np.float32)
    none = np.array([0.2, 0.3, 0.5])
    words, made = "abc", "xyz"
    entries = [
        (words[e], made[f]) for e, f in zip(table.source, table.target, strict=True)
    ]
    t = {cell: float(value) for cell, value in zip(entries, lex, strict=True)}
    t |= {(None, f): value for f, value in zip(made, none, strict=True)}
    counts, none_counts = np.zeros_like(lex), np.zeros(3)
    jumps = np.ones(3)
    kernels.expect(
        0, 3, table.cells, table.cell_at, (source.ids, target.ids),
        (source.at, target.at), 5, (lex, lex), (none, none), (jumps, jumps), 0.2, 0.1,
        0, 0, (counts, np.zeros_like(lex)), (none_counts, np.zeros(3)), (jumps, jumps),
    )  # fmt: skip
    new = np.empty_like(lex)
    kernels.normalise(counts, table.source, 3, new)
    expected = oracle.ibm1(CORPUS, t)
    assert new == pytest.approx(
        np.array([expected[cell] for cell in entries]), rel=1e-5
    )
    assert none_counts / none_counts.sum() == pytest.approx(
        np.array([expected[None, f] for f in made]), rel=1e-5
    )


@given(st.lists(st.tuples(st.lists(st.integers(0, 4)), st.lists(st.integers(0, 4)))))
def test_every_cell_names_its_two_types(pairs) -> None:
    source = TokenCorpus.of([[str(x) for x in s] for s, _ in pairs])
    target = TokenCorpus.of([[str(x) for x in t] for _, t in pairs])
    table = cooccurrence(source, target, max_tokens=4)
    seen = set()
    for p, (s, t) in enumerate(pairs):
        cells = table.cells[table.cell_at[p] : table.cell_at[p + 1]]
        if max(len(s), len(t)) > 4:
            assert len(cells) == 0
            continue
        ids = source.ids[source.at[p] : source.at[p + 1]]
        others = target.ids[target.at[p] : target.at[p + 1]]
        assert table.source[cells].tolist() == [e for e in ids for _ in others]
        assert table.target[cells].tolist() == [f for _ in ids for f in others]
        seen |= {(e, f) for e in ids for f in others}
    assert len(table.source) == len(seen)


position = st.lists(st.integers(-1, 3), min_size=4, max_size=4)


@given(position, position)
def test_symmetrisations_are_those_of_the_definition(forward, backward) -> None:
    made = {(i, j) for j, i in enumerate(forward) if i >= 0}
    other = {(i, j) for i, j in enumerate(backward) if j >= 0}
    at = np.array([0, 4])
    given_ = (np.array(forward, np.int32), np.array(backward, np.int32), at, at)
    for how, expected in (
        ("intersect", made & other),
        ("union", made | other),
        ("grow-diag-final-and", oracle.grow_diag_final_and(made, other)),
    ):
        links = symmetrise(*given_, BitextSettings(symmetrise=how))
        assert links.of(0).tolist() == [list(cell) for cell in sorted(expected)]


ENGLISH = ["the house", "the book", "a book", "the small house", "a small book"]
GERMAN = ["das Haus", "das Buch", "ein Buch", "das kleine Haus", "ein kleines Buch"]


def test_words_that_occur_together_are_linked() -> None:
    links = align_bitext(ENGLISH * 4, GERMAN * 4)
    assert list(links.lines())[:4] == ["0-0 1-1", "0-0 1-1", "0-0 1-1", "0-0 1-1 2-2"]


def test_an_empty_side_has_no_links() -> None:
    links = align_bitext([*ENGLISH, "", "the"], [*GERMAN, "das", ""])
    assert list(links.lines())[5:] == ["", ""]
    assert align_bitext([], []).at.tolist() == [0]


def test_every_round_is_told_and_can_be_stopped() -> None:
    steps: list[BitextStep] = []
    settings = BitextSettings(ibm1=2, hmm=1, agree=1)
    align_bitext(ENGLISH, GERMAN, settings=settings, on_iteration=steps.append)
    assert [step.stage for step in steps] == ["ibm1", "ibm1", "hmm", "agree", "links"]
    assert [step.done for step in steps] == [5, 10, 15, 20, 25]
    assert {step.total for step in steps} == {25}

    def stop(step: BitextStep) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        align_bitext(ENGLISH, GERMAN, on_iteration=stop)


def test_relative_frequencies_never_lower_the_likelihood() -> None:
    steps: list[BitextStep] = []
    settings = BitextSettings(ibm1=6, hmm=0, agree=0)
    align_bitext(ENGLISH, GERMAN, settings=settings, on_iteration=steps.append)
    seen = [s.log_likelihood for s in steps if s.stage == "ibm1"]
    assert len(seen) == 6
    assert all(b >= a - 1e-4 for a, b in pairwise(seen))


def test_sides_of_unequal_number_are_refused() -> None:
    with pytest.raises(InvalidValue, match="2 source sentences, 1 target"):
        align_bitext(["a", "b"], ["a"])
