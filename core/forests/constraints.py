"""The best tree of a forest under required and forbidden brackets.

``fixed``: brackets (start, end, label) that the tree must have, "" for any label;
``barred``: such as it may not have, "" for every label.

A pruned forest may not contain a tree that keeps all decisions. So each decision that a
derivation breaks costs more than its whole weight, those that break the fewest remain,
and the broken decisions are then restored in the brackets. The result keeps every
decision, whatever the forest holds; where the forest has trees that keep all, only
these count. Pereira & Schabes 1992, "Inside-Outside Reestimation from Partially
Bracketed Corpora".

The rest of a tree after a person has corrected a part of it.

A person's steps decide brackets: what a step brings must be in the tree, what it takes
away may not. The forest is decoded under the decisions before the last step and under
those after it. What differs between these two follows from the step, and is done to the
tree in hand; nothing else of it changes, anyone who made it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.agreement.trees.parseval import UNCOUNTED, plain_label
from core.data.check import Floats, Ints
from core.data.forest import Forest
from core.data.tree import Tree
from core.errors import InvalidValue
from core.forests.derivation import (
    Phrase,
    chain_labels,
    chain_name,
    phrases_of,
    tree_of_phrases,
)
from core.forests.inside import Bracket, forest_marginals
from core.forests.kbest import viterbi

SURE = 0.5
UNKNOWN = "X"  # the label of a bracket of any label that the forest has not
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Decisions:
    """Decisions about the brackets of one sentence.

    Raises InvalidValue where two fixed brackets cross, or one is also barred.
    """

    fixed: frozenset[Bracket] = field(default_factory=frozenset)
    barred: frozenset[Bracket] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        for bracket in self.fixed:
            if any(_cross(bracket, other) for other in self.fixed):
                raise InvalidValue(f"two required brackets cross: {bracket}")
            if _names(bracket, self.barred):
                raise InvalidValue(f"{bracket} is both required and forbidden")


def best_phrases(
    forest: Forest, weights: Floats, decided: Decisions
) -> tuple[Phrase, ...]:
    """The phrases, ``(start, end, chain)`` in preorder, of the best tree.

    Raises Contradiction if the forest has no derivation. Time is linear in the forest
    for each decision.
    """
    _, edges = viterbi(forest, weights_under(forest, weights, decided))
    return _put_right(phrases_of(forest, edges), decided)


def consensus_phrases(
    forest: Forest, weights: Floats, decided: Decisions
) -> tuple[Phrase, ...]:
    """The phrases of the consensus tree: of each span the chain that is likelier than
    all others and none together, given the decisions.

    No two of them cross. Otherwise as ``best_phrases``; Goodman 1996.
    """
    p_node, _ = forest_marginals(forest, weights_under(forest, weights, decided))
    named = np.array([bool(name) for name in forest.names])[forest.labels]
    nodes = np.flatnonzero(named & (p_node > SURE))
    rows = sorted(
        (int(forest.starts[v]), -int(forest.ends[v]), forest.name(v))
        for v in nodes.tolist()
    )
    return _put_right([(i, -j, name) for i, j, name in rows], decided)


def weights_under(forest: Forest, weights: Floats, decided: Decisions) -> Floats:
    """The weights, less more than any derivation weighs for each decision broken."""
    spread = weights[np.isfinite(weights)]
    most = float(np.abs(spread).max(initial=0.0)) * 6 * max(1, forest.n_tokens) + 1.0
    costs: Floats = weights - most * broken(forest, decided)[forest.heads]
    return costs


def broken(forest: Forest, decided: Decisions) -> Ints:
    """Per node, the decisions that it breaks less those that it keeps."""
    counts = np.zeros(forest.n_nodes, dtype=np.int32)
    for start, end, label in decided.fixed:
        counts += _crossing(forest, start, end)
        counts -= _having(forest, start, end, label)
    for start, end, label in decided.barred:
        counts += _having(forest, start, end, label)
    return counts


def _crossing(forest: Forest, start: int, end: int) -> Mask:
    """The phrases that cross the span; nodes without a name leave no bracket."""
    i, j = forest.starts, forest.ends
    before = (i < start) & (start < j) & (j < end)
    after = (start < i) & (i < end) & (end < j)
    named = np.array([bool(name) for name in forest.names])[forest.labels]
    crossing: Mask = named & (before | after)
    return crossing


def _having(forest: Forest, start: int, end: int, label: str) -> Mask:
    """The nodes over the span with the label in their chain; "": with any."""
    chains = [chain_labels(name) for name in forest.names]
    fits = [bool(chain) and (not label or label in chain) for chain in chains]
    here = (forest.starts == start) & (forest.ends == end)
    having: Mask = here & np.array(fits, dtype=bool)[forest.labels]
    return having


def _put_right(phrases: Iterable[Phrase], decided: Decisions) -> tuple[Phrase, ...]:
    """The brackets, without what is barred or crosses, and with what must be there."""
    chains: dict[tuple[int, int], list[str]] = {}
    for start, end, name in phrases:
        if not any(_cross((start, end, ""), must) for must in decided.fixed):
            kept = [
                label
                for label in chain_labels(name)
                if not _names((start, end, label), decided.barred)
            ]
            chains.setdefault((start, end), []).extend(kept)
    for start, end, label in sorted(decided.fixed):
        here = chains.setdefault((start, end), [])
        if not here or (label and label not in here):
            here.insert(0, label or UNKNOWN)
    order = sorted(
        (span for span, chain in chains.items() if chain), key=lambda s: (s[0], -s[1])
    )
    return tuple((*span, chain_name(chains[span])) for span in order)


def _cross(a: Bracket | tuple[int, int], b: Bracket | tuple[int, int]) -> bool:
    return a[0] < b[0] < a[1] < b[1] or b[0] < a[0] < b[1] < a[1]


def _names(bracket: Bracket, decisions: frozenset[Bracket]) -> bool:
    """Whether one of the decisions is about this bracket."""
    start, end, label = bracket
    return (start, end, label) in decisions or (start, end, "") in decisions


Span = tuple[int, int]
Chains = dict[Span, list[str]]
Decode = Callable[[Forest, Floats, Decisions], tuple[Phrase, ...]]


def can_follow(tree: Tree) -> bool:
    """Whether brackets alone hold the tree: no traces, gaps or labels of edges."""
    leaves = [tree.tokens[v] for v in range(len(tree)) if tree.is_leaf(v)]
    is_plain = not any(tree.edges) and not tree.secondary
    return is_plain and leaves == list(range(tree.n_tokens))


def plain_brackets(tree: Tree) -> Counter[Bracket]:
    """Span and category of each phrase; wrappers of the whole sentence left out."""
    return Counter(
        (*tree.spans[v], plain_label(label))
        for v, label in enumerate(tree.labels)
        if tree.children[v] and plain_label(label) not in UNCOUNTED
    )


def decided_by(steps: Iterable[tuple[Tree, Tree, int]]) -> Decisions:
    """The decisions of steps, from the trees before and after each, and the node it was
    about, -1 for the whole tree.

    The node and its parent are decided as they are after the step. Among removed
    brackets, those around the node are forbidden, as it was moved out of them, and
    those within it, which were joined; a phrase next to it only grew or shrank. Later
    steps override earlier ones.
    """
    fixed: set[Bracket] = set()
    barred: set[Bracket] = set()
    for before, after, at in steps:
        old, new = plain_brackets(before), plain_brackets(after)
        gone, come = set(old) - set(new), set(new) - set(old)
        if at >= 0 and old == new and after.is_leaf(at):
            continue  # a tag decides no bracket
        if at >= 0:
            come.update(bracket_at(after, at) + bracket_at(after, after.parents[at]))
        fixed = (fixed - gone) | come
        around = after.spans[at] if at >= 0 else None
        barred = (barred - come) | {b for b in gone if _is_about(b, around)}
    return Decisions(frozenset(fixed), frozenset(barred))


def _is_about(bracket: Bracket, span: Span | None) -> bool:
    """Whether one of the two is within the other."""
    start, end, _ = bracket
    if span is None:
        return True
    low, high = span
    return (start <= low and high <= end) or (low <= start and end <= high)


def bracket_at(tree: Tree, v: int) -> list[Bracket]:
    """The bracket of a node as it is decided; none of a word or a wrapper."""
    if v < 0 or tree.is_leaf(v) or plain_label(tree.labels[v]) in UNCOUNTED:
        return []
    return [(*tree.spans[v], plain_label(tree.labels[v]))]


def followed(
    former: Tree,
    tree: Tree,
    decisions: tuple[Decisions, Decisions],
    forest: Forest,
    weights: Floats,
    *,
    decode: Decode = consensus_phrases,
) -> Tree:
    """``tree``, with what follows from the step that made it of ``former``.

    ``decisions``: before and after that step. The answer keeps all that is decided if
    ``tree`` does, over the same words and tags; it is ``tree`` itself where nothing
    follows. Raises Contradiction if the forest has no derivation.
    """
    before, after = decisions
    was = _chains(decode(forest, weights, before))
    now = _chains(decode(forest, weights, after))
    chains, own = _own_chains(tree), _own_chains(former)
    if chains.keys() == own.keys() and _count(chains) != _count(own):
        return tree  # only a label of the chain changed, so nothing else does
    touched = {s for s in chains.keys() | own.keys() if chains.get(s) != own.get(s)}
    moved = touched | {s for s in now.keys() | was.keys() if now.get(s) != was.get(s)}
    for span in chains.keys() & was.keys() & moved - now.keys():
        chains[span] = [x for x in chains[span] if _is_kept(span, x, was, after)]
    for span in chains.keys() & now.keys() & moved:
        if _decide(span, now[span], after):
            chains[span] = _named(now[span], chains[span])
    chains = {span: chain for span, chain in chains.items() if chain}
    for span in sorted(now.keys() & moved - chains.keys()):
        if not any(_cross(span, other) for other in chains):
            chains[span] = _named(now[span], own.get(span, []))
    return _grown(tree, chains)


def decoded(tree: Tree, decided: Decisions, forest: Forest, weights: Floats) -> Tree:
    """The best tree of the forest under what is decided, over the words and tags of
    ``tree`` and with its functions. Raises Contradiction as ``best_phrases``."""
    own, whole = _own_chains(tree), (0, tree.n_tokens)
    best = _chains(best_phrases(forest, weights, decided))
    chains = {span: _named(chain, own.get(span, [])) for span, chain in best.items()}
    return _grown(tree, {whole: own.get(whole, []), **chains})


def _count(chains: Chains) -> int:
    return sum(map(len, chains.values()))


def _is_kept(span: Span, label: str, was: Chains, after: Decisions) -> bool:
    """Whether a label stays of a span that the best tree no longer has: what the
    parser did not say itself, or what is decided."""
    plain = plain_label(label)
    return (*span, plain) in after.fixed or plain not in was[span]


def _decide(span: Span, chain: list[str], decided: Decisions) -> list[str]:
    """The chain, unless it does not contain the bracket decided for the span."""
    must = {label for start, end, label in decided.fixed if (start, end) == span}
    return chain if must <= set(chain) else []


def _named(chain: list[str], own: list[str]) -> list[str]:
    """The chain, each label with the function that the tree gives it."""
    known = {plain_label(label): label for label in own}
    kept = [label for label in own if plain_label(label) in UNCOUNTED]
    return kept + [known.get(label, label) for label in chain]


def _chains(phrases: Iterable[Phrase]) -> Chains:
    return {
        (i, j): [label for label in chain_labels(name) if label not in UNCOUNTED]
        for i, j, name in phrases
    }


def _own_chains(tree: Tree) -> Chains:
    chains: Chains = {}
    for v, label in enumerate(tree.labels):
        if tree.children[v]:
            chains.setdefault(tree.spans[v], []).append(label)
    return chains


def _grown(tree: Tree, chains: Mapping[Span, list[str]]) -> Tree:
    order = sorted(chains, key=lambda span: (span[0], -span[1]))
    phrases = [(*span, chain_name(chains[span])) for span in order]
    made = tree_of_phrases(phrases, words=tree.words, tags=tree.tags)
    return tree if made == tree else made
