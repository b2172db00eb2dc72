"""Answers that are on no scale: free text, and words marked in two sentences.

Text is listed and counted, never averaged. Marks are compared word by word: every word
of both sentences is one that a judge marked or did not mark.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.agreement.figures import Figure, cluster_sums, figure, ratio, resample
from core.agreement.measures import Agreement, measure_all, shared_items
from core.agreement.words import Reason
from core.data.check import Ints
from core.data.ratings import Ratings, Scale
from core.errors import InvalidValue
from core.text.tokenize import spans_of

SIDES = ("source", "paraphrase")
MARK = re.compile(r"(source|paraphrase):(\d{1,7})-(\d{1,7})")
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True, slots=True, order=True)
class MarkedSpan:
    """Characters ``start`` to ``end - 1`` of a side, an index of ``SIDES``."""

    side: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question without a scale. ``n_words``: of both sentences of each item, where
    words are marked; empty for free text."""

    name: str
    title: str
    n_words: tuple[int, ...] = ()

    @property
    def is_marked(self) -> bool:
        return bool(self.n_words)


def read_marks(text: str, lengths: tuple[int, int]) -> list[MarkedSpan]:
    """The marks in ``source:0-5 paraphrase:3-9``, sorted and merged where they touch.

    ``lengths``: characters of both sentences. Raises InvalidValue on anything else, and
    on a mark that is empty or passes the end.
    """
    marks: list[MarkedSpan] = []
    for part in text.split():
        match = MARK.fullmatch(part)
        if match is None:
            raise InvalidValue(f"{part!r} is not a mark such as source:0-5")
        mark = MarkedSpan(SIDES.index(match[1]), int(match[2]), int(match[3]))
        if not mark.start < mark.end <= lengths[mark.side]:
            raise InvalidValue(f"{part!r} is not within the sentence")
        marks.append(mark)
    merged: list[MarkedSpan] = []
    for mark in sorted(marks):
        last = merged[-1] if merged else None
        if last and last.side == mark.side and mark.start <= last.end:
            merged[-1] = MarkedSpan(last.side, last.start, max(last.end, mark.end))
        else:
            merged.append(mark)
    return merged


def marks_text(marks: Sequence[MarkedSpan]) -> str:
    """The marks as they are stored; "" if nothing is marked."""
    return " ".join(f"{SIDES[one.side]}:{one.start}-{one.end}" for one in marks)


def words_of(sentences: tuple[str, str]) -> list[MarkedSpan]:
    """The words of both sentences; in scripts without spaces every character is one."""
    words = []
    for side, text in enumerate(sentences):
        try:
            spans = [(one.start, one.end) for one in spans_of(text)]
        except InvalidValue:  # a word beyond all lengths
            spans = [match.span() for match in re.finditer(r"\S+", text)]
        for start, end in spans:
            cuts = range(start, end) if UNSPACED.search(text, start, end) else [start]
            ends = [*cuts[1:], end]
            words += [MarkedSpan(side, a, b) for a, b in zip(cuts, ends, strict=True)]
    return words


def marked_words(
    marks: Sequence[MarkedSpan], words: Sequence[MarkedSpan]
) -> tuple[int, ...]:
    """The places of the words that a mark covers, if only in part."""
    return tuple(
        place
        for place, word in enumerate(words)
        if any(
            one.side == word.side and one.start < word.end and word.start < one.end
            for one in marks
        )
    )


def word_ratings(
    question: OpenQuestion,
    items: Sequence[str],
    annotators: Sequence[str],
    item: Ints,
    annotator: Ints,
    marked: Sequence[tuple[int, ...]],
    cluster: Ints,
) -> Ratings:
    """Every word as an item with the labels 0 and 1 (marked).

    ``item, annotator``: int32 ``(n,)``, who marked what; ``marked``: the places of the
    words, n of them. ``cluster``: int32 ``(m,)``, of the items: words of one cluster
    are resampled together.
    """
    sizes = np.array(question.n_words, np.int64)
    first = np.concatenate([[0], np.cumsum(sizes)])
    of = sizes[item]
    rows = np.repeat(first[item], of) + _counting(of)
    value = np.zeros(len(rows), np.int32)
    starts = np.concatenate([[0], np.cumsum(of)])
    for at, words in enumerate(marked):
        value[starts[at] + np.array(words, np.int64)] = 1
    names = [f"{items[i]}:{w}" for i, n in enumerate(sizes.tolist()) for w in range(n)]
    return Ratings.from_codes(
        Scale(question.name, ("0", "1")),
        names,
        annotators,
        rows.astype(np.int32),
        np.repeat(annotator, of),
        value,
        np.repeat(cluster, sizes).astype(np.int32),
    )


def _counting(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """0 to n - 1 for each n."""
    ends: NDArray[np.int64] = np.cumsum(sizes, dtype=np.int64)
    return np.arange(int(sizes.sum()), dtype=np.int64) - np.repeat(ends - sizes, sizes)


def mutual_f1(words: Ratings, *, replicates: int = 1000, seed: int = 0) -> Figure:
    """F1 of marked words between two judges, pooled over all pairs of judges.

    2 |A and B| / (|A| + |B|), which is the same whichever judge counts as the truth.
    Undefined where no one marked anything. Hripcsak & Rothschild 2005, "Agreement, the
    F-measure, and reliability in information retrieval", JAMIA 12(3).
    """
    n_clusters = int(words.cluster.max(initial=-1)) + 1
    weights = resample(n_clusters, replicates, np.random.default_rng(seed))
    sums = np.zeros((n_clusters, 2))
    seen: set[int] = set()
    for _, _, items, x, y in shared_items(words):
        counts = np.column_stack([2 * (x & y), x + y]).astype(np.float64)
        sums += cluster_sums(counts, words.cluster[items], n_clusters)
        seen.update(words.cluster[items].tolist())
    both, either = (weights @ sums).T
    n = int((words.counts().sum(1) >= 2).sum())
    return figure(ratio(both, either), n, Reason.NOTHING_MARKED, clusters=len(seen))


def agreement(words: Ratings, *, replicates: int, seed: int) -> Agreement:
    """All measures of labels, words as items. ``alpha_nominal`` among them is
    Krippendorff's for words as units, not his alpha for unitising, which compares
    where spans begin and end."""
    return measure_all(words, replicates=replicates, seed=seed, pairs=False)
