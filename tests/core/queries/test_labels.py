"""Regular expressions of searches: as usual, and never endless."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidValue
from core.queries import labels

ATOMS = st.sampled_from(
    ["N", "P", "-", ".", "a", "é", "[NV]", "[^N]", r"\w", r"\W", r"\d", r"\D", r"[\w-]",
     r"\s", r"\S", r"[\W]", r"[^\W]", r"[\D]", r"[\S]", r"[^\s]",
     r"[\\w]", r"[]\w]", "a{,2}"]
)  # fmt: skip
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: (
        st.builds("{}{}".format, inner, inner)
        | st.builds("(?:{}|{})".format, inner, inner)
        | st.builds("(?:{}){}".format, inner, st.sampled_from("*+?"))
    ),
    max_leaves=8,
)


@given(EXPRESSIONS, st.booleans(), st.text("NPVaé1_- .\u00a0\\]w{,}ü‿", max_size=12))
def test_tame_expressions_mean_what_python_means(regex, whole, text) -> None:
    regex = f"^{regex}$" if whole else regex
    assert labels.matches(regex, text) == (re.search(regex, text) is not None)


@pytest.mark.parametrize("escape", [r"\w", r"\W", r"\d", r"\D", r"\s", r"\S"])
@pytest.mark.parametrize("regex", ["{}", "[{}]", "[^{}]"])
def test_classes_hold_the_characters_that_they_hold_in_python(regex, escape) -> None:
    regex = regex.format(escape)
    theirs = re.compile(regex)
    for code in range(0x3100):
        char = chr(code)
        kind = unicodedata.category(char)
        if kind not in {"Cn", "Mn", "Mc", "Me"}:
            assert labels.matches(regex, char) == bool(theirs.search(char)), hex(code)


@pytest.mark.parametrize(
    "regex",
    ["(a|a)*b", "(a*)*b", "(a|aa)+b$", "(.*)(.*)(.*)(.*)(.*)x", "(?:a?){20}a{20}b"],
)
def test_what_never_ended_ends(regex: str) -> None:
    # Python's own engine takes longer than anybody lives.
    assert not labels.matches(regex, "a" * labels.MAX_LABEL)


@pytest.mark.parametrize(
    ("regex", "reason"),
    [
        ("(?=NP)", "look-aheads are not supported"),
        ("(?<!N)P", "look-behinds are not supported"),
        (r"(N)\1", "back references are not supported"),
        ("N++", "possessive repetitions are not supported"),
        ("[", r"missing \]"),
        ("((a{100}){100}){100}", "repetition size"),
        ("x" * 201, "at most 200 characters"),
        (r"\bSBJ", "is not supported: write"),
        (r"(\pL{500}\pN{500}){2}", "not a regular expression"),
    ],
)
def test_what_cannot_be_searched_says_why(regex: str, reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason):
        labels.checked(regex)
