"""What it costs to link or to leave alone the words of a pair, by kind of word."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.errors import InvalidValue
from core.itg.grammar import ItgWeights
from core.text.stems import STOP_WORDS
from core.word_alignment.lexicon import LexiconSettings

__all__ = ["CostSettings", "WordClass", "pair_costs", "word_classes"]


class WordClass(IntEnum):
    """A coarse class, read off the form alone."""

    CONTENT = 0
    FUNCTION = 1
    PUNCTUATION = 2
    NUMBER = 3
    NAME = 4


def word_classes(forms: Sequence[str]) -> NDArray[np.int8]:
    """The WordClass of every form, int8 ``(n,)``; a capital makes a name."""
    return np.array([_word_class(form) for form in forms], dtype=np.int8)


@lru_cache(maxsize=100_000)
def _word_class(form: str) -> int:
    if not any(c.isalnum() for c in form):
        return WordClass.PUNCTUATION
    if form.lower() in STOP_WORDS:
        return WordClass.FUNCTION
    if any(c.isdigit() for c in form):
        return WordClass.NUMBER
    return WordClass.NAME if form[0].isupper() else WordClass.CONTENT


@dataclass(frozen=True, slots=True)
class CostSettings:
    """Edit costs with block inversion.

    ``lexicon``: the distance of two words, times the mean null cost of their classes.
    ``match``: what a link costs beyond its distance. Null costs per class, those of
    the source side times ``source_factor`` (small: the text may say more than the
    hypothesis; Wu 2005, section 5.3). ``inversion``: each inverted rule.
    """

    lexicon: LexiconSettings
    content: float = 1.0
    function: float = 1.0
    punctuation: float = 1.0
    number: float = 1.0
    name: float = 1.0
    source_factor: float = 1.0
    inversion: float = 0.0
    match: float = 0.0

    def __post_init__(self) -> None:
        values = (*self.null_costs, self.source_factor, self.inversion, self.match)
        if min(values) < 0:
            raise InvalidValue("a cost must not be negative")

    @property
    def null_costs(self) -> tuple[float, float, float, float, float]:
        return self.content, self.function, self.punctuation, self.number, self.name


def pair_costs(
    distance: Floats,
    source_classes: NDArray[np.int8],
    target_classes: NDArray[np.int8],
    settings: CostSettings,
) -> ItgWeights:
    """The weights (cost = -nats) of one pair from the distances of its words."""
    by_class = np.array(settings.null_costs)
    source, target = by_class[source_classes], by_class[target_classes]
    links = distance * (source[:, None] + target[None, :]) / 2 + settings.match
    return ItgWeights(
        -links,
        -source * settings.source_factor,
        -target,
        straight=0.0,
        inverted=-settings.inversion,
    )
