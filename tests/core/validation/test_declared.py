"""Rules as lines, and the trees that break them: a node and a remedy for each."""

import pytest

from core.data.deps import DepTree
from core.data.tokens import Token
from core.errors import FormatError
from core.formats import ptb
from core.validation import declared, sentences

TREE = ptb.parse_one(
    "(S (NP-SBJ (DT The) (NN door)) (VP (VBZ opens) (PP (NN today))) (. .))"
)


def problems(text: str) -> list[tuple[str, int, tuple[int, ...]]]:
    violations = sentences.of_tree(TREE, declared.read(text))
    assert all(one.text.endswith(".") and one.remedy for one in violations)
    return [(one.rule, one.node, one.words) for one in violations]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("labels: S NP VP PP", []),
        ("labels: S NP VP", [("unknown-label", 6, (3,))]),
        ("tags: DT NN VBZ", [("unknown-tag", 8, (4,))]),
        ("tags: DT NN # VBZ .", []),
        ("need PP: IN TO", [("needed-child", 6, (3,))]),
        ("need NP: NN NNS", []),
        ("forbid VP: PP NP # why", [("forbidden-child", 6, (3,))]),
        ("never: PP <: NN # alone", [("pattern", 6, (3,))]),
        ("never: NN < door", [("pattern", 3, (1,))]),
        ("never: door", [("pattern", 3, (1,))]),
        ("never: NP <: NP", []),
        ("never: [upos=VERB]\nud: 1", []),
        ("# nothing\n\n", []),
    ],
)
def test_each_rule_finds_its_node(text: str, expected) -> None:
    assert problems(text) == expected


def test_notes_say_what_guidelines_say_and_are_no_rules() -> None:
    rules = declared.read("note PP: with its object # 2\nnote nsubj:pass: see page 3")
    assert rules.notes == (("PP", "with its object # 2"), ("nsubj:pass", "see page 3"))
    assert sentences.of_tree(TREE, rules) == []
    with pytest.raises(FormatError, match="nothing after the colon"):
        declared.read("note PP:")


def test_the_reason_and_the_nearest_labels_are_told() -> None:
    rules = declared.read("labels: S NP VP PX ADJP\nforbid VP: PP # arguments alone")
    child, label = sentences.of_tree(TREE, rules)
    assert "such as PX" in label.remedy
    assert "(arguments alone)" in child.text


def test_patterns_about_arcs_are_looked_for_in_arcs() -> None:
    rules = declared.read("never: [upos=VERB] -[obj]-> [upos=DET]")
    deps = DepTree((-1, 0), ("root", "obj"))
    tokens = (Token("open", upos="VERB"), Token("that", upos="DET"))
    (problem,) = sentences.of_deps_patterns(deps, tokens, rules)
    assert (problem.rule, problem.words) == ("pattern", (0,))
    assert sentences.of_tree(TREE, rules) == []


def test_a_pattern_without_end_is_a_problem_itself() -> None:
    tree = ptb.parse_one("(S " + "(NP (NN a)) " * 60 + ")")
    rules = declared.read("never: __ : (__ : (__ : (__ : ZZ)))")
    assert [one.rule for one in sentences.of_tree(tree, rules)] == ["slow-pattern"]


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("labels: S\nlables: S", 2, 1, "there is no rule"),
        ("labels:", 1, 8, "nothing after the colon"),
        ("need: NP", 1, 1, "there is no rule"),
        ("labels X: NP", 1, 1, "there is no rule"),
        ("never:  NP < (DT", 1, 17, "\\)"),
        ("never: NP ~ PP", 1, 8, "links or conditions"),
        ("ud: 4", 1, 4, "no level"),
        ("S NP", 1, 1, "there is no rule"),
        ("\n" * 600, 501, 1, "too many lines"),
        ("never: NP\n" * 41, 41, 1, "too many patterns"),
    ],
)
def test_what_is_no_rule_is_refused_at_its_place(
    text: str, line: int, column: int, said: str
) -> None:
    with pytest.raises(FormatError, match=said) as refused:
        declared.read(text)
    assert (refused.value.line, refused.value.column) == (line, column)
    assert refused.value.remedy


def test_the_example_is_read() -> None:
    rules = declared.read(declared.EXAMPLE)
    assert rules.level == 2
    assert len(rules.patterns) == 1
