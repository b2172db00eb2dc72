"""Two parse forests to two trees and the links between their phrases.

Arase & Tsujii 2017, "Monolingual Phrase Alignment on Parse Forests". The pieces:
``supports`` packs and unpacks compositional alignments, ``noncompositional`` links what
is left, ``constraints`` holds an annotator's word. The gains come from
``model`` (trained on reference links) or from features tuned by EM (``feature_em``).

The paper interpolates (1 - mu_p) alpha + mu_p rho(s) rho(t) at every node pair, rho the
marginals of the parse. Here scores are products, so both come in as factors: a link
weighs ``node_weight`` times log rho(s) rho(t), and every edge of a derivation
``parse_weight`` times its log-probability, which is exact over whole trees.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from core.data.alignment import Alignment, Link
from core.data.check import Floats
from core.data.tree import Tree
from core.errors import Contradiction
from core.forests.derivation import chain_labels, tree_of_phrases
from core.phrase_alignment.features import Nodes
from core.phrase_alignment.legitimacy import Rule, problems, ref_of, refs_of
from core.phrase_alignment.sides import BinaryForest
from core.phrase_alignment.supports import Derivation, Pair, fill_nulls, nodes_of, pack

MAX_ROUNDS = 5
ORDER: tuple[Rule, ...] = ("monotonous", "relevance")  # what crossing links may break
FAR = 30.0  # nats that count as certainty
RARE = 1e-6  # a marginal below this counts as this


@dataclass(frozen=True, slots=True)
class AlignSettings:
    """Costs in nats; infinite forbids.

    ``cross_cost``: a link whose supports meet elsewhere (mu_c). ``order_cost``: each
    link that a further one crosses; ``null_cost``: leaving two phrases null where
    links meet in both; ``parse_weight``: of the parser's nats over whole trees;
    ``node_weight``: of the marginals of two nodes against their link (mu_p);
    ``unpacked``: how many alignments are unpacked and filled up (mu_b).
    """

    cross_cost: float = 2.0
    order_cost: float = 3.0
    null_cost: float = 1.0
    parse_weight: float = 4.0
    node_weight: float = 1.0
    unpacked: int = 1
    fill: bool = True

    def monotonic(self) -> "AlignSettings":
        """The same without non-compositional links."""
        return replace(
            self, cross_cost=np.inf, order_cost=np.inf, fill=False, unpacked=1
        )


@dataclass(frozen=True, slots=True, eq=False)
class Demands:
    """Nats on top of all others: on cells ``(n_s, n_t)``, on the edges of each side."""

    links: Floats
    source: Floats
    target: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """The best alignment, and how sure each link of it is: the probability that its
    two nodes match, 1 / (1 + exp -gain), and are constituents, times its share of the
    weight of all alignments that were unpacked."""

    source: BinaryForest
    target: BinaryForest
    best: Derivation
    others: tuple[Derivation, ...]
    sure: dict[Pair, float]
    expected_errors: float  # wrong links and nulls of the best one


def nodes(side: BinaryForest) -> Nodes:
    """One side's input for scoring."""
    categories = tuple(side.category(v) for v in range(side.n_nodes))
    return Nodes(
        side.words,
        side.tags,
        side.members,
        side.heads,
        side.labels,
        categories,
        side.marginal,
    )


def align(
    source: BinaryForest,
    target: BinaryForest,
    gain: Floats,
    settings: AlignSettings | None = None,
) -> Derivation:
    """The best alignment and its trees; ``gain`` ``(n_s, n_t)`` as in ``supports``.

    Raises Contradiction if the whole sentences cannot be linked.
    """
    return align_all(source, target, gain, settings, k=1).best


def align_all(
    source: BinaryForest,
    target: BinaryForest,
    gain: Floats,
    settings: AlignSettings | None = None,
    *,
    k: int = 20,
    demands: Demands | None = None,
) -> Aligned:
    """The best of the ``k`` (at least ``settings.unpacked``) best compositional
    alignments once all are filled up, and what the others say of its links.

    Demanded links come in twice: into the packed supports, where others make room for
    them, and only when nulls are filled, where they may cross what is there.
    """
    rules = settings or AlignSettings()
    match = gain
    rho = [np.log(np.maximum(side.marginal, RARE)) for side in (source, target)]
    gain = gain + rules.node_weight * np.add.outer(*rho)
    source = _weighed(
        source, rules, gain.max(axis=1), demands.source if demands else None
    )
    target = _weighed(
        target, rules, gain.max(axis=0), demands.target if demands else None
    )
    wanted = gain if demands is None else gain + demands.links
    ranked: list[Derivation] = []
    for table in [wanted, gain] if np.any(wanted > gain) else [wanted]:
        packed = pack(
            source,
            target,
            table,
            cross_cost=rules.cross_cost,
            null_cost=rules.null_cost,
        )
        ranked += packed.k_best(max(k, rules.unpacked))
    if not ranked:
        raise Contradiction("no alignment links the two whole sentences")
    if rules.fill:
        ranked = [
            fill_nulls(one, source, target, wanted, order_cost=rules.order_cost)
            for one in _distinct(ranked)
        ]
    ranked = _distinct(sorted(ranked, key=lambda one: -one.score))
    best, *others = ranked
    uncertainty = _uncertainty(ranked, source, target, match)
    return Aligned(source, target, best, tuple(others), *uncertainty)


def _distinct(ranked: list[Derivation]) -> list[Derivation]:
    """Each set of links in each trees once, the first of them."""
    unique: dict[object, Derivation] = {}
    for one in ranked:
        trees = (frozenset(chosen.values()) for chosen in one.edges)
        unique.setdefault((one.links, *trees), one)
    return list(unique.values())


def _weighed(
    side: BinaryForest, rules: AlignSettings, best_gain: Floats, extra: Floats | None
) -> BinaryForest:
    """The parse weighed, and at every node half of log P(null), P = 1 - P(best link).

    A link gains log P - log(1 - P) over two nulls, so that a sure link adds nothing to
    a tree, a node left over costs what it could have gained, and no tree wins by having
    more nodes.
    """
    nulls = -0.5 * np.logaddexp(0.0, best_gain)
    nulls[~side.named] = 0.0
    per_edge = np.repeat(nulls, np.diff(side.first_edge))
    weight = side.weight * rules.parse_weight + per_edge
    return side.weighed(weight if extra is None else weight + extra)


def _uncertainty(
    ranked: list[Derivation], source: BinaryForest, target: BinaryForest, match: Floats
) -> tuple[dict[Pair, float], float]:
    """Return the probability of each link of the best one, and how many of its links
    and nulls are expected to be wrong.

    ``match`` (n_s, n_t): log-odds that two nodes match if both are constituents. The
    probability that both are is the geometric mean of their marginals: mostly both are
    or neither. A null is wrong if a node of the other chosen tree is a better partner
    for it than for the node it is linked to. O(n_s n_t).
    """
    best = ranked[0]
    scores = np.array([one.score for one in ranked])
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    taken = np.zeros(match.shape)
    for share, one in zip(shares, ranked, strict=True):
        for pair in one.links:
            taken[pair] += share
    both = np.sqrt(np.outer(source.marginal, target.marginal))
    likely = taken * both * _probability(match)
    holds = {pair: float(likely[pair]) for pair in best.links}
    wrong = len(holds) - sum(holds.values())
    worth = np.zeros(source.n_nodes), np.zeros(target.n_nodes)
    for pair in holds:
        worth[0][pair[0]] = worth[1][pair[1]] = max(match[pair], 0.0)
    chosen = nodes_of(best, source, 0), nodes_of(best, target, 1)
    better = match - worth[1], match.T - worth[0]
    partners = both * _probability(better[0]), both.T * _probability(better[1])
    for at, chance in enumerate(partners):
        nulls = sorted(set(chosen[at]) - {pair[at] for pair in holds})
        partner = chance[np.ix_(nulls, chosen[1 - at])].max(axis=1, initial=0.0)
        elsewhere = taken.sum(axis=1 - at)[nulls]
        wrong += float(np.maximum(elsewhere, partner).sum())
    return holds, max(wrong, 0.0)


def _probability(nats: Floats) -> Floats:
    """The probabilities of these log-odds."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(nats, -FAR, FAR))))


def tree_of(derivation: Derivation, side: BinaryForest, which: int) -> Tree:
    """The chosen tree of one side of a forest; chains are unfolded."""
    phrases = []
    for v in derivation.edges[which]:
        if side.labels[v]:
            phrases.append((*side.places[v], side.labels[v]))
    phrases.sort(key=lambda phrase: (phrase[0], -phrase[1]))
    return tree_of_phrases(phrases, words=side.words, tags=side.tags)


def alignment_of(
    aligned: Aligned, trees: tuple[Tree | None, Tree | None] = (None, None)
) -> tuple[Alignment, Tree, Tree]:
    """The links over nodes of two trees, all other nodes null.

    ``trees``: those the sides came from (``side_of_tree``); else the chosen ones. Of
    two linked chains the tops are linked, then what is below, one to one. A link that
    Definition 3.2 does not allow is marked as crossing. ``prob`` is an attribute.
    """
    best = aligned.best
    source = trees[0] or tree_of(best, aligned.source, 0)
    target = trees[1] or tree_of(best, aligned.target, 1)
    chains_s = _chains(best, aligned.source, 0, source)
    chains_t = _chains(best, aligned.target, 1, target)
    links = []
    for s, t in best.links:
        attrs = {"prob": f"{aligned.sure.get((s, t), 1.0):.3f}"}
        crossing = (s, t) in best.crossing
        for a, b in _along(chains_s[s], chains_t[t]):
            links.append(
                Link(ref_of(source, a), ref_of(target, b), "sure", crossing, attrs)
            )
    return _complete(links, source, target), source, target


def _complete(links: list[Link], source: Tree, target: Tree) -> Alignment:
    """With nulls said, and what is not legitimate marked as crossing."""
    null_s = frozenset(refs_of(source)) - {link.source for link in links}
    null_t = frozenset(refs_of(target)) - {link.target for link in links}
    for _ in range(MAX_ROUNDS):
        alignment = Alignment(tuple(links), null_s, null_t)
        wrong = {
            cell
            for problem in problems(alignment, source, target, ORDER)
            for cell in zip(problem.source, problem.target, strict=False)
        }
        if not wrong:
            break
        links = [
            replace(link, crossing=True) if link.cell in wrong else link
            for link in links
        ]
    return alignment


def _chains(
    derivation: Derivation, side: BinaryForest, which: int, tree: Tree
) -> dict[int, list[int]]:
    """Of every named node, the nodes of its unary chain in the tree, from the top."""
    words = [0] * len(tree)  # bit i: word i is below the node
    tops: dict[int, int] = {}
    for v in range(len(tree) - 1, -1, -1):
        if tree.tokens[v] >= 0:
            words[v] = 1 << tree.tokens[v]
        for c in tree.children[v]:
            words[v] |= words[c]
        tops[words[v]] = v
    groups: dict[int, list[int]] = {}
    for v in sorted(nodes_of(derivation, side, which), reverse=True):
        groups.setdefault(side.bits[v], []).append(v)
    chains = {}
    for key, above in groups.items():
        chain = [tops[key]]
        while len(below := tree.with_words(chain[-1])) == 1:
            chain.append(below[0])
        for v in above[:-1]:  # each holds its own labels, the lowest all the rest
            n = len(chain_labels(side.labels[v]))  # a word over a word has none
            chains[v], chain = chain[:n], chain[n:]
        chains[above[-1]] = chain
    return chains


def _along(a: list[int], b: list[int]) -> Iterable[Pair]:
    """Two chains link by link: tops first, but the words at the ends together."""
    if not (a and b):
        return []
    if len(a) == len(b):
        return list(zip(a, b, strict=True))
    n = min(len(a), len(b))
    return [*zip(a[: n - 1], b[: n - 1], strict=True), (a[-1], b[-1])]
