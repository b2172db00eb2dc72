"""A sentence parsed with rewordings that a program makes of it.

Two kinds. *Tree* rewrites apply the rules of ``lab.evaluation.rewordings`` to one of
the k best dependency trees of the sentence; *word* rewrites put other words in the
place of open-class words. Either way it is known which word came from which. Rewrites
are filtered by a language model, by how probable the parser finds its own best tree,
and by entailment in both directions (``core.itg``); what is left is parsed and helps to
parse the sentence jointly, links given.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.agreement.paired import sign_flip_p
from core.data.alignment import Link
from core.data.check import Floats
from core.data.deps import DepTree
from core.data.tokens import Sentence, Token
from core.dependencies.eisner import eisner
from core.evaluation.joint_parsing import JointCase, score_side
from core.itg.scores import SCORERS
from core.joint_parsing.beliefs import arc_marginals
from core.joint_parsing.methods import arcs_of, ranked_heads
from core.joint_parsing.parser import JointParser
from core.joint_parsing.values import JointSettings, JointSide
from core.pivoting.language_model import SentenceModel
from core.protocols import Analysis
from core.text.wordnet import Thesaurus
from lab.evaluation.rewordings import Clause, Rewording

SHORTEST, LONGEST = 6, 30  # words of a sentence that is reworded
TRIES = 12  # rewordings tried for each that is wanted
OPEN = frozenset({"NN", "NNS", "JJ", "RB", "VB", "VBP"})
Substitutes = Callable[[Analysis, int], Sequence[str]]
"""The words that may stand in the place of a token."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """``places``: the word of the sentence that each word came from, -1 if none."""

    sentence: Sentence
    places: tuple[int, ...]

    def links(self) -> list[Link]:
        return [Link(f"w{i}", f"w{j}") for j, i in enumerate(self.places) if i >= 0]


def tree_rewrites(
    analysis: Analysis,
    ways: Sequence[Rewording],
    draw: random.Random,
    *,
    wanted: int,
    n_best: int,
    lemma_of: Callable[[str], str],
) -> list[Rewrite]:
    """Return up to ``wanted`` different rewrites, by the ``n_best`` trees in turn."""
    trees = _labelled_trees(analysis, n_best)
    tagged = [
        Token(form, lemma=lemma_of(form), upos=upos, xpos=xpos)
        for form, upos, xpos in zip(
            analysis.sentence.forms, analysis.upos, analysis.xpos, strict=True
        )
    ]
    seen = {analysis.sentence.forms}
    made: list[Rewrite] = []
    for k in range(wanted * TRIES):
        clause = Clause.of(Sentence(tuple(tagged)), trees[k % len(trees)])
        place_of = {id(word): at for at, word in enumerate(clause.words)}
        if not draw.choice(ways)(clause, draw) or not clause.is_whole():
            continue
        forms = tuple(word.form for word in clause.words)
        if forms not in seen:
            seen.add(forms)
            places = tuple(place_of.get(id(word), -1) for word in clause.words)
            made.append(Rewrite(Sentence.of(forms), places))
        if len(made) == wanted:
            break
    return made


def _labelled_trees(analysis: Analysis, k: int) -> list[DepTree]:
    deps = analysis.deps
    assert deps is not None
    assert deps.relations is not None
    return [
        DepTree(
            heads,
            tuple(
                deps.relation_names[int(deps.relations[h + 1, m + 1].argmax())]
                for m, h in enumerate(heads)
            ),
        )
        for _, heads in ranked_heads(arcs_of(analysis), k, projective=True)
    ]


def word_rewrites(
    analysis: Analysis,
    substitutes: Substitutes,
    draw: random.Random,
    *,
    wanted: int,
    share: float = 0.4,
) -> list[Rewrite]:
    """Return up to ``wanted`` different rewrites, each with other words put in for a
    ``share`` of those that have substitutes."""
    forms = analysis.sentence.forms
    options = {
        at: found
        for at, tag in enumerate(analysis.xpos)
        if tag in OPEN and (found := substitutes(analysis, at))
    }
    made: dict[tuple[str, ...], Rewrite] = {}
    for _ in range(wanted * TRIES if options else 0):
        chosen = [at for at in options if draw.random() < share]
        new = list(forms)
        for at in chosen or [draw.choice(list(options))]:
            word = draw.choice(options[at])
            new[at] = word.capitalize() if forms[at][:1].isupper() else word
        rewrite = Rewrite(Sentence.of(tuple(new)), tuple(range(len(forms))))
        made.setdefault(tuple(new), rewrite)
        if len(made) == wanted:
            break
    return list(made.values())


@dataclass(frozen=True)
class Filter:
    """``lost``: log10 per word that the language model may fall; ``entailed``: the
    least probability of entailment, either way; ``lost_parse``: nats per word that the
    log-probability of the parser's best tree may fall."""

    model: SentenceModel
    thesaurus: Thesaurus | None
    lost: float = 0.35
    entailed: float = 0.5
    lost_parse: float = 0.15

    def sound(self, source: Sentence, rewrites: Sequence[Rewrite]) -> list[Rewrite]:
        """Return the rewrites that the language model and entailment let pass."""
        texts = [[w.lower() for w in x.sentence.forms] for x in rewrites]
        first = [w.lower() for w in source.forms]
        scores, _ = self.model.scores([first, *texts])
        per_word = [
            score / (len(text) + 1)
            for score, text in zip(scores, [first, *texts], strict=True)
        ]
        return [
            one
            for one, score in zip(rewrites, per_word[1:], strict=True)
            if score >= per_word[0] - self.lost and self._entails(source, one.sentence)
        ]

    def _entails(self, a: Sentence, b: Sentence) -> bool:
        scorer = SCORERS["entailment"]
        return all(
            scorer.score(scorer.view(x.forms, y.forms, self.thesaurus)).value
            >= self.entailed
            for x, y in ((a, b), (b, a))
        )

    def grammatical(self, source: Analysis, rewrite: Analysis) -> bool:
        return confidence(rewrite) >= confidence(source) - self.lost_parse


def confidence(analysis: Analysis) -> float:
    """Return the log-probability of the parser's best tree, nats a word."""
    arcs = arcs_of(analysis)
    best, heads = eisner(arcs)
    p = arc_marginals(arcs, projective=True)
    at = heads + 1, np.arange(1, len(arcs))
    return float(np.log(np.maximum(p[at], 1e-9)).mean()) if best > -np.inf else -np.inf


def consensus_side(analysis: Analysis) -> JointSide:
    """Return the tree with most arcs expected over all trees of the parser: what n-best
    lists agree on, n unlimited (Goodman 1996 for arcs)."""
    return summed_side(analysis, ())


def summed_side(
    analysis: Analysis, rewrites: Sequence[tuple[Rewrite, Analysis]]
) -> JointSide:
    """Return the tree with most arcs expected over the readings of all rewrites of the
    same words in the same places: consensus at the compute of as many rewrites."""
    p = arc_marginals(arcs_of(analysis), projective=True)
    for one, other in rewrites:
        p = p + _carried(one, arc_marginals(arcs_of(other), projective=True), p)
    return _with_heads(analysis, eisner(p)[1].tolist())


def _carried(rewrite: Rewrite, p_other: Floats, own: Floats) -> Floats:
    there = [0, *(j + 1 for j, i in enumerate(rewrite.places) if i >= 0)]
    here = [0, *(i + 1 for i in rewrite.places if i >= 0)]
    p = np.zeros_like(own)
    p[np.ix_(here, here)] = p_other[np.ix_(there, there)]
    return p


def _with_heads(analysis: Analysis, heads: Sequence[int]) -> JointSide:
    deps = analysis.deps
    assert deps is not None
    labels = list(deps.tree.labels)
    for m, h in enumerate(heads):
        if h != deps.tree.heads[m] and deps.relations is not None:
            best = int(deps.relations[h + 1, m + 1].argmax())
            labels[m] = deps.relation_names[best]
    tree = DepTree(tuple(int(h) for h in heads), tuple(labels))
    return JointSide(replace(deps, tree=tree))


def joint_side(
    parser: JointParser,
    analysis: Analysis,
    rewrites: Sequence[tuple[Rewrite, Analysis]],
    slack: float,
    written: Analysis | None = None,
) -> JointSide:
    """Return the sentence parsed jointly with its rewrites, links known, and with a
    ``written`` paraphrase, linked by the aligner."""
    if not rewrites and written is None:
        return JointSide()
    sides = [analysis, *(other for _, other in rewrites)]
    links = {(0, k): one.links() for k, (one, _) in enumerate(rewrites, 1)}
    if written is not None:
        links[0, len(sides)] = list(parser.aligner.align(analysis, written))
        sides.append(written)
    return parser.parse_set(sides, JointSettings("bp", slack=slack), links=links).sides[
        0
    ]


def gains(
    cases: Sequence[JointCase], sides: Sequence[JointSide]
) -> Iterator[tuple[str, float, float, int]]:
    """Yield by corpus the UAS alone, the gain in points, and p, and the words."""
    scored = [score_side(*one) for one in zip(cases, sides, strict=True)]
    for name in ("all", *sorted({one.corpus for one in scored})):
        some = [one for one in scored if name in ("all", one.corpus)]
        words = sum(one.baseline.tokens for one in some)
        gained = np.array([[float(one.gained)] for one in some])
        p = sign_flip_p(gained, np.random.default_rng(0), draws=10_000)[0]
        alone = 100 * sum(one.baseline.heads for one in some) / words
        yield f"{name} {alone:.2f}", 100 * float(gained.sum()) / words, float(p), words
