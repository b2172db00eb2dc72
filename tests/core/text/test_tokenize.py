"""Treebank tokens of raw English, and where they stand."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidValue
from core.text import tokenize as module
from core.text.tokenize import MAX_WORD, spans_of, tokenize


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("We don't know.", "We do n't know ."),
        ("She can't, he cannot.", "She ca n't , he can not ."),
        ("John's dogs' bowls", "John 's dogs ' bowls"),
        ("I'm gonna say you're right", "I 'm gon na say you 're right"),
        ("couldn't've", "could n't 've"),
        ("a well-known e-mail", "a well - known e-mail"),
        ("it costs $1,000.50 (about 5%)", "it costs $ 1,000.50 ( about 5 % )"),
        ("Mr. O'Brien left the U.S. at 10:30.", "Mr. O'Brien left the U.S. at 10:30 ."),
        ("and/or", "and / or"),
        ("Well... no?!", "Well ... no ?!"),
        ("see https://a.org/b_c?d=1.", "see https://a.org/b_c?d=1 ."),
        ("write to a.b@c.org, please", "write to a.b@c.org , please"),
        ("“Quoted,” he said", "“ Quoted , ” he said"),
        ("fine :) thanks", "fine :) thanks"),
        ("the 1990s and the 3rd", "the 1990s and the 3rd"),
    ],
)
def test_text_is_split_as_treebanks_do(text: str, tokens: str) -> None:
    assert " ".join(tokenize(text).forms) == tokens


@given(st.text(max_size=60))
def test_tokens_are_the_text_without_its_white_space(text: str) -> None:
    spans = list(spans_of(text))
    assert all(a.end <= b.start for a, b in pairwise(spans))
    covered = {i for span in spans for i in range(*span)}
    left = {c for i, c in enumerate(text) if i not in covered}
    assert all(c.isspace() or c < " " or c == "\x7f" for c in left)


def test_offsets_point_into_the_text() -> None:
    sentence = tokenize("  It's   fine. ")
    assert sentence.text == "  It's   fine. "
    assert sentence.offsets == ((2, 4), (4, 6), (9, 13), (13, 14))


@pytest.mark.parametrize("text", ["", "   ", "\t\n"])
def test_an_empty_line_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue, match="no tokens"):
        tokenize(text)


UNITS = (
    "a-", "a.", "www.", "http://", "a@", "a.b+", "1.", "1/", "1a-", "'", "a's", "n't",
    "e-", "=", "!", ".", "<", "@", "x-less", "é ",
)  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_tokenising_is_linear_whatever_the_text(unit: str) -> None:
    times = []
    for n in (10_000, 40_000):
        text = unit * (n // len(unit))
        started = time.process_time()
        assert sum(1 for _ in spans_of(text)) > 0
        times.append(time.process_time() - started)
    assert times[1] < 12 * times[0] + 0.05  # four times as much text


def test_a_word_without_end_is_refused_with_its_place() -> None:
    text = "It is " + "a" * 20_000
    with pytest.raises(InvalidValue, match=r"20,000 characters, from character 7 on"):
        tokenize(text)
    assert len(tokenize("a" * MAX_WORD).tokens) == 1


def test_a_word_with_many_contractions_is_cut_a_few_times() -> None:
    forms = tokenize("a" + "'s" * 500).forms
    assert forms[-module.MAX_CONTRACTIONS :] == ("'s",) * module.MAX_CONTRACTIONS
