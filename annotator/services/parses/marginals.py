"""How sure a parser was: the stored forest of a sentence, and its marginals."""

from annotator.models import PackedForest, Sentence
from core.data.forest import Forest
from core.errors import FormatError
from core.forests.derivation import chain_labels
from core.forests.inside import forest_marginals
from core.formats import forest_npz
from core.formats.forest_npz import StoredForest
from core.protocols import Analysis

__all__ = ["Sureness", "key", "of_analysis", "stored_forest", "sureness"]

Sureness = dict[tuple[int, int, str], float]


def stored_forest(sentence: Sentence, engine: str, version: str) -> StoredForest | None:
    """The forest of an engine over the sentence; None if there is none to be read."""
    row = PackedForest.objects.filter(
        sentence=sentence, engine=engine, version=version
    ).first()
    try:
        return forest_npz.load(bytes(row.data)) if row else None
    except FormatError:
        return None


def of_analysis(analysis: Analysis) -> StoredForest | None:
    """What ``stored_forest`` would give if the analysis had been stored."""
    if analysis.forest is None or analysis.edge_weights is None:
        return None
    arcs = analysis.deps.arcs if analysis.deps else None
    return StoredForest(analysis.forest, analysis.edge_weights, arcs)


def sureness(stored: StoredForest) -> Sureness:
    """How probable each label of each span is, over all trees of the forest."""
    found: Sureness = {}
    p_node, _ = forest_marginals(stored.forest, stored.weights)
    for v, p in enumerate(p_node.tolist()):
        for label in chain_labels(stored.forest.name(v)):
            place = key(stored.forest, v, label)
            found[place] = found.get(place, 0.0) + p
    return found


def key(forest: Forest, v: int, label: str) -> tuple[int, int, str]:
    """Where ``sureness`` keeps a label of node ``v``."""
    return int(forest.starts[v]), int(forest.ends[v]), label
