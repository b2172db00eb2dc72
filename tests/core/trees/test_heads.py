import pytest
from hypothesis import given

from core.data.tree import Tree
from core.errors import InvalidValue
from core.formats import ptb
from core.trees.heads import (
    SEMANTIC,
    SYNTACTIC,
    HeadRules,
    category,
    head_child,
    head_tokens,
    to_dependencies,
)
from tests.oracles import strategies
from tests.oracles.arcs import is_projective


@pytest.mark.parametrize(
    ("text", "rules", "heads"),
    [
        # the man saw it .
        (
            "(S (NP (DT the) (NN man)) (VP (VBD saw) (NP (PRP it))) (. .))",
            SYNTACTIC,
            (1, 2, -1, 2, 2),
        ),
        # he has slept in parks: auxiliary and preposition, or the words of content
        (
            "(S (NP (PRP he)) (VP (VBZ has) (VP (VBN slept) (PP (IN in) "
            "(NP (NNS parks))))))",
            SYNTACTIC,
            (1, -1, 1, 2, 3),
        ),
        (
            "(S (NP (PRP he)) (VP (VBZ has) (VP (VBN slept) (PP (IN in) "
            "(NP (NNS parks))))))",
            SEMANTIC,
            (2, 2, -1, 4, 2),
        ),
        # tea and milk: the first conjunct
        ("(NP (NN tea) (CC and) (NN milk))", SYNTACTIC, (-1, 0, 0)),
        # she is very old
        (
            "(S (NP (PRP she)) (VP (VBZ is) (ADJP (RB very) (JJ old))))",
            SEMANTIC,
            (3, 3, 3, -1),
        ),
        # Mary 's cat: possessive
        (
            "(NP (NP (NNP Mary) (POS 's)) (NN cat))",
            SEMANTIC,
            (2, 0, -1),
        ),
        # cell-based: GUM's hyphens and nominal modifiers
        (
            "(NP (NML (NN cell) (HYPH -) (NN line)) (NNS tests))",
            SYNTACTIC,
            (2, 2, 3, -1),
        ),
        # that it works
        (
            "(SBAR (IN that) (S (NP (PRP it)) (VP (VBZ works))))",
            SEMANTIC,
            (2, 2, -1),
        ),
    ],
)
def test_heads_of_plain_sentences(
    text: str, rules: HeadRules, heads: tuple[int, ...]
) -> None:
    assert to_dependencies(ptb.parse_one(text), rules).heads == heads


def test_labels_say_phrase_and_mother() -> None:
    tree = ptb.parse_one("(S (NP-SBJ (PRP he)) (VP (VBD saw) (NP (NN x))) (. .))")
    assert to_dependencies(tree).labels == ("NP/S", "root", "NP/VP", "./S")


def test_traces_are_nobodys_head() -> None:
    tree = ptb.parse_one("(S (NP (-NONE- *)) (VP (VB go)))")
    assert head_tokens(tree) == (0, -1, -1, 0, 0)
    with pytest.raises(InvalidValue, match="no head"):
        head_child(tree, 1)


@pytest.mark.parametrize("rules", [SYNTACTIC, SEMANTIC])
@given(tree=strategies.trees())
def test_any_tree_gives_a_projective_tree_with_one_root(
    rules: HeadRules, tree: Tree
) -> None:
    deps = to_dependencies(tree, rules)
    assert deps.heads.count(-1) == 1
    assert is_projective(deps.heads)
    tokens = head_tokens(tree, rules)
    for v, children in enumerate(tree.children):
        if children:
            assert tokens[v] in [tokens[c] for c in children]


@pytest.mark.parametrize(
    ("label", "plain"), [("NP-SBJ=1", "NP"), ("-LRB-", "-LRB-"), ("ADVP|PRT", "ADVP")]
)
def test_categories_lose_their_function_tags(label: str, plain: str) -> None:
    assert category(label) == plain
