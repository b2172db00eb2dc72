"""The trigram model: equal to lmplz's and to its twin, out and in, sums to one."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import FormatError, InvalidValue
from core.pivoting.language_model import (
    FALLBACK,
    TrigramModel,
    discounts,
    read_arpa,
    train,
    write_arpa,
)
from tests.oracles.pivoting import kneser_ney as oracle

KENLM = Path(__file__).parent.parent / "golden" / "kenlm"
Gram = tuple[str, ...]
text = st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), min_size=1, max_size=9)


def grams(model: TrigramModel) -> dict[Gram, tuple[float, float]]:
    """Every n-gram with log10 probability and backoff."""
    words, n = model.words, len(model.words)
    pairs = [divmod(int(key), n) for key in model.bigram_keys]
    rows = {(w,): tuple(row) for w, row in zip(words, model.unigrams, strict=True)}
    for (a, b), row in zip(pairs, model.bigrams, strict=True):
        rows[words[a], words[b]] = tuple(row)
    for key, p in zip(model.trigram_keys, model.trigrams, strict=True):
        context, c = divmod(int(key), n)
        a, b = pairs[context]
        rows[words[a], words[b], words[c]] = p, 0.0
    return rows


@pytest.fixture(scope="module")
def sample() -> TrigramModel:
    return train((KENLM / "sample.txt").read_text().splitlines())


def test_the_model_is_that_of_lmplz(sample: TrigramModel) -> None:
    mine, theirs = grams(sample), grams(read_arpa(KENLM / "sample.arpa.gz"))
    assert mine.keys() == theirs.keys()
    gaps = [np.abs(np.subtract(mine[gram], theirs[gram])).max() for gram in mine]
    assert max(gaps) < 1e-5


def test_sentences_score_as_in_kenlm(sample: TrigramModel) -> None:
    queries = (KENLM / "sample.queries.txt").read_text().splitlines()
    told = (KENLM / "sample.scores.txt").read_text().splitlines()
    scores, unknown = sample.scores(queries)
    for line, score, n in zip(told, scores, unknown, strict=True):
        _, total, _, words = line.split()
        assert score == pytest.approx(float(total), abs=1e-4)
        assert n == int(words)


@settings(max_examples=50)
@given(text)
def test_the_estimates_are_those_of_the_recursion(sentences: list[list[str]]) -> None:
    model = train(sentences)
    p, gamma = oracle.probabilities(sentences, FALLBACK)
    estimates = grams(model)
    assert estimates.keys() - {("<s>",)} == p.keys()
    for gram, value in p.items():
        assert 10 ** estimates[gram][0] == pytest.approx(value, abs=1e-12)
    for context, value in gamma.items():
        if context:
            assert 10 ** estimates[context][1] == pytest.approx(value, abs=1e-12)


def test_after_any_words_something_comes(sample: TrigramModel) -> None:
    words = [word for word in sample.words if word not in ("<s>", "</s>")]
    for context in ("the man", "", "the", "never-seen man", "the never-seen"):
        ends = 10 ** sample._by_word([context])[0][-1]
        inside = [10 ** sample._by_word([f"{context} {w}"])[0][-2] for w in words]
        assert ends + sum(inside) == pytest.approx(1)


def test_arpa_comes_back(sample: TrigramModel, tmp_path: Path) -> None:
    for name in ("model.arpa", "model.arpa.gz"):
        write_arpa(sample, tmp_path / name)
        mine, theirs = grams(sample), grams(read_arpa(tmp_path / name))
        assert mine.keys() == theirs.keys()
        assert all(mine[g] == pytest.approx(theirs[g], abs=1e-6) for g in mine)


def test_tokens_or_text_score_the_same(sample: TrigramModel) -> None:
    assert sample.score("she lost her temper .") == sample.score(
        ["she", "lost", "her", "temper", "."]
    )


def test_discounts_are_those_of_the_formula() -> None:
    y = 100 / (100 + 2 * 40)
    assert discounts([0, 100, 40, 20, 10]) == pytest.approx(
        (1 - 2 * y * 40 / 100, 2 - 3 * y * 20 / 40, 3 - 4 * y * 10 / 20)
    )


@pytest.mark.parametrize("n", [[0, 5, 0, 1, 1], [0, 9, 1, 9, 1]])
def test_without_counts_of_counts_there_is_the_fallback(n: list[int]) -> None:
    assert discounts(n) == FALLBACK


def test_no_sentence_is_no_model() -> None:
    with pytest.raises(InvalidValue, match="no sentence"):
        train([])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("-1.0\ta b", "is not a 1-gram"),
        ("much\ta\t0", "is not a 1-gram"),
        ("-1.0\ta\t0\n-1.0\tb\t0", "1-grams; the header"),
    ],
)
def test_a_broken_arpa_file_says_where(line: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.arpa"
    special = "-1\t<unk>\t0\n0\t<s>\t0\n-1\t</s>\t0\n"
    path.write_text(f"\\data\\\nngram 1=4\n\n\\1-grams:\n{special}{line}\n\n\\end\\\n")
    with pytest.raises(FormatError, match=reason):
        read_arpa(path)
