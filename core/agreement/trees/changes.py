"""Changed arcs and brackets compared with gold: fixed, broken, or neutral."""

from collections.abc import Sequence
from typing import Literal

from core.agreement.trees import parseval
from core.data.deps import DepTree
from core.data.tree import Tree
from core.errors import InvalidValue

Opinion = Literal["fixed", "broken", "neutral"]
Arc = tuple[int, str]
"""Head (ROOT = -1) and relation."""
Span = tuple[int, int, str, bool]
"""Tokens from, to (half-open), label, and whether it is new (else it is gone)."""


def of_arc(word: int, before: Arc, after: Arc, gold: DepTree) -> Opinion:
    """Heads decide where they differ; where they are one, whole labels do.

    A change between two wrong heads is neutral, whatever the labels.
    Raises InvalidValue if ``word`` is beyond the gold tree.
    """
    if not 0 <= word < len(gold):
        raise InvalidValue(f"word {word} in a gold tree of {len(gold)} tokens")
    at = 0 if before[0] != after[0] else 1
    right = (gold.heads[word], gold.labels[word])[at]
    if after[at] == right:
        return "fixed"
    return "broken" if before[at] == right else "neutral"


def of_spans(spans: Sequence[Span], gold: Tree) -> list[Opinion]:
    """Brackets as PARSEVAL scores them, without punctuation and function tags.

    A new bracket that gold also has is fixed, one that gold does not have is broken;
    for a removed bracket it is the reverse. One that PARSEVAL does not count (ROOT,
    punctuation alone) is neutral.
    """
    known = parseval.brackets(gold, gold.tags)
    place = [0]
    for tag in gold.tags:
        place.append(place[-1] + (tag not in parseval.PUNCTUATION))
    opinions: list[Opinion] = []
    for start, end, label, added in spans:
        bracket = place[start], place[end], parseval.plain_label(label)
        if bracket[0] == bracket[1] or bracket[2] in parseval.UNCOUNTED:
            opinions.append("neutral")
        else:
            opinions.append("fixed" if (bracket in known) == added else "broken")
    return opinions


def wrong_brackets(tree: Tree, gold: Tree) -> int:
    """Return the brackets that the tree has and gold does not, and the reverse."""
    score = parseval.compare(gold, tree)
    return score.guessed + score.gold - 2 * score.matched
