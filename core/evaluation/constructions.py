"""Where a parser errs, by construction: brackets by label and width, arcs by relation
and length.

Of gold's brackets a share is found; those over whose words the parse has a spurious
bracket of another label count as ``other_label``. Coordination: phrases of gold with a
child tagged CC, of which only the share found can be told. Arcs stand under their gold
relation, with its subtype, and under how far the gold head is. What is counted:
``core.agreement.trees.parseval`` and ``core.agreement.trees.attachment``.
"""

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from core.agreement.trees.parseval import Bracket, brackets
from core.data.deps import ROOT, DepTree
from core.data.tree import Tree

__all__ = ["ErrorCounts"]

Cells = Counter[tuple[str, str, str]]  # kind, value, what is counted
WIDEST = (2, 5, 10, 20)  # words, the last of a bin
CONJUNCTION = "CC"
COORDINATED = "with CC"


@dataclass(slots=True)
class ErrorCounts:
    """Counts over any number of sentences."""

    cells: Cells = field(default_factory=Counter)

    def add_tree(self, gold: Tree, guess: Tree | None) -> None:
        """The brackets of one sentence; ``guess`` None: no parse."""
        wanted = brackets(gold, gold.tags)
        given = brackets(guess, gold.tags) if guess else Counter[Bracket]()
        spurious = Counter((i, j) for i, j, _ in (given - wanted).elements())
        missed = Counter((i, j) for i, j, _ in (wanted - given).elements())
        coordinated = _coordinated(gold)
        counts = {
            "gold": wanted,
            "given": given,
            "right": wanted & given,
            "other_label": _among(wanted - given, spurious & missed),
        }
        for name, some in counts.items():
            for (i, j, label), n in some.items():
                self.cells["label", label, name] += n
                self.cells["width", _bin(j - i), name] += n
        self.cells["label", COORDINATED, "gold"] += coordinated.total()
        self.cells["label", COORDINATED, "right"] += (
            coordinated & counts["right"]
        ).total()

    def add_arcs(self, gold: DepTree, guess: DepTree | None) -> None:
        """The arcs of one sentence; ``guess`` None: no parse."""
        for m, (head, relation) in enumerate(zip(gold.heads, gold.labels, strict=True)):
            length = "root" if head == ROOT else _bin(abs(head - m))
            is_right = guess is not None and guess.heads[m] == head
            is_labelled = is_right and guess is not None and guess.labels[m] == relation
            for kind, value in (("relation", relation), ("length", length)):
                self.cells[kind, value, "words"] += 1
                self.cells[kind, value, "heads"] += is_right
                self.cells[kind, value, "labelled"] += is_labelled

    def to_json(self) -> dict[str, Any]:
        """By kind and value: counts, and shares in percent; the commonest first."""
        by_kind: dict[str, dict[str, Counter[str]]] = {}
        for (kind, value, name), n in self.cells.items():
            by_kind.setdefault(kind, {}).setdefault(value, Counter())[name] += n
        return {kind: _rows(by_kind[kind]) for kind in by_kind}


def _rows(rows: dict[str, Counter[str]]) -> dict[str, dict[str, float | int]]:
    order = sorted(
        rows, key=lambda value: -(rows[value]["gold"] + rows[value]["words"])
    )
    return {value: _row(rows[value]) for value in order}


def _row(counts: Counter[str]) -> dict[str, float | int]:
    """Of what nothing was given (coordination) there is no precision."""
    if counts["words"]:
        shares = {"uas": counts["heads"], "las": counts["labelled"]}
        n = counts["words"]
        return {"words": n} | {k: _percent(y, n) for k, y in shares.items()}
    right, gold, given = counts["right"], counts["gold"], counts["given"]
    row: dict[str, float | int] = {"gold": gold, "recall": _percent(right, gold)}
    if given:
        row["precision"] = _percent(right, given)
        row["f1"] = _percent(2 * right, gold + given)
        row["other_label"] = counts["other_label"]
    return row


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


def _coordinated(tree: Tree) -> Counter[Bracket]:
    """The brackets of phrases that have a child tagged CC."""
    words = {v for v in range(len(tree)) if not tree.children[v]}
    conjunctions = {v for v in words if tree.labels[v] == CONJUNCTION}
    nodes = [v for v in range(len(tree)) if conjunctions & set(tree.children[v])]
    return brackets(tree, tree.tags, nodes=nodes)


def _among(
    missed: Counter[Bracket], places: Counter[tuple[int, int]]
) -> Counter[Bracket]:
    """As many of the missed brackets as there are places of the same words."""
    left, some = Counter(places), Counter[Bracket]()
    for i, j, label in missed.elements():
        if left[i, j]:
            left[i, j] -= 1
            some[i, j, label] += 1
    return some


def _bin(n: int) -> str:
    """2 words or fewer: "1-2"; then "3-5" and so on, "21+" at last."""
    at = bisect_left(WIDEST, n)
    low = WIDEST[at - 1] + 1 if at else 1
    return f"{low}-{WIDEST[at]}" if at < len(WIDEST) else f"{low}+"
