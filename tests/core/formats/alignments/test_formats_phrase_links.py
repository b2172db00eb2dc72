"""Pairs with the phrase links of several annotators: what is refused, and how."""

import json
from typing import Any

import pytest

from core.errors import FormatError
from core.formats.alignments import phrase_links

TREE = "(S (NP (NN rain)) (VP (VBZ falls)))"


def pair(**changes: Any) -> str:
    row = {"source_tree": TREE, "paraphrase_tree": TREE, "links": {"A": [[1, 1]]}}
    return json.dumps([row | changes])


def test_links_are_read_by_annotator() -> None:
    (record,) = phrase_links.loads(pair(id="r1"))
    assert (record.ref, record.links) == ("r1", {"A": {(1, 1)}})


@pytest.mark.parametrize("node", [-1, 1.5, "1", True, None])
def test_a_node_is_a_whole_number_from_0(node: Any) -> None:
    with pytest.raises(FormatError, match=r"pair 1: .*is not a node"):
        phrase_links.loads(pair(links={"A": [[node, 0]]}))


def test_a_broken_tree_is_named_by_its_pair() -> None:
    with pytest.raises(FormatError, match=r"pair 1: .*closing bracket"):
        phrase_links.loads(pair(source_tree="(S (NN rain)"))


def test_json_without_a_bottom_is_no_json() -> None:
    with pytest.raises(FormatError, match="not JSON"):
        phrase_links.loads("[" * 200_000)
