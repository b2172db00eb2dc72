"""The nodes of one tree that match a query, without an index.

The relations are comparisons of the numbers of ``rows``, as in the index. A query of k
nodes may try n to the k ways on n nodes, so there is a limit to the steps.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from core.data.deps import DepTree
from core.data.tokens import Token
from core.data.tree import Tree
from core.errors import InvalidValue
from core.queries import labels
from core.queries.rows import Kind, NodeRow, dep_rows, tree_rows
from core.queries.syntax import (
    And,
    Back,
    Feature,
    Features,
    Formula,
    Maybe,
    Node,
    NodeRelation,
    NodeState,
    Not,
    Or,
    Query,
    TagClass,
    Test,
    beyond,
)

STEPS = 200_000  # pairs of nodes that are compared at most
Names = Mapping[str, NodeRow]
Compare = Callable[[NodeRow, NodeRow, int], bool]


class Ground:
    """A tree to search: its rows, and by row the columns of a token."""

    def __init__(
        self, rows: Sequence[NodeRow], columns: Mapping[int, Mapping[str, str]]
    ) -> None:
        self.rows, self.columns = rows, columns


def ground_of(tree: Tree) -> Ground:
    return Ground(tree_rows(tree), {})


def ground_of_deps(tree: DepTree, tokens: Sequence[Token]) -> Ground:
    rows = dep_rows(tree)
    return Ground(rows, {row.pre: _columns(tokens[row.node], row) for row in rows})


def matches_in(ground: Ground, query: Query, *, steps: int = STEPS) -> list[NodeRow]:
    """The nodes that the root of the query can be, in preorder.

    Raises InvalidValue at a query about links, other trees, or ``where``, and where it
    takes more than this many steps.
    """
    if query.has_links or query.where or any(beyond(query.root)):
        raise InvalidValue("links, ^ and where: not available for a single tree")
    search = _Search(ground, steps)
    return [row for row in ground.rows if search.is_at(query.root, row)]


def _columns(token: Token, row: NodeRow) -> dict[str, str]:
    feats = dict(one.split("=", 1) for one in token.feats.split("|") if "=" in one)
    own = {"form": token.form, "lemma": token.lemma, "upos": token.upos}
    return feats | own | {"xpos": token.xpos, "deprel": row.label}


class _Search:
    """Tries every node in every place; names are bound on the way."""

    def __init__(self, ground: Ground, steps: int) -> None:
        self._ground, self._left = ground, steps

    def is_at(self, node: Node, row: NodeRow) -> bool:
        return any(True for _ in self._ways(node, row, {}))

    def _ways(self, node: Node, row: NodeRow, names: Names) -> Iterator[Names]:
        if isinstance(node.test, Back):
            if names[node.test.name] is row:
                yield names
            return
        if not self._fits(node.test, row, names):
            return
        named = {**names, node.name: row} if node.name else names
        yield from self._all(list(_conjuncts(node.formula)), row, named)

    def _all(
        self, parts: Sequence[Formula], row: NodeRow, names: Names
    ) -> Iterator[Names]:
        if not parts:
            yield names
            return
        first, rest = parts[0], parts[1:]
        if isinstance(first, NodeRelation):
            for after in self._related(first, row, names):
                yield from self._all(rest, row, after)
        elif self._holds(first, row, names):
            yield from self._all(rest, row, names)

    def _related(
        self, relation: NodeRelation, row: NodeRow, names: Names
    ) -> Iterator[Names]:
        for other in self._ground.rows:
            self._left -= 1
            if self._left < 0:
                raise InvalidValue("this query takes too many steps on such a tree")
            if self._is_related(relation, row, other):
                yield from self._ways(relation.node, other, names)

    def _holds(self, formula: Formula, row: NodeRow, names: Names) -> bool:
        if isinstance(formula, NodeRelation):
            return any(True for _ in self._related(formula, row, names))
        if isinstance(formula, Not):
            return not self._holds(formula.part, row, names)
        if isinstance(formula, Or):
            return any(self._holds(part, row, names) for part in formula.parts)
        if isinstance(formula, And):
            return all(self._holds(part, row, names) for part in formula.parts)
        return True  # optional

    def _fits(self, test: Test, row: NodeRow, names: Names) -> bool:
        columns = self._ground.columns
        own = columns.get(row.pre)
        if isinstance(test, Features):
            others = {name: columns.get(one.pre, {}) for name, one in names.items()}
            return own is not None and all(_has(one, own, others) for one in test.all)
        if isinstance(test, TagClass):
            if own is not None:
                return own["upos"] in labels.upos_of(test.name)
            return row.kind == Kind.TAG and labels.fits(test, row.label)
        assert not isinstance(test, NodeState | Back)
        return labels.fits(test, row.label)

    def _is_related(self, relation: NodeRelation, a: NodeRow, b: NodeRow) -> bool:
        op = relation.op
        if op in ("->", "<-arc"):
            head, child = (a, b) if op == "->" else (b, a)
            fine = not relation.labels or child.label in relation.labels
            return child.parent == head.pre and fine
        if op.startswith(">"):
            a, b, op = b, a, op.replace(">", "<")
        if not _RELATIONS[op](a, b, relation.n):
            return False
        through = relation.through
        if through is None:
            return True
        between = self._ground.rows[a.pre + 1 : b.pre]
        return all(self._fits(through, c, {}) for c in between if c.last >= b.pre)


def _conjuncts(formula: Formula | None) -> Iterator[Formula]:
    if isinstance(formula, And):
        for part in formula.parts:
            yield from _conjuncts(part)
    elif formula is not None and not isinstance(formula, Maybe):
        yield formula


def _has(
    feature: Feature, own: Mapping[str, str], others: Mapping[str, Mapping[str, str]]
) -> bool:
    value = own.get(feature.key, "")
    if feature.same:
        other = others[feature.same].get(feature.key, "")
        return bool(value and other) and (value == other) != feature.negated
    if feature.regex:
        holds = bool(value) and labels.matches(feature.regex, value)
    else:
        holds = value in feature.texts if feature.texts else bool(value)
    return holds != feature.negated


def _below(a: NodeRow, b: NodeRow) -> bool:
    return a.pre < b.pre <= a.last


def _siblings(a: NodeRow, b: NodeRow) -> bool:
    return a.parent >= 0 and a.parent == b.parent and a.pre != b.pre


_RELATIONS: dict[str, Compare] = {
    "<": lambda a, b, n: b.parent == a.pre,
    "<<": lambda a, b, n: _below(a, b),
    "<N": lambda a, b, n: b.parent == a.pre and b.ord == n,
    "<-N": lambda a, b, n: b.parent == a.pre and b.rord == n,
    "<,": lambda a, b, n: b.parent == a.pre and b.ord == 1,
    "<-": lambda a, b, n: b.parent == a.pre and b.rord == 1,
    "<:": lambda a, b, n: b.parent == a.pre and a.kids == 1,
    "<=": lambda a, b, n: b.pre == a.pre or b.parent == a.pre,
    "<<,": lambda a, b, n: _below(a, b) and b.pre - a.pre == b.depth - a.depth,
    "<<-": lambda a, b, n: _below(a, b) and b.last == a.last,
    "<<:": lambda a, b, n: a.pre < b.pre <= a.uend,
    "<+(C)": lambda a, b, n: _below(a, b),
    "<#": lambda a, b, n: b.parent == a.pre and 0 <= a.head == b.head,
    "<<#": lambda a, b, n: _below(a, b) and 0 <= a.head == b.head,
    "<<<": lambda a, b, n: _below(a, b) and b.kids == 0,
    ".": lambda a, b, n: b.lo == a.hi,
    ",": lambda a, b, n: a.lo == b.hi,
    "..": lambda a, b, n: b.lo >= a.hi,
    ",,": lambda a, b, n: a.lo >= b.hi,
    "$": lambda a, b, n: _siblings(a, b),
    "$.": lambda a, b, n: _siblings(a, b) and b.ord == a.ord + 1,
    "$,": lambda a, b, n: _siblings(a, b) and b.ord == a.ord - 1,
    "$..": lambda a, b, n: _siblings(a, b) and b.ord > a.ord,
    "$,,": lambda a, b, n: _siblings(a, b) and b.ord < a.ord,
    "==": lambda a, b, n: b.pre == a.pre,
    ":": lambda a, b, n: True,
}
