"""What aligning a pair does to the parse of its source, against gold constituents.

Choosing the two trees of the forests that align best is a reranking of both. An error
is a bracket that a tree has and gold lacks, or the other way round (as PARSEVAL counts
them): it is corrected if the parser's best tree makes it and the aligned one does not,
introduced if it is the other way round (Arase & Tsujii 2017, section 6.4).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.agreement.paired import sign_flip_p
from core.agreement.trees import parseval
from core.data.tree import Tree
from core.errors import GemelError
from core.evaluation.joint_parsing import GoldPair
from core.evaluation.phrase_alignment import best_side, only_tree
from core.phrase_alignment.aligner import PhraseAligner, side_of
from core.phrase_alignment.forest_align import (
    tree_of,
)
from core.protocols import Analysis, Capability, ParserBackend

WANT: frozenset[Capability] = frozenset({"constituents", "forest", "tags", "vectors"})

BATCH = 32


@dataclass(frozen=True, slots=True)
class Reranked:
    """The gold tree of a source, the parser's best, and the one that aligns best."""

    id: str
    corpus: str
    gold: Tree
    before: Tree
    after: Tree

    @property
    def corrected(self) -> int:
        return (self._errors(self.before) - self._errors(self.after)).total()

    @property
    def introduced(self) -> int:
        return (self._errors(self.after) - self._errors(self.before)).total()

    def _errors(self, tree: Tree) -> Counter[tuple[bool, parseval.Bracket]]:
        """Missing (True) and wrong (False) brackets, each as often as it counts."""
        tags = self.gold.tags
        has, wanted = parseval.brackets(tree, tags), parseval.brackets(self.gold, tags)
        missing = {(True, one): n for one, n in (wanted - has).items()}
        wrong = {(False, one): n for one, n in (has - wanted).items()}
        return Counter(missing | wrong)


def rerank(
    pairs: Sequence[GoldPair], backend: ParserBackend, aligner: PhraseAligner
) -> Iterator[Reranked]:
    """Every pair that has a gold tree and whose two sentences the parser can take."""
    trees = [pair for pair in pairs if pair.gold.tree is not None]
    for at in range(0, len(trees), BATCH):
        some = trees[at : at + BATCH]
        texts = [x for pair in some for x in (pair.row.source, pair.row.paraphrase)]
        answers = backend.analyse(texts, want=WANT & backend.info.capabilities)
        for place, pair in enumerate(some):
            both = answers[2 * place : 2 * place + 2]
            analyses = [one for one in both if isinstance(one, Analysis)]
            if len(analyses) == 2 and pair.gold.tree is not None:
                yield from _one_parse(pair, pair.gold.tree, analyses, aligner)


def _one_parse(
    pair: GoldPair, gold: Tree, both: Sequence[Analysis], aligner: PhraseAligner
) -> Iterator[Reranked]:
    """Nothing without a parse; where no alignment reaches the roots, the parser's."""
    try:
        before = only_tree(best_side(both[0]))
    except GemelError:
        return
    vectors = None
    if both[0].vectors is not None and both[1].vectors is not None:
        vectors = both[0].vectors, both[1].vectors
    try:
        aligned = aligner.align(side_of(both[0]), side_of(both[1]), vectors)
        after = tree_of(aligned.best, aligned.source, 0)
    except GemelError:
        after = before
    yield Reranked(pair.row.id, pair.row.corpus, gold, before, after)


def ledger(reranked: Sequence[Reranked], *, seed: int = 0) -> dict[str, Any]:
    """Sentences, F1 before and after, errors corrected and introduced, and how likely
    that difference is by chance (approximate randomisation over sentences)."""
    before, after = parseval.Parseval(), parseval.Parseval()
    for one in reranked:
        before += parseval.compare(one.gold, one.before)
        after += parseval.compare(one.gold, one.after)
    net = np.array([[float(one.corrected - one.introduced)] for one in reranked])
    return {
        "sentences": len(reranked),
        "changed": sum(one.before.spans != one.after.spans for one in reranked),
        "f1_before": before.f1,
        "f1_after": after.f1,
        "errors_before": before.guessed + before.gold - 2 * before.matched,
        "corrected": sum(one.corrected for one in reranked),
        "introduced": sum(one.introduced for one in reranked),
        "p": sign_flip_p(net, np.random.default_rng(seed))[0] if reranked else None,
    }
