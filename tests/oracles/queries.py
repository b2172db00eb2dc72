"""Matches of a query, from the documented definitions: every node is tried in every
place. Trees are objects that know their parent and children; no number but the place of
a leaf in the sentence is compared."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from core.data.deps import DepTree
from core.data.tree import Tree
from core.queries import labels, syntax
from core.queries.syntax import And, Formula, Maybe, Node, NodeRelation, Not, Or
from core.trees.heads import head_child

Names = dict[str, "TreeNode"]
Way = tuple["TreeNode", ...]


@dataclass(eq=False)
class TreeNode:
    """A node of a tree; ``leaf``: its place among the leaves, -1 above them."""

    label: str
    mother: "TreeNode | None"
    pre: int
    is_tag: bool = False
    leaf: int = -1
    own: dict[str, str] = field(default_factory=dict)  # a token's columns
    children: list["TreeNode"] = field(default_factory=list)
    ref: str = ""  # what links call it
    head: "TreeNode | None" = None  # of its children
    is_full: bool = False  # it has a word that is no empty element

    def below(self) -> Iterator["TreeNode"]:
        for child in self.children:
            yield child
            yield from child.below()

    def leaves(self) -> list[int]:
        if self.own:
            return [self.leaf]
        return sorted(p.leaf for p in (self, *self.below()) if p.leaf >= 0)

    def siblings(self) -> list["TreeNode"]:
        return [] if self.mother is None else self.mother.children

    def place(self) -> int:
        return self.siblings().index(self)


@dataclass
class Side:
    """One tree of a pair. ``partners``: by ref, (ref on the other side, kind)."""

    places: list[TreeNode]
    partners: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    null: set[str] = field(default_factory=set)
    parked: set[str] = field(default_factory=set)


def of_tree(tree: Tree) -> list[TreeNode]:
    """The nodes in preorder, each word below its tag."""
    nodes: list[TreeNode] = []
    leaves = sorted(
        (v for v in range(len(tree)) if tree.is_leaf(v)),
        key=lambda v: (tree.spans[v][0], tree.tokens[v] >= 0, v),
    )

    def grow(v: int, mother: TreeNode | None) -> TreeNode:
        leaf = tree.is_leaf(v)
        word = tree.tokens[v] >= 0
        ref = f"w{tree.tokens[v]}" if word else f"n{v}"
        here = TreeNode(tree.labels[v], mother, len(nodes), leaf, ref=ref)
        nodes.append(here)
        if mother is not None:
            mother.children.append(here)
        made = {child: grow(child, here) for child in tree.children[v]}
        if any(place.is_full for place in made.values()):
            here.head = made[head_child(tree, v)]
        if leaf:
            below = TreeNode(tree.forms[v], here, len(nodes), leaf=leaves.index(v))
            nodes.append(below)
            here.children.append(below)
            here.head, here.is_full = below, word
        here.is_full = here.is_full or any(one.is_full for one in made.values())
        return here

    grow(0, None)
    return nodes


def of_deps(tree: DepTree, columns: list[dict[str, str]]) -> list[TreeNode]:
    """The tokens, heads before their dependents, these in the order of the sentence."""
    nodes: list[TreeNode] = []

    def grow(token: int, mother: TreeNode | None) -> None:
        own = columns[token] | {"deprel": tree.labels[token]}
        here = TreeNode(tree.labels[token], mother, len(nodes), leaf=token, own=own)
        here.ref = f"w{token}"
        nodes.append(here)
        if mother is not None:
            mother.children.append(here)
        for other, head in enumerate(tree.heads):
            if head == token:
                grow(other, here)

    for token, head in enumerate(tree.heads):
        if head < 0:
            grow(token, None)
    return nodes


def matches(root: Node, side: Side, other: Side | None = None) -> Iterator[Way]:
    """Every way to put the nodes that a match binds on nodes of the trees."""
    sides = (side, other or Side([]))
    for place in side.places:
        for _, way in _ways(root, place, sides, {}):
            yield way


def _ways(
    node: Node, place: TreeNode, sides: tuple[Side, Side], names: Names
) -> Iterator[tuple[Names, Way]]:
    if isinstance(node.test, syntax.Back):
        if names[node.test.name] is place:
            yield names, ()
        return
    if not fits(node.test, place, names):
        return
    named = names | ({node.name: place} if node.name else {})
    parts = list(_conjuncts(node.formula))
    for after, way in _all(parts, place, sides, named):
        yield after, (place, *way)


def _all(
    parts: list[Formula], place: TreeNode, sides: tuple[Side, Side], names: Names
) -> Iterator[tuple[Names, Way]]:
    if not parts:
        yield names, ()
        return
    first, *rest = parts
    ways: Iterable[tuple[Names, Way]]
    if isinstance(first, NodeRelation):
        ways = _related(first, place, sides, names)
    else:
        ways = [(names, ())] if _holds(first, place, sides, names) else []
    for after, way in ways:
        for last, more in _all(rest, place, sides, after):
            yield last, (*way, *more)


def _related(
    relation: NodeRelation, place: TreeNode, sides: tuple[Side, Side], names: Names
) -> Iterator[tuple[Names, Way]]:
    if relation.op != "~":
        for partner in sides[0].places:
            if is_related(relation, place, partner):
                yield from _ways(relation.node, partner, sides, names)
        return
    here, there = sides
    test = relation.node.test
    if isinstance(test, syntax.NodeState):
        linked = bool(here.partners.get(place.ref))
        decided = linked or place.ref in here.null or place.ref in here.parked
        holds = {
            "null": place.ref in here.null,
            "parked": place.ref in here.parked,
            "undecided": not decided,
        }[test.name]
        if place.ref and holds:
            yield names, ()
        return
    for ref, kind in here.partners.get(place.ref, ()) if place.ref else ():
        if not relation.kinds or kind in relation.kinds:
            for partner in there.places:
                if partner.ref == ref:
                    yield from _ways(relation.node, partner, (there, here), names)


def _holds(
    formula: Formula, place: TreeNode, sides: tuple[Side, Side], names: Names
) -> bool:
    if isinstance(formula, NodeRelation):
        return any(True for _ in _related(formula, place, sides, names))
    if isinstance(formula, Not):
        return not _holds(formula.part, place, sides, names)
    if isinstance(formula, Or):
        return any(_holds(part, place, sides, names) for part in formula.parts)
    if isinstance(formula, And):
        return all(_holds(part, place, sides, names) for part in formula.parts)
    return True  # optional


def _conjuncts(formula: Formula | None) -> Iterator[Formula]:
    if isinstance(formula, And):
        for part in formula.parts:
            yield from _conjuncts(part)
    elif formula is not None and not isinstance(formula, Maybe):
        yield formula


def fits(test: syntax.Test, place: TreeNode, names: Names | None = None) -> bool:
    """Whether the node itself is what the test says."""
    if isinstance(test, syntax.Features):
        return bool(place.own) and all(
            _has(one, place.own, names or {}) for one in test.all
        )
    if isinstance(test, syntax.TagClass):
        if place.own:
            return place.own.get("upos", "") in labels.upos_of(test.name)
        return place.is_tag and place.label in labels.tags_of(test.name)
    assert isinstance(test, syntax.Any | syntax.Labels | syntax.RegexTest)
    return labels.fits(test, place.label)


def _has(feature: syntax.Feature, own: dict[str, str], names: Names) -> bool:
    value = own.get(feature.key, "")
    if feature.same:
        values = {value, names[feature.same].own.get(feature.key, "")}
        return "" not in values and len(values) == 1 + feature.negated
    if feature.regex:
        holds = bool(value) and re.search(feature.regex, value) is not None
    else:
        holds = value in feature.texts if feature.texts else bool(value)
    return holds != feature.negated


def is_related(relation: NodeRelation, a: TreeNode, b: TreeNode) -> bool:
    """Whether A and B, of one tree, are in this relation."""
    op = relation.op
    if op in (">", ">>", ">N", ">-N", ">,", ">-", ">:", ">>,", ">>-", ">>:", ">+(C)",
              ">#", ">>#"):  # fmt: skip
        a, b, op = b, a, "<" + op[1:].replace(">", "<", 1)
    n = relation.n
    if op == "<+(C)":
        test = relation.through
        between = [p for p in b_path(b) if p in set(a.below())]
        return b in set(a.below()) and all(test and fits(test, p) for p in between)
    if op in ("->", "<-arc"):
        head, dependent = (a, b) if op == "->" else (b, a)
        fine = not relation.labels or dependent.label in relation.labels
        return dependent.mother is head and fine
    return bool(_DEFINITIONS[op](a, b, n))


def b_path(b: TreeNode) -> Iterator[TreeNode]:
    """The nodes above B, from its parent up."""
    while b.mother is not None:
        b = b.mother
        yield b


def _end(a: TreeNode, at: int) -> Iterator[TreeNode]:
    """The chain of first (0) or last (-1) children below A."""
    while a.children:
        a = a.children[at]
        yield a


def _only(a: TreeNode) -> Iterator[TreeNode]:
    while len(a.children) == 1:
        a = a.children[0]
        yield a


def _heads(a: TreeNode) -> Iterator[TreeNode]:
    while a.head is not None:
        a = a.head
        yield a


def _is_nth(a: TreeNode, b: TreeNode, at: int) -> bool:
    return -len(a.children) <= at < len(a.children) and a.children[at] is b


def _is_sister(a: TreeNode, b: TreeNode) -> bool:
    return a is not b and b in a.siblings()


_DEFINITIONS = {
    "<": lambda a, b, n: b.mother is a,
    "<<": lambda a, b, n: b in a.below(),
    "<N": lambda a, b, n: _is_nth(a, b, n - 1),
    "<-N": lambda a, b, n: _is_nth(a, b, -n),
    "<,": lambda a, b, n: _is_nth(a, b, 0),
    "<-": lambda a, b, n: _is_nth(a, b, -1),
    "<:": lambda a, b, n: a.children == [b],
    "<=": lambda a, b, n: a is b or b.mother is a,
    "<<,": lambda a, b, n: b in _end(a, 0),
    "<<-": lambda a, b, n: b in _end(a, -1),
    "<<:": lambda a, b, n: b in _only(a),
    "<#": lambda a, b, n: a.head is b,
    "<<#": lambda a, b, n: b in _heads(a),
    "<<<": lambda a, b, n: b in a.below() and not b.children,
    ".": lambda a, b, n: a.leaves()[-1] + 1 == b.leaves()[0],
    ",": lambda a, b, n: b.leaves()[-1] + 1 == a.leaves()[0],
    "..": lambda a, b, n: a.leaves()[-1] < b.leaves()[0],
    ",,": lambda a, b, n: b.leaves()[-1] < a.leaves()[0],
    "$": lambda a, b, n: _is_sister(a, b),
    "$.": lambda a, b, n: _is_sister(a, b) and b.place() - a.place() == 1,
    "$,": lambda a, b, n: _is_sister(a, b) and a.place() - b.place() == 1,
    "$..": lambda a, b, n: _is_sister(a, b) and a.place() < b.place(),
    "$,,": lambda a, b, n: _is_sister(a, b) and a.place() > b.place(),
    "==": lambda a, b, n: a is b,
    ":": lambda a, b, n: True,
}
