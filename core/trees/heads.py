"""Heads of phrases, and dependencies read off them.

SYNTACTIC are Collins' rules (1999, "Head-Driven Statistical Models for Natural Language
Parsing", appendix A), with the labels that GUM and CRAFT add: a preposition heads its
phrase, an auxiliary its clause. SEMANTIC makes the content word the head: the noun of
a PP, the verb under its auxiliaries and complementisers, the predicate of a copula
(after de Marneffe et al. 2006). Function tags are cut off; traces head nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.data.deps import ROOT, DepTree
from core.data.tree import Tree
from core.errors import InvalidValue

PUNCTUATION = frozenset({",", ".", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP"})
NOUN_LIKE = frozenset({"NP", "NML", "NX", "NAC", "WHNP"})
_BE = "be is are was were am been being ai 's 're 'm ’s ’re ’m"
BE = frozenset(_BE.split())
Rule = tuple[bool, tuple[str, ...]]  # search from the left?; categories, best first

_COMMON = """
ADJP   < NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP NML JJS DT FW RBR RBS SBAR RB
ADVP   > RB RBR RBS FW ADVP TO CD JJR JJ IN NP NML JJS NN
CONJP  > CC RB IN
FRAG   > NP S VP ADJP PP ADVP INTJ
INTJ   < UH INTJ RB
LST    > LS :
PRN    < S NP VP SINV SBAR PP
PRT    > RP RB IN
QP     < $ IN NNS NN JJ RB DT CD NCD QP JJR JJS
RRC    > VP NP ADVP ADJP PP
S      < TO IN VP S SBAR ADJP UCP NP
SBARQ  < SQ S SINV SBARQ FRAG
SINV   < VBZ VBD VBP VB MD VP S SINV ADJP NP
SQ     < VBZ VBD VBP VB MD VP SQ
UCP    >
X      >
META   >
WHADJP < CC WRB JJ ADJP
WHADVP > CC WRB
"""
_SYNTACTIC = """
PP     > IN TO VBG VBN RP FW
SBAR   < WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG
VP     < TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP
WHPP   > IN TO FW
"""
_SEMANTIC = """
PP     > NP NML S SBAR VP ADJP ADVP QP PP NN NNS NNP CD IN TO RP
S      < VP S SBAR ADJP UCP NP PP
SBAR   < S SQ SINV SBAR VP FRAG WHNP WHADVP WHPP IN DT
SINV   < VP S SINV VBZ VBD VBP VB MD ADJP NP
SQ     < VP SQ ADJP NP VBZ VBD VBP VB MD
VP     < VP VBD VBN VBZ VB VBG VBP MD TO ADJP NN NNS NP
QP     > CD NN NNS JJ QP $
WHPP   > WHNP WHADVP NP IN
"""


@dataclass(frozen=True, slots=True)
class HeadRules:
    """By category, which child is the head; ``semantic``: see the module."""

    table: Mapping[str, Rule]
    semantic: bool


def _table(*texts: str) -> dict[str, Rule]:
    rows = [line.split() for text in texts for line in text.strip().splitlines()]
    return {name: (sign == "<", tuple(names)) for name, sign, *names in rows}


SYNTACTIC = HeadRules(_table(_COMMON, _SYNTACTIC), semantic=False)
SEMANTIC = HeadRules(_table(_COMMON, _SEMANTIC), semantic=True)


def category(label: str) -> str:
    """The label without function tags and indices: NP of NP-SBJ-1; -LRB- is itself."""
    if label.startswith("-"):
        return label
    for sign in "-=|":
        label = label.split(sign, 1)[0]
    return label


def head_child(tree: Tree, v: int, rules: HeadRules = SYNTACTIC) -> int:
    """The child of phrase ``v`` that is its head, as a node of ``tree``.

    Raises InvalidValue if nothing but traces is below ``v``.
    """
    below = tree.with_words(v)
    if not below:
        raise InvalidValue(f"node {v} has no child with words, so no head")
    names = [category(tree.labels[c]) for c in below]
    at = _copula_predicate(tree, below, names) if rules.semantic else None
    if at is None:
        return below[head_of_names(category(tree.labels[v]), names, rules)]
    return below[_before_conjunction(names, at)]


def head_of_names(
    label: str, names: Sequence[str], rules: HeadRules = SYNTACTIC
) -> int:
    """Which of a phrase's children is the head, by their categories alone.

    As ``head_child``, but without words the copula is not seen.
    """
    at = None
    if label in NOUN_LIKE:
        at = _noun_head(names, semantic=rules.semantic)
    if at is None:
        at = _by_table(names, rules.table.get(label, (True, ())))
    return _before_conjunction(names, at)


def head_tokens(tree: Tree, rules: HeadRules = SYNTACTIC) -> tuple[int, ...]:
    """The head token of every node; -1 for traces and phrases over nothing else."""
    heads = list(tree.tokens)
    for v in range(len(tree) - 1, -1, -1):
        if tree.children[v] and tree.spans[v][0] < tree.spans[v][1]:
            heads[v] = heads[head_child(tree, v, rules)]
    return tuple(heads)


def to_dependencies(tree: Tree, rules: HeadRules = SYNTACTIC) -> DepTree:
    """The heads of the tokens of ``tree``, labelled by the categories involved.

    A token depends on the head of the smallest phrase that it does not head itself; its
    label is "category/parent": the largest phrase it heads, or its tag, and that
    phrase's parent; "root" for the head of the tree.
    """
    head_of = head_tokens(tree, rules)
    heads = [ROOT] * tree.n_tokens
    labels = ["root"] * tree.n_tokens
    for v in range(1, len(tree)):
        parent = tree.parents[v]
        if head_of[v] >= 0 and head_of[v] != head_of[parent]:
            heads[head_of[v]] = head_of[parent]
            names = category(tree.labels[v]), category(tree.labels[parent])
            labels[head_of[v]] = "/".join(names)
    return DepTree(tuple(heads), tuple(labels))


def _by_table(names: Sequence[str], rule: Rule) -> int:
    """The first of the best category from the rule's side, otherwise the outermost word
    there that is not punctuation."""
    from_left, wanted = rule
    order = range(len(names)) if from_left else range(len(names) - 1, -1, -1)
    for name in wanted:
        for at in order:
            if names[at] == name:
                return at
    return next((at for at in order if names[at] not in PUNCTUATION), order[0])


def _noun_head(names: Sequence[str], *, semantic: bool) -> int | None:
    """Collins' rules for NP; None if there is no such child (the table then
    decides)."""
    if names[-1] == "POS" and not semantic:
        return len(names) - 1
    nouns = {"NN", "NNP", "NNPS", "NNS", "NX", "NML", "JJR", "WP", "WDT", "WHNP"}
    nouns |= set() if semantic else {"POS"}
    from_right = range(len(names) - 1, -1, -1)
    for wanted, order in (
        (nouns, from_right),
        ({"NP", "WHNP"}, range(len(names))),
        ({"$", "ADJP", "PRN", "PRP"}, from_right),
        ({"CD"}, from_right),
        ({"JJ", "JJS", "RB", "QP", "WP$"}, from_right),
    ):
        at = _first(names, wanted, order)
        if at is not None:
            return at
    return next((at for at in from_right if names[at] not in PUNCTUATION), None)


def _first(names: Sequence[str], wanted: set[str], order: Iterable[int]) -> int | None:
    return next((at for at in order if names[at] in wanted), None)


def _before_conjunction(names: Sequence[str], at: int) -> int:
    """The first conjunct, where ``at`` is one that follows a CC (Collins, A)."""
    if at < 2 or names[at - 1] not in ("CC", "CONJP"):
        return at
    before = (k for k in range(at - 2, -1, -1) if names[k] not in PUNCTUATION)
    return next(before, at)


def _copula_predicate(
    tree: Tree, below: Sequence[int], names: Sequence[str]
) -> int | None:
    """The predicate next to a form of "be" that governs no verb phrase."""
    verb = next((at for at, name in enumerate(names) if name.startswith("VB")), None)
    if verb is None or tree.forms[below[verb]].lower() not in BE or "VP" in names:
        return None
    after = range(verb + 1, len(names))
    predicates = [at for at in after if "-PRD" in tree.labels[below[at]]]
    if predicates:
        return predicates[0]
    phrases = {"ADJP", "NP", "NML", "PP", "UCP", "SBAR", "S"}
    head = _first(names, phrases, after)
    return _first(names, {"ADVP"}, after) if head is None else head
