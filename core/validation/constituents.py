"""A constituent tree by the rules that its treebank declares."""

from collections.abc import Iterator

from core.data.deps import DepTree
from core.data.tokens import Token
from core.data.tree import Tree
from core.errors import InvalidValue
from core.queries import matching
from core.queries.labels import basic
from core.queries.rows import Kind, NodeRow
from core.validation.declared import Children, Pattern, Rules
from core.validation.problems import Problem

NEAR = 3  # labels that a remedy names


def of_tree(tree: Tree, rules: Rules) -> list[Problem]:
    """What is wrong with the tree, by its nodes in preorder.

    A pattern that takes too many steps is a problem itself: nothing passes unseen.
    """
    problems = [
        problem
        for v in range(len(tree))
        for problem in (*_label(tree, v, rules), *_below(tree, v, rules))
    ]
    ground = matching.ground_of(tree)
    for pattern in rules.patterns:
        if pattern.query.kind != "dependency":
            problems += _matched(ground, pattern, tree)
    return sorted(problems, key=lambda one: (one.node, one.rule))


def of_deps_patterns(
    deps: DepTree, tokens: tuple[Token, ...], rules: Rules
) -> list[Problem]:
    """The patterns about arcs that match, by their tokens."""
    ground = matching.ground_of_deps(deps, tokens)
    problems = [
        problem
        for pattern in rules.patterns
        if pattern.query.kind == "dependency"
        for problem in _matched(ground, pattern, None)
    ]
    return sorted(problems, key=lambda one: one.words)


def _label(tree: Tree, v: int, rules: Rules) -> Iterator[Problem]:
    leaf, label = tree.is_leaf(v), tree.labels[v]
    allowed = rules.tags if leaf else rules.labels
    if not allowed or tree.is_trace(v) or (v == 0 and not label):
        return
    if label not in allowed and basic(label) not in allowed:
        what = "tag" if leaf else "label"
        near = ", ".join(sorted(allowed, key=lambda one: _distance(one, label))[:NEAR])
        yield Problem(
            f"unknown-{what}",
            f"{label or 'A phrase without a label'} is no {what} of this treebank.",
            f"Use a declared {what}, such as {near}; or declare {label or 'it'}.",
            tree.yield_of(v),
            v,
        )


def _distance(a: str, b: str) -> tuple[int, str]:
    """How unlike two labels are: signs that are not shared at the front; then a."""
    same = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
    shared = min(len(a), len(b)) if same is None else same
    return len(a) + len(b) - 2 * shared, a


def _fits(label: str, name: str) -> bool:
    return name in (label, basic(label))


def _below(tree: Tree, v: int, rules: Rules) -> Iterator[Problem]:
    if tree.is_leaf(v):
        return
    for rule in rules.children:
        if _fits(tree.labels[v], rule.mother):
            yield from _children(tree, v, rule)


def _children(tree: Tree, v: int, rule: Children) -> Iterator[Problem]:
    hits = [
        u
        for u in tree.children[v]
        if any(_fits(tree.labels[u], name) for name in rule.labels)
    ]
    names, why = " or ".join(rule.labels), f" ({rule.reason})" if rule.reason else ""
    if rule.needed and not hits:
        text = f"{tree.labels[v]} has no child {names}{why}."
        remedy = f"Move or relabel a child to be {names}, or relabel the phrase."
        yield Problem("needed-child", text, remedy, tree.yield_of(v), v)
    for u in () if rule.needed else hits:
        text = f"{tree.labels[u]} may not be a child of {tree.labels[v]}{why}."
        remedy = "Move it to another mother, or relabel one of the two."
        yield Problem("forbidden-child", text, remedy, tree.yield_of(u), u)


def _matched(
    ground: matching.Ground, pattern: Pattern, tree: Tree | None
) -> Iterator[Problem]:
    try:
        rows = matching.matches_in(ground, pattern.query)
    except InvalidValue as error:
        remedy = "Make the pattern simpler: name labels instead of any node."
        yield Problem("slow-pattern", f"{pattern.text}: {error}.", remedy)
        return
    for row in rows:
        node, words = _place(row, tree)
        reason = pattern.reason or "a pattern that must not match"
        text = f"{row.label or 'The root'}: {reason} ({pattern.text})."
        remedy = "Change the tree so that the pattern no longer matches."
        yield Problem("pattern", text, remedy, words, node)


def _place(row: NodeRow, tree: Tree | None) -> tuple[int, tuple[int, ...]]:
    if tree is None:
        return -1, (row.node,)
    if row.kind == Kind.WORD:
        return (-1, ()) if row.node < 0 else (tree.leaf_of[row.node], (row.node,))
    return row.node, tree.yield_of(row.node)
