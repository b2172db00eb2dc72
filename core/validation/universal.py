"""Dependency arcs by the rules of Universal Dependencies, in three levels.

1: each word has a head in the sentence, not itself, and a relation. 2: one root, no
cycles, known relations and UPOS. 3: what relations go with which UPOS and order, words
that have no dependents, one subject, punctuation that crosses no arc. After the
guidelines of UD 2 (universaldependencies.org/guidelines.html; de Marneffe et al. 2021,
"Universal Dependencies", CL 47(2)). What a language declares of its own is not here.
"""

from collections.abc import Iterator, Sequence

from core.data.tokens import Token
from core.validation.problems import Problem
from core.validation.universal_words import (
    AFTER_HEAD,
    FORBIDDEN_UPOS,
    LEAVES,
    NEEDED_UPOS,
    ORPHANS,
    RELATIONS,
    UPOS,
)


def check(
    heads: Sequence[int],
    relations: Sequence[str],
    tokens: Sequence[Token],
    *,
    level: int,
) -> list[Problem]:
    """What is wrong up to this level (1 to 3), by words. ``heads``: -1 for the root.

    Where arcs are no tree, the third level says nothing.
    """
    arcs = _Arcs(heads, relations, tokens)
    problems = list(arcs.written())
    if level >= 2:
        problems += arcs.shaped()
    if level >= 3 and not any(one.rule in _NO_TREE for one in problems):
        for m in range(len(heads)):
            problems += arcs.meant(m)
    return sorted(problems, key=lambda one: (one.words, one.rule))


_NO_TREE = {"head-range", "cycle", "root-number"}


class _Arcs:
    """The arcs of a sentence, with the words that hang from each."""

    def __init__(
        self, heads: Sequence[int], relations: Sequence[str], tokens: Sequence[Token]
    ) -> None:
        self.heads, self.tokens = heads, tokens
        self.labels = relations
        self.names = [one.partition(":")[0] for one in relations]
        self.below: list[list[int]] = [[] for _ in heads]
        for m, head in enumerate(heads):
            if 0 <= head < len(heads):
                self.below[head].append(m)

    def written(self) -> Iterator[Problem]:
        n = len(self.heads)
        for m, head in enumerate(self.heads):
            if not -1 <= head < n or head == m:
                text = f"{self._word(m)} has no head in this sentence."
                yield self._at(
                    "head-range", m, text, "Choose another word as its head."
                )
            if not self.labels[m]:
                text = f"{self._word(m)} has no relation to its head."
                yield self._at("no-relation", m, text, "Give the arc a relation.")

    def shaped(self) -> Iterator[Problem]:
        yield from self._roots()
        yield from self._cycles()
        for m, token in enumerate(self.tokens):
            if self.names[m] and self.names[m] not in RELATIONS:
                text = f"{self.labels[m]} is no relation of Universal Dependencies."
                remedy = "Use one of the 37 universal relations, or dep."
                yield self._at("unknown-relation", m, text, remedy)
            if token.upos and token.upos not in UPOS:
                text = f"{token.upos} is no universal part of speech."
                remedy = "Use one of the 17 of UD, or X."
                yield self._at("unknown-upos", m, text, remedy)

    def _roots(self) -> Iterator[Problem]:
        roots = tuple(m for m, head in enumerate(self.heads) if head == -1)
        if len(roots) != 1:
            text = f"{len(roots)} words hang from the root; one should."
            remedy = "Attach all but one to another word." if roots else "Choose one."
            yield Problem("root-number", text, remedy, roots)
        for m, head in enumerate(self.heads):
            if (head == -1) != (self.names[m] == "root"):
                text = f"{self._word(m)}: the relation root and the root itself differ."
                remedy = "The word that hangs from the root is root, and no other."
                yield self._at("root-relation", m, text, remedy)

    def _cycles(self) -> Iterator[Problem]:
        n, state = len(self.heads), [0] * len(self.heads)
        for start in range(n):
            path, m = [], start
            while 0 <= m < n and not state[m]:
                state[m] = 1
                path.append(m)
                m = self.heads[m]
            if 0 <= m < n and state[m] == 1 and m in path:
                ring = tuple(sorted(path[path.index(m) :]))
                if len(ring) > 1:  # one alone has no head, which level 1 says
                    words = ", ".join(self._word(one) for one in ring)
                    text = f"These words depend on each other in a ring: {words}."
                    remedy = "Attach one of them to a word outside."
                    yield Problem("cycle", text, remedy, ring)
            for one in path:
                state[one] = 2

    def meant(self, m: int) -> Iterator[Problem]:
        """The third level, of one word and its own arc."""
        yield from self._part_of_speech(m)
        yield from self._order(m)
        yield from self._dependents(m)
        if self.names[m] == "punct":
            yield from self._crossing(m)

    def _part_of_speech(self, m: int) -> Iterator[Problem]:
        name, upos = self.names[m], self.tokens[m].upos
        if not upos:
            return
        if upos == "PUNCT" and name not in ("punct", "root"):
            text = f"{self._word(m)} is PUNCT, but its relation is {self.labels[m]}."
            yield self._at("upos-punct", m, text, "Relabel the arc punct, or the UPOS.")
        is_fixed = any(self.names[one] == "fixed" for one in self.below[m])
        needed, forbidden = NEEDED_UPOS.get(name), FORBIDDEN_UPOS.get(name, frozenset())
        wrong = (needed and upos not in needed) or upos in forbidden
        if wrong and not (is_fixed and name != "punct"):
            text = f"{self._word(m)} is {upos}, which cannot be {name}."
            remedy = f"Change the relation or the UPOS of {self.tokens[m].form}."
            if needed:
                remedy = f"{name} is for {', '.join(sorted(needed))}. {remedy}"
            yield self._at("relation-upos", m, text, remedy)

    def _order(self, m: int) -> Iterator[Problem]:
        name, head = self.names[m], self.heads[m]
        if name in AFTER_HEAD and m < head:
            text = f"{self._word(m)} is {name} of a word that follows it."
            remedy = f"{name} goes from left to right: make the first word the head."
            yield self._at("left-to-right", m, text, remedy)
        if name == "orphan" and head >= 0 and self.names[head] not in ORPHANS:
            text = f"{self._word(m)} is orphan of a word that is no clause or conjunct."
            remedy = "Attach it to the word that stands for the missing predicate."
            yield self._at("orphan-parent", m, text, remedy)

    def _dependents(self, m: int) -> Iterator[Problem]:
        allowed = LEAVES.get(self.names[m])
        for one in self.below[m] if allowed is not None else ():
            if allowed is not None and self.names[one] not in allowed:
                name = self.names[m]
                text = f"{self._word(one)} depends on {self._word(m)}, which is {name}."
                remedy = f"{name} has no such dependents: attach it to the head of it."
                yield self._at("leaf", one, text, remedy)
        for kind in (("nsubj", "csubj"), ("obj", "ccomp")):
            hits = [one for one in self.below[m] if self.names[one] in kind]
            hits = [one for one in hits if not self.labels[one].endswith(":outer")]
            if len(hits) > 1:
                what = "subjects" if kind[0] == "nsubj" else "objects"
                text = f"{self._word(m)} has {len(hits)} {what}."
                remedy = "One is left; relabel or attach the others."
                yield Problem(f"many-{what}", text, remedy, tuple(hits))

    def _crossing(self, m: int) -> Iterator[Problem]:
        low, high = sorted((m, self.heads[m]))
        for other, head in enumerate(self.heads):
            a, b = sorted((other, head))
            inside = low < a < high, low < b < high
            outside = not low <= a <= high, not low <= b <= high
            crosses = (inside[0] and outside[1]) or (inside[1] and outside[0])
            if other != m and self.names[other] != "punct" and crosses:
                text = (
                    f"The arc of {self._word(m)} crosses that of {self._word(other)}."
                )
                remedy = "Attach the punctuation to a word that crosses nothing."
                yield Problem("punct-crossing", text, remedy, (m,))
                return

    def _word(self, m: int) -> str:
        return f"“{self.tokens[m].form}” (word {m + 1})"

    def _at(self, rule: str, m: int, text: str, remedy: str) -> Problem:
        return Problem(rule, text, remedy, (m,))
