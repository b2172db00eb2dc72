"""A person who corrects a parse to gold, played: how many steps it takes.

Of all steps that the editor has, the one is taken that brings the brackets nearest to
gold: fewest brackets of one tree that the other lacks, then fewest labels in the wrong
place of a unary chain. After it the rest of the tree may follow
(``core.forests.constraints``); what followed and is worse is refused, which is a step,
too. Both players are the same but for that. Words and tags are gold's from the start.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

from core.agreement.trees.parseval import UNCOUNTED, plain_label
from core.data.check import Floats
from core.data.forest import Forest
from core.data.tree import Tree
from core.errors import InvalidValue
from core.forests.constraints import (
    Decisions,
    Decode,
    can_follow,
    consensus_phrases,
    decided_by,
    followed,
)
from core.forests.inside import Bracket, bracket_chances
from core.forests.kbest import trees_of
from core.protocols import Analysis
from core.trees.editing import Delete, Insert, Move, Relabel
from core.trees.phrases import JoinPhrases, SplitPhrase
from core.trees.stepping import Edited, TreeEdit

MAX_STEPS = 500
SURE = 0.95  # what is less sure is shaded
Step = tuple[Tree, Tree, int]


@dataclass(frozen=True, slots=True)
class Course:
    """The steps done by hand, how often something followed, and how often it was
    refused. ``tree``: gold at last."""

    tree: Tree
    steps: tuple[TreeEdit, ...]
    followed: int = 0
    refused: int = 0

    @property
    def cost(self) -> int:
        return len(self.steps) + self.refused


@dataclass(slots=True)
class CorrectionTally:
    """Sums over sentences. ``doubtful``: brackets of the parser less than 95 % sure;
    ``wrong``: those that gold lacks, ``wrong_doubtful``: both at once."""

    sentences: int = 0
    tokens: int = 0
    left_out: int = 0
    perfect: int = 0
    steps: int = 0
    steps_following: int = 0
    followed: int = 0
    refused: int = 0
    unreached: int = 0
    brackets: int = 0
    doubtful: int = 0
    wrong: int = 0
    wrong_doubtful: int = 0

    def add(self, gold: Tree, answer: Analysis | Exception, decode: Decode) -> None:
        """Count one sentence, corrected both ways."""
        guess = _guess(answer, gold)
        if guess is None or not isinstance(answer, Analysis):
            self.left_out += 1
            return
        assert answer.forest is not None
        assert answer.edge_weights is not None
        packed = answer.forest, answer.edge_weights
        alone = correct(guess, gold)
        together = correct(guess, gold, packed=packed, decode=decode)
        self.sentences += 1
        self.tokens += gold.n_tokens
        self.perfect += not alone.steps
        self.steps += alone.cost
        self.steps_following += together.cost
        self.followed += together.followed
        self.refused += together.refused
        self.unreached += (alone.tree != gold) + (together.tree != gold)
        self._count_doubtful(guess, gold, packed)

    def _count_doubtful(
        self, guess: Tree, gold: Tree, packed: tuple[Forest, Floats]
    ) -> None:
        chances = bracket_chances(*packed)
        wrong = brackets_of(guess) - brackets_of(gold)
        for bracket, n in brackets_of(guess).items():
            is_doubtful = chances.get(bracket, 0.0) < SURE
            self.brackets += n
            self.doubtful += n * is_doubtful
            self.wrong += wrong[bracket]
            self.wrong_doubtful += wrong[bracket] * is_doubtful

    def to_json(self) -> dict[str, Any]:
        """Return the counts, and how many of 100 steps are saved."""
        saved = 1 - self.steps_following / self.steps if self.steps else 0.0
        return asdict(self) | {"saved": round(100 * saved, 1)}


def _guess(answer: Analysis | Exception, gold: Tree) -> Tree | None:
    """Return the parser's tree with gold tags, as ``bare`` as gold, or None."""
    if isinstance(answer, Exception):
        return None
    trees = trees_of(answer, 1, words=gold.words)
    if not trees:
        return None
    tree = trees[0][1]
    tags = dict(zip(tree.leaf_of, gold.tags, strict=True))
    labels = tuple(tags.get(v, label) for v, label in enumerate(tree.labels))
    return bare(replace(tree, labels=labels))


def distance(tree: Tree, gold: Tree) -> int:
    """Return how many brackets of one tree the other lacks."""
    mine, wanted = brackets_of(tree), brackets_of(gold)
    return (mine - wanted).total() + (wanted - mine).total()


def correct(
    tree: Tree,
    gold: Tree,
    *,
    packed: tuple[Forest, Floats] | None = None,
    decode: Decode = consensus_phrases,
) -> Course:
    """The course from ``tree`` to ``gold``; with a forest and its weights, the rest
    follows each step.

    Raises InvalidValue if the two have other words, traces or gaps.
    """
    if tree.words != gold.words or not can_follow(tree) or not can_follow(gold):
        raise InvalidValue("two trees over the same words are wanted, without traces")
    done: list[TreeEdit] = []
    taken: list[Step] = []
    n_followed = n_refused = 0
    before = Decisions()
    while to_correct(tree, gold) and len(done) < MAX_STEPS:
        step, edited = next_step(tree, gold)
        done.append(step)
        former, tree = tree, edited.tree
        if packed is None:
            continue
        taken.append((former, tree, edited.at))
        after = decided_by(taken)
        new = followed(former, tree, (before, after), *packed, decode=decode)
        before = after
        if new is not tree:
            is_worse = apart(new, gold) > apart(tree, gold)
            n_followed, n_refused = n_followed + 1, n_refused + is_worse
            tree = tree if is_worse else new
    return Course(tree, tuple(done), n_followed, n_refused)


def bare(tree: Tree) -> Tree:
    """Without wrappers of the whole sentence and without functions: S for S-TPC, and
    no ROOT above it."""
    while plain_label(tree.labels[0]) in UNCOUNTED and len(tree.children[0]) == 1:
        if tree.is_leaf(tree.children[0][0]):
            break
        tree = Delete(0).on(tree).tree
    labels = tuple(
        plain_label(x) if tree.children[v] else x for v, x in enumerate(tree.labels)
    )
    return replace(tree, labels=labels)


def to_correct(tree: Tree, gold: Tree) -> bool:
    """Return whether a bracket differs from gold."""
    return apart(tree, gold) > (0, 0)


def next_step(tree: Tree, gold: Tree) -> tuple[TreeEdit, Edited]:
    """Return the step that brings the tree nearest to gold; the first of equals."""
    tried = ((step, _done(step, tree)) for step in _steps(tree, gold))
    possible = [(step, edited) for step, edited in tried if edited is not None]
    return min(possible, key=lambda one: apart(one[1].tree, gold))


def apart(tree: Tree, gold: Tree) -> tuple[int, int]:
    """How far a tree is from gold, smaller is nearer: brackets that one of the two
    lacks, then labels in the wrong place of a unary chain."""
    mine, wanted = _chains(tree), _chains(gold)
    wrong = sum(
        a != b
        for span in mine.keys() & wanted.keys()
        for a, b in zip(mine[span], wanted[span], strict=False)
    )
    return distance(tree, gold), wrong


def _chains(tree: Tree) -> dict[tuple[int, int], list[str]]:
    chains: dict[tuple[int, int], list[str]] = {}
    for v, label in enumerate(tree.labels):
        if tree.children[v]:
            chains.setdefault(tree.spans[v], []).append(label)
    return chains


def _done(step: TreeEdit, tree: Tree) -> Edited | None:
    try:
        return step.on(tree)
    except InvalidValue:
        return None


def _steps(tree: Tree, gold: Tree) -> Iterator[TreeEdit]:
    """Yield the steps that could bring the tree nearer to gold."""
    mine, wanted = brackets_of(tree), brackets_of(gold)
    excess, missing = mine - wanted, wanted - mine
    if not excess and not missing:  # chains in another order
        yield from (
            Relabel(v, label)
            for v in range(len(tree))
            if tree.children[v]
            for label in _chains(gold)[tree.spans[v]]
        )
        return
    for v in range(len(tree)):
        if tree.is_leaf(v):
            continue
        if (*tree.spans[v], tree.labels[v]) in excess:
            yield from (
                Relabel(v, label) for i, j, label in missing if (i, j) == tree.spans[v]
            )
            yield Delete(v)
    yield from _moves(tree)
    yield from _splits(tree)
    yield from _joins(tree)
    for start, end, label in missing:
        yield from _inserts(tree, start, end, label)


def _moves(tree: Tree) -> Iterator[Move]:
    """Yield moves of each node to phrases that begin or end at it or next to it."""
    for v in range(1, len(tree)):
        start, end = tree.spans[v]
        for mother in range(len(tree)):
            i, j = tree.spans[mother]
            beside = start in (i, j) or end in (i, j)
            if beside and not tree.is_leaf(mother) and mother != tree.parents[v]:
                yield Move(v, mother)


def _splits(tree: Tree) -> Iterator[SplitPhrase]:
    """Yield splits of each phrase but the root, before each child but the first."""
    for v in range(1, len(tree)):
        for at in range(1, len(tree.children[v])):
            yield SplitPhrase(v, (at,))


def _joins(tree: Tree) -> Iterator[JoinPhrases]:
    """Yield joins of adjacent phrases, under the label of either."""
    for below in tree.children:
        for first, last in pairwise(below):
            if not tree.is_leaf(first) and not tree.is_leaf(last):
                for label in sorted({tree.labels[first], tree.labels[last]}):
                    yield JoinPhrases(first, last, label)


def _inserts(tree: Tree, start: int, end: int, label: str) -> Iterator[Insert]:
    """Yield phrases over siblings that fill the span, above or below one that does."""
    for v in range(len(tree)):
        below = [c for c in tree.children[v] if _within(tree.spans[c], start, end)]
        if (
            below
            and tree.spans[below[0]][0] == start
            and tree.spans[below[-1]][1] == end
        ):
            yield Insert(below[0], below[-1], label)
    if tree.spans[0] == (start, end):
        yield Insert(0, 0, label)


def _within(span: tuple[int, int], start: int, end: int) -> bool:
    return start <= span[0] and span[1] <= end


def brackets_of(tree: Tree) -> Counter[Bracket]:
    """Return the brackets with full labels: gold is reached when all are equal."""
    return Counter(
        (*tree.spans[v], label)
        for v, label in enumerate(tree.labels)
        if tree.children[v]
    )
