"""Files that nobody's tool wrote: refused or named, never a fault of ours; and told
apart from tables as people have them."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotator.errors import Refusal
from annotator.exchange.peers.registry import PEERS, opened
from annotator.exchange.peers.sheets import PeerSheet
from annotator.exchange.tables import Sheet
from tests.annotator.peers.brought import content_of, good, is_even, source, zipped

FILES = {
    "label-studio.json": "label-studio",
    "label-studio-min.json": "label-studio",
    "label-studio.csv": "label-studio",
    "label-studio.tsv": "label-studio",
    "doccano": "doccano",
    "doccano-all.jsonl": "doccano",
    "doccano-spans.jsonl": "doccano",
    "doccano-one.jsonl": "doccano",
    "doccano.csv": "doccano",
    "potato": "potato",
    "potato-state": "potato",
    "potato/annotated_instances.jsonl": "potato",
    "potato.tsv": "potato",
    "potato2.csv": "potato",
    "appraise.csv": "appraise",
    "appraise-doc.csv": "appraise",
    "appraise-all.csv": "appraise",
    "brat": "brat",
}
TABLES = [
    ("a.csv", b"item,annotator,value\n1,zoe,3\n"),
    ("a.csv", b"id,text,label\n1,A gull cried.,3\n"),
    ("a.tsv", b"sentence\tphrase\tparaphrase\nShe ran.\tran\tjogged\n"),
    ("a.json", b'[{"id": 1, "sentence": "She ran.", "label": "3"}]'),
    ("a.jsonl", b'{"text": "She ran.", "label": "3", "annotator": "zoe"}\n'),
    ("a.csv", b"user,system,item,type\nzoe,alpha,1,TGT\n"),
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                ["id", "text", "label", "value", "type", "rating", "labels"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


@pytest.mark.parametrize(("name", "tool"), FILES.items())
def test_each_example_is_recognised_and_adds_up(name: str, tool: str) -> None:
    for items in (False, True):
        export = opened(source(name, content_of(name)), items=items)
        assert isinstance(export, PeerSheet), name
        assert export.form == tool
        assert is_even(export.report)
        assert all(set(row) == set(export.columns()) for row in good(export))


@pytest.mark.parametrize(("name", "content"), TABLES)
def test_tables_as_people_have_them_stay_tables(name: str, content: bytes) -> None:
    assert isinstance(opened(source(name, content)), Sheet)


@settings(max_examples=60)
@given(
    name=st.sampled_from(sorted(FILES)),
    tool=st.sampled_from(sorted(PEERS)),
    at=st.floats(0, 1),
    what=st.binary(max_size=6),
    drop=st.integers(0, 40),
)
def test_damaged_files_are_refused_or_named(name, tool, at, what, drop) -> None:
    content = content_of(name)
    place = int(at * len(content))
    damaged = content[:place] + what + content[place + drop :]
    for said in (tool, FILES[name], ""):
        _read(name, damaged, said)


def _read(name: str, content: bytes, tool: str) -> None:
    try:
        export = opened(source(name, content), tool=tool)
        if isinstance(export, PeerSheet):
            assert is_even(export.report)
    except Refusal:
        pass


def _swapped(value: Any, path: list[int], new: Any) -> Any:
    """The same with the value at a place, told by turns, in the place of another."""
    if not path or not isinstance(value, list | dict) or not value:
        return new
    if isinstance(value, list):
        at = path[0] % len(value)
        rest = _swapped(value[at], path[1:], new)
        return [*value[:at], rest, *value[at + 1 :]]
    key = sorted(value)[path[0] % len(value)]
    return {**value, key: _swapped(value[key], path[1:], new)}


JSON = [name for name in FILES if name.endswith(("json", "jsonl"))]


@settings(max_examples=150)
@given(
    name=st.sampled_from(JSON),
    path=st.lists(st.integers(0, 20), max_size=8),
    new=VALUES,
)
@example("label-studio.json", [0, 0, 0, 7, 0, 4], {"choices": 3})
def test_values_of_other_kinds_are_refused_or_named(name, path, new) -> None:
    text = content_of(name).decode()
    if name.endswith("jsonl"):
        lines = [json.loads(line) for line in text.splitlines()]
        rows = _swapped(lines, [0, *path], new)
        content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    else:
        content = json.dumps(_swapped(json.loads(text), path, new)).encode()
    _read(name, content, FILES[name])
    state = json.dumps(_swapped(json.loads(STATE), path, new)).encode()
    _read("out.zip", zipped({"zoe/user_state.json": state}), "potato")


STATE = content_of("potato-state/yan/user_state.json")
