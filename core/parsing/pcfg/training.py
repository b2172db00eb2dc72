"""From a treebank to a model folder, with cross-validated scores on the way.

Trees to learn from: continuous, bare labels, no traces, heads found without a table.

Discontinuous phrases (TigerXML) are made continuous by raising: a phrase keeps the run
of words that holds its head, and the words beyond a gap go to its parent.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.agreement.trees.parseval import Parseval, compare
from core.data.tokens import Sentence
from core.data.tree import Tree, TreeBuilder
from core.errors import InvalidValue
from core.forests.kbest import trees_of
from core.parsing.pcfg.folder import write_model
from core.parsing.pcfg.grammar import TOP, Sample, sample_of, wanted
from core.parsing.pcfg.model import GrammarModel, train
from core.parsing.pcfg.parser import CAPABILITIES, ModelParser
from core.protocols import Analysis, BackendInfo, ParserBackend

MIN_TREES = 20
MAX_TRAINED = 100  # tokens; longer trees teach nothing that shorter ones do not
BATCH = 16


@dataclass(frozen=True, slots=True)
class Examples:
    """Samples to learn from; how many trees were left out, and how many raised."""

    samples: tuple[Sample, ...]
    left_out: int
    raised: int

    @property
    def n_tokens(self) -> int:
        return sum(sample.end for sample in self.samples)


@dataclass(slots=True)
class FoldScores:
    """Sums over held-out sentences; ``each``: the brackets of each, in their order."""

    brackets: Parseval = field(default_factory=Parseval)
    each: list[Parseval] = field(default_factory=list)
    right_tags: int = 0
    tokens: int = 0

    def to_json(self) -> dict[str, float | int]:
        """Percent: f1, precision, recall, exact, tags; and the number of sentences."""
        b = self.brackets
        return {
            "sentences": b.sentences,
            "precision": round(100 * b.precision, 2),
            "recall": round(100 * b.recall, 2),
            "f1": round(100 * b.f1, 2),
            "exact": round(100 * b.exact / max(b.sentences, 1), 2),
            "tags": round(100 * self.right_tags / max(self.tokens, 1), 2),
        }


def examples_of(trees: Iterable[tuple[Sequence[str], Tree]]) -> Examples:
    """Training examples from trees and their words.

    Raises InvalidValue if that is fewer than 20 trees.
    """
    samples, left_out, raised = [], 0, 0
    for words, tree in trees:
        sample = sample_of(tree, words)
        if sample is None or not wanted(sample, max_tokens=MAX_TRAINED):
            left_out += 1
            continue
        raised += _is_discontinuous(tree)
        samples.append(sample)
    if len(samples) < MIN_TREES:
        raise InvalidValue(
            f"{len(samples)} trees to learn from; at least {MIN_TREES} are needed"
        )
    return Examples(tuple(samples), left_out, raised)


def cross_validated(
    examples: Examples,
    *,
    folds: int = 5,
    at_most: int = 0,
) -> Iterator[tuple[int, FoldScores]]:
    """Parse every sentence with a grammar of the other folds; running totals.

    Yields (sentences since the last time, scores so far). Sentence k is in fold k mod
    ``folds``; ``at_most`` > 0: only this many sentences, spread evenly, are parsed.
    Gold trees are the samples': continuous, without traces and function tags.
    """
    samples, scores = examples.samples, FoldScores()
    for fold in range(folds):
        rest = [one for k, one in enumerate(samples) if k % folds != fold]
        held = _held_samples(examples, fold, folds, at_most)
        parser = parser_of(rest)
        for begin in range(0, len(held), BATCH):
            part = held[begin : begin + BATCH]
            _score(parser, part, scores)
            yield len(part), scores


def parser_of(samples: Sequence[Sample]) -> ModelParser:
    """A parser trained on the samples, for as long as it is needed."""
    return ModelParser(train(samples), _info())


def scored(parser: ParserBackend, held: Sequence[Sample]) -> FoldScores:
    """The parser's trees of the samples' words against the samples'."""
    scores = FoldScores()
    _score(parser, held, scores)
    return scores


def n_scored(examples: Examples, *, folds: int = 5, at_most: int = 0) -> int:
    """The number of sentences that ``cross_validated`` parses."""
    n = len(examples.samples)
    return sum(len(_held(n, fold, folds, at_most)) for fold in range(folds))


def held_back(examples: Examples, *, folds: int = 5, at_most: int = 0) -> list[Sample]:
    """The sentences that ``cross_validated`` parses, in the same order."""
    parts = (_held_samples(examples, fold, folds, at_most) for fold in range(folds))
    return [one for part in parts for one in part]


def _held_samples(
    examples: Examples, fold: int, folds: int, at_most: int
) -> list[Sample]:
    samples = examples.samples
    return [samples[k] for k in _held(len(samples), fold, folds, at_most)]


def _held(n: int, fold: int, folds: int, at_most: int) -> range:
    step = -(-n // at_most) if at_most else 1
    return range(fold, n, folds)[::step]


def write(out: Path, examples: Examples, facts: dict[str, Any]) -> GrammarModel:
    """Train on all examples and write the folder ``out``; the model.

    ``facts``: name, version, languages, licence, scores … for the manifest.
    """
    model = train(examples.samples)
    data = {"trees": len(examples.samples), "tokens": examples.n_tokens}
    data |= {"left_out": examples.left_out, "made_continuous": examples.raised}
    write_model(out, model, {"data": data, **facts})
    return model


def _score(parser: ParserBackend, held: Sequence[Sample], scores: FoldScores) -> None:
    sentences = [Sentence.of([w.word for w in one.leaves()]) for one in held]
    want = CAPABILITIES & parser.info.capabilities
    answers = parser.analyse(sentences, want=want)
    for one, answer in zip(held, answers, strict=True):
        gold = tree_of(one)
        ranked = trees_of(answer, 1) if isinstance(answer, Analysis) else []
        scores.each.append(compare(gold, ranked[0][1] if ranked else None))
        scores.brackets += scores.each[-1]
        tags = answer.xpos if isinstance(answer, Analysis) else ()
        scores.right_tags += sum(a == b for a, b in zip(tags, gold.tags, strict=False))
        scores.tokens += gold.n_tokens


def tree_of(sample: Sample) -> Tree:
    """The sample as a tree again, under TOP if it has several parts."""
    builder = TreeBuilder()

    def grow(one: Sample) -> None:
        if not one.parts:
            builder.leaf(one.label, one.word)
            return
        builder.open(one.label)
        for part in one.parts:
            grow(part)
        builder.close()

    is_wrapper = sample.label == TOP and len(sample.parts) == 1
    grow(sample.parts[0] if is_wrapper else sample)
    return builder.freeze()


def _info() -> BackendInfo:
    return BackendInfo("pcfg", "0", "-", ("und",), CAPABILITIES, MAX_TRAINED)


def _is_discontinuous(tree: Tree) -> bool:
    return any(
        tree.children[v] and len(tree.yield_of(v)) != end - start
        for v, (start, end) in enumerate(tree.spans)
    )
