"""Trees to learn from: continuous, bare labels, no traces, heads found without a table.

Discontinuous phrases (TigerXML) are made continuous by raising: a phrase keeps the run
of words that holds its head, and what lies beyond a gap goes to its mother.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.data.tree import Tree
from core.trees.heads import category

__all__ = ["TOP", "HeadChoice", "Sample", "diverse", "sample_of", "wanted"]

TOP = "ROOT"
_ROOTS = frozenset({"", "ROOT", "TOP", "S1", "VROOT"})
MAX_CHILDREN = 200


@dataclass(slots=True)
class Sample:
    """A phrase (``parts``) or a word (``word``); tokens ``start`` to ``end - 1``."""

    label: str
    start: int
    end: int
    parts: list["Sample"]
    word: str = ""
    is_head: bool = False  # the treebank's own word for it: edge HD

    def phrases(self) -> Iterable["Sample"]:
        """This phrase and those below, mothers first; words left out."""
        stack = [self]
        while stack:
            one = stack.pop()
            if one.parts:
                yield one
                stack += reversed(one.parts)

    def leaves(self) -> list["Sample"]:
        leaves, stack = [], [self]
        while stack:
            one = stack.pop()
            if one.parts:
                stack += reversed(one.parts)
            else:
                leaves.append(one)
        return leaves


def sample_of(tree: Tree, words: Sequence[str]) -> Sample | None:
    """``tree`` over ``words`` under TOP; None if no word has a phrase above it.

    Labels are cut to their category; a chain X over X is one X.
    """
    made, beyond = _grown(tree, 0, words)
    parts = [one for one in (made, *beyond) if one is not None]
    if not parts or not any(one.parts for one in parts):
        return None
    while len(parts) == 1 and parts[0].parts and parts[0].label in _ROOTS:
        parts = parts[0].parts
    parts.sort(key=lambda one: one.start)
    return Sample(TOP, 0, parts[-1].end, parts)


def wanted(sample: Sample, *, max_tokens: int) -> bool:
    """Whether it is short enough to learn from, and no phrase absurdly flat."""
    flat = all(len(one.parts) <= MAX_CHILDREN for one in sample.phrases())
    return sample.end <= max_tokens and flat


def _grown(
    tree: Tree, v: int, words: Sequence[str]
) -> tuple[Sample | None, list[Sample]]:
    """Node ``v`` as a continuous sample, and what of it must go further up."""
    label = category(tree.labels[v])
    is_head = bool(tree.edges) and tree.edges[v] == "HD"
    if not tree.children[v]:
        i = tree.tokens[v]
        if i < 0:
            return None, []
        return Sample(label, i, i + 1, [], words[i], is_head), []
    parts: list[Sample] = []
    for child in tree.children[v]:
        made, beyond = _grown(tree, child, words)
        parts += ([made] if made else []) + beyond
    if not parts:
        return None, []
    runs = _runs(sorted(parts, key=lambda one: one.start))
    kept = max(runs, key=lambda run: (any(x.is_head for x in run), _size(run)))
    beyond = [one for run in runs if run is not kept for one in run]
    if len(kept) == 1 and kept[0].parts and kept[0].label == label:
        kept = kept[0].parts
    made = Sample(label, kept[0].start, kept[-1].end, kept, is_head=is_head)
    return made, beyond


def _size(run: list[Sample]) -> int:
    return run[-1].end - run[0].start


def _runs(parts: list[Sample]) -> list[list[Sample]]:
    runs = [[parts[0]]]
    for one in parts[1:]:
        if one.start == runs[-1][-1].end:
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


class HeadChoice:
    """Which child is the head, learned from counts alone: no table of any language.

    The edge HD says it where a treebank has one. Elsewhere a category that at least
    half of the phrases of this label have (VP in S, IN in PP) goes before others, a
    word before a phrase, then the category that more of these phrases have. Ties: the
    later child. Punctuation (a word without a letter or digit) is no head.
    """

    def __init__(self, samples: Iterable[Sample]) -> None:
        self._having: Counter[tuple[str, str]] = Counter()
        self._all: Counter[str] = Counter()
        for sample in samples:
            for one in sample.phrases():
                if len(one.parts) > 1:
                    self._all[one.label] += 1
                    names = {part.label for part in one.parts if not _is_sign(part)}
                    self._having.update((one.label, name) for name in names)

    def __call__(self, one: Sample) -> int:
        """The place of the head among the children of a phrase."""

        def worth(at: int) -> tuple[bool, bool, bool, bool, int, int]:
            part = one.parts[at]
            having = self._having[one.label, part.label]
            common = 2 * having >= self._all[one.label]
            is_word = not part.parts
            return part.is_head, not _is_sign(part), common, is_word, having, at

        return max(range(len(one.parts)), key=worth)


def diverse(samples: Iterable[Sample], heads: HeadChoice) -> frozenset[str]:
    """Labels of phrases that differ by what heads them: no tag, nor a phrase, is
    a quarter of the heads (VP, by the form of its verb; not NP or PP)."""
    kinds: dict[str, Counter[str]] = {}
    for sample in samples:
        for one in sample.phrases():
            if len(one.parts) > 1:
                head = one.parts[heads(one)]
                tag = "" if head.parts else head.label
                kinds.setdefault(one.label, Counter())[tag] += 1
    return frozenset(
        label for label, tags in kinds.items() if 4 * max(tags.values()) < tags.total()
    )


def _is_sign(part: Sample) -> bool:
    return bool(part.word) and not any(c.isalnum() for c in part.word)
