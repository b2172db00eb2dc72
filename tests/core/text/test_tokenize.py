"""Treebank tokens of raw English, and where they stand."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidValue
from core.text.tokenize import spans_of, tokenize


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
