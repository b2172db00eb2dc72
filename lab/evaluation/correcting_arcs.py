"""A person who corrects a dependency parse to gold, played: how many steps it takes.

A step gives one word its head and relation, from the first wrong word on, but where a
circle would close. After it the best tree is found again under what is decided; where
it differs from the best tree before the step, that is done to the tree in hand. What
followed and is worse is refused, which is a step, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from core.data.check import Floats
from core.data.deps import ROOT, DepAnalysis, DepTree
from core.dependencies.mst import arcs_under, mst, tree_marginals
from core.errors import Contradiction, InvalidValue

SURE = 0.95  # what is less sure is shaded


@dataclass(frozen=True, slots=True)
class ArcCourse:
    """Steps done by hand, how often something followed, how often it was refused."""

    steps: int
    followed: int = 0
    refused: int = 0

    @property
    def cost(self) -> int:
        return self.steps + self.refused


@dataclass(slots=True)
class ArcTally:
    """Sums over sentences with one root. ``steps_following``: where the rest follows
    and keeps its relations; ``steps_relating``: and has the parser's for its new head.
    ``wrong``: words with another head than in gold; ``doubtful``: less than 95 % sure.
    """

    sentences: int = 0
    tokens: int = 0
    left_out: int = 0
    steps: int = 0
    steps_following: int = 0
    steps_relating: int = 0
    followed: int = 0
    refused: int = 0
    doubtful: int = 0
    wrong: int = 0
    wrong_doubtful: int = 0

    def add(self, gold: DepTree, guess: DepAnalysis | None) -> None:
        """Count one sentence, corrected in each way."""
        if guess is None or guess.arcs is None or gold.heads.count(ROOT) != 1:
            self.left_out += 1
            return
        following = correct_arcs(guess, gold, arcs=guess.arcs)
        self.sentences += 1
        self.tokens += len(gold)
        self.steps += correct_arcs(guess, gold).cost
        self.steps_following += following.cost
        relating = correct_arcs(guess, gold, arcs=guess.arcs, relates=True)
        self.steps_relating += relating.cost
        self.followed += following.followed
        self.refused += following.refused
        sure = tree_marginals(guess.arcs)
        for m, head in enumerate(guess.tree.heads):
            is_wrong = head != gold.heads[m]
            is_doubtful = bool(sure[head + 1, m + 1] < SURE)
            self.doubtful += is_doubtful
            self.wrong += is_wrong
            self.wrong_doubtful += is_wrong and is_doubtful

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(slots=True)
class _Hand:
    """The tree under someone's hands; ``decided``: heads that stay."""

    heads: list[int]
    labels: list[str]
    decided: dict[int, int] = field(default_factory=dict)

    def wrong(self, gold: DepTree) -> list[int]:
        here = zip(self.heads, self.labels, strict=True)
        there = zip(gold.heads, gold.labels, strict=True)
        return [m for m, (a, b) in enumerate(zip(here, there, strict=True)) if a != b]

    def closes_circle(self, m: int, head: int) -> bool:
        while head not in (ROOT, m):
            head = self.heads[head]
        return head == m


def correct_arcs(
    guess: DepAnalysis,
    gold: DepTree,
    *,
    arcs: Floats | None = None,
    relates: bool = False,
) -> ArcCourse:
    """Correct a parser's tree to ``gold``; with ``arcs`` the rest follows.

    ``relates``: a word that follows has the relation that the parser holds best for
    its new head, where it says; else it keeps its own.
    """
    hand = _Hand([*guess.tree.heads], [*guess.tree.labels])
    steps = followed = refused = 0
    while wrong := hand.wrong(gold):
        m = next(m for m in wrong if not hand.closes_circle(m, gold.heads[m]))
        before = dict(hand.decided)
        hand.heads[m], hand.labels[m] = gold.heads[m], gold.labels[m]
        hand.decided[m] = gold.heads[m]
        steps += 1
        if arcs is None:
            continue
        new = followed_heads(hand.heads, (before, hand.decided), arcs)
        moved = [m for m, head in enumerate(new) if head != hand.heads[m]]
        if not moved:
            continue
        followed += 1
        labels = [*hand.labels]
        for m in moved:
            labels[m] = _relation(guess, labels[m], m, new[m], relates=relates)
        if len(_Hand([*new], labels).wrong(gold)) > len(hand.wrong(gold)):
            refused += 1
            hand.decided |= {m: hand.heads[m] for m in moved}
        else:
            hand.heads, hand.labels = [*new], labels
    return ArcCourse(steps, followed, refused)


def followed_heads(
    heads: Sequence[int],
    decided: tuple[Mapping[int, int], Mapping[int, int]],
    arcs: Floats,
) -> tuple[int, ...]:
    """``heads``, with what follows from the step that made them; ``decided``: before
    and after it. A tree with one root, or ``heads`` as they are."""
    before, after = decided
    try:
        was, now = (mst(arcs_under(arcs, one))[1] for one in (before, after))
    except Contradiction:  # two roots, while the first still stands
        return tuple(heads)
    moves = {m for m in range(len(heads)) if was[m] != now[m]} - after.keys()
    new = tuple(int(now[m]) if m in moves else h for m, h in enumerate(heads))
    return new if new.count(ROOT) == 1 and _is_tree(new) else tuple(heads)


def _is_tree(heads: tuple[int, ...]) -> bool:
    try:
        DepTree(heads, ("",) * len(heads))
    except InvalidValue:
        return False
    return True


def _relation(guess: DepAnalysis, own: str, m: int, head: int, *, relates: bool) -> str:
    """Return the relation of a word that followed to ``head``."""
    if relates and guess.relations is not None:
        return guess.relation_names[int(guess.relations[head + 1, m + 1].argmax())]
    if head == ROOT:
        return "root"
    return "dep" if own == "root" else own
