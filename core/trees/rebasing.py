"""Steps made on one tree, as they are on another tree of the same words.

Nodes and words are followed from one to the other. A step that is about something that
is not there, or not as one, is left out, and InvalidValue says why.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.data.remap import across, places
from core.data.tree import Tree
from core.errors import InvalidValue
from core.trees import arcs, editing
from core.trees.arc_splitting import JoinWords, Restore, SplitWord
from core.trees.arcs import Arcs, ArcsEdit
from core.trees.editing import (
    Delete,
    EdgeLabel,
    Insert,
    Move,
    Relabel,
    RelabelAll,
    Trace,
    TreeEdit,
)
from core.trees.phrases import JoinPhrases, SplitPhrase
from core.trees.splitting import Join, Split
from core.trees.stepping import Replace

Moved = Mapping[int, int]
Replayed = tuple[list[Any], list[str]]
"""Steps on another tree, one after the other, and why the rest has no place there."""


def replayed(steps: Iterable[TreeEdit], first: Tree, other: Tree) -> Replayed:
    """The steps made on ``first`` as they are on ``other``, a tree of as many words.

    Whole trees among them are left out, what was done to them is not. Raises
    InvalidValue on other words.
    """
    if first.n_tokens != other.n_tokens:
        raise InvalidValue("These two trees have different words.")
    here, there, at = first, other, _same_places(first, other)
    done: list[Any] = []
    left: list[str] = []
    for step in steps:
        mine = step.on(here)
        if isinstance(step, Replace):
            at = _through(
                at, _same_places(here, mine.tree), {u: u for u in at.values()}
            )
            here = mine.tree
            continue
        try:
            new = _SeenTree(here, there, at).step(step)
            theirs = new.on(there)
        except InvalidValue as error:
            left.append(str(error))
            at = _through(at, mine.moved, {u: u for u in at.values()})
        else:
            done.append(new)
            at = _through(at, mine.moved, theirs.moved) | {mine.at: theirs.at}
            there = theirs.tree
        here = mine.tree
    return done, left


def _through(at: Moved, mine: Moved, theirs: Moved) -> dict[int, int]:
    """Where nodes of one tree are in the other, after a step on either."""
    pairs = ((mine.get(v, -1), theirs.get(u, -1)) for v, u in at.items())
    return {v: u for v, u in pairs if v >= 0 and u >= 0}


def _same_places(old: Tree, new: Tree) -> Moved:
    """Phrases of the same words and label, and all words."""
    there = across(old, new)
    moved = {v: there[place] for place, v in places(old).items() if place in there}
    words = zip(old.leaf_of, new.leaf_of, strict=True)
    return moved | dict(words)


@dataclass(frozen=True, slots=True)
class _SeenTree:
    """The tree that was seen, the tree there is, and where the nodes of one are in the
    other."""

    before: Tree
    now: Tree
    at: Moved

    def step(self, step: TreeEdit) -> TreeEdit:
        """The same step on the tree there is."""
        if isinstance(step, Relabel | Delete | EdgeLabel | Trace):
            return replace(step, node=self.node(step.node))
        if isinstance(step, RelabelAll):
            return RelabelAll(tuple((self.node(v), name) for v, name in step.labels))
        if isinstance(step, Insert | JoinPhrases):
            return self._run(step)
        if isinstance(step, Move):
            node, mother = self.node(step.node), self.node(step.mother)
            last = None if step.last is None else self.node(step.last)
            return replace(step, node=node, mother=mother, last=last)
        if isinstance(step, SplitPhrase):
            return self._split(step)
        if isinstance(step, editing.Retype | Split | Join):
            return self._word(step)
        return step  # a whole tree, which takes the place of any other over its words

    def node(self, v: int) -> int:
        """The present position of a node."""
        if not 0 <= v < len(self.before):
            raise InvalidValue(f"There is no node n{v} in the tree that you saw.")
        if v not in self.at:
            name = editing.name_of(self.before, v)
            raise InvalidValue(f"{name} has changed since you saw it.")
        return self.at[v]

    def _run(self, step: Insert | JoinPhrases) -> TreeEdit:
        """Siblings must be as many as they were, side by side."""
        tree, now = self.before, self.now
        first, last = self.node(step.first), self.node(step.last)
        new = replace(step, first=min(first, last), last=max(first, last))
        mother, mother_now = tree.parents[step.first], now.parents[new.first]
        if mother >= 0 and tree.parents[step.last] == mother:
            seen = [v for v in tree.children[mother] if step.first <= v <= step.last]
            there = now.children[mother_now] if mother_now >= 0 else ()
            run = [v for v in there if new.first <= v <= new.last]
            if run != [self.node(v) for v in seen]:
                raise InvalidValue("The siblings are no longer next to each other.")
        return new

    def _split(self, step: SplitPhrase) -> SplitPhrase:
        """Parts begin with the children that they began with."""
        node, below = self.node(step.node), self.before.children[step.node]
        begins = [self.node(below[i]) for i in step.at if i < len(below)]
        if any(self.now.parents[v] != node for v in begins):
            raise InvalidValue("Another phrase is now where you split this one.")
        places = (self.now.children[node].index(v) for v in begins)
        return replace(step, node=node, at=tuple(places))

    def _word(self, step: "editing.Retype | Split | Join") -> TreeEdit:
        """The word, and of a join the next one, too."""
        is_join = isinstance(step, Join)
        tokens = [
            self.now.tokens[self.node(self.before.leaf_of[token])]
            for token in range(step.token, step.token + 1 + is_join)
            if token < self.before.n_tokens
        ]
        if not tokens or (is_join and tokens != [tokens[0], tokens[0] + 1]):
            raise InvalidValue("These words are no longer next to each other.")
        return replace(step, token=tokens[0])


def _on_words(step: ArcsEdit, before: Arcs, at: Moved) -> ArcsEdit:
    words = _SeenWords(before, at)
    if isinstance(step, arcs.Attach):
        head = step.head if step.head < 0 else words.at(step.head)
        return replace(step, token=words.at(step.token), head=head)
    if isinstance(step, JoinWords):
        words.at(step.token + 1)
    if isinstance(
        step, arcs.Relation | arcs.Field | arcs.Retype | SplitWord | JoinWords
    ):
        return replace(step, token=words.at(step.token))
    return step  # whole lines, which take the place of any others over their words


def replayed_arcs(steps: Iterable[ArcsEdit], first: Arcs, other: Arcs) -> Replayed:
    """As ``replayed``, of arcs."""
    if len(first.words) != len(other.words):
        raise InvalidValue("These two trees have different words.")
    here, there = first, other
    at: Moved = {i: i for i in range(len(first.words))}
    done: list[Any] = []
    left: list[str] = []
    for step in steps:
        mine = step.on(here).tree
        moved, stays = _moved_words(step, here, mine), {u: u for u in at.values()}
        try:
            if isinstance(step, arcs.Replace | Restore):
                at = _through(at, moved, stays)
            else:
                new = _on_words(step, here, at)
                theirs = new.on(there).tree
                at = _through(at, moved, _moved_words(new, there, theirs))
                done.append(new)
                there = theirs
        except InvalidValue as error:
            left.append(str(error))
            at = _through(at, moved, stays)
        here = mine
    return done, left


@dataclass(frozen=True, slots=True)
class _SeenWords:
    """The words that were seen, and where they are."""

    before: Arcs
    moved: Moved

    def at(self, token: int) -> int:
        words = self.before.words
        if not 0 <= token < len(words):
            raise InvalidValue(f"There is no word {token + 1} in what you saw.")
        if token not in self.moved:
            raise InvalidValue(f"“{words[token]}” has changed since you saw it.")
        return self.moved[token]


def _moved_words(op: ArcsEdit, old: Arcs, new: Arcs) -> Moved:
    """Where words are after an operation; those that were split or joined are left
    out."""
    was, now = old.words, new.words
    if not isinstance(op, SplitWord | JoinWords | Restore):
        return {i: i for i in range(len(was))}
    head, tail = _common(was, now), _common(was[::-1], now[::-1])
    tail = min(tail, len(was) - head, len(now) - head)
    shift = len(now) - len(was)
    ends = range(len(was) - tail, len(was))
    return {i: i for i in range(head)} | {i: i + shift for i in ends}


def _common(was: tuple[str, ...], now: tuple[str, ...]) -> int:
    """How many words both begin with."""
    n = 0
    while n < min(len(was), len(now)) and was[n] == now[n]:
        n += 1
    return n
