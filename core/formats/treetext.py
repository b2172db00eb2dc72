"""A tree as one line of brackets, with notes on what brackets cannot hold.

The line is a bracketing that anyone can read (see ptb), its nodes in preorder. The
notes make it the same tree again: ``labels`` and ``forms`` by node where they were
escaped, ``tokens`` where the leaves are not in the order of the sentence or an empty
element is not tagged -NONE-, ``edges`` where there are edge labels, ``secondary`` where
there are secondary edges: node, target and label of each.
"""

import json
from collections.abc import Mapping
from typing import Any

from core.data.tree import Tree
from core.errors import FormatError, InvalidValue
from core.formats import ptb

NOTES = ("labels", "forms", "tokens", "edges", "secondary")


def dump(tree: Tree) -> tuple[str, dict[str, Any]]:
    """The bracketing and the notes, which are empty for a plain tree."""
    labels = tuple(
        label and ptb.escape(label) if not tree.is_leaf(v) else ptb.escape(label)
        for v, label in enumerate(tree.labels)
    )
    forms = tuple(form and ptb.escape(form) for form in tree.forms)
    notes: dict[str, Any] = {}
    for name, new, old in (
        ("labels", labels, tree.labels),
        ("forms", forms, tree.forms),
    ):
        changed = {str(v): old[v] for v in range(len(old)) if old[v] != new[v]}
        if changed:
            notes[name] = changed
    if _tokens(tree, labels) != tree.tokens:
        notes["tokens"] = list(tree.tokens)
    if tree.edges:
        notes["edges"] = list(tree.edges)
    if tree.secondary:
        notes["secondary"] = [list(one) for one in tree.secondary]
    plain = Tree(labels, tree.parents, tree.tokens, forms)
    return ptb.bracket(plain), notes


def load(text: str, notes: Mapping[str, Any]) -> Tree:
    """Inverse of ``dump``; raises FormatError if the two do not fit each other."""
    tree = ptb.parse_one(text)
    if not any(notes.get(name) for name in NOTES):
        return tree
    try:
        labels, forms = list(tree.labels), list(tree.forms)
        for values, name in ((labels, "labels"), (forms, "forms")):
            for v, value in notes.get(name, {}).items():
                values[int(v)] = str(value)
        tokens = tuple(notes.get("tokens") or tree.tokens)
        edges = tuple(notes.get("edges") or ())
        rows = notes.get("secondary") or ()
        secondary = tuple((int(v), int(to), str(label)) for v, to, label in rows)
        parents = tree.parents
        return Tree(tuple(labels), parents, tokens, tuple(forms), edges, secondary)
    except (InvalidValue, IndexError, ValueError, TypeError, AttributeError) as error:
        raise FormatError(f"the notes do not fit the tree: {error}") from error


def parts(text: str, notes: Mapping[str, Any]) -> tuple[str, ...]:
    """What tells this tree from others of the sentence: trees may differ in edge labels
    or secondary edges alone. The text alone where there are none."""
    beyond = [notes.get(name) or [] for name in ("edges", "secondary")]
    return (text, json.dumps(beyond)) if any(beyond) else (text,)


def _tokens(tree: Tree, labels: tuple[str, ...]) -> tuple[int, ...]:
    """The tokens as reading the brackets would number them."""
    tokens, following = [], 0
    for v in range(len(tree)):
        is_word = tree.is_leaf(v) and labels[v] != ptb.TRACE
        tokens.append(following if is_word else -1)
        following += is_word
    return tuple(tokens)
