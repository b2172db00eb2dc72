"""Plug-in interfaces: parsers, adjustable decoders, word aligners, text measures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar, runtime_checkable

from core.data.alignment import Link
from core.data.check import Floats
from core.data.deps import DepAnalysis
from core.data.forest import Forest
from core.data.tokens import Sentence

S_co = TypeVar("S_co", covariant=True)
Capability = Literal["constituents", "dependencies", "tags", "forest", "vectors"]
"""What a back-end can give."""


@dataclass(frozen=True, slots=True)
class BackendInfo:
    """The identity of a back-end; readable without loading a model."""

    name: str
    version: str
    licence: str
    languages: tuple[str, ...]
    capabilities: frozenset[Capability]
    max_tokens: int = 200
    note: str = ""


@dataclass(frozen=True, slots=True)
class Advice:
    """The help that a parser got at one token.

    ``read_as``: the form used there, "" if the parser got ``tags`` instead (tag and
    probability, the most probable first). ``near``: similar words, the nearest first,
    each with its divergence in nats; ``shared``: words that occur next to both.
    """

    token: int
    read_as: str
    tags: tuple[tuple[str, float], ...]
    near: tuple[tuple[str, float], ...]
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """A back-end's full output for one sentence; missing parts are None.

    ``forest``/``edge_weights``: packed constituents, one float64 weight in nats per
    edge (an empty forest = no parse). ``best``: the log-probability and the phrases,
    ``(start, end, chain)`` in preorder, of the tree to show first; None: the forest's
    heaviest. ``deps``: best tree with arc weights.
    ``upos, xpos``: a tag per token; ``tag_logp`` ``(n, n_tags)`` over ``tag_names``.
    ``vectors``: float32 ``(n, d)``, one per token, for aligners. ``advice``: words
    that the parser was helped with; ``unhelped``: why with none, where it could be.
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
    advice: tuple[Advice, ...] = ()
    unhelped: str = ""


class ParserBackend(Protocol):
    """The whole plug-in interface. ``analyse`` returns one analysis per sentence, in
    order.

    A sentence the parser cannot take (too long) is answered by its GemelError as a
    value, so that one bad sentence never costs the batch. ``want`` says what will be
    used: a back-end may leave out the rest and be faster.
    """

    info: BackendInfo

    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list["Analysis | Exception"]: ...


@runtime_checkable
class TrainingCounts(Protocol):
    """A back-end that also tells which words it learned from, and with which tags.

    ``isinstance(backend, TrainingCounts)`` asks whether it does; nothing is loaded.
    """

    def lexicon(self) -> Mapping[str, Mapping[str, int]]:
        """By entry, how often each tag occurred with it in training (counts from 1).

        Raises Unavailable if the model cannot be read.
        """
        ...

    def entry_of(self, form: str) -> str:
        """The key of ``lexicon`` under which the parser looks ``form`` up.

        An unknown word has a key, too, which is not in ``lexicon``.
        """
        ...


@runtime_checkable
class TagGuided(Protocol):
    """A back-end that takes advice on the tags of single words."""

    def analyse_guided(
        self,
        sentences: list[Sentence],
        guides: Sequence[Mapping[int, Mapping[str, float]]],
        *,
        want: frozenset[Capability],
    ) -> list["Analysis | Exception"]:
        """``analyse``, where ``guides[s][i]`` says which tags token i may have, and how
        probable each is; tokens that are not named are read as always.
        """
        ...


@runtime_checkable
class DecodesTogether(Protocol):
    """A back-end whose arcs and brackets can be read off with regard to each other."""

    def decoding_together(self) -> ParserBackend:
        """The same parser, doing so."""
        ...


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
