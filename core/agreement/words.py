"""What is said of figures: the record of a measure, and why a figure has no value."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from core.data.check import Floats
from core.data.ratings import Scale


class Reason(StrEnum):
    """Why a figure has no value or no interval; several are joined by "; "."""

    NOT_SHARED = "no item was judged by both"
    NOT_DECLARED = "scale %(scale)s is not declared, so its number of points is unknown"
    SINGLE_POINT = "scale %(scale)s has a single point"
    NO_ORDER = "the labels of scale %(scale)s have no order"
    NO_CHANCE = "every value is %(value)s: chance agreement is 100 %%"
    NO_DIFFERENCE = "every value is %(value)s: nothing can differ"
    ALL_AGREE = "raw agreement is 100 %%"
    NOT_JUDGED = "nothing was judged"
    ONE_ANNOTATOR = "one annotator only"
    ONE_JUDGE = "0 of %(n)s items have two judges"
    NO_BOOTSTRAP = "no bootstrap was asked for"
    ONE_CLUSTER = "a single cluster: nothing to resample"
    RARELY_DEFINED = "defined in only %(share)s of the bootstrap replicates"
    BIASED = "resampling is biased here"
    CENTRED = "the interval was centred on the estimate"
    SOME_PAIRS = "undefined for %(n)s of %(all)s pairs of annotators"
    FEW_JUDGED_TWICE = "too few items have two judgments"
    SHARES_NONE = "shares no items with others"
    ONE_ITEM = "a single item"
    NO_REPEAT = "judged no item twice"
    NO_GOLD_ITEM = "judged no gold item"
    CONDITION_NOT_JUDGED = "no item of %(condition)s was judged"
    CONDITIONS_NOT_SHARED = "no instance was judged under both conditions"
    TWO_LINKERS = "needs the links of two annotators"
    THREE_LINKERS = "leaving one out needs three annotators, there are %(n)s"
    NO_SHARED_LINK = "no two annotators share a link"
    NO_LINK = "no one made a link"
    NEITHER_LINKED = "neither has a link"
    NO_ALIGNED_PAIR = "no person has aligned a pair"
    NOTHING_MARKED = "no two judges of an item marked a word"
    NO_TWO_TREES = "no sentence has both trees"


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of agreement: its function, and all that screens and docs say of it.

    ``compute``: the measure, ``(1 + replicates,)``, from the sums of a pair of
    annotators (``chance.PairSums``) or of all of them (``alpha.PooledSums``).
    ``terms``: its names in the glossary, the first one shown; ``meaning``: its line
    there. ``needs``: of the scale an order, a declared number of points, two points.
    """

    key: str
    name: str
    formula: str
    source: str
    terms: tuple[str, ...]
    meaning: str
    compute: Callable[[Any], Floats]
    needs: tuple[Literal["order", "declared", "two points"], ...] = ()

    def lacks(self, scale: Scale) -> str:
        """Return why the measure has no value on any ratings of ``scale``, or ""."""
        name = {"scale": scale.name}
        if "declared" in self.needs and not scale.closed:
            return Reason.NOT_DECLARED % name
        if "order" in self.needs and not scale.is_ordered:
            return Reason.NO_ORDER % name
        if "two points" in self.needs and scale.size < 2:
            return Reason.SINGLE_POINT % name
        return ""
