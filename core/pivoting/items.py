"""A test set of substitutions: phrases of parsed sentences and their substitutes.

As in Callison-Burch 2008, section 4.2: equally many phrases of each length, half of
them constituents; those of only stop words or punctuation are left out first. A string
that several conditions propose for one place is one item, with the name and the rank of
each.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.data.tree import Tree
from core.errors import InvalidValue
from core.pivoting.labels import constituent_labels
from core.pivoting.language_model import SentenceModel
from core.pivoting.substitution import Substitute, substitutes, weighted
from core.pivoting.table import Table
from core.pivoting.weighting import Weights
from core.protocols import ParserBackend
from core.text.stems import STOP_WORDS

LENGTHS = (1, 2, 3, 4, 5)  # words of a test phrase
_INSTANCES = 6


@dataclass(frozen=True, slots=True)
class Place:
    """Tokens ``start`` to ``end - 1`` of a sentence, and their phrase in lower case."""

    sentence: int
    start: int
    end: int
    phrase: str
    is_constituent: bool


@dataclass(frozen=True, slots=True)
class Item:
    """A sentence with a paraphrase in it; ``credits``: each condition, and the rank
    that it gave. ``label``: under which it was likeliest, "" = whatever it is."""

    place: Place
    paraphrase: str
    tokens: tuple[str, ...]
    label: str
    credits: tuple[tuple[str, int], ...]


def draw_places(
    trees: Sequence[Tree],
    n_phrases: int,
    rng: np.random.Generator,
    *,
    lengths: Sequence[int] = LENGTHS,
    instances: int = _INSTANCES,
    usable: Callable[[str], bool] | None = None,
) -> list[Place]:
    """Places of ``n_phrases`` phrases, at most ``instances`` of each, by sentence.

    Draw equally many phrases of every length and kind, one more of some where the
    number does not divide; fewer where the sentences do not hold enough. ``usable``:
    filters further phrases. Raises InvalidValue without a length.
    """
    if not lengths or min(lengths) < 1:
        raise InvalidValue("expected phrases of at least one word")
    groups = _groups(trees, lengths, usable)
    share, more = divmod(n_phrases, 2 * len(lengths))
    chosen: list[Place] = []
    for at, key in enumerate((n, kind) for n in lengths for kind in (True, False)):
        phrases = sorted(groups.get(key, {}))
        count = min(share + (at < more), len(phrases))
        for k in rng.choice(len(phrases), count, replace=False) if count else ():
            places = groups[key][phrases[k]]
            order = rng.permutation(len(places))[:instances]
            chosen += [places[int(x)] for x in order]
    return sorted(chosen, key=lambda place: (place.sentence, place.start, place.end))


def phrases_in(trees: Sequence[Tree], lengths: Sequence[int] = LENGTHS) -> set[str]:
    """All phrases that ``draw_places`` may draw, in lower case."""
    return {place.phrase for place in _places(trees, lengths)}


def _groups(
    trees: Sequence[Tree], lengths: Sequence[int], usable: Callable[[str], bool] | None
) -> dict[tuple[int, bool], dict[str, list[Place]]]:
    """Places by length and kind, then by phrase: of its first kind, if it has two."""
    groups: dict[tuple[int, bool], dict[str, list[Place]]] = defaultdict(dict)
    kinds: dict[str, bool] = {}
    for place in _places(trees, lengths):
        known = kinds.get(place.phrase)
        if known is None:
            if usable and not usable(place.phrase):
                continue
            kinds[place.phrase] = known = place.is_constituent
        if known == place.is_constituent:
            key = (place.end - place.start, known)
            groups[key].setdefault(place.phrase, []).append(place)
    return groups


def _places(trees: Sequence[Tree], lengths: Sequence[int]) -> Iterator[Place]:
    for at, tree in enumerate(trees):
        words = [word.lower() for word in tree.words]
        for n in lengths:
            for i in range(len(words) - n + 1):
                if _has_content(words[i : i + n]):
                    whole = bool(constituent_labels(tree, i, i + n))
                    yield Place(at, i, i + n, " ".join(words[i : i + n]), whole)


def _has_content(words: Sequence[str]) -> bool:
    return any(
        word not in STOP_WORDS and any(c.isalnum() for c in word) for word in words
    )


def items_of(
    table: Table,
    trees: Sequence[Tree],
    places: Sequence[Place],
    *,
    k: int = 1,
    model: SentenceModel | None = None,
    lm_weight: float = 1.0,
    weights: Weights | None = None,
    backend: ParserBackend | None = None,
) -> Iterator[Item]:
    """The ``k`` best of every condition at every place, each string once a place; with
    ``weights`` those of the ninth, too."""
    for place in places:
        tree, span = trees[place.sentence], (place.start, place.end)
        ranked = substitutes(table, tree, span, k=k, model=model, lm_weight=lm_weight)
        if weights is not None:
            ranked += weighted(
                table, tree, span, weights, k=k, model=model, backend=backend
            )
        merged: dict[str, list[Substitute]] = defaultdict(list)
        for one in ranked:
            merged[one.paraphrase.text].append(one)
        for text, same in merged.items():
            named = tuple((one.condition, one.place) for one in same)
            label = max((one.paraphrase.label for one in same), key=bool)
            yield Item(place, text, same[0].tokens, label, named)
