"""Broken in any way, a file gives records and bad lines, never an exception."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.formats import formats
from core.formats.records import BadLine
from tests.core.formats.test_formats_gemel import GOOD
from tests.core.formats.test_formats_gemel import lines as bundle
from tests.core.formats.test_formats_pairs import RTE
from tests.core.formats.test_formats_trees import MANY, TIGER

RICH = {
    "conllu": MANY,
    "gemel": "".join(bundle(GOOD)),
    "jsonl": '{"source":"a b","target":"c","links":"0-0"}\n{"source":["x"]}\n',
    "msrpc": "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t7\t8\ta\tb\n",
    "multimwa": "0:0\ta b\tN/A\tc d\tN/A\t1\t1\t1-1 0-0\t0-1\t\t\n",
    "pairs": "id\tsource\ttarget\tlinks\n1\ta b\tc\t0-0\n2\td\te\t\n",
    "ptb": "\n( (S\n  (NP (DT A) (NN cat) )\n  (VP (VBZ naps) )) )\n(S1 (X (NN b)))\n",
    "rte": RTE,
    "tigerxml": TIGER,
}
ALONE = {one.name: one for one in formats() if len(one.example) == 1}
"""Formats of one file, by name."""
SIGNS = "²()<>\t\n\r\"'{}[]:,-0\0\ud800é&;=/\\ "


@st.composite
def broken(draw, text: str) -> str:
    """The text with up to three wounds: a cut, a sign more, another, or the end."""
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        sign = draw(st.sampled_from(SIGNS))
        text = draw(
            st.sampled_from(
                [
                    text[:at] + text[at + 4 :],
                    text[:at] + sign + text[at:],
                    text[:at] + sign + text[at + 1 :],
                    text[:at],
                ]
            )
        )
    return text


@pytest.mark.parametrize("name", ALONE)
@settings(max_examples=150)
@given(data=st.data())
def test_no_wound_is_an_exception(name, data) -> None:
    codec = ALONE[name]
    (example,) = codec.example.values()
    text = data.draw(broken(RICH.get(name, example)))
    records = list(codec.read(re.findall(r"[^\n]*\n|[^\n]+", text)))
    bad = [one for one in records if isinstance(one, BadLine)]
    assert all(one.reason and one.line >= 0 and one.column >= 0 for one in bad)
    good = [one for one in records if not isinstance(one, BadLine)]
    assert isinstance("".join(codec.write(good)), str)


@pytest.mark.parametrize("name", ALONE)
def test_an_example_comes_back_as_it_was_written(name) -> None:
    codec = ALONE[name]
    (example,) = codec.example.values()
    records = list(codec.read(example.splitlines(keepends=True)))
    assert records
    written = "".join(codec.write(records))
    assert list(codec.read(written.splitlines(keepends=True))) == records
