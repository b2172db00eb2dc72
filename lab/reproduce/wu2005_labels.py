"""Does a grammar with nonterminals rank pairs better than the bracketing grammar?

Wu 2005 defines ITGs with any nonterminals and measures those with one. Here: six
phrase categories, whose rules are counted in a treebank; a word may be what it is
there. Edit costs as in the one procedure of ``wu2005_settings`` (a null 1, a
substitution 1, a match 0, inversion free, over the longer side), and the
log-probabilities of the syntactic rules times a strength, chosen on the training part.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.data.check import Floats
from core.data.tree import Tree
from core.errors import InvalidValue
from core.evaluation.golds import read_golds
from core.trees.heads import category
from lab.evaluation.ranking import average_precision
from lab.reproduce.itg_labelled import LabelledWeights, best_labelled
from lab.reproduce.pairs import LabelledPairs
from lab.reproduce.wu2005_settings import PROCEDURES

LABELS = ("S", "NP", "VP", "PP", "MOD", "X")
LONGEST = 18  # words a side: the recursion takes half a second at 20
STRENGTHS = (0.0, 0.02, 0.05, 0.1, 0.2)  # of a rule's nats, next to edit costs of 1
RAREST = 0.02  # rules below this share of their parent's are left out
GLUE = np.log(1e-3)  # any two parts make a sentence: every pair has a biparse
SEED = 2005
_KINDS = {
    "S": "S SBAR SBARQ SINV SQ FRAG ROOT TOP RRC PRN UCP",
    "NP": "NP NML NX NAC WHNP QP NN NNS NNP NNPS PRP WP EX CD $ NP$",
    "VP": "VP VB VBD VBG VBN VBP VBZ MD TO",
    "PP": "PP WHPP IN",
    "MOD": "ADJP ADVP WHADVP WHADJP PRT JJ JJR JJS RB RBR RBS WRB RP",
}
_LABEL_OF = {
    one: LABELS.index(k) for k, names in _KINDS.items() for one in names.split()
}


@dataclass(frozen=True, slots=True, eq=False)
class CategoryGrammar:
    """``rules`` ``(R, 3)`` and their ``nats`` ``(R,)``; ``words``: by lower-case form,
    which of LABELS a word may be. A form that is not there may be any but a clause."""

    rules: np.ndarray[Any, np.dtype[np.int64]]
    nats: Floats
    words: Mapping[str, frozenset[int]]

    def weights(
        self, source: Sequence[str], target: Sequence[str], strength: float
    ) -> LabelledWeights:
        """Return unit edit costs under the grammar; only equal forms match."""
        first, second = self._may_be(source), self._may_be(target)
        forms = [[word.lower() for word in side] for side in (source, target)]
        equal = np.array([[a == b for b in forms[1]] for a in forms[0]])
        both = first[:, :, None] & second[:, None, :]
        links = np.where(both, np.where(equal, 0.0, -1.0)[None], -np.inf)
        alone = [np.where(one, -1.0, -np.inf) for one in (first, second)]
        nats = strength * self.nats
        return LabelledWeights(links, alone[0], alone[1], self.rules, nats, nats)

    def _may_be(self, side: Sequence[str]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        unknown = frozenset(range(1, len(LABELS)))
        kinds = [self.words.get(word.lower(), unknown) for word in side]
        return np.array([[k in one for one in kinds] for k in range(len(LABELS))])


def grammar_of(trees: Iterable[Tree]) -> CategoryGrammar:
    """Return the grammar of a treebank, binarised from the left."""
    counts: Counter[tuple[int, int, int]] = Counter()
    words: defaultdict[str, set[int]] = defaultdict(set)
    for tree in trees:
        for v, below in enumerate(tree.children):
            if tree.tokens[v] >= 0:
                words[tree.forms[v].lower()].add(_label(tree, v))
            for at in range(len(below) - 1):
                last = at == len(below) - 2
                rest = _label(tree, below[-1]) if last else _label(tree, v)
                counts[_label(tree, v), _label(tree, below[at]), rest] += 1
    mothers: Counter[int] = Counter()
    for (mother, *_), n in counts.items():
        mothers[mother] += n
    nats = {r: np.log(n / mothers[r[0]]) for r, n in counts.items()}
    kept = {rule: x for rule, x in nats.items() if x >= np.log(RAREST)}
    glue = {(0, j, k): GLUE for j in range(len(LABELS)) for k in range(len(LABELS))}
    rules = sorted((glue | kept).items())
    return CategoryGrammar(
        np.array([rule for rule, _ in rules], dtype=np.int64).reshape(-1, 3),
        np.array([x for _, x in rules]),
        {form: frozenset(kinds) for form, kinds in words.items()},
    )


def _label(tree: Tree, v: int) -> int:
    return _LABEL_OF.get(category(tree.labels[v]), LABELS.index("X"))


def compared(
    treebank: Path, train: LabelledPairs, test: LabelledPairs, size: int
) -> dict[str, Any]:
    """Return AP in percent on ``size`` random short pairs of either set.

    ``train``: by strength; ``test``: of the best of these, next to ``bracketing``, and
    the share of the paired bootstrap (1,000) in which the grammar is not better.
    """
    golds, _ = read_golds([treebank])
    trees = [gold.tree for gold in golds if gold.tree is not None]
    if not trees:
        raise InvalidValue(f"{treebank}: no tree in it")
    grammar = grammar_of(trees)
    tuning, held = (_short(one, size) for one in (train, test))
    by_strength = {
        strength: _ap(_scores(grammar, tuning, strength), tuning)
        for strength in STRENGTHS
    }
    best = max(by_strength, key=lambda one: by_strength[one])
    ours, plain = _scores(grammar, held, best), _bracketing(held)
    return {
        "trees": len(trees),
        "rules": len(grammar.rules),
        "pairs": (len(tuning), len(held)),
        "train": by_strength | {"bracketing": _ap(_bracketing(tuning), tuning)},
        "strength": best,
        "test": {"labelled": _ap(ours, held), "bracketing": _ap(plain, held)},
        "p": _not_better(ours, plain, held),
    }


def _short(pairs: LabelledPairs, size: int) -> LabelledPairs:
    """Return some of the pairs of at most LONGEST words a side."""
    fits = [at for at, both in enumerate(pairs.sides) if max(map(len, both)) <= LONGEST]
    order = np.random.default_rng(SEED).permutation(fits)
    drawn = sorted(int(at) for at in order[:size])
    sides, tasks = [pairs.sides[at] for at in drawn], [pairs.task[at] for at in drawn]
    return LabelledPairs(
        pairs.name, pairs.kind, sides, pairs.positive[drawn], tuple(tasks)
    )


def _scores(grammar: CategoryGrammar, pairs: LabelledPairs, strength: float) -> Floats:
    scores = []
    for source, target in pairs.sides:
        best = best_labelled(grammar.weights(source, target, strength))
        scores.append(best.score / max(len(source), len(target)))
    return np.array(scores)


def _bracketing(pairs: LabelledPairs) -> Floats:
    scorer = PROCEDURES["unit costs, by length"]
    views = (scorer.view(*sides) for sides in pairs.sides)
    return np.array([scorer.score(view).value for view in views])


def _ap(scores: Floats, pairs: LabelledPairs) -> float:
    return round(100 * average_precision(scores, pairs.positive), 2)


def _not_better(ours: Floats, plain: Floats, pairs: LabelledPairs) -> float:
    rng, n = np.random.default_rng(SEED), len(ours)
    lost = 0
    for _ in range(1000):
        at = rng.integers(0, n, n)
        truth = pairs.positive[at]
        gain = average_precision(ours[at], truth) - average_precision(plain[at], truth)
        lost += not gain > 0  # nor where a sample has one class alone
    return lost / 1000


def lines(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines for the training part by strength, then for the test part."""
    yield (
        f"Six nonterminals ({', '.join(LABELS)}): {results['rules']} rules from "
        f"{results['trees']} trees; pairs of at most {LONGEST} words a side; AP"
    )
    for strength, ap in results["train"].items():
        name = strength if strength == "bracketing" else f"rules times {strength}"
        yield f"{results['pairs'][0]} pairs of train, {name}: {ap:.1f}"
    held = results["test"]
    yield (
        f"{results['pairs'][1]} pairs of test, times {results['strength']}: "
        f"{held['labelled']:.1f}; bracketing {held['bracketing']:.1f}; not better in "
        f"{100 * results['p']:.1f} % of the samples"
    )
