"""Features of a pair that predict equal meaning: structure, overlap, thesaurus,
context."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.itg.biparse import Biparse, best_biparse
from core.itg.grammar import (
    CostSettings,
    ItgWeights,
    WordClass,
    pair_costs,
    word_classes,
)
from core.text.wordnet import Thesaurus
from core.word_alignment.lexicon import (
    LexiconSettings,
    WordRelation,
    cosines,
    distances,
    relations,
)

GROUPS = ("overlap", "structure", "thesaurus", "context")
NEGATIONS = frozenset(
    {"not", "n't", "no", "never", "without", "nor", "none", "nothing"}
)

PLAIN = CostSettings(LexiconSettings(), inversion=0.05)
"""Exact matches only: what structure sees without any lexicon."""
NO_SUBSTITUTION = CostSettings(LexiconSettings(substitution=2.0), inversion=0.5)
THESAURUS = CostSettings(
    LexiconSettings(
        stem=0.0, synonym=0.3, derived=0.7, kin=0.7, substitution=0.9, cosine_low=0.3
    ),
    function=0.7,
    punctuation=0.2,
    number=1.5,
    name=0.7,
    inversion=0.05,
)
"""Chosen on MSRPC train by average precision, a setting at a time."""


@dataclass(frozen=True, eq=False)
class PairView:
    """The two sides of a pair as the features see them.

    ``vectors``: contextual word vectors of both sides, if there are any;
    ``is_symmetric``: a paraphrase, whose sides may be swapped, not an entailment.
    """

    source: Sequence[str]
    target: Sequence[str]
    thesaurus: Thesaurus | None = None
    vectors: tuple[Floats, Floats] | None = None
    is_symmetric: bool = True

    @cached_property
    def lower(self) -> tuple[list[str], list[str]]:
        return [w.lower() for w in self.source], [w.lower() for w in self.target]

    @cached_property
    def classes(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        return word_classes(self.source), word_classes(self.target)

    @cached_property
    def exact(self) -> NDArray[np.int8]:
        """Relations that need no thesaurus."""
        source, target = (np.array(side, dtype=object) for side in self.lower)
        same = np.equal.outer(source, target)
        return np.where(same, WordRelation.EXACT, WordRelation.NONE).astype(np.int8)

    @cached_property
    def related(self) -> NDArray[np.int8]:
        return relations(self.source, self.target, self.thesaurus)

    @cached_property
    def cosine(self) -> Floats | None:
        return cosines(*self.vectors) if self.vectors else None

    def biparse(
        self,
        settings: CostSettings,
        *,
        exact: bool = False,
        context: bool = False,
    ) -> tuple[Biparse, float]:
        """The best biparse, and its cost as a share of leaving every word alone."""
        weights = self.weights(settings, exact=exact, context=context)
        best = best_biparse(weights)
        return best, best.score / min(weights.all_null, -1e-9)

    def weights(
        self,
        settings: CostSettings,
        *,
        exact: bool = False,
        context: bool = False,
    ) -> ItgWeights:
        """The weights of every rule of a biparse, with exact matches alone or with all
        features of the words."""
        distance = distances(
            self.exact if exact else self.related,
            self.source,
            self.target,
            settings.lexicon,
            cosine=self.cosine if context else None,
        )
        return pair_costs(distance, *self.classes, settings)

    def sides(
        self, name: str, source: float, target: float
    ) -> Iterator[tuple[str, float]]:
        """Two features: in order of size for a paraphrase, of side else."""
        if self.is_symmetric:
            source, target = sorted((float(source), float(target)))
        ends = ("low", "high") if self.is_symmetric else ("source", "target")
        yield f"{name}_{ends[0]}", float(source)
        yield f"{name}_{ends[1]}", float(target)


def features(view: PairView, groups: Sequence[str] = GROUPS) -> dict[str, float]:
    """The named features of these groups; ``context`` needs vectors."""
    makers = {
        "overlap": _overlap,
        "structure": _structure,
        "thesaurus": _thesaurus,
        "context": _context,
    }
    values: dict[str, float] = {}
    for group in groups:
        if group != "context" or view.cosine is not None:
            values.update(makers[group](view))
    return values


def _overlap(view: PairView) -> Iterator[tuple[str, float]]:
    """N-grams, lengths, numbers, negation: nothing that looks at order beyond four."""
    for n in (1, 2, 3, 4):
        counts = [_ngrams(side, n) for side in view.lower]
        common = sum((counts[0] & counts[1]).values())
        shares = (common / max(sum(c.values()), 1) for c in counts)
        yield from view.sides(f"grams{n}", *shares)
    n_source, n_target = len(view.source), len(view.target)
    yield "length_ratio", min(n_source, n_target) / max(n_source, n_target)
    yield "length_gap", float(abs(n_source - n_target))
    yield "length_log", float(np.log(n_source + n_target))
    if not view.is_symmetric:
        yield "length_target", float(np.log(n_target))
    yield from _coverage(view, "recall", view.exact == WordRelation.EXACT)
    numbers = [
        {w for w, k in zip(side, kinds, strict=True) if k == WordClass.NUMBER}
        for side, kinds in zip(view.lower, view.classes, strict=True)
    ]
    lost = len(numbers[0] - numbers[1]), len(numbers[1] - numbers[0])
    yield from view.sides("numbers_lost", *lost)
    yield "numbers_same", float(numbers[0] == numbers[1])
    yield "numbers_any", float(bool(numbers[0] | numbers[1]))
    yield "numbers_clash", float(min(lost) > 0)
    negated = [bool(NEGATIONS & set(side)) for side in view.lower]
    yield "negation_differs", float(negated[0] != negated[1])
    yield "same_end", float(view.lower[0][-3:] == view.lower[1][-3:])


def _structure(view: PairView) -> Iterator[tuple[str, float]]:
    """What the biparse with exact matches says."""
    _, cost = view.biparse(PLAIN, exact=True)
    yield "itg_plain", -cost
    best, cost = view.biparse(NO_SUBSTITUTION, exact=True)
    yield "itg_matches", -cost
    yield "inversions", best.n_inverted / (1 + len(best.links))
    yield from _unaligned(view, "plain", best)
    if not view.is_symmetric:
        yield from _one_way(view, "plain", PLAIN, exact=True)


def _thesaurus(view: PairView) -> Iterator[tuple[str, float]]:
    """What it says once related words may match."""
    best, cost = view.biparse(THESAURUS)
    yield "itg_thesaurus", -cost
    n_longer = max(len(view.source), len(view.target))
    yield "itg_thesaurus_longer", best.score / n_longer
    yield "itg_thesaurus_shorter", best.score / min(len(view.source), len(view.target))
    near = view.related <= WordRelation.DERIVED
    yield from _coverage(view, "related", near)
    matched = tuple(link for link in best.links if near[link])
    yield from _unaligned(view, "thesaurus", Biparse(0.0, matched, 0, 0.0))
    if not view.is_symmetric:
        yield from _one_way(view, "thesaurus", THESAURUS, exact=False)


def _context(view: PairView) -> Iterator[tuple[str, float]]:
    """What word vectors say: each word's closest, and the biparse over them."""
    cosine = view.cosine
    assert cosine is not None
    assert view.vectors is not None
    closest = cosine.max(axis=1), cosine.max(axis=0)
    yield from view.sides("closest", *(side.mean() for side in closest))
    content = [
        side[_is_content(kinds)]
        for side, kinds in zip(closest, view.classes, strict=True)
    ]
    content = [side if len(side) else np.ones(1) for side in content]
    yield from view.sides("closest_content", *(side.mean() for side in content))
    yield from view.sides("closest_worst", *(side.min() for side in content))
    yield from view.sides("missing", *((1 - side).sum() for side in closest))
    means = [np.asarray(v, dtype=np.float64).mean(axis=0) for v in view.vectors]
    yield "sentence_cosine", float(cosines(means[0][None], means[1][None])[0, 0])
    best, cost = view.biparse(THESAURUS, context=True)
    yield "itg_context", -cost
    n_longer = max(len(view.source), len(view.target))
    yield "itg_context_longer", best.score / n_longer


def _one_way(
    view: PairView, name: str, settings: CostSettings, *, exact: bool
) -> Iterator[tuple[str, float]]:
    """The text may say more: its nulls are cheap (Wu 2005, section 5.3)."""
    for factor in (0.05, 0.2):
        cheap = replace(settings, source_factor=factor)
        best, _ = view.biparse(cheap, exact=exact)
        yield f"itg_{name}_hypothesis{factor}", best.score / len(view.target)
        longer = max(len(view.source), len(view.target))
        yield f"itg_{name}_longer{factor}", best.score / longer


def _coverage(
    view: PairView, name: str, near: NDArray[np.bool_]
) -> Iterator[tuple[str, float]]:
    """The share of content words with a counterpart anywhere."""
    shares = []
    for axis, kinds in ((1, view.classes[0]), (0, view.classes[1])):
        content = _is_content(kinds)
        shares.append((near.any(axis=axis) & content).sum() / max(content.sum(), 1))
    return view.sides(name, *shares)


def _unaligned(view: PairView, name: str, best: Biparse) -> Iterator[tuple[str, float]]:
    """Words that the biparse leaves alone: all, content words, names."""
    left = [np.ones(len(view.source), bool), np.ones(len(view.target), bool)]
    for i, j in best.links:
        left[0][i] = left[1][j] = False
    content = [_is_content(kinds) for kinds in view.classes]
    names = [kinds == WordClass.NAME for kinds in view.classes]
    yield from view.sides(f"alone_{name}", *(x.mean() for x in left))
    both = list(zip(left, content, strict=True))
    yield from view.sides(
        f"alone_{name}_content", *((x & c).sum() / max(c.sum(), 1) for x, c in both)
    )
    yield from view.sides(f"alone_{name}_words", *((x & c).sum() for x, c in both))
    yield from view.sides(
        f"alone_{name}_names",
        *((x & n).sum() for x, n in zip(left, names, strict=True)),
    )


def _is_content(kinds: NDArray[np.int8]) -> NDArray[np.bool_]:
    return np.asarray((kinds != WordClass.FUNCTION) & (kinds != WordClass.PUNCTUATION))


def _ngrams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
