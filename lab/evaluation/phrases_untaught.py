"""The phrase aligner's own features, fitted without any reference link.

What the rules without weights align (links of equal words, and how they cover phrases)
is taken for the links of a reference: one step of Viterbi EM with the features of
``core.phrase_alignment.features``. The rules see the same forms and stems; the
features see vectors, tags, neighbours and labels too, and learn from them what matches
elsewhere.
A second step, over what the first found, was tried: it is worse, as links that are
missed once are learnt to be none.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.data.check import Floats
from core.errors import Contradiction
from core.phrase_alignment.aligner import PhraseAligner
from core.phrase_alignment.forest_align import align
from core.phrase_alignment.sides import BinaryForest
from core.text.wordnet import Thesaurus
from lab.evaluation.phrase_fitting import Reference, fit, without_vectors
from lab.evaluation.phrase_overlap import coverage_gains, lexical_links

Unlinked = tuple[BinaryForest, BinaryForest, tuple[Floats, Floats] | None]


def self_trained(
    pairs: Sequence[Unlinked], words: Thesaurus | None, shipped: PhraseAligner
) -> PhraseAligner:
    """An aligner with the settings and flat gains of ``shipped``, and weights that
    have seen no link made by anyone. Raises InvalidValue if nothing is aligned.

    O(pairs * nodes^2) memory: a megabyte for a pair of 20 words.
    """
    references = []
    rules = replace(shipped.settings, parse_weight=0.0, unpacked=1)
    for source, target, vectors in pairs:
        gain = coverage_gains(
            source.members, target.members, lexical_links(source, target)
        )
        try:
            best = align(source, target, gain, rules)
        except Contradiction:
            continue
        links = np.zeros(gain.shape, dtype=bool)
        for cell in best.links:
            links[cell] = True
        references.append(Reference(source, target, links, vectors))
    models = [
        fit(
            some,
            words,
            word_bias=shipped.context.word_bias,
            phrase_bias=shipped.context.phrase_bias,
        )
        for some in (references, without_vectors(references))
    ]
    facts = {
        **shipped.facts,
        "fitted_on": f"{len(references)} pairs without reference links",
    }
    return PhraseAligner(models[0], models[1], shipped.settings, facts)
