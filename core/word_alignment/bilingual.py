"""Words of two languages aligned by what occurs together: IBM Model 1, then an HMM, in
both directions, made one (Brown et al. 1993; Vogel, Ney & Tillmann 1996; Och & Ney
2003, "A Systematic Comparison of Various Statistical Alignment Models").

    links = align_bitext(english, french)         # token lists, lines, or TokenCorpus
    links.pharaoh(0)                              # "0-0 1-2"
    for line in links.lines(): ...                # one for each pair, in order

One side of a bitext as numbers, and the table of types that occur together.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats, Ints
from core.errors import InvalidValue
from core.word_alignment.kernels import bilingual as kernels

Longs = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TokenCorpus:
    """Sentence p is ``ids[at[p]:at[p + 1]]``; ids are below ``n_types``."""

    ids: Ints
    at: Longs
    n_types: int

    def __len__(self) -> int:
        return len(self.at) - 1

    @property
    def lengths(self) -> Longs:
        return np.diff(self.at)

    @classmethod
    def of(cls, sentences: Iterable[str | Sequence[str]]) -> "TokenCorpus":
        """The corpus of token lists, or of lines with spaces between tokens.

        Letter case is ignored. Streamed: 4 bytes per token, plus the types.
        """
        known: dict[str, int] = {}
        chunks, ends, last = [], [0], 0
        for sentence in sentences:
            words = sentence.split() if isinstance(sentence, str) else sentence
            ids = [known.setdefault(word.lower(), len(known)) for word in words]
            chunks.append(np.array(ids, dtype=np.int32))
            last += len(ids)
            ends.append(last)
        tokens = np.concatenate(chunks) if chunks else np.empty(0, dtype=np.int32)
        return cls(tokens, np.array(ends, dtype=np.int64), len(known))


@dataclass(frozen=True, slots=True)
class Cooccurrence:
    """The pairs of types that occur in one pair of sentences, row by row, and where.

    ``source[k]``, ``target[k]``: the types of entry k. ``cells[cell_at[p] + i * J +
    j]``: the entry of words i and j of pair p. A pair left out has no cells.
    """

    source: Ints  # (K,)
    target: Ints  # (K,)
    cells: Ints  # (sum of I J,)
    cell_at: Longs  # (P + 1,)


def cooccurrence(
    source: TokenCorpus, target: TokenCorpus, *, max_tokens: int
) -> Cooccurrence:
    """The table of two sides of a bitext. Pairs with an empty side, or with one of more
    than ``max_tokens`` tokens, are left out.

    Raises InvalidValue if the sides have different numbers of sentences. Time and
    memory: 4 bytes and one step for each of the sum of I J cells.
    """
    if len(source) != len(target):
        raise InvalidValue(f"{len(source)} source sentences, {len(target)} target")
    n, m = source.lengths, target.lengths
    area = np.where((n <= max_tokens) & (m <= max_tokens), n * m, 0)
    cell_at = np.concatenate([[0], np.cumsum(area)]).astype(np.int64)
    pair_of = np.repeat(np.arange(len(n), dtype=np.int32), n)
    postings = np.argsort(source.ids, kind="stable")
    postings = postings[area[pair_of[postings]] > 0].astype(np.int64)
    per_type = np.bincount(source.ids[postings], minlength=source.n_types)
    starts = np.concatenate([[0], np.cumsum(per_type)]).astype(np.int64)
    lengths = np.zeros(source.n_types, dtype=np.int64)
    stamp = np.full(target.n_types, -1, dtype=np.int32)
    kernels.count_types(
        postings, starts, pair_of, target.ids, target.at, stamp, lengths
    )
    rows = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    entries = np.empty(rows[-1], dtype=np.int32)
    cells = np.empty(cell_at[-1], dtype=np.int32)
    slot = np.full(target.n_types, -1, dtype=np.int64)
    kernels.fill_cells(
        postings, starts, pair_of, source.at, target.ids, target.at,
        cell_at, rows, slot, entries, cells,
    )  # fmt: skip
    of_row = np.repeat(np.arange(source.n_types, dtype=np.int32), lengths)
    return Cooccurrence(of_row, entries, cells, cell_at)


VERSION = "1"
Symmetrisation = Literal["intersect", "union", "grow-diag-final-and"]
Sentences = TokenCorpus | Iterable[str | Sequence[str]]
_HOW: dict[str, int] = {
    "intersect": kernels.INTERSECT,
    "union": kernels.UNION,
    "grow-diag-final-and": kernels.GROW,
}
_BLOCK = 2_000  # pairs between two reports
_WIDEST = 100  # jumps beyond count as this wide
_JUMP_PRIOR = 0.5  # pseudo-counts of each width


@dataclass(frozen=True, slots=True)
class BitextSettings:
    """``ibm1``, ``hmm``, ``agree``: rounds of Model 1, of the HMM with each direction
    alone, and of the HMM with each learning from the product of both directions'
    posteriors (Liang, Taskar & Klein 2006). Without the last two, links are Model 1's.

    ``p_none``: that a word is made by none; ``uniform``: share of the jumps that are of
    any width. Sentences of more than ``max_tokens`` get no links.
    """

    symmetrise: Symmetrisation = "grow-diag-final-and"
    ibm1: int = 5
    hmm: int = 2
    agree: int = 4
    p_none: float = 0.1
    uniform: float = 0.02
    max_tokens: int = 250

    def __post_init__(self) -> None:
        if self.symmetrise not in _HOW:
            raise InvalidValue(f"symmetrisation: expected one of {', '.join(_HOW)}")
        if not 0 < self.p_none < 1 or not 0 < self.uniform < 1:
            raise InvalidValue("expected 0 < p_none, uniform < 1")
        if (
            min(self.ibm1 - 1, self.hmm, self.agree) < 0
            or not 0 < self.max_tokens < 2**15
        ):
            raise InvalidValue("expected at least one round of ibm1")


@dataclass(frozen=True, slots=True)
class BitextStep:
    """Progress: ``done`` of ``total`` pairs read, over all rounds.

    ``stage``: "ibm1", "hmm", "agree" or "links"; ``log_likelihood``: of the pairs of
    this round so far, nats, both directions together.
    """

    done: int
    total: int
    stage: str
    round: int
    log_likelihood: float


@dataclass(frozen=True, slots=True)
class BitextLinks:
    """Links ``(i, j)`` of pair p, source before target, sorted:
    ``cells[at[p]:at[p + 1]]``."""

    cells: NDArray[np.int16]  # (L, 2)
    at: Longs  # (P + 1,)

    def __len__(self) -> int:
        return len(self.at) - 1

    def of(self, pair: int) -> NDArray[np.int16]:
        """``(n, 2)``: the links of one pair."""
        return self.cells[self.at[pair] : self.at[pair + 1]]

    def pharaoh(self, pair: int) -> str:
        return " ".join(f"{i}-{j}" for i, j in self.of(pair).tolist())

    def lines(self) -> Iterator[str]:
        """Pharaoh links, pair after pair."""
        return (self.pharaoh(pair) for pair in range(len(self)))


def align_bitext(
    source: Sentences,
    target: Sentences,
    *,
    settings: BitextSettings | None = None,
    on_iteration: Callable[[BitextStep], None] | None = None,
) -> BitextLinks:
    """The links of each pair of sentences, in their order.

    ``source``, ``target``: as many sentences on both sides; a pair with an empty side
    gets no links. ``on_iteration`` is called after every 2,000 pairs of each round;
    raising from it stops the run. Raises InvalidValue on sides of unequal number.

    Both directions share one table of the types that occur together: 4 bytes a cell
    of I times J, and 20 a pair of types. A round of the HMM takes I squared J steps.
    """
    rules = settings or BitextSettings()
    sides = [
        side if isinstance(side, TokenCorpus) else TokenCorpus.of(side)
        for side in (source, target)
    ]
    to_source, to_target = _Training(sides, rules, on_iteration).best()
    return symmetrise(to_source, to_target, sides[0].at, sides[1].at, rules)


def symmetrise(
    to_source: Ints,
    to_target: Ints,
    source_at: Longs,
    target_at: Longs,
    settings: BitextSettings,
) -> BitextLinks:
    """The links of both directions as one set for each pair.

    ``to_source``: for each target token the position of its source token, -1 for none;
    ``to_target``: for each source token. *grow-diag-final-and* is that of Koehn et al.
    2003: the intersection, neighbours in the union with a free word, then the links of
    which both words are free.
    """
    n, m = np.diff(source_at), np.diff(target_at)
    links = np.empty((len(to_source) + len(to_target), 2), dtype=np.int16)
    at = np.zeros(len(n) + 1, dtype=np.int64)
    fits = (n <= settings.max_tokens) & (m <= settings.max_tokens)
    size = int(max(n[fits].max(initial=1), m[fits].max(initial=1)))
    kernels.symmetrise(
        to_source, to_target, source_at, target_at,
        _HOW[settings.symmetrise], size, links, at,
    )  # fmt: skip
    return BitextLinks(links[: at[-1]].copy(), at)


class _Training:
    """Both directions at once; of each two, first the source making the target."""

    def __init__(
        self,
        sides: Sequence[TokenCorpus],
        rules: BitextSettings,
        tell: Callable[[BitextStep], None] | None,
    ) -> None:
        self.sides, self.rules, self.tell = sides, rules, tell
        self.table = cooccurrence(sides[0], sides[1], max_tokens=rules.max_tokens)
        seen = np.diff(self.table.cell_at) > 0
        self.size = int(max(side.lengths[seen].max(initial=1) for side in sides))
        n_entries = len(self.table.source)
        start = np.float32(1e-3)
        self.lex = [np.full(n_entries, start, dtype=np.float32) for _ in sides]
        self.none = [np.full(side.n_types, 1e-3) for side in reversed(sides)]
        self.jumps = [np.ones(2 * _WIDEST + 1) for _ in sides]
        self.n_rounds = 0

    def best(self) -> tuple[Ints, Ints]:
        """The position behind each target token, behind each source token; -1: none."""
        for stage, n_rounds in self._plan():
            for number in range(1, n_rounds + 1):
                self._round(stage, number)
        links = tuple(
            np.full(len(side.ids), -1, dtype=np.int32) for side in reversed(self.sides)
        )
        ordered = int(self.rules.hmm + self.rules.agree > 0)
        for first, stop in self._blocks("links", 1):
            kernels.link(first, stop, *self._model(), ordered, links)
        return links[0], links[1]

    def _round(self, stage: str, number: int) -> None:
        agree = stage == "agree"
        one = np.zeros_like(self.lex[0])
        counts = one, one if agree else np.zeros_like(one)
        none = tuple(np.zeros_like(part) for part in self.none)
        jumps = tuple(np.full_like(part, _JUMP_PRIOR) for part in self.jumps)
        how = int(stage != "ibm1"), int(agree)
        for first, stop in self._blocks(stage, number):
            self.likelihood += kernels.expect(
                first, stop, *self._model(), *how, counts, none, jumps
            )
        for d, groups in enumerate((self.table.source, self.table.target)):
            kernels.normalise(counts[d], groups, self.sides[d].n_types, self.lex[d])
            self.none[d] = self._frequencies(none[d])
            if stage != "ibm1":
                self.jumps[d] = jumps[d] / jumps[d].sum()

    def _frequencies(self, counts: Floats) -> Floats:
        """What no one makes, by its counts."""
        table = np.empty(len(counts), dtype=np.float32)
        groups = np.zeros(len(counts), dtype=np.int32)
        singles = counts.astype(np.float32)
        kernels.normalise(singles, groups, 1, table)
        return table.astype(np.float64)

    def _plan(self) -> list[tuple[str, int]]:
        rules = self.rules
        return [("ibm1", rules.ibm1), ("hmm", rules.hmm), ("agree", rules.agree)]

    def _blocks(self, stage: str, number: int) -> Iterator[tuple[int, int]]:
        n_pairs, self.likelihood = len(self.sides[0]), 0.0
        before = self.n_rounds * n_pairs
        self.n_rounds += 1
        total = (sum(n for _, n in self._plan()) + 1) * n_pairs
        for first in range(0, n_pairs, _BLOCK):
            stop = min(first + _BLOCK, n_pairs)
            yield first, stop
            if self.tell is not None:
                step = (stage, number, self.likelihood)
                self.tell(BitextStep(before + stop, total, *step))

    def _model(self) -> tuple[object, ...]:
        ids = tuple(side.ids for side in self.sides)
        at = tuple(side.at for side in self.sides)
        return (
            self.table.cells, self.table.cell_at, ids, at, self.size,
            tuple(self.lex), tuple(self.none), tuple(self.jumps),
            self.rules.p_none, self.rules.uniform,
        )  # fmt: skip
