"""Features of pairs of words and pairs of phrases.

Two stages. Words: how similar each word of one side is to each of the other, alone and
among its neighbours. Phrases: how many words of the two nodes are linked to each other
and how many elsewhere, by given links between words; how similar they are as wholes;
and whether another node fits better. Nothing here searches.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats, Ints
from core.text.stems import STOP_WORDS
from core.text.wordnet import Thesaurus
from core.word_alignment.lexicon import WordRelation, cosines, relations

WORD_NAMES = (
    "exact",
    "stem",
    "synonym",
    "derived",
    "kin",
    "cosine",
    "cosine_lead_row",
    "cosine_lead_column",
    "cosine_squared",
    "alike_spelling",
    "same_tag",
    "same_class",
    "left_cosine",
    "right_cosine",
    "left_exact",
    "right_exact",
    "distance",
    "exact_unique",
    "exact_function",
    "exact_punctuation",
    "both_function",
    "one_function",
    "one_punctuation",
    "function_cosine",
)
PHRASE_NAMES = (
    "both_words",
    "word_logit",
    "one_word",
    "share_s",
    "share_t",
    "dice",
    "content_dice",
    "out_s",
    "out_t",
    "content_out_s",
    "content_out_t",
    "free_s",
    "free_t",
    "content_free_s",
    "content_free_t",
    "soft_s",
    "soft_t",
    "lead_row",
    "lead_column",
    "content_lead_row",
    "content_lead_column",
    "perfect",
    "no_link",
    "cosine",
    "cosine_lead_row",
    "cosine_lead_column",
    "same_label",
    "same_class",
    "verbal_nominal",
    "head_linked",
    "head_elsewhere",
    "head_cosine",
    "same_words",
    "length_ratio",
    "relative_length",
    "both_whole",
    "one_whole",
    "one_word_share",
    "one_word_cosine",
    "one_word_out",
)


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """One side's input for scoring: ``members`` (n, tokens), ``heads`` (n,), ``labels``
    full names, ``categories`` the topmost alone, ``marginal`` (n,): the probability of
    a node, which weighs its fit against the others'."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    members: NDArray[np.bool_]
    heads: Ints
    labels: tuple[str, ...]
    categories: tuple[str, ...]
    marginal: Floats


def word_rows(
    source: Sequence[str],
    target: Sequence[str],
    source_tags: Sequence[str],
    target_tags: Sequence[str],
    vectors: tuple[Floats, Floats] | None,
    thesaurus: Thesaurus | None,
) -> Floats:
    """``(T, V, len(WORD_NAMES))``. Without ``vectors`` all cosines are 0."""
    related = relations(source, target, thesaurus)
    shape = related.shape
    cosine = cosines(*vectors) if vectors is not None else np.zeros(shape)
    exact = (related == WordRelation.EXACT).astype(np.float64)
    stop_s, stop_t = _are(source, _is_function), _are(target, _is_function)
    dots_s, dots_t = _are(source, _is_punctuation), _are(target, _is_punctuation)
    both_stop = stop_s[:, None] * stop_t
    alone = (exact.sum(1) == 1)[:, None] & (exact.sum(0) == 1)
    columns = [
        *[(related == r).astype(np.float64) for r in list(WordRelation)[:5]],
        cosine,
        cosine - best_other(cosine, 1),
        cosine - best_other(cosine, 0),
        cosine**2,
        np.array([[_spelling(a, b) for b in target] for a in source]),
        _same(source_tags, target_tags),
        _same([t[:1] for t in source_tags], [t[:1] for t in target_tags]),
        _shifted(cosine, 1),
        _shifted(cosine, -1),
        _shifted(exact, 1),
        _shifted(exact, -1),
        _distance(*shape),
        exact * alone,
        exact * both_stop,
        exact * (dots_s[:, None] * dots_t),
        both_stop,
        np.abs(stop_s[:, None] - stop_t),
        np.abs(dots_s[:, None] - dots_t),
        both_stop * cosine,
    ]
    return np.stack([c.reshape(shape) for c in columns], axis=-1)


def phrase_rows(
    source: Nodes,
    target: Nodes,
    word_nats: Floats,
    links: NDArray[np.bool_],
    vectors: tuple[Floats, Floats] | None,
) -> Floats:
    """``(n_s, n_t, len(PHRASE_NAMES))``.

    ``word_nats`` ``(T, V)``: log-odds that two words are linked; ``links``: the words
    that are taken to be, one to one. O(n_s n_t (T + V)).
    """
    work = _Pairing(source, target, word_nats, links, vectors)
    columns = work.coverage() | work.fit() | work.kind() | work.single_words()
    rows = np.empty((*work.shape, len(PHRASE_NAMES)))
    for at, name in enumerate(PHRASE_NAMES):
        rows[..., at] = columns[name]
    # A pair of words is described by its word score, and by its competitors.
    phrase_only = [name not in WORD_PART for name in PHRASE_NAMES]
    rows[np.ix_(work.leaf_s[:, 0], work.leaf_t[0], phrase_only)] = 0.0
    return rows


WORD_PART = frozenset(
    {
        "both_words",
        "word_logit",
        "lead_row",
        "lead_column",
        "no_link",
        "same_label",
        "same_class",
        "perfect",
    }
)
Columns = dict[str, NDArray[Any]]


class _Pairing:
    """All node pairs at once; each method gives some named columns."""

    def __init__(
        self,
        source: Nodes,
        target: Nodes,
        word_nats: Floats,
        links: NDArray[np.bool_],
        vectors: tuple[Floats, Floats] | None,
    ) -> None:
        self.source, self.target, self.vectors = source, target, vectors
        self.a = source.members.astype(np.float64)
        self.b = target.members.astype(np.float64)
        self.size_s, self.size_t = self.a.sum(1), self.b.sum(1)
        self.shape = len(self.a), len(self.b)
        self.n_s, self.n_t = self.size_s[:, None], self.size_t[None, :]
        self.leaf_s, self.leaf_t = self.n_s == 1, self.n_t == 1
        self.word_nats, self.w = word_nats, links.astype(np.float64)
        self.content_s, self.content_t = _content(source.words), _content(target.words)
        either = np.maximum(self.content_s[:, None], self.content_t)
        self.all = _Coverage(self.a, self.b, self.w)
        self.content = _Coverage(self.a, self.b, self.w * either)
        self.cosine = np.zeros(self.shape)
        if vectors is not None:
            self.cosine = cosines(self.a @ vectors[0], self.b @ vectors[1])
        self.heads = np.ix_(source.heads, target.heads)

    def coverage(self) -> Columns:
        """How many of the words are linked to each other, linked elsewhere, and not
        linked."""
        free_s = self.a @ (self.content_s * (self.w.sum(1) == 0))
        free_t = self.b @ (self.content_t * (self.w.sum(0) == 0))
        return {
            "share_s": self.all.inside / self.n_s,
            "share_t": self.all.inside / self.n_t,
            "dice": self.all.dice,
            "content_dice": self.content.dice,
            "out_s": np.log1p(self.all.out_s),
            "out_t": np.log1p(self.all.out_t),
            "content_out_s": np.log1p(self.content.out_s),
            "content_out_t": np.log1p(self.content.out_t),
            "free_s": np.log1p(self.size_s - self.all.linked_s)[:, None],
            "free_t": np.log1p(self.size_t - self.all.linked_t),
            "content_free_s": np.log1p(free_s)[:, None],
            "content_free_t": np.log1p(free_t),
            "no_link": self.all.inside == 0,
            "perfect": (self.all.inside == self.n_s) & (self.all.inside == self.n_t),
        }

    def fit(self) -> Columns:
        """How similar the two are as wholes, and whether another node is more
        similar."""
        soft = 1.0 / (1.0 + np.exp(-np.clip(self.word_nats, -30, 30)))
        over_t = np.stack([soft[:, m].max(1) for m in self.target.members], axis=1)
        over_s = np.stack([soft[m].max(0) for m in self.source.members], axis=0)
        odds_s, odds_t = self.source.marginal, self.target.marginal
        columns: Columns = {
            "soft_s": (self.a @ over_t) / self.n_s,
            "soft_t": (over_s @ self.b.T) / self.n_t,
            "cosine": self.cosine,
        }
        for name, table in (
            ("", self.all.dice),
            ("content_", self.content.dice),
            ("cosine_", self.cosine),
        ):
            columns[f"{name}lead_row"] = table - best_other(table * odds_t, 1)
            columns[f"{name}lead_column"] = table - best_other(
                table * odds_s[:, None], 0
            )
        return columns

    def kind(self) -> Columns:
        """Labels, heads and sizes."""
        kinds_s, kinds_t = _kinds(self.source), _kinds(self.target)
        linked = self.w[self.heads] > 0
        has_s = self.w.sum(1)[self.source.heads][:, None]
        away = ~linked & (has_s + self.w.sum(0)[self.target.heads] > 0)
        whole_s, whole_t = self.n_s == self.a.shape[1], self.n_t == self.b.shape[1]
        head_cosine = np.zeros(self.shape)
        if self.vectors is not None:
            head_cosine = cosines(*self.vectors)[self.heads]
        return {
            "same_label": _same(self.source.labels, self.target.labels),
            "same_class": _same(kinds_s, kinds_t),
            "verbal_nominal": _mixed(kinds_s, kinds_t),
            "head_linked": linked,
            "head_elsewhere": away,
            "head_cosine": head_cosine,
            "same_words": (self.all.dice == 1.0) & (self.n_s == self.n_t),
            "length_ratio": np.abs(np.log(self.n_s / self.n_t)),
            "relative_length": np.abs(
                self.n_s / self.a.shape[1] - self.n_t / self.b.shape[1]
            ),
            "both_whole": whole_s & whole_t,
            "one_whole": whole_s ^ whole_t,
        }

    def single_words(self) -> Columns:
        """Features of pairs in which one node or both are single words."""
        one = self.leaf_s ^ self.leaf_t
        both = self.leaf_s & self.leaf_t
        out = np.log1p(self.content.out_s + self.content.out_t)
        return {
            "both_words": both,
            "word_logit": both * np.clip(self.word_nats[self.heads], -8, 8),
            "one_word": one,
            "one_word_share": one * self.all.inside,
            "one_word_cosine": one * self.cosine,
            "one_word_out": one * out,
        }


class _Coverage:
    """Linked words of node pairs: inside both, and going out of them."""

    def __init__(self, a: Floats, b: Floats, w: Floats) -> None:
        self.inside = a @ w @ b.T
        self.linked_s, self.linked_t = a @ w.sum(1), b @ w.sum(0)
        self.out_s = self.linked_s[:, None] - self.inside
        self.out_t = self.linked_t[None, :] - self.inside
        both = self.linked_s[:, None] + self.linked_t
        self.dice = 2 * self.inside / np.maximum(both, 1.0)


def best_other(table: Floats, axis: int) -> Floats:
    """For each cell the best of the other cells along ``axis``; 0 if it is alone."""
    if table.shape[axis] < 2:
        return np.zeros_like(table)
    ranked = np.sort(table, axis=axis)
    first, second = ranked.take([-1], axis), ranked.take([-2], axis)
    best: Floats = np.where(table == first, second, first)
    return best


def _shifted(table: Floats, by: int) -> Floats:
    """Each cell's neighbour on the diagonal: the words before (1) or after (-1)."""
    n, m = table.shape
    framed = np.full((n + 2, m + 2), 0.5)
    framed[1:-1, 1:-1] = table
    return framed[1 - by : n + 1 - by, 1 - by : m + 1 - by]


def _distance(n: int, m: int) -> Floats:
    distance: Floats = np.abs(
        (np.arange(n) + 0.5)[:, None] / n - (np.arange(m) + 0.5) / m
    )
    return distance


def _same(a: Sequence[str], b: Sequence[str]) -> Floats:
    same = np.array(a, object)[:, None] == np.array(b, object)
    return np.asarray(same, dtype=np.float64)


def _kinds(nodes: Nodes) -> list[str]:
    """S, V, P, N, J, R: categories of words and phrases under one name."""
    return [_CLASSES.get(name) or name[:1] for name in nodes.categories]


_CLASSES = {
    **dict.fromkeys(("S", "SBAR", "SINV", "SQ", "SBARQ"), "S"),
    **dict.fromkeys(("NP", "NML", "QP", "WHNP"), "N"),
    "VP": "V",
    "PP": "P",
    "ADJP": "J",
    "ADVP": "R",
}


def _mixed(a: Sequence[str], b: Sequence[str]) -> Floats:
    """Whether one is a verb or clause and the other a noun."""
    verbal_s, verbal_t = (np.array([x in "SV" for x in side]) for side in (a, b))
    noun_s, noun_t = (np.array([x == "N" for x in side]) for side in (a, b))
    mixed = (verbal_s[:, None] & noun_t) | (noun_s[:, None] & verbal_t)
    return np.asarray(mixed, dtype=np.float64)


def _spelling(a: str, b: str) -> float:
    """Dice of the letter pairs of two words."""
    pairs_a = {a[i : i + 2].lower() for i in range(len(a) - 1)}
    pairs_b = {b[i : i + 2].lower() for i in range(len(b) - 1)}
    total = len(pairs_a) + len(pairs_b)
    return 2 * len(pairs_a & pairs_b) / total if total else 0.0


def _are(words: Sequence[str], test: Callable[[str], bool]) -> Floats:
    return np.array([float(test(word)) for word in words])


def _is_function(word: str) -> bool:
    return word.lower() in STOP_WORDS


def _is_punctuation(word: str) -> bool:
    return not any(c.isalnum() for c in word)


def _content(words: Sequence[str]) -> Floats:
    empty = np.maximum(_are(words, _is_function), _are(words, _is_punctuation))
    return np.asarray(1.0 - empty)
