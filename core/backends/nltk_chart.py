"""nltk's chart parser over a probabilistic grammar, as a back-end.

The grammar is a text file in nltk's notation (``S -> NP VP [0.9]``, words in quotes).
The one that comes along covers a few hundred plain sentences; give your own for more.
"""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import nltk
import numpy as np
from nltk.grammar import PCFG, Nonterminal
from nltk.parse.chart import BottomUpLeftCornerChartParser, Chart

from core.data.forest import EMPTY_FOREST, Forest, ForestBuilder
from core.data.tokens import Sentence
from core.errors import InvalidValue, SentenceTooLong, Unavailable
from core.inference.viterbi import viterbi
from core.protocols import Analysis, BackendInfo, Capability

__all__ = ["NltkChartParser", "parser"]

GRAMMAR = Path(__file__).parent / "grammars" / "plain-english.pcfg"
MAX_TOKENS = 40
Item = tuple[str, int, int]  # category, start, end
Rule = tuple[Nonterminal, tuple[object, ...]]
Ways = dict[Item, list[tuple[float, tuple[Item, ...]]]]


def parser() -> "NltkChartParser":
    """The parser with the grammar that comes along."""
    return NltkChartParser(GRAMMAR)


class NltkChartParser:
    """A sentence with a word or a structure foreign to the grammar has no parse.

    Tags are those of the best parse. Raises Unavailable if the grammar's file cannot
    be read, InvalidValue if it is no grammar, or has a cycle of unary rules.
    """

    def __init__(self, grammar: Path) -> None:
        self._path = grammar
        self.info = BackendInfo(
            name="nltk-chart",
            version=nltk.__version__,
            licence="Apache-2.0",
            languages=("en",),
            capabilities=frozenset({"constituents", "forest", "tags"}),
            max_tokens=MAX_TOKENS,
            note=f"grammar {grammar.stem}",
        )

    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list[Analysis | Exception]:
        """An Analysis each, with every parse of the grammar in its forest."""
        return [self._answer(sentence) for sentence in sentences]

    def _answer(self, sentence: Sentence) -> Analysis | Exception:
        if len(sentence) > MAX_TOKENS:
            return SentenceTooLong(len(sentence), MAX_TOKENS)
        forms = [form.lower() for form in sentence.forms]
        if any(form not in self._words for form in forms):
            return self._no_parse(sentence)
        chart = BottomUpLeftCornerChartParser(self._grammar).chart_parse(forms)
        root = (str(self._grammar.start()), 0, len(sentence))
        ways = self._ways(chart)
        if root not in ways:
            return self._no_parse(sentence)
        forest, weights, tag_of = _packed(ways, root)
        _, edges = viterbi(forest, weights)
        heads = forest.heads[edges].tolist()
        tags = {int(forest.starts[v]): tag_of[v] for v in heads if v in tag_of}
        xpos = tuple(tags.get(i, "X") for i in range(len(sentence)))
        return Analysis(sentence, forest, weights, xpos=xpos)

    def _no_parse(self, sentence: Sentence) -> Analysis:
        tags = ("X",) * len(sentence)
        return Analysis(sentence, EMPTY_FOREST, np.empty(0), xpos=tags)

    def _ways(self, chart: Chart) -> Ways:
        """Every complete item with its log-probable ways to be made."""
        found: dict[Item, dict[tuple[Rule, tuple[Item, ...]], float]] = {}
        for edge in chart.edges():
            if not edge.is_complete() or not isinstance(edge.lhs(), Nonterminal):
                continue
            item = (str(edge.lhs()), edge.start(), edge.end())
            rule = (edge.lhs(), tuple(edge.rhs()))
            for children in chart.child_pointer_lists(edge):
                tails = tuple(
                    (str(child.lhs()), child.start(), child.end())
                    for child in children
                    if isinstance(child.lhs(), Nonterminal)
                )
                # Children that differ only in their own rules are one item here.
                found.setdefault(item, {})[rule, tails] = self._logprob[rule]
        return {
            item: [(weight, tails) for (_, tails), weight in made.items()]
            for item, made in found.items()
        }

    @cached_property
    def _grammar(self) -> PCFG:
        try:
            grammar = PCFG.fromstring(self._path.read_text(encoding="utf-8"))
        except OSError as error:
            raise Unavailable(f"{self._path}: {error}") from error
        except ValueError as error:
            raise InvalidValue(f"{self._path}: no grammar: {error}") from error
        _refuse_unary_cycles(grammar)
        return grammar

    @cached_property
    def _logprob(self) -> dict[Rule, float]:
        return {
            (rule.lhs(), tuple(rule.rhs())): float(np.log(rule.prob()))
            for rule in self._grammar.productions()
        }

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(
            part
            for rule in self._grammar.productions()
            for part in rule.rhs()
            if isinstance(part, str)
        )


def _packed(ways: Ways, root: Item) -> tuple[Forest, np.ndarray, dict[int, str]]:
    """Forest, weights, and the tag of each leaf; a leaf is a word with its tag."""
    builder = ForestBuilder()
    node_of: dict[Item, int] = {}
    weights: list[float] = []
    tag_of: dict[int, str] = {}
    for item in _parts_first(ways, root, set()):
        name, start, end = item
        is_tag = all(not tails for _, tails in ways[item])
        v = node_of[item] = builder.node("" if is_tag else name, start, end)
        if is_tag:
            tag_of[v] = name
        for weight, tails in ways[item]:
            builder.edge(v, [node_of[tail] for tail in tails])
            weights.append(weight)
    return builder.freeze(), np.array(weights), tag_of


def _parts_first(ways: Ways, item: Item, seen: set[Item]) -> Iterator[Item]:
    if item in seen:
        return
    seen.add(item)
    for _, tails in ways[item]:
        for tail in tails:
            yield from _parts_first(ways, tail, seen)
    yield item


def _refuse_unary_cycles(grammar: PCFG) -> None:
    below: dict[Nonterminal, set[Nonterminal]] = {}
    for rule in grammar.productions():
        if len(rule.rhs()) == 1 and isinstance(rule.rhs()[0], Nonterminal):
            below.setdefault(rule.lhs(), set()).add(rule.rhs()[0])
    for start in below:
        reached, waiting = set(), [start]
        while waiting:
            for part in below.get(waiting.pop(), ()):
                if part == start:
                    raise InvalidValue(f"grammar: unary rules lead from {start} to it")
                if part not in reached:
                    reached.add(part)
                    waiting.append(part)
