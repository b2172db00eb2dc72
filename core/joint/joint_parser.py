"""Two sentences that mean the same parse each other: the door to ``core.joint``.

Choe & McClosky 2015, "Parsing Paraphrases with Joint Inference", and what came after.
Methods: ``mbr`` adds arc marginals through the links; ``soft`` and ``hard`` are dual
decomposition over arcs; ``pairs`` looks among n-best trees; ``spans`` lets phrases
agree.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from core.data.alignment import Link
from core.data.check import Floats
from core.data.deps import DepAnalysis, DepTree
from core.errors import InvalidValue
from core.joint.consensus import arc_marginals, carried, consensus_heads
from core.joint.joint_values import (
    METHODS,
    ArcChange,
    JointResult,
    JointSettings,
    JointSide,
    Method,
    Round,
    SpanChange,
)
from core.joint.linked import Linked, disagreements, linked_words
from core.protocols import Analysis, WordAligner

__all__ = [
    "ENGINE",
    "METHODS",
    "VERSION",
    "ArcChange",
    "JointParser",
    "JointResult",
    "JointSettings",
    "JointSide",
    "Method",
    "Round",
    "SpanChange",
]

ENGINE = "joint"
VERSION = "1"
TRUST = 1.0


@dataclass(frozen=True)
class JointParser:
    """Parses pairs jointly; ``aligner`` links their words where no links are given."""

    aligner: WordAligner

    @classmethod
    def load(cls) -> "JointParser":
        """The parser with the shipped weights and word aligner.

        Raises Unavailable if a file of weights is missing.
        """
        from core.joint.lexical_aligner import LexicalAligner

        return cls(LexicalAligner())

    def parse(
        self,
        source: Analysis,
        target: Analysis,
        settings: JointSettings | None = None,
        *,
        links: Iterable[Link] | None = None,
    ) -> JointResult:
        """The joint parse of a pair; ``links``: word links to use, else the aligner's.

        Analyses need arc weights (ask for "dependencies" and "forest"). Raises
        InvalidValue if they have none.
        """
        settings = settings or JointSettings()
        if links is None:
            links = self.aligner.align(source, target)
        linked = linked_words(links, len(source.sentence), len(target.sentence))
        return _consensus(source, target, linked, settings)


def _consensus(
    source: Analysis, target: Analysis, linked: Linked, settings: JointSettings
) -> JointResult:
    kind = settings.projective
    arcs = [_arcs(source), _arcs(target)]
    p_s, p_t = (arc_marginals(a, projective=kind) for a in arcs)
    back = linked.turned()
    sides = [
        _side(one, p, more, own, projective=kind)
        for one, p, more, own in (
            (source, p_s, carried(linked, p_t, len(p_s) - 1), linked),
            (target, p_t, carried(back, p_s, len(p_t) - 1), back),
        )
    ]
    return JointResult(
        sides[0],
        sides[1],
        tuple(link for link in linked.links if link is not None),
        agreement_before=disagreements(linked, _heads(source), _heads(target)),
        agreement_after=disagreements(linked, *(_heads(side) for side in sides)),
    )


def _arcs(analysis: Analysis) -> Floats:
    if analysis.deps is None or analysis.deps.arcs is None:
        raise InvalidValue("arc weights are wanted: ask the parser for dependencies")
    return analysis.deps.arcs


def _heads(one: Analysis | JointSide) -> tuple[int, ...]:
    assert one.deps is not None
    return one.deps.tree.heads


def _side(
    analysis: Analysis, p: Floats, more: Floats, linked: Linked, *, projective: bool
) -> JointSide:
    """The side whose tree has most worth, and its arcs that differ."""
    deps = analysis.deps
    assert deps is not None
    heads = consensus_heads(p, more, trust=TRUST, projective=projective)
    tree = labelled(deps, tuple(int(h) for h in heads))
    found = DepAnalysis(tree, deps.arcs, deps.relations, deps.relation_names)
    return JointSide(deps=found, arcs=arc_changes(deps.tree, tree, p, linked))


def labelled(deps: DepAnalysis, heads: tuple[int, ...]) -> DepTree:
    """These heads with the best label of each arc; an arc that stays keeps its own."""
    old = deps.tree
    labels = list(old.labels)
    for m, h in enumerate(heads):
        if h != old.heads[m] and deps.relations is not None:
            best = int(deps.relations[h + 1, m + 1].argmax())
            labels[m] = deps.relation_names[best]
    return DepTree(heads, tuple(labels))


def arc_changes(
    before: DepTree, after: DepTree, p: Floats, linked: Linked
) -> tuple[ArcChange, ...]:
    """The words whose head or label differs, with the links of word and heads."""
    of = {int(s): link for (s, _), link in zip(linked.pairs, linked.links, strict=True)}
    found = []
    for m, (h, g) in enumerate(zip(before.heads, after.heads, strict=True)):
        if h == g and before.labels[m] == after.labels[m]:
            continue
        pulling = [of.get(m + 1), of.get(g + 1)]
        found.append(
            ArcChange(
                m,
                h,
                g,
                before.labels[m],
                after.labels[m],
                float(p[h + 1, m + 1]),
                float(p[g + 1, m + 1]),
                tuple(link for link in pulling if link is not None),
            )
        )
    return tuple(found)
