"""SPADE's two files of a pair: trees, links by annotator, and what is refused."""

import pytest

from core.errors import FormatError
from core.formats.alignments import spade

SOURCE = """<?xml version='1.0' encoding='UTF-8'?>
<sentence id="s1" parse_status="success"><cons id="c0" cat="S" pa1="c0" pa2="c0">
<cons id="c1" cat="NP" pa1="c4" pa2="-1"><tok id="t0" pos="NNS">Bees</tok></cons>
<cons id="c2" cat="VP" pa1="c1" pa2="-1"><cons id="c3" cat="VX" pa1="c2" pa2="c2">
<tok id="t1" pos="VBP">like</tok></cons>
<cons id="c4" cat="NP" pa1="c3" pa2="-1"><tok id="t2" pos="NN">clover</tok></cons>
</cons></cons></sentence>"""
TARGET = """<sentence id="t1"><cons id="c0" cat="S" pa1="c0" pa2="c0">
<cons id="c3" cat="NP" pa1="c4" pa2="c4"><tok id="t0" pos="NN">clover</tok></cons>
<cons id="c1" cat="VP" pa1="c2" pa2="-1"><cons id="c2" cat="VX" pa1="c3" pa2="c3">
<tok id="t1" pos="VBZ">pleases</tok></cons>
<cons id="c4" cat="NP" pa1="c1" pa2="-1"><tok id="t2" pos="NNS">bees</tok></cons></cons>
</cons></sentence>"""


def pair(source: str = SOURCE, target: str = TARGET):
    return spade.pair("1", source.splitlines(True), target.splitlines(True))


def test_trees_words_and_links_are_read_each_chain_as_one_node() -> None:
    record = pair()
    assert record.source.words == ("Bees", "like", "clover")
    assert record.source.labels[:3] == ("S", "NP", "NNS")
    # in preorder: S, Bees, VP, like, clover, and S, clover, VP, pleases, bees
    assert record.links["pa1"] == {(0, 0), (1, 4), (2, 2), (3, 3), (4, 1)}


def test_a_link_that_one_file_alone_tells_counts_and_none_is_none() -> None:
    assert pair().links["pa2"] == {(0, 0), (3, 3), (4, 1)}
    assert "pa3" not in pair().links


def test_a_node_may_have_several_links() -> None:
    record = pair(SOURCE.replace('pa1="c4"', 'pa1="c4 c1"'))
    assert {(1, 4), (1, 2)} <= record.links["pa1"]


def test_fragments_come_under_one_node() -> None:
    rain = '<cons id="c0" cat="NP" pa1="c0"><tok id="t0" pos="NN">Rain</tok></cons>'
    again = '<cons id="c1" cat="ADVP"><tok id="t1" pos="RB">again</tok></cons>'
    record = pair(
        f"<sentence id='s'>{rain} {again}</sentence>",
        f"<sentence id='t'>{rain}</sentence>",
    )
    assert record.source.labels[0] == "FRAG"
    assert record.links == {"pa1": {(1, 0)}}


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("<sentence id='s'></sentence>", "source: one sentence with a tree"),
        ("<sentence id='s'><cons", "source: .*no well-formed XML"),
        (SOURCE.replace("c4", "c77", 1), "target: a link names the node c77"),
        ('<!DOCTYPE a [<!ENTITY b "c">]>' + SOURCE[39:], "source: .*DOCTYPE"),
    ],
)
def test_what_is_no_pair_is_refused_by_side(source: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        pair(source)
