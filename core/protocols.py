"""What plugs in: parsers, adjustable decoders, word aligners, text measures."""

from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar, runtime_checkable

from core.data.alignment import Link
from core.data.check import Floats
from core.data.deps import DepAnalysis
from core.data.forest import Forest
from core.data.tokens import Sentence

__all__ = [
    "AdjustableDecoder",
    "Analysis",
    "BackendInfo",
    "Capability",
    "ParserBackend",
    "Step",
    "TextMeasure",
    "WordAligner",
]

S_co = TypeVar("S_co", covariant=True)
Capability = Literal[
    "constituents", "dependencies", "tags", "forest", "vectors", "pairs"
]
"""What a back-end can give; "pairs": it has learned to read two sentences as one."""


@dataclass(frozen=True, slots=True)
class BackendInfo:
    """Who a back-end is; readable without loading a model."""

    name: str
    version: str
    licence: str
    languages: tuple[str, ...]
    capabilities: frozenset[Capability]
    max_tokens: int = 200
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """All that a back-end says about one sentence; what it cannot say is None.

    ``forest``/``edge_weights``: packed constituents, one float64 weight in nats per
    edge (an empty forest = no parse). ``best``: the log-probability and the phrases,
    ``(start, end, chain)`` in preorder, of the tree to show first; None: the forest's
    heaviest. ``deps``: best tree with arc weights.
    ``upos, xpos``: a tag per token; ``tag_logp`` ``(n, n_tags)`` over ``tag_names``.
    ``vectors``: float32 ``(n, d)``, one per token, for aligners.
    """

    sentence: Sentence
    forest: Forest | None = None
    edge_weights: Floats | None = None
    best: tuple[float, tuple[tuple[int, int, str], ...]] | None = None
    deps: DepAnalysis | None = None
    upos: tuple[str, ...] = ()
    xpos: tuple[str, ...] = ()
    tag_logp: Floats | None = None
    tag_names: tuple[str, ...] = ()
    vectors: Floats | None = None
    extra: dict[str, Floats] = field(default_factory=dict)


class ParserBackend(Protocol):
    """The whole plug-in surface. ``analyse`` answers in order, one per sentence.

    A sentence the parser cannot take (too long) is answered by its GemelError as a
    value, so that one bad sentence never costs the batch. ``want`` says what will be
    used: a back-end may leave out the rest and be faster.
    """

    info: BackendInfo

    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list["Analysis | Exception"]: ...


class AdjustableDecoder(Protocol[S_co]):
    """What dual decomposition needs: argmax under additive bonuses."""

    def argmax(self, weights: Floats, *, bonus: Floats) -> tuple[float, S_co]: ...


class WordAligner(Protocol):
    """Links two token sequences; refs are ``w<i>``; attrs may hold ``prob``."""

    def align(self, source: Analysis, target: Analysis) -> tuple[Link, ...]: ...


@runtime_checkable
class TextMeasure(Protocol):
    """The width of a string in px at a font size in px."""

    def width(self, text: str, *, size: float) -> float: ...


@dataclass(frozen=True, slots=True)
class Step:
    """Progress of a corpus-sized service: what was done since the last step."""

    done: int = 0
    failed: int = 0
    note: str = ""
    total: int | None = None  # once it is known, or when it changes
