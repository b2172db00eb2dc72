"""What the rest of a tree becomes, once a person has corrected a part of it.

A person's steps decide brackets: what a step brings must be in the tree, what it takes
away may not. The forest is decoded under the decisions before the last step and under
those after it. What differs between these two follows from the step, and is done to the
tree in hand; nothing else of it changes, whoever made it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from core.agreement.trees.parseval import UNCOUNTED, plain_label
from core.data.check import Floats
from core.data.forest import Forest
from core.data.tree import Tree
from core.forests.constraints import Bracket, Decisions, consensus_phrases
from core.forests.derivation import (
    Phrase,
    chain_labels,
    chain_name,
    tree_of_phrases,
)

__all__ = ["bracket_at", "can_follow", "decided_by", "followed", "plain_brackets"]

Span = tuple[int, int]
Chains = dict[Span, list[str]]
Decode = Callable[[Forest, Floats, Decisions], tuple[Phrase, ...]]


def can_follow(tree: Tree) -> bool:
    """Whether brackets alone hold the tree: no traces, gaps or labels of edges."""
    leaves = [tree.tokens[v] for v in range(len(tree)) if tree.is_leaf(v)]
    return leaves == list(range(tree.n_tokens)) and not any(tree.edges)


def plain_brackets(tree: Tree) -> Counter[Bracket]:
    """Span and category of each phrase; wrappers of the whole sentence left out."""
    return Counter(
        (*tree.spans[v], plain_label(label))
        for v, label in enumerate(tree.labels)
        if tree.children[v] and plain_label(label) not in UNCOUNTED
    )


def decided_by(steps: Iterable[tuple[Tree, Tree, int]]) -> Decisions:
    """What steps decide: the trees before and after each, and the node it was about,
    -1 for the whole tree.

    That node is decided as it is after the step, and so is its mother. Of what is gone,
    phrases around the node are barred, as it was taken out of them, and those within
    it, which were joined; a phrase beside it only grew or shrank. A later step takes
    the place of an earlier one.
    """
    fixed: set[Bracket] = set()
    barred: set[Bracket] = set()
    for before, after, at in steps:
        old, new = plain_brackets(before), plain_brackets(after)
        gone, come = set(old) - set(new), set(new) - set(old)
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
        return tree  # a label came into a chain or went: nothing else hangs on that
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


def _count(chains: Chains) -> int:
    return sum(map(len, chains.values()))


def _is_kept(span: Span, label: str, was: Chains, after: Decisions) -> bool:
    """Whether a label stays of a span that the best tree no longer has: what the
    parser did not say itself, or what is decided."""
    plain = plain_label(label)
    return (*span, plain) in after.fixed or plain not in was[span]


def _decide(span: Span, chain: list[str], decided: Decisions) -> list[str]:
    """The chain, unless it lacks what is decided of the span."""
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


def _cross(a: Span, b: Span) -> bool:
    return a[0] < b[0] < a[1] < b[1] or b[0] < a[0] < b[1] < a[1]


def _grown(tree: Tree, chains: Mapping[Span, list[str]]) -> Tree:
    order = sorted(chains, key=lambda span: (span[0], -span[1]))
    phrases = [(*span, chain_name(chains[span])) for span in order]
    made = tree_of_phrases(phrases, words=tree.words, tags=tree.tags)
    return tree if made == tree else made
