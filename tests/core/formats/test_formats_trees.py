"""Bracketings, CoNLL-U, TigerXML and TreeAligner: what goes out comes back."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.alignment import Alignment, Link
from core.errors import FormatError
from core.formats import conllu, ptb, tigerxml, treetext
from core.formats.alignments import treealigner
from core.formats.records import (
    BadLine,
    LayerRecord,
    PairRecord,
    ParseRecord,
    SentenceRecord,
)
from tests.oracles import documents

LABELS = ("S", "NP-SBJ-1", "ROOT", "S1", "")
ESCAPED = documents.words.map(ptb.escape)
plain_trees = documents.trees(labels=LABELS, tags=("NN", "-LRB-", "``"), forms=ESCAPED)


def kept(codec, text: str) -> list:
    return list(codec.read(re.findall(r"[^\n]*\n|[^\n]+", text)))


def bad_lines(codec, text: str) -> list[BadLine]:
    return [r for r in kept(codec, text) if isinstance(r, BadLine)]


def good(codec, text: str) -> list:
    wanted = SentenceRecord | PairRecord
    return [r for r in kept(codec, text) if isinstance(r, wanted)]


@given(st.lists(plain_trees, min_size=1, max_size=3))
def test_ptb_trees_come_back(trees) -> None:
    text = "".join(ptb.write(ptb.record_of(tree) for tree in trees))
    assert [record.parse.tree for record in good(ptb, text)] == trees


@given(st.lists(plain_trees, min_size=1, max_size=3), st.data())
def test_ptb_layout_comes_back_to_the_byte(trees, data) -> None:
    blank = st.sampled_from([" ", "\n", "\n  ", "\r\n", "\t"])
    pieces = "\n\n".join(ptb.bracket(tree) for tree in trees).split(" ")
    text = pieces[0] + "".join(data.draw(blank) + piece for piece in pieces[1:]) + "\n"
    lines = re.findall(r"[^\n]*\n", text)
    assert "".join(ptb.write(ptb.read(lines))) == text


def test_ptb_words_are_as_people_write_them() -> None:
    (record,) = good(ptb, "( (S (-LRB- -LRB-) (NN friend-LRB-s-RRB-) (NN 1\\/2)) )\n")
    assert record.forms == ("(", "friend(s)", "1/2")
    assert record.parse.tree.words == ("-LRB-", "friend-LRB-s-RRB-", "1\\/2")


def test_ptb_one_missing_bracket_costs_one_tree() -> None:
    text = "(S (NN one))\n(S (NN two)\n(S (NN three))\n(S (NN four))\n"
    assert [r.text for r in good(ptb, text)] == ["one", "three", "four"]
    (bad,) = bad_lines(ptb, text)
    assert (bad.line, bad.column) == (2, 1)
    assert "lacks 1 closing" in bad.reason


def test_ptb_the_rest_of_a_tree_that_never_closes_is_no_second_fault() -> None:
    text = "(S (NN two)\n   (NN more)\n\n(S (NN three))\n"
    (bad,) = bad_lines(ptb, text)
    assert (bad.line, bad.column) == (1, 1)
    assert [r.text for r in good(ptb, text)] == ["three"]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("(S (NN a))\n)\n", 2, 1, "outside a tree"),
        ("(S (NN a))\n(S ())\n", 2, 5, "an empty bracket"),
        ("(S (NN a) b)\n", 1, 1, "mixes words and brackets"),
        ("(S (-NONE- *))\n", 1, 1, "without words"),
        ("(S (NN a\0b))\n", 1, 9, "control character U+0000"),
        ("(S (NN \ud800))\n", 1, 8, "half of a surrogate pair"),
        ("(" * 10_000 + ")" * 10_000, 1, 501, "nested deeper than 500"),
        ("(S " + "(A b)" * 100_000 + ")", 1, 499_999, "more than 100,000 brackets"),
        ("(S (NN a))\n(S (NN cut off", 2, 1, "lacks 2 closing"),
    ],
)
def test_ptb_says_where_and_why(text: str, line: int, column: int, words: str) -> None:
    (bad,) = bad_lines(ptb, text)
    assert (bad.line, bad.column) == (line, column)
    assert words in bad.reason
    assert bad.remedy or "mixes" in words


@given(documents.trees(gaps=True, edges=True))
def test_stored_trees_come_back_whatever_they_hold(tree) -> None:
    text, notes = treetext.dump(tree)
    assert treetext.load(text, notes) == tree


@given(documents.trees(gaps=True))
def test_stored_trees_have_the_same_node_numbers(tree) -> None:
    text, _ = treetext.dump(tree)
    assert ptb.parse_one(text).parents == tree.parents


def test_notes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(FormatError, match="do not fit"):
        treetext.load("(S (NN a))", {"tokens": [0, 0]})


@given(st.data())
def test_conllu_sentences_come_back(data) -> None:
    sentence = data.draw(documents.sentences())
    deps = data.draw(documents.dependencies(len(sentence.tokens)))
    record = replace(sentence, parse=ParseRecord(deps=deps))
    (back,) = good(conllu, "".join(conllu.write([record])))
    assert back.tokens == record.tokens
    assert (back.parse.deps, back.id, back.text) == (deps, record.id, record.text)


MANY = """# newdoc id = d
# sent_id = d-1
# text = Don't go to the zoo.
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=Yes
1\tDo\tdo\tAUX\tVBP\tMood=Imp\t3\taux\t3:aux\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t3:advmod|8.1:dep\t_
3\tgo\tgo\tVERB\tVB\tMood=Imp\t0\troot\t0:root\t_
4\tto\tto\tADP\tIN\t_\t6\tcase\t6:case\t_
5\tthe\tthe\tDET\tDT\t_\t6\tdet\t6:det\t_
6\tzoo\tzoo\tNOUN\tNN\t_\t3\tobl\t3:obl:to\tSpaceAfter=No
7\t.\t.\tPUNCT\t.\t_\t3\tpunct\t3:punct\t_
7.1\tnow\tnow\tADV\tRB\t_\t_\t_\t3:advmod\tCopyOf=-1

# a comment
1\t_\t_\tSYM\tNFP\t_\t0\troot\t_\t_

"""


def test_conllu_keeps_ranges_empty_nodes_comments_and_all_columns() -> None:
    assert "".join(conllu.write(kept(conllu, MANY))) == MANY
    first, second = good(conllu, MANY)
    assert first.forms == ("Do", "n't", "go", "to", "the", "zoo", ".")
    assert (first.id, first.text) == ("d-1", "Don't go to the zoo.")
    assert second.tokens[0].lemma == "_"
    assert "".join(conllu.write([replace(first, raw="")])) in MANY


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("3\tgo", "4\tgo", 7, "token id '4'"),
        ("6\tcase", "9\tcase", 8, "head '9' is not a word"),
        ("6\tcase", "8\tcase", 8, "head '8' is not a word"),
        ("1-2\tDon", "1-0\tDon", 4, "token id '1-0'"),
        ("7.1\tnow", "6.1\tnow", 12, "token id '6.1'"),
        ("0\troot\t0", "4\troot\t0", 5, "cycle"),
        ("\tobl:to", "", 10, "9 columns"),
        ("zoo\tzoo", "z\0o\tzoo", 10, "control character"),
        ("1-2\tDon", "x\tDon", 4, "is not a token id"),
    ],
)
def test_conllu_a_bad_block_costs_that_block(old, new, line, words) -> None:
    text = MANY.replace(old, new, 1)
    if words == "9 columns":
        text = MANY.replace("3:obl:to\tSpaceAfter=No", "SpaceAfter=No", 1)
    assert text != MANY
    (bad,) = bad_lines(conllu, text)
    assert words in bad.reason
    assert bad.line == line
    assert [r.forms for r in good(conllu, text)] == [("_",)]


@given(st.lists(documents.trees(gaps=True, edges=True, tags=("NN", "$(", "<b>")),
                min_size=1, max_size=3))  # fmt: skip
def test_tigerxml_trees_come_back(trees) -> None:
    records = [
        documents.of_tree(_named(tree), name=f"s{n}") for n, tree in enumerate(trees, 1)
    ]
    text = "".join(tigerxml.write(records))
    back = good(tigerxml, text)
    assert [r.parse.tree for r in back] == [r.parse.tree for r in records]
    assert [r.tokens for r in back] == [r.tokens for r in records]
    assert "".join(tigerxml.write(kept(tigerxml, text))) == text


def _named(tree):
    """TigerXML has no phrase without a category."""
    return replace(tree, labels=tuple(label or "--" for label in tree.labels))


GRAPH = """<s id="s1"><graph root="p1"><terminals>
<t id="w1" word="Das" pos="ART"/><t id="w2" word="Haus" pos="NN"/>
<t id="w3" word="." pos="$."/></terminals>
<nonterminals><nt id="p1" cat="NP"><edge label="NK" idref="w1"/>
<edge label="HD" idref="w2"/></nt></nonterminals></graph></s>
"""
TIGER = f"""<?xml version="1.0"?>
<corpus id="c">
<head/>
<body>
{GRAPH}</body>
</corpus>
"""


def test_tigerxml_hangs_loose_nodes_from_a_virtual_root() -> None:
    (record,) = good(tigerxml, TIGER)
    tree = record.parse.tree
    assert tree.labels == ("VROOT", "NP", "ART", "NN", "$.")
    assert record.parse.meta["ids"] == ["", "p1", "w1", "w2", "w3"]
    assert tree.edges[2:4] == ("NK", "HD")


SECOND = GRAPH.replace(
    '<t id="w3" word="." pos="$."/>',
    '<t id="w3" word="." pos="$."><secedge idref="w1" label="--"/>'
    '<secedge idref="w9" label="X"/><secedge idref="w3" label="X"/></t>',
).replace("</nt>", '<secedge label="SB" idref="w3" note="sure"/></nt>')


def test_tigerxml_secondary_edges_are_read_and_written() -> None:
    """One to a missing node, and one to its own node, are in the raw text alone."""
    text = TIGER.replace(GRAPH, SECOND)
    (record,) = good(tigerxml, text)
    assert record.parse.tree.secondary == ((1, 4, "SB"), (4, 2, ""))
    assert "".join(tigerxml.write(kept(tigerxml, text))) == text
    made = "".join(tigerxml.write([replace(record, raw="")]))
    (again,) = good(tigerxml, made)
    assert again.parse.tree == record.parse.tree
    parse = replace(record.parse, meta=record.parse.meta | {"source": SECOND})
    edited = "".join(tigerxml.write([replace(record, raw="", parse=parse)]))
    assert '<secedge label="SB" idref="w3" note="sure"/>' in edited


def test_tigerxml_a_virtual_root_with_a_secondary_edge_is_in_the_file() -> None:
    (record,) = good(tigerxml, TIGER)
    tree = replace(record.parse.tree, secondary=((1, 0, "SB"),))
    text = "".join(tigerxml.write([documents.of_tree(tree, name="s1")]))
    assert 'cat="VROOT"' in text
    (again,) = good(tigerxml, text)
    assert again.parse.tree == tree


def test_tigerxml_edges_that_notes_lack_are_lifted_from_the_text() -> None:
    meta = {"ids": ["", "p1", "w1", "w2", "w3"]}
    lifted = tigerxml.lifted(meta, SECOND)
    assert lifted == meta | {"secondary": [[1, 4, "SB"], [4, 2, ""]]}
    for known in (meta | {"secondary": []}, {}, {"ids": 3}):
        assert tigerxml.lifted(known, SECOND) == known
    for raw in ("", GRAPH, "<secedge <", "<s><secedge idref='w1'/></s>"):
        assert tigerxml.lifted(meta, raw) == meta


@pytest.mark.parametrize(
    "edges", [[[0, 9, ""]], [[1, 1, ""]], [[1]], 3, [[2, 1, ""], [1, 2, ""]]]
)
def test_notes_of_secondary_edges_that_do_not_fit_are_refused(edges) -> None:
    with pytest.raises(FormatError, match="notes do not fit"):
        treetext.load("(S (NN a) (NN b))", {"secondary": edges})


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('idref="w2"', 'idref="w9"', "missing node 'w9'"),
        ('id="w2"', 'id="w1"', "'w1' is missing or used twice"),
        ('idref="w2"', 'idref="p1"', "on a cycle"),
        ('idref="w2"', 'idref="w1"', "two parents"),
        ('word="Haus"', 'word=""', "empty"),
    ],
)
def test_tigerxml_a_bad_graph_costs_that_sentence(old, new, words) -> None:
    other = GRAPH.replace('"s1"', '"s2"')
    text = TIGER.replace(GRAPH, GRAPH.replace(old, new) + other)
    (bad,) = bad_lines(tigerxml, text)
    assert words in bad.reason
    assert bad.line == 5
    assert [r.id for r in good(tigerxml, text)] == ["s2"]


def test_tigerxml_sentence_ids_are_used_once() -> None:
    (bad,) = bad_lines(tigerxml, TIGER.replace(GRAPH, GRAPH + GRAPH))
    assert "'s1' is used twice" in bad.reason


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TIGER[: TIGER.index("</s>")], "no well-formed XML: no element found"),
        ('<!DOCTYPE a [<!ENTITY x "y">]>' + TIGER[21:], "DOCTYPE or entities"),
        (TIGER.replace("Haus", "Ha\0us"), "control character"),
        (TIGER.replace("Haus", "Ha\ud800us"), "half of a surrogate"),
        (TIGER.replace("Haus", "&x;"), "undefined entity"),
        (TIGER.replace(GRAPH, "<s id='1'>" + "<a>" * 200 + "</a>" * 200 + "</s>"),
         "nested deeper than 100"),
    ],
)  # fmt: skip
def test_xml_that_is_none_is_named(text: str, words: str) -> None:
    (bad,) = bad_lines(tigerxml, text)
    assert words in bad.reason


LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE corpus [
<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>
<corpus id="c"><body>&c;</body></corpus>
"""


def test_billion_laughs_are_refused_at_the_declaration() -> None:
    (bad,) = bad_lines(tigerxml, LAUGHS)
    assert bad.line in (2, 3)
    assert "which are not read" in bad.reason


@given(st.data())
def test_treealigner_links_come_back(data) -> None:
    tree = documents.trees(traces=False).map(_named)
    sides = [documents.of_tree(data.draw(tree), name=name) for name in ("s1", "s2")]
    n, m = (len(side.parse.tree) for side in sides)
    inner = [
        [v for v in range(size) if not side.parse.tree.is_leaf(v)]
        for side, size in zip(sides, (n, m), strict=True)
    ]
    cells = data.draw(st.sets(st.tuples(*map(st.sampled_from, inner)), max_size=4))
    kinds = st.sampled_from(("sure", "possible"))
    links = tuple(Link(f"n{a}", f"n{b}", data.draw(kinds)) for a, b in sorted(cells))
    words = data.draw(documents.alignments(len(sides[0].tokens), len(sides[1].tokens)))
    layer = LayerRecord(Alignment(links + words.links))
    record = PairRecord(sides[0], sides[1], "s1-s2", layers=(layer,))
    text = "".join(treealigner.write([record]))
    banks = {
        f"{side}.xml": "".join(tigerxml.write([one])).splitlines(keepends=True)
        for side, one in zip(("source", "target"), sides, strict=True)
    }
    read = list(treealigner.read(text.splitlines(keepends=True), banks.__getitem__))
    back = [r for r in read if isinstance(r, PairRecord)]
    layers = [one for r in back for one in r.layers]
    wanted = [layer.alignment] if layer.alignment.links else []
    assert [one.alignment for one in layers] == wanted
    assert "".join(treealigner.write(read)) == text
