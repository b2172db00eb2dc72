"""A tree as brackets to edit, and the edited text over the same words."""

from dataclasses import replace

from core.data import remap
from core.data.tree import Tree
from core.errors import FormatError
from core.formats import ptb, treetext
from core.trees.stepping import carried, is_in_order

WIDTH = 78


def shown(tree: Tree) -> str:
    """The brackets, one phrase a line where it is long; "" if they cannot hold it."""
    if not is_in_order(tree):
        return ""
    text, _ = treetext.dump(tree)
    return "\n".join(_lines(ptb.parse_one(text), 0, 0))


def _lines(tree: Tree, v: int, indent: int) -> list[str]:
    whole = " " * indent + ptb.bracket(tree, v)
    if len(whole) <= WIDTH or tree.is_leaf(v):
        return [whole]
    lines = [" " * indent + f"({tree.labels[v]}"]
    for child in tree.children[v]:
        lines += _lines(tree, child, indent + 2)
    lines[-1] += ")"
    return lines


def typed(text: str, tree: Tree) -> Tree:
    """The tree that was typed, on the words of ``tree``; edge labels and secondary
    edges of nodes that stay are kept.

    Raises FormatError with line and column, or naming the first word that differs.
    """
    new = ptb.parse_one(text)
    words = [ptb.unescape(word) for word in new.words]
    wanted = [ptb.unescape(ptb.escape(word)) for word in tree.words]
    if words != wanted:
        raise _other_words(text, words, wanted)
    forms = list(new.forms)
    for token, v in enumerate(new.leaf_of):
        forms[v] = tree.words[token]
    moved = _stayed(new, tree)
    edges = [""] * len(new)
    for v, now in moved.items() if tree.edges else ():
        edges[now] = tree.edges[v]
    edged, second = tuple(edges) if any(edges) else (), carried(tree, moved)
    return replace(new, forms=tuple(forms), edges=edged, secondary=second)


def _stayed(new: Tree, old: Tree) -> dict[int, int]:
    """The words, and the phrases of the same place: old number to new."""
    if not old.edges and not old.secondary:
        return {}
    before, after = remap.places(old), remap.places(new)
    moved = {v: after[place] for place, v in before.items() if place in after}
    return moved | dict(zip(old.leaf_of, new.leaf_of, strict=True))


def _other_words(text: str, words: list[str], wanted: list[str]) -> FormatError:
    pairs = enumerate(zip(words, wanted, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(words), len(wanted)))
    if at < len(words) and at < len(wanted):
        message = f"word {at + 1} is {words[at]!r} and should be {wanted[at]!r}"
    else:
        message = f"{len(words)} words, and the sentence has {len(wanted)}"
    line, column = _place(text, at)
    remedy = "type the words of the sentence, in their order"
    return FormatError(message, line=line, column=column, remedy=remedy)


def _place(text: str, at: int) -> tuple[int, int]:
    """Line and column of the leaf with this number; of the end if there is none."""
    seen = -1
    for match in ptb.LEAF.finditer(text):
        seen += match["tag"] != ptb.TRACE
        if seen == at:
            start = match.start("word")
            line = text.count("\n", 0, start) + 1
            return line, start - (text.rfind("\n", 0, start) + 1) + 1
    return text.count("\n") + 1, len(text) - (text.rfind("\n") + 1) + 1
