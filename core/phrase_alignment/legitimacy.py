"""Legitimacy of an alignment of two trees: Arase and Tsujii 2017, Definition 3.2.

Their trees are binary; ours are n-ary and have unary chains, so Definition 3.1 reads:
links a and b below s and t *support* the link (s, t) if they are below two different
children of s and below two different children of t. One link a supports (s, t) alone if
only null is next to it: all other children of s and of t are null, or there are none. A
link marked as crossing (non-compositional, section 4.3) is held to Consistency alone.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from core.data.alignment import Alignment, Ref
from core.data.tree import Tree

Rule = Literal[
    "consistency",
    "monotonous",
    "same_tree",
    "root",
    "relevance",
    "maximum",
    "undecided",
]
RULES: tuple[Rule, ...] = (
    "consistency",
    "monotonous",
    "root",
    "relevance",
    "maximum",
    "undecided",
)
Pair = tuple[int, int]  # preorder numbers: source node, target node
SHOWN_WORDS = 4
VIRTUAL = frozenset({"", "VROOT", "ROOT", "TOP", "S1"})


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is not right, in one sentence, and the nodes it is about."""

    rule: Rule
    reason: str
    source: tuple[Ref, ...] = ()
    target: tuple[Ref, ...] = ()

    @property
    def key(self) -> str:
        """The same problem has the same key, whatever else changes."""
        return f"{self.rule}:{','.join(self.source)}:{','.join(self.target)}"


def problems(
    alignment: Alignment, source: Tree, target: Tree, rules: Sequence[Rule] = RULES
) -> list[Violation]:
    """All violations, the gravest rule first, each rule in the order of its nodes.

    Links to nodes that a tree does not have are left out. O(links^2 * depth).
    """
    work = _Work(alignment, source, target)
    return [problem for rule in rules for problem in getattr(work, rule)()]


def node_of(tree: Tree, ref: Ref) -> int | None:
    """The preorder number of ``w3`` or ``n5``, None if the tree has no such node."""
    number = int(ref[1:])
    if ref[0] == "w":
        return tree.leaf_of[number] if number < tree.n_tokens else None
    return number if number < len(tree) and tree.tokens[number] < 0 else None


def ref_of(tree: Tree, v: int) -> Ref:
    """``w3`` for the leaf of token 3, ``n5`` for a phrase or a trace."""
    return f"w{tree.tokens[v]}" if tree.tokens[v] >= 0 else f"n{v}"


def refs_of(tree: Tree) -> tuple[Ref, ...]:
    """The nodes to be decided, in preorder. Traces, and phrases of nothing else, can be
    linked, but no one has to."""
    has_words = [tree.spans[v][0] < tree.spans[v][1] for v in range(len(tree))]
    return tuple(ref_of(tree, v) for v in range(len(tree)) if has_words[v])


def name_of(tree: Tree, v: int) -> str:
    """``NP "the old kitchen"``: label and words, the middle of long ones left out."""
    words = [tree.words[i] for i in tree.yield_of(v)]
    if len(words) > SHOWN_WORDS:
        words = [*words[:2], "…", words[-1]]
    return f"{tree.labels[v] or 'phrase'} “{' '.join(words)}”"


class _Work:
    """The links as pairs of nodes, and one method for each rule."""

    def __init__(self, alignment: Alignment, source: Tree, target: Tree) -> None:
        self.source, self.target = source, target
        self.ends_s, self.ends_t = _ends(source), _ends(target)
        self.pairs: list[Pair] = []
        self.crossing: set[Pair] = set()
        for link in alignment.links:
            s, t = node_of(source, link.source), node_of(target, link.target)
            if s is not None and t is not None:
                self.pairs.append((s, t))
                if link.crossing:
                    self.crossing.add((s, t))
        self.plain = [pair for pair in self.pairs if pair not in self.crossing]
        nulls_s, nulls_t = alignment.null_source, alignment.null_target
        self.null_s = _null_below(source, nulls_s)
        self.null_t = _null_below(target, nulls_t)
        linked_s = {ref_of(source, s) for s, _ in self.pairs}
        linked_t = {ref_of(target, t) for _, t in self.pairs}
        self.open_s = [r for r in refs_of(source) if r not in nulls_s | linked_s]
        self.open_t = [r for r in refs_of(target) if r not in nulls_t | linked_t]

    def consistency(self) -> Iterator[Violation]:
        for side, tree in ((0, self.source), (1, self.target)):
            partners_of: dict[int, list[int]] = defaultdict(list)
            for pair in self.pairs:
                partners_of[pair[side]].append(pair[1 - side])
            for v, partners in sorted(partners_of.items()):
                if len(partners) > 1:
                    ends = ([v], partners) if side == 0 else (partners, [v])
                    yield Violation(
                        "consistency",
                        f"{name_of(tree, v)} has {len(partners)} links: a phrase "
                        "may have one partner.",
                        *self._refs(*ends),
                    )

    def monotonous(self) -> Iterator[Violation]:
        for (s1, t1), (s2, t2) in combinations(sorted(self.plain), 2):
            if s1 == s2 or t1 == t2:
                continue  # a matter of consistency
            inside = _below(self.ends_s, s2, s1)  # s1 < s2: never the other way
            if inside == _below(self.ends_t, t2, t1) and not _below(
                self.ends_t, t1, t2
            ):
                continue
            yield Violation(
                "monotonous",
                f"{self._both(s1, t1)} and {self._both(s2, t2)} are inside each other "
                "on one side only: is one of them non-compositional?",
                *self._refs([s1, s2], [t1, t2]),
            )

    def root(self) -> Iterator[Violation]:
        if self._root_pairs():
            return
        yield Violation(
            "root",
            "The two whole sentences are not linked.",
            *self._refs([0], [0]),
        )

    def relevance(self) -> Iterator[Violation]:
        """Links from which no chain of supports leads to the root pair."""
        roots = self._root_pairs()
        if not roots:
            return  # then nothing has a chain, and the root is to blame
        reached, ahead = set(roots), list(roots)
        while ahead:
            fresh = self._supporters(ahead.pop()) - reached
            reached |= fresh
            ahead.extend(fresh)
        for s, t in sorted(set(self.plain) - reached):
            yield Violation(
                "relevance",
                f"{self._both(s, t)}: no chain of links leads from here up to the "
                "whole sentences.",
                *self._refs([s], [t]),
            )

    def maximum(self) -> Iterator[Violation]:
        """Undecided phrases that the links below them would support."""
        votes: Counter[Pair] = Counter()
        for a, b in combinations(self.plain, 2):
            s, t = (
                _meet(self.source, self.ends_s, a[0], b[0]),
                _meet(self.target, self.ends_t, a[1], b[1]),
            )
            if s not in (a[0], b[0]) and t not in (a[1], b[1]):
                votes[s, t] += 1
        for s, t in self.plain:
            up = self.source.parents[s], self.target.parents[t]
            if min(up) >= 0 and self._next_null(up, s, t):
                votes[up] += 1
        open_s, open_t = set(self.open_s), set(self.open_t)
        chosen: list[Pair] = []
        for (s, t), _ in sorted(votes.items(), key=lambda item: (-item[1], item[0])):
            free = ref_of(self.source, s) in open_s and ref_of(self.target, t) in open_t
            if (
                free
                and self._fits(s, t)
                and not any(s == u or t == v for u, v in chosen)
            ):
                chosen.append((s, t))
        for s, t in sorted(chosen):
            reason = f"{self._both(s, t)} could be linked: their parts are."
            yield Violation("maximum", reason, *self._refs([s], [t]))

    def undecided(self) -> Iterator[Violation]:
        n = len(self.open_s) + len(self.open_t)
        if n:
            yield Violation(
                "undecided",
                f"{n} {'node is' if n == 1 else 'nodes are'} still undecided.",
                tuple(self.open_s[:1]),
                tuple(self.open_t[:1]) if not self.open_s else (),
            )

    def _root_pairs(self) -> list[Pair]:
        tops_s, tops_t = _top_chain(self.source), _top_chain(self.target)
        return [(s, t) for s, t in self.pairs if s in tops_s and t in tops_t]

    def _supporters(self, of: Pair) -> set[Pair]:
        """The links that take part in a support of this one."""
        s, t = of
        groups: dict[Pair, list[Pair]] = defaultdict(list)
        for a in self.plain:
            if _below(self.ends_s, a[0], s) and _below(self.ends_t, a[1], t):
                under = _towards(self.source, s, a[0]), _towards(self.target, t, a[1])
                groups[under].append(a)
        supporters: set[Pair] = set()
        for (i, j), links in groups.items():
            if any(k != i and m != j for k, m in groups) or self._next_null(of, i, j):
                supporters.update(links)
        return supporters

    def _next_null(self, of: Pair, i: int, j: int) -> bool:
        """Whether all children of both are null, but i and j."""
        s, t = of
        return all(self.null_s[c] for c in self.source.children[s] if c != i) and all(
            self.null_t[c] for c in self.target.children[t] if c != j
        )

    def _fits(self, s: int, t: int) -> bool:
        """Whether a link (s, t) would be monotonous with all others."""
        return all(
            _below(self.ends_s, a, s) == _below(self.ends_t, b, t)
            and _below(self.ends_s, s, a) == _below(self.ends_t, t, b)
            for a, b in self.plain
        )

    def _both(self, s: int, t: int) -> str:
        return f"{name_of(self.source, s)} = {name_of(self.target, t)}"

    def _refs(
        self, source: list[int], target: list[int]
    ) -> tuple[tuple[Ref, ...], tuple[Ref, ...]]:
        return (
            tuple(ref_of(self.source, v) for v in source),
            tuple(ref_of(self.target, v) for v in target),
        )


def _ends(tree: Tree) -> list[int]:
    """One past the last preorder number below each node."""
    ends = list(range(1, len(tree) + 1))
    for v in range(len(tree) - 1, 0, -1):
        ends[tree.parents[v]] = max(ends[tree.parents[v]], ends[v])
    return ends


def _below(ends: Sequence[int], v: int, top: int) -> bool:
    """Whether v is a proper descendant of ``top``."""
    return top < v < ends[top]


def _towards(tree: Tree, top: int, v: int) -> int:
    """The child of ``top`` that is v or above v."""
    children = tree.children[top]
    return children[bisect_right(children, v) - 1]


def _meet(tree: Tree, ends: Sequence[int], a: int, b: int) -> int:
    """The lowest common ancestor."""
    low, high = min(a, b), max(a, b)
    while high >= ends[low]:
        low = tree.parents[low]
    return low


def _top_chain(tree: Tree) -> set[int]:
    """The root and its stand-ins: its only child (TOP over S), or the only phrase under
    a root that a treebank added for punctuation (VROOT)."""
    chain, v = {0}, 0
    while True:
        children = tree.children[v]
        if tree.labels[v] in VIRTUAL:
            children = tuple(c for c in children if tree.children[c])
        if len(children) != 1:
            return chain
        v = children[0]
        chain.add(v)


def _null_below(tree: Tree, nulls: frozenset[Ref]) -> list[bool]:
    """Whether a node is null, a trace, or a phrase of nothing else."""
    null = [ref_of(tree, v) in nulls or tree.is_trace(v) for v in range(len(tree))]
    for v in range(len(tree) - 1, -1, -1):
        children = tree.children[v]
        null[v] = null[v] or (bool(children) and all(null[c] for c in children))
    return null
