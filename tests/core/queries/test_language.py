"""The query language as Tregex and TGrep2 document it, on sentences of our own."""

import pytest

from core.errors import FormatError
from core.formats import ptb
from core.queries import labels
from core.queries.parser import parse
from core.queries.syntax import RELATIONS, relations_of
from tests.oracles import queries as oracle

NURSE = (
    "(S (NP-SBJ (DT The) (NN nurse)) (VP (VBD opened) (NP (DT the) (JJ old) "
    "(NN window)) (PP (IN with) (NP (DT a) (NN key)))) (. .))"
)
CHAIN = "(S (NP (PRP She)) (VP (MD may) (VP (VB have) (VP (VBN left)))))"


def words(query: str, brackets: str = NURSE) -> list[str]:
    """The words below the root of each match."""
    tree = ptb.parse_one(brackets)
    ways = oracle.matches(parse(query).root, oracle.Side(oracle.of_tree(tree)))
    return [
        " ".join(p.label for p in (way[0], *way[0].below()) if not p.children)
        for way in ways
    ]


# Each as the table of relations of Tregex's documentation describes it.
DOCUMENTED = [
    ("VP << NN", ["opened the old window with a key"] * 2),
    ("NN >> PP", ["key"]),
    ("VP < NP", ["opened the old window with a key"]),
    ("VP < NN", []),
    ("NP > PP", ["a key"]),
    ("VP <1 VBD", ["opened the old window with a key"]),
    ("VP <2 VBD", []),
    ("NP >2 VP", ["the old window"]),
    ("VP <-1 PP", ["opened the old window with a key"]),
    ("NP >-2 VP", ["the old window"]),
    ("NP <, DT", ["the old window", "a key"]),
    ("JJ >, NP", []),
    ("NP <- NN", ["the old window", "a key"]),
    ("NP <: NN", []),
    ("NN <: nurse", ["nurse"]),
    ("VP <<, VBD", ["opened the old window with a key"]),
    ("VP <<- NN", ["opened the old window with a key"]),
    ("NN >>- VP", ["key"]),
    ("NN <<: window", ["window"]),
    ("VP <# VBD", ["opened the old window with a key"]),
    ("VP <# NN", []),
    ("NN ># NP", ["window", "key"]),
    ("S <<# opened", ["The nurse opened the old window with a key ."]),
    ("VP <<# window", []),
    ("VBD >># S", ["opened"]),
    ("NP <<< key", ["a key"]),
    ("VBD . NP", ["opened"]),
    ("NP , VBD", ["the old window"]),
    ("VBD .. NN", ["opened", "opened"]),
    ("PP ,, VBD", ["with a key"]),
    ("NP $ PP", ["the old window"]),
    ("NP $. PP", ["the old window"]),
    ("NP $+ PP", ["the old window"]),
    ("PP $, NP", ["with a key"]),
    ("VBD $.. PP", ["opened"]),
    ("VBD $++ PP", ["opened"]),
    ("VBD $. PP", []),
    ("PP $,, VBD", ["with a key"]),
    ("VP == VP", ["opened the old window with a key"]),
    ("NP <= NP", ["the old window", "a key"]),
    ("PP : NP-SBJ", ["with a key"]),
]


@pytest.mark.parametrize(("query", "expected"), DOCUMENTED)
def test_a_relation_is_what_its_documentation_says(query, expected) -> None:
    assert words(query) == expected


def test_relations_hang_on_the_first_node() -> None:
    assert words("NP < DT < JJ") == ["the old window"]
    assert words("PP < (NP < DT)") == ["with a key"]
    assert words("PP < NP < DT") == []


def test_two_nodes_of_a_query_may_be_one_node() -> None:
    assert len(words("VP < NP < NP")) == 1


def test_and_binds_more_closely_than_or_and_brackets_group() -> None:
    assert words("NP < JJ | < NN & > PP") == ["the old window", "a key"]
    assert words("NP [< JJ | < NN] & > PP") == ["a key"]


def test_what_is_negated_is_nowhere() -> None:
    assert words("NP !< JJ") == ["a key"]
    assert words("NP ![< JJ | > PP]") == []
    assert words("NP < !DT < JJ") == ["the old window"] * 2  # two are no DT


def test_what_is_optional_decides_nothing() -> None:
    assert words("NP ?< JJ") == ["the old window", "a key"]
    assert words("NP < DT & ?< JJ") == ["the old window", "a key"]


def test_a_basic_category_has_no_function() -> None:
    assert words("NP") == ["the old window", "a key"]
    assert words("@NP") == ["The nurse", "the old window", "a key"]


def test_an_expression_is_found_anywhere_in_a_label() -> None:
    assert words("/SBJ$/") == ["The nurse"]
    assert words("/^NP/ < DT") == ["The nurse", "the old window", "a key"]


def test_a_name_is_the_same_node_again() -> None:
    assert words("NP=n > (VP < =n)") == ["the old window"]
    assert words("NP=n $ (PP << =n)") == []


def test_a_chain_goes_through_nodes_of_one_kind() -> None:
    assert words("S <+(VP) VBN", CHAIN) == ["She may have left"]
    assert words("VBN >+(VP) S", CHAIN) == ["left"]
    assert words("S <+(NP) VBN", CHAIN) == []


def test_a_class_of_words_is_a_list_of_tags_and_quotes_make_it_a_word() -> None:
    assert words("verb", CHAIN) == ["may", "have", "left"]
    assert words('"verb"', CHAIN) == []


def test_empty_elements_count_in_the_order() -> None:
    trace = "(S (NP (-NONE- *)) (VP (VB Go) (ADVP (RB away))))"
    assert words("NP . VP", trace) == ["*"]
    assert words("VP <: __", trace) == []


def test_every_relation_of_the_table_parses_and_is_defined() -> None:
    for info in RELATIONS.values():
        (relation,) = relations_of(parse(info.example).root)
        assert relation.op == info.op
        node, written, *_ = info.example.split()
        negated = info.example.replace(written, f"!{written}", 1).split("=v")[0]
        assert {*words(info.example), *words(negated)} == set(words(node)), info.op


@pytest.mark.parametrize(
    ("label", "category"),
    [
        ("NP-SBJ-1", "NP"), ("NP=2", "NP"), ("-LRB-", "-LRB-"), ("-NONE-", "-NONE-"),
        ("WHNP|x", "WHNP"), ("PRP$", "PRP$"), ("", ""), (":", ":"),
    ],
)  # fmt: skip
def test_the_basic_category_is_what_stands_before_a_function(label, category) -> None:
    assert labels.basic(label) == category


@pytest.mark.parametrize(
    ("text", "column", "remedy"),
    [
        ("", 1, "a label such as NP"),
        ("NP <", 5, "a label such as NP"),
        ("NP < (DT", 9, "write )"),
        ("NP [< DT", 9, "write ]"),
        ("NP foo", 4, "a relation such as"),
        ("NP < DT)", 8, "take it away"),
        ("NP <... NN", 4, "list of relations"),
        ("NP < =n", 6, "NP=n before it"),
        ("NP=n < NP=n", 8, "without a label"),
        ("NP !< DT=d", 7, "not after !"),
        ("/(/", 1, "a simpler one"),
        ("/(?=a)/", 1, "a simpler one"),
        (r"/(a)\1/", 1, "a simpler one"),
        ("[upos=VERB] < NP", 15, "by ^[arcs]"),
        ("[upos=]", 7, "quotation marks"),
        ("[upos=NOUN] .. [lemma==n]", 16, "=n before it"),
        ("[]=n ^[gold] [lemma==n]", 14, "=n before it"),
        ("[upos=A lemma=b]", 9, "& between them"),
        ("NP where depth=3", 10, "known are"),
        ("NP where length=few", 10, "length < 20"),
        ("NP where layer<2", 10, "gold"),
        ("A ~ B | ~ C", 7, "brackets"),
        ("(" * 40 + "NP" + ")" * 40, 32, "simpler"),
        ("noun|verb", 1, "quotation marks"),
    ],
)  # fmt: skip
def test_an_error_names_the_column_and_a_remedy(text, column, remedy) -> None:
    with pytest.raises(FormatError) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (1, column)
    assert remedy in caught.value.remedy


def test_the_longest_query_has_an_end() -> None:
    with pytest.raises(FormatError, match="more than 1000 characters"):
        parse("NP " * 400)
    with pytest.raises(FormatError, match="more than 16 nodes"):
        parse("NP" + " < NN" * 16)


def test_a_link_binds_more_loosely_than_any_relation() -> None:
    root = parse("VP << VBN ~ VP !<< VBN").root
    assert [type(part).__name__ for part in root.formula.parts] == [
        "NodeRelation",
        "NodeRelation",
    ]
    assert type(root.formula.parts[1].node.formula).__name__ == "Not"
