"""How sure a parser was: the stored forest of a sentence, and its marginals."""

from annotator.models import PackedForest, Sentence
from core.errors import FormatError
from core.forests.inside import bracket_chances
from core.formats import forest_npz
from core.formats.forest_npz import StoredForest
from core.protocols import Analysis

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
    return bracket_chances(stored.forest, stored.weights)
