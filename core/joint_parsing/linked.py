"""Word links prepared for joint inference: one partner per word, ROOT with ROOT."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from core.data.alignment import Link, ref_key
from core.data.check import Floats, Ints
from core.errors import InvalidValue


@dataclass(frozen=True, slots=True, eq=False)
class LinkedWords:
    """``pairs`` int32 ``(l, 2)``: positions in arc arrays (0 = ROOT), one to one,
    rising in the source; ``probs`` ``(l,)``; ``links[k]``: where pair k comes from,
    None for ROOT."""

    pairs: Ints
    probs: Floats
    links: tuple[Link | None, ...]

    def matrix(self, n_source: int, n_target: int) -> Floats:
        """``(n_source + 1, n_target + 1)``: the probability on each linked cell."""
        table = np.zeros((n_source + 1, n_target + 1))
        table[self.pairs[:, 0], self.pairs[:, 1]] = self.probs
        return table

    def swapped(self) -> "LinkedWords":
        """The same, seen from the target."""
        order = np.argsort(self.pairs[:, 1], kind="stable")
        pairs = np.ascontiguousarray(self.pairs[order][:, ::-1])
        return LinkedWords(
            pairs, self.probs[order], tuple(self.links[k] for k in order)
        )


@dataclass(frozen=True, slots=True, eq=False)
class SetLinks:
    """Two sentences of a set, by their numbers, and the links between their words."""

    a: int
    b: int
    linked: LinkedWords


def word_groups(edges: Iterable[SetLinks], n_sentences: int) -> Ints:
    """Return the words that are linked across a set, int32 ``(groups, n_sentences)``.

    Cells are positions in arc arrays (0 = ROOT), -1 where a group has no word of a
    sentence. The most probable links join first; none joins two words of a sentence.
    """
    ranked = sorted(
        (-prob, edge.a, s, edge.b, t)
        for edge in edges
        for (s, t), prob in zip(
            edge.linked.pairs.tolist(), edge.linked.probs.tolist(), strict=True
        )
    )
    group_of: dict[tuple[int, int], dict[int, int]] = {}
    for _, a, s, b, t in ranked:
        one = group_of.setdefault((a, s), {a: s})
        other = group_of.setdefault((b, t), {b: t})
        if not one.keys() & other.keys():
            one.update(other)
            group_of.update(dict.fromkeys(other.items(), one))
    groups = {id(one): one for one in group_of.values() if len(one) > 1}.values()
    rows = [[one.get(k, -1) for k in range(n_sentences)] for one in groups]
    return np.array(rows, dtype=np.int32).reshape(-1, n_sentences)


def linked_words(
    links: Iterable[Link], n_source: int, n_target: int, *, root: bool = True
) -> LinkedWords:
    """The word links of ``links``, one to one: the most probable of a word's first.

    A link's probability is its attribute ``prob``; without it 1, a possible one 0.5.
    With ``root``, ROOT is linked to ROOT. Raises InvalidValue on a word out of range.
    """
    ranked: list[tuple[float, int, int, Link | None]] = []
    for link in links:
        (kind_s, s), (kind_t, t) = ref_key(link.source), ref_key(link.target)
        if kind_s != "w" or kind_t != "w":
            continue
        if s >= n_source or t >= n_target:
            raise InvalidValue(f"link {s}-{t} is outside its pair")
        ranked.append((_prob(link), s + 1, t + 1, link))
    ranked.sort(key=lambda row: (-row[0], row[1], row[2]))
    if root:
        ranked.insert(0, (1.0, 0, 0, None))
    taken_s: set[int] = set()
    taken_t: set[int] = set()
    kept = []
    for row in ranked:
        if row[1] not in taken_s and row[2] not in taken_t:
            kept.append(row)
            taken_s.add(row[1])
            taken_t.add(row[2])
    kept.sort(key=lambda row: row[1])
    pairs = np.array([row[1:3] for row in kept], dtype=np.int32).reshape(-1, 2)
    probs = np.array([row[0] for row in kept], dtype=np.float64)
    return LinkedWords(pairs, probs, tuple(row[3] for row in kept))


def ends_of(link: Link) -> tuple[int, int]:
    """The two tokens of a word link. Raises InvalidValue if it links a phrase."""
    (kind_s, s), (kind_t, t) = ref_key(link.source), ref_key(link.target)
    if kind_s != "w" or kind_t != "w":
        raise InvalidValue(f"{link.source}-{link.target} links no words")
    return s, t


def _prob(link: Link) -> float:
    default = 1.0 if link.kind == "sure" else 0.5
    try:
        return min(1.0, max(0.0, float(link.attrs.get("prob", default))))
    except ValueError:
        return default


def disagreements(
    linked: LinkedWords, source: Sequence[int], target: Sequence[int]
) -> int:
    """c(a, b): ordered pairs of links with an arc between their words on one side
    alone. ``source``, ``target``: heads by token, ROOT = -1. Links of ROOT do not
    count. Choe & McClosky 2015, algorithm 3."""
    partner = {int(s): int(t) for s, t in linked.pairs if s > 0}
    arcs_s = {
        (partner[h + 1], partner[m + 1])
        for m, h in enumerate(source)
        if h + 1 in partner and m + 1 in partner
    }
    back = set(partner.values())
    arcs_t = {
        (h + 1, m + 1) for m, h in enumerate(target) if h + 1 in back and m + 1 in back
    }
    return len(arcs_s ^ arcs_t)
