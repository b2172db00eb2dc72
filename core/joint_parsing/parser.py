"""Sentences that mean the same parse each other: the door to ``core.joint``.

Choe & McClosky 2015, "Parsing Paraphrases with Joint Inference", and what came after.
Methods: ``bp`` propagates beliefs through the links; ``mbr`` carries arc marginals
over; ``soft`` and ``hard`` are dual decomposition over arcs; ``pairs`` looks among
n-best trees; ``spans`` lets phrases agree.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from core.data.alignment import Link
from core.data.check import Floats
from core.data.deps import DepAnalysis, DepTree
from core.data.tree import Tree
from core.errors import InvalidValue
from core.forests.kbest import forest_trees
from core.joint_parsing.beliefs import arc_marginals
from core.joint_parsing.gate import WEIGHTS, JointWeights, gate_features
from core.joint_parsing.linked import (
    LinkedWords,
    SetLinks,
    disagreements,
    linked_words,
)
from core.joint_parsing.methods import MethodResult, arcs_of, find
from core.joint_parsing.values import (
    ArcChange,
    JointResult,
    JointSet,
    JointSettings,
    JointSide,
    SpanChange,
)
from core.protocols import Analysis, Capability, WordAligner
from core.word_alignment.aligner import TrainedWordAligner

ENGINE = "joint"
VERSION = "1"
WANT: frozenset[Capability] = frozenset(
    {"constituents", "dependencies", "tags", "forest", "vectors"}
)
"""What to ask of a back-end; one that has no constituents leaves them out."""


@dataclass(frozen=True)
class JointParser:
    """Parses pairs jointly; ``aligner`` links their words where no links are given."""

    aligner: WordAligner
    weights: JointWeights

    @classmethod
    def load(cls) -> "JointParser":
        """The parser with the shipped weights and word aligner.

        Raises Unavailable if a file of weights is missing.
        """
        return cls(TrainedWordAligner.load(), JointWeights.load(WEIGHTS))

    def parse(
        self,
        source: Analysis,
        target: Analysis,
        settings: JointSettings | None = None,
        *,
        links: Iterable[Link] | None = None,
    ) -> JointResult:
        """The joint parse of a pair; ``links``: word links to use, else the aligner's.

        Analyses need what WANT lists. Raises InvalidValue if the method's input is
        missing.
        """
        settings = settings or JointSettings()
        if links is None:
            links = self.aligner.align(source, target)
        n, m = len(source.sentence), len(target.sentence)
        edges = [SetLinks(0, 1, linked_words(links, n, m, root=settings.link_roots))]
        outcome = find((source, target), edges, settings, self.weights)
        joint = _result((source, target), edges, outcome, settings)
        (ours, theirs), (links,) = joint.sides, joint.links.values()
        result = JointResult(
            ours,
            theirs,
            links,
            joint.rounds,
            joint.exact,
            joint.gap,
            joint.agreement_before,
            joint.agreement_after,
        )
        return self._gated(source, target, result, settings)

    def parse_set(
        self,
        sides: Sequence[Analysis],
        settings: JointSettings | None = None,
        *,
        links: Mapping[tuple[int, int], Iterable[Link]] | None = None,
    ) -> JointSet:
        """Return the joint parse of sentences that all mean the same (Choe & McClosky
        2015, section 6).

        ``links``: word links by the numbers of two sentences; else the aligner's,
        between every two. ``gate`` counts for pairs alone. Raises
        InvalidValue as ``parse``, and for a method that takes two sentences.
        """
        settings = settings or JointSettings()
        if links is None:
            links = {
                (a, b): self.aligner.align(sides[a], sides[b])
                for a, b in combinations(range(len(sides)), 2)
            }
        edges = []
        for (a, b), own in links.items():
            n, m = len(sides[a].sentence), len(sides[b].sentence)
            named = [
                replace(link, attrs={**link.attrs, "sentences": f"{a}-{b}"})
                for link in own
            ]
            root = settings.link_roots
            edges.append(SetLinks(a, b, linked_words(named, n, m, root=root)))
        outcome = find(sides, edges, settings, self.weights)
        return _result(sides, edges, outcome, settings)

    def _gated(
        self,
        source: Analysis,
        target: Analysis,
        result: JointResult,
        settings: JointSettings,
    ) -> JointResult:
        """The result, or the separate parses where the gate prefers them."""
        gate = self.weights.gates.get(settings.method)
        if not settings.gate or gate is None or not result.source.arcs:
            return result
        features = gate_features(source, target, result, gate.templates)
        probability = gate.probability(features)
        if probability >= gate.least:
            return replace(result, gate=probability)
        return replace(
            result,
            source=JointSide(source.deps if result.source.deps else None),
            target=JointSide(target.deps if result.target.deps else None),
            agreement_after=result.agreement_before,
            gate=probability,
            kept=False,
        )


def pairs_of(
    analyses: Sequence[Analysis], joint: JointSet, settings: JointSettings
) -> list[JointResult]:
    """Return a set as pairs: its first sentence with each of the others.

    What changed in the first sentence is in one pair only: an arc with the sentence
    that most of its links lead to, a bracket with the second sentence. ``because``
    keeps the links of the two sentences. ``rounds``, ``exact`` and ``gap`` are the
    set's.
    """
    first, n = joint.sides[0], len(analyses[0].sentence)
    owner = [_most_of(arc.because) for arc in first.arcs]
    results = []
    for k in range(1, len(analyses)):
        theirs, own = joint.sides[k], f"0-{k}"
        mine = [arc for arc, at in zip(first.arcs, owner, strict=True) if at == k]
        source = replace(
            first, arcs=_because(mine, own), spans=first.spans if k == 1 else ()
        )
        target = replace(theirs, arcs=_because(theirs.arcs, own))
        linked = linked_words(
            joint.links[0, k], n, len(analyses[k].sentence), root=settings.link_roots
        )
        old = [one.deps.tree.heads for one in (analyses[0], analyses[k]) if one.deps]
        new = [one.deps.tree.heads for one in (first, theirs) if one.deps]
        before, after = (
            disagreements(linked, *some) if len(some) == 2 else 0 for some in (old, new)
        )
        links, course = joint.links[0, k], (joint.rounds, joint.exact, joint.gap)
        results.append(JointResult(source, target, links, *course, before, after))
    return results


def _because(arcs: Iterable[ArcChange], sentences: str) -> tuple[ArcChange, ...]:
    """The changes with the links of these two sentences alone."""
    return tuple(
        replace(
            arc,
            because=tuple(
                link for link in arc.because if link.attrs["sentences"] == sentences
            ),
        )
        for arc in arcs
    )


def _most_of(links: Iterable[Link]) -> int:
    """The sentence that most of the first one's links lead to; 1 without any."""
    led = Counter(int(link.attrs["sentences"].split("-")[1]) for link in links)
    return min(led, key=lambda k: (-led[k], k), default=1)


def _result(
    analyses: Sequence[Analysis],
    edges: Sequence[SetLinks],
    outcome: MethodResult,
    settings: JointSettings,
) -> JointSet:
    nothing = (None,) * len(analyses)
    heads, trees = outcome.heads or nothing, outcome.trees or nothing
    labels = outcome.labels or nothing
    of_side: list[list[LinkedWords]] = [[] for _ in analyses]
    for edge in edges:
        of_side[edge.a].append(edge.linked)
        of_side[edge.b].append(edge.linked.swapped())
    sides = tuple(
        _side(*one, settings)
        for one in zip(analyses, heads, labels, trees, of_side, strict=True)
    )
    old = [one.deps.tree.heads if one.deps else None for one in analyses]
    new = [after or before for after, before in zip(heads, old, strict=True)]
    before, after = (
        sum(
            disagreements(edge.linked, a, b)
            for edge in edges
            if (a := some[edge.a]) is not None and (b := some[edge.b]) is not None
        )
        for some in (old, new)
    )
    return JointSet(
        sides,
        {(x.a, x.b): tuple(k for k in x.linked.links if k is not None) for x in edges},
        outcome.rounds,
        outcome.exact,
        outcome.gap,
        before,
        after,
    )


def _side(
    analysis: Analysis,
    heads: tuple[int, ...] | None,
    labels: tuple[str, ...] | None,
    tree: Tree | None,
    linked: Sequence[LinkedWords],
    settings: JointSettings,
) -> JointSide:
    """The side with these heads and this tree, and how they differ from its own."""
    spans = () if tree is None else _span_changes(analysis, tree)
    if heads is None or analysis.deps is None:
        return JointSide(None, tree, (), spans)
    deps = analysis.deps
    new = DepTree(heads, labels) if labels else _labelled(deps, heads)
    arcs: tuple[ArcChange, ...] = ()
    if new != deps.tree:
        p = arc_marginals(arcs_of(analysis), projective=settings.projective)
        arcs = _arc_changes(deps.tree, new, p, linked)
    return JointSide(replace(deps, tree=new), tree, arcs, spans)


def _labelled(deps: DepAnalysis, heads: tuple[int, ...]) -> DepTree:
    """These heads with the best label of each arc; an arc that stays keeps its own."""
    old = deps.tree
    labels = list(old.labels)
    for m, h in enumerate(heads):
        if h != old.heads[m] and deps.relations is not None:
            best = int(deps.relations[h + 1, m + 1].argmax())
            labels[m] = deps.relation_names[best]
    return DepTree(heads, tuple(labels))


def _arc_changes(
    before: DepTree, after: DepTree, p: Floats, linked: Sequence[LinkedWords]
) -> tuple[ArcChange, ...]:
    """The words whose head differs, with the links of word and new head."""
    of: dict[int, list[Link]] = {}
    for one in linked:
        for (s, _), link in zip(one.pairs.tolist(), one.links, strict=True):
            if link is not None:
                of.setdefault(s, []).append(link)
    changes = []
    for m, (h, g) in enumerate(zip(before.heads, after.heads, strict=True)):
        if h == g:
            continue
        because = (*of.get(m + 1, ()), *of.get(g + 1, ()))
        changes.append(
            ArcChange(
                m,
                h,
                g,
                before.labels[m],
                after.labels[m],
                float(p[h + 1, m + 1]),
                float(p[g + 1, m + 1]),
                because,
            )
        )
    return tuple(changes)


def _span_changes(analysis: Analysis, tree: Tree) -> tuple[SpanChange, ...]:
    """Return the phrases that ``tree`` has and the best tree of its own forest has not,
    and the reverse."""
    if analysis.forest is None or analysis.edge_weights is None:
        raise InvalidValue("the forest is missing: ask for constituents")
    old, new = (
        {(*one.spans[v], one.labels[v]) for v in range(len(one)) if one.children[v]}
        for one in (forest_trees(analysis, 1)[0][1], tree)
    )
    changes = [SpanChange(i, j, label, added=True) for i, j, label in new - old]
    changes += [SpanChange(i, j, label, added=False) for i, j, label in old - new]
    changes.sort(key=lambda c: (c.start, -c.end, c.label, c.added))
    return tuple(changes)
