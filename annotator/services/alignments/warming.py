"""Loading the engine of suggestions before anyone waits for it."""

import contextlib
import threading

import numpy as np

from annotator.errors import NotReady
from annotator.services.alignments import proposals
from annotator.serving import engine
from core.data.tokens import Sentence
from core.errors import Contradiction
from core.forests.derivation import tree_of_phrases
from core.phrase_alignment.constraints import Constraint, align_under
from core.phrase_alignment.forest_align import alignment_of
from core.phrase_alignment.sides import side_of_tree

is_cold = threading.Event()  # set by a process of a web server as it starts


def warm_soon() -> None:
    """Begin to load what the first suggestion would wait for, when someone opens a
    pair: in the engine process, or without one in this process, once."""
    if engine.is_there():
        engine.warm()
    if is_cold.is_set():
        is_cold.clear()
        threading.Thread(target=warm, daemon=True).start()


def warm() -> None:
    """Load all that the first suggestion of a process would have to wait for."""
    words = Sentence.of("a b")
    tree = tree_of_phrases([(0, 2, "S")], words=words.forms, tags=("X", "X"))
    side = side_of_tree(tree)
    proposals.warm_thesaurus()
    with contextlib.suppress(NotReady, Contradiction):
        aligner = proposals.aligner()
        gains = aligner.gains(side, side, None)
        gain = aligner.regaining(side, side).of(gains, np.eye(2))
        wanted = [Constraint("must-link", (0, 1), (0, 1))]
        best = align_under(
            side, side, gain, wanted, aligner.settings, k=proposals.UNPACKED
        )
        alignment_of(best, (tree, tree))
