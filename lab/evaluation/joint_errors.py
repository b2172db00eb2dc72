"""Where joint parsing gains and loses: the dimensions of Choe & McClosky 2015, 5.5."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from core.data.deps import ROOT, DepTree
from core.evaluation.joint_parsing import JointCase, gold_arcs
from core.joint_parsing.linked import ends_of
from core.joint_parsing.values import JointResult


@dataclass(frozen=True, slots=True)
class _Word:
    """A counted token: where it stands, whether its head was right, the head of its
    own parse, and the one that the paraphrase's parse has through the links."""

    case: JointCase
    m: int
    gold: DepTree
    linked: frozenset[int]
    before: bool
    after: bool
    own: int
    carried: int | None


def breakdown(
    cases: Sequence[JointCase], results: Sequence[JointResult]
) -> dict[str, dict[str, dict[str, Any]]]:
    """By dimension and its values: words, UAS before, gain in points.

    A sentence counts under each of the operations of its rewording.
    """
    words = [
        word
        for case, result in zip(cases, results, strict=True)
        for word in _words(case, result)
    ]
    by_kind: dict[str, dict[str, dict[str, Any]]] = {}
    for name, of in _DIMENSIONS.items():
        counts: dict[str, list[int]] = {}
        for word in words:
            for value in of(word):
                row = counts.setdefault(value, [0, 0, 0])
                row[0] += 1
                row[1] += word.before
                row[2] += word.after
        by_kind[name] = {value: _shares(*counts[value]) for value in sorted(counts)}
    return by_kind


def _words(case: JointCase, result: JointResult) -> Iterator[_Word]:
    gold, tags = gold_arcs(case.pair.gold)
    if case.source.deps is None:
        return
    before = after = case.source.deps.tree.heads
    if result.kept and result.source.deps is not None:
        after = result.source.deps.tree.heads
    carried = _carried(case, result)
    linked = frozenset(ends_of(link)[0] for link in result.links)
    for m, head in enumerate(gold.heads):
        if tags[m] != "PUNCT":
            right = before[m] == head, after[m] == head
            yield _Word(case, m, gold, linked, *right, before[m], carried.get(m))


def _carried(case: JointCase, result: JointResult) -> dict[int, int]:
    """The head of each linked word whose partner's head is linked, too."""
    if case.target.deps is None:
        return {}
    partner = dict(ends_of(link) for link in result.links) | {ROOT: ROOT}
    back = {t: s for s, t in partner.items()}
    heads = case.target.deps.tree.heads
    carried = {s: back.get(heads[t]) for s, t in partner.items() if s != ROOT}
    return {s: head for s, head in carried.items() if head is not None}


def _shares(words: int, before: int, after: int) -> dict[str, Any]:
    return {
        "words": words,
        "uas": round(100 * before / words, 2),
        "gain": round(100 * (after - before) / words, 2),
    }


def _label(word: _Word) -> list[str]:
    """Gold labels without subtypes; none where gold is a converted tree."""
    if word.case.pair.gold.deps is None:
        return []
    return [word.gold.labels[word.m].partition(":")[0]]


def _length(word: _Word) -> list[str]:
    n = len(word.gold)
    return [next(text for most, text in _LENGTHS if n <= most)]


def _distance(word: _Word) -> list[str]:
    head = word.gold.heads[word.m]
    if head == ROOT:
        return ["root"]
    far = abs(head - word.m)
    return [
        "1" if far == 1 else "2" if far == 2 else "3-5" if far < 6 else "6 and more"
    ]


def _is_linked(word: _Word) -> list[str]:
    return ["linked" if word.m in word.linked else "not linked"]


def _paraphrase(word: _Word) -> list[str]:
    """What the paraphrase's own parse says through the links: what it gives to gain
    ("another head, the right one") and to lose."""
    carried, own = word.carried, word.own
    if carried is None:
        return ["says nothing"]
    if carried == own:
        return ["the same head"]
    is_right = carried == word.gold.heads[word.m]
    return ["another head, the right one" if is_right else "another head, a wrong one"]


def _coverage(word: _Word) -> list[str]:
    share = len(word.linked) / len(word.gold)
    return [next(text for least, text in _COVERAGES if share >= least)]


def _operations(word: _Word) -> list[str]:
    return list(word.case.pair.row.operations)


_LENGTHS = ((10, "6-10"), (15, "11-15"), (20, "16-20"), (10_000, "21 and more"))

_COVERAGES = (
    (0.9, "90% linked and more"),
    (0.7, "70-90% linked"),
    (0.0, "less than 70% linked"),
)

_DIMENSIONS: dict[str, Callable[[_Word], list[str]]] = {
    "label": _label,
    "length": _length,
    "distance": _distance,
    "linked": _is_linked,
    "paraphrase": _paraphrase,
    "coverage": _coverage,
    "operation": _operations,
}
