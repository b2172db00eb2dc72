"""JSON from elsewhere: what cannot be stored is refused, with its place."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import FormatError
from core.formats import json_text

TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**90), 10**90)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
)


@given(VALUES, st.booleans())
def test_what_can_be_stored_is_read_as_json_reads_it(value, ascii) -> None:
    text = json.dumps(value, ensure_ascii=ascii)
    assert json_text.loads(text, unique=True) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ('{"a": 1e999}', 1, 7, "not a number"),
        ('{"a":\n -1e999}', 2, 2, "not a number"),
        ('{"a": NaN}', 1, 7, "not a number"),
        ('{"a": -Infinity}', 1, 7, "not a number"),
        ('{"a": ' + "9" * 5000 + "}", 1, 7, "5,000 characters"),
        ('{"a": "\\ud800"}', 1, 8, "half of a surrogate pair"),
        ('{"\\uDC00": 1}', 1, 3, "half of a surrogate pair"),
        ("[" * 100_000, 0, 1, "nested too deeply"),
        ('{"a": 1,\n"a": 2}', 1, 2, "twice"),
        ('{"a": }', 1, 7, "not JSON"),
    ],
)
def test_what_cannot_be_stored_is_refused_with_its_place(
    text: str, line: int, column: int, reason: str
) -> None:
    with pytest.raises(FormatError, match=reason) as refused:
        json_text.loads(text, unique=True)
    assert (refused.value.line, refused.value.column) == (line, column)
    assert refused.value.remedy


def test_a_whole_pair_of_surrogates_is_a_character() -> None:
    assert json_text.loads('"\\ud83d\\ude00"') == "😀"


def test_more_values_than_fit_into_memory_are_refused_before_any_is_made(
    monkeypatch,
) -> None:
    monkeypatch.setattr(json_text, "MAX_VALUES", 20)
    with pytest.raises(FormatError, match="more than 20 values"):
        json_text.loads("[" + ",".join(["{}"] * 30) + "]")
    text = json.dumps(["a, [b], {c}" * 9, 'say "hi, [you]" \\' * 9])
    assert len(text) > 40
    assert json_text.loads(text) == json.loads(text)


def test_memory_of_a_hostile_list_is_bounded() -> None:
    """100 MB of empty objects would take about 2.5 GB."""
    program = (
        "import resource\n"
        "from core.errors import FormatError\n"
        "from core.formats import json_text\n"
        "text = '[' + '{},\\n' * 25_000_000 + '{}]'\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n"
        "    json_text.loads(text)\n"
        "except FormatError:\n"
        "    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "    print((after - before) // 1024)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 200


@pytest.mark.parametrize("text", [r'{"a": ["x\u0000"]}', r'{"\u0000": 1}'])
def test_nul_is_refused_since_no_database_keeps_it(text: str) -> None:
    with pytest.raises(FormatError, match="no character of text") as refused:
        json_text.loads(text, line=3)
    assert (refused.value.line, refused.value.column) == (3, text.index("\\") + 1)
