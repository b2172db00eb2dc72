"""Values of joint parsing: settings, changed arcs, rounds, results."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from core.data.alignment import Link
from core.data.deps import DepAnalysis
from core.data.tree import Tree
from core.errors import InvalidValue

Method = Literal["bp", "mbr", "soft", "hard", "pairs", "spans"]
METHODS: tuple[Method, ...] = get_args(Method)
SlackKind = Literal["one", "prob"]


@dataclass(frozen=True, slots=True)
class JointSettings:
    """Settings of joint parsing; ``method`` is a name in METHODS.

    ``rounds``: maximum rounds of dual decomposition. ``step``: its first step in nats.
    ``slack``: nats that one disagreement costs (bp, soft, spans); ``slack_kind``: for
    soft, the same for all, or times the probabilities of the two links. ``trust``: nats
    for an arc that the other sentence is certain of (mbr). None: the shipped value.
    ``gate``: keep the separate parses where the gate prefers them. ``projective``:
    trees without crossing arcs.
    ``n_best``: trees of either side among which pairs are sought.

    Of dual decomposition, ``last_round``: return the trees of the last round, as
    algorithms 1 and 2 of Choe & McClosky 2015 do; otherwise the best pair found, which
    under ``hard`` is that of the separate parses wherever no two agreeing trees were
    found. ``one_sided``: only arcs of the paraphrase alone cost (algorithm 2 as
    printed). ``link_roots``: ROOT is linked to ROOT.

    Raises InvalidValue if a number is out of range.
    """

    method: Method = "bp"
    rounds: int = 20
    step: float | None = None
    slack: float | None = None
    slack_kind: SlackKind = "one"
    trust: float | None = None
    gate: bool = True
    projective: bool = True
    n_best: int = 2
    last_round: bool = False
    one_sided: bool = False
    link_roots: bool = True

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InvalidValue(f"method {self.method!r}: one of {', '.join(METHODS)}")
        if self.rounds < 1 or self.n_best < 1:
            raise InvalidValue("rounds and n_best: expected at least 1")
        if self.step is not None and not self.step > 0:
            raise InvalidValue("step: expected a positive number of nats")
        for name, value in (("slack", self.slack), ("trust", self.trust)):
            if value is not None and not 0 <= value < float("inf"):
                raise InvalidValue(f"{name}: expected 0 or more nats")
        if self.slack_kind not in get_args(SlackKind):
            raise InvalidValue(f"slack_kind: one of {', '.join(get_args(SlackKind))}")


@dataclass(frozen=True, slots=True)
class ArcChange:
    """The arc into ``word`` that joint parsing changed: its head (ROOT = -1), or only
    its label. ``prob_before``, ``prob_after``: the parser's own marginals of the two
    arcs, without the other sentence. ``because``: the links that pull."""

    word: int
    head_before: int
    head_after: int
    label_before: str
    label_after: str
    prob_before: float
    prob_after: float
    because: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class SpanChange:
    """A phrase over tokens ``start`` to ``end - 1`` that is new, or gone."""

    start: int
    end: int
    label: str
    added: bool


@dataclass(frozen=True, slots=True, eq=False)
class JointSide:
    """One sentence's joint parse; None where the method leaves that kind alone."""

    deps: DepAnalysis | None = None
    tree: Tree | None = None
    arcs: tuple[ArcChange, ...] = ()
    spans: tuple[SpanChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Round:
    """One round: ``dual``, the bound from above, and ``primal``, the best pair so far
    (nats); ``disagreements``: constraints that the round's trees break."""

    dual: float
    primal: float
    disagreements: int


@dataclass(frozen=True, slots=True, eq=False)
class JointResult:
    """Both sides, and how they came about.

    ``links``: the word links that counted. ``exact``: proved that no other pair of
    trees is better under the method's objective; for bp and mbr, no other tree of
    either side given the other's messages. ``gap``: how much better a pair could be at
    most, nats. ``agreement_*``: c(a, b), pairs of linked words with an arc between them
    on one side alone, of the separate and of the joint trees. ``gate``: the probability
    that the joint parse of the source is the better one, None if the gate was not used;
    ``kept``: whether ``source`` and ``target`` hold the joint parses.
    """

    source: JointSide
    target: JointSide
    links: tuple[Link, ...]
    rounds: tuple[Round, ...] = ()
    exact: bool = True
    gap: float = 0.0
    agreement_before: int = 0
    agreement_after: int = 0
    gate: float | None = None
    kept: bool = True

    @property
    def sides(self) -> tuple[JointSide, JointSide]:
        return self.source, self.target


@dataclass(frozen=True, slots=True, eq=False)
class JointSet:
    """All sides of a set of sentences, and how they came about.

    ``links``: the word links that counted, by the numbers of the two sentences; those
    in ``ArcChange.because`` have these numbers, "0-2", as their attribute "sentences".
    The rest as in ``JointResult``, disagreements summed over linked sentences.
    """

    sides: tuple[JointSide, ...]
    links: Mapping[tuple[int, int], tuple[Link, ...]]
    rounds: tuple[Round, ...] = ()
    exact: bool = True
    gap: float = 0.0
    agreement_before: int = 0
    agreement_after: int = 0
