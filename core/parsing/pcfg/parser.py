"""The back-end: applies a model to sentences.

The passes over one sentence: a coarse one that prunes, a fine one, their sums.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats, Ints
from core.data.forest import EMPTY_FOREST, Forest
from core.data.tokens import Sentence
from core.errors import InvalidValue, SentenceTooLong
from core.forests.derivation import Phrase
from core.forests.packing import restrict, weight_of_phrases
from core.instrumentation import timed
from core.parsing.consensus import in_forest
from core.parsing.kernels import charts
from core.parsing.pcfg.folder import FILES, read_model
from core.parsing.pcfg.grammar import RuleTable
from core.parsing.pcfg.model import GrammarModel
from core.parsing.store import ModelFolder, open_folder
from core.protocols import Analysis, BackendInfo, Capability

Emission = tuple[Ints, Floats]  # the states of a word, and how probable it is from each


@dataclass(slots=True, eq=False)
class Chart:
    """Inside and outside values of one sentence; see ``core.parsing.kernels.charts``.

    ``is_complete``: some tree spans the sentence; without it there is nothing to ask.
    """

    n: int
    rules: RuleTable
    bounds: Ints
    scale: Floats
    built: Ints
    built_in: Floats
    chained: Ints
    chained_in: Floats
    built_out: Floats = field(init=False)
    chained_out: Floats = field(init=False)
    is_complete: bool = field(init=False)

    def __post_init__(self) -> None:
        self.built_out = np.zeros_like(self.built_in)
        self.chained_out = np.zeros_like(self.chained_in)
        rules = self.rules
        self.is_complete = charts.outside(
            self.n, rules.root, rules.pairings, rules.by_start, rules.chain_end,
            rules.p_by_start, rules.coarse, self.bounds, self.scale, self.built,
            self.chained, self.chained_in, self.built_out, self.chained_out,
        )  # fmt: skip

    @property
    def log_partition(self) -> float:
        """The log of the summed weights of all trees."""
        cell = slice(*self.bounds[self.n, 2:])
        at = np.flatnonzero(self.chained[cell] == self.rules.root)[0]
        return float(np.log(self.chained_in[cell][at]) + self.scale[self.n])

    def alive(self, threshold: float, n_coarse: int) -> NDArray[np.bool_]:
        """``(cells, coarse states)``: what is more probable than ``threshold``."""
        alive = np.zeros((len(self.bounds), n_coarse), dtype=np.bool_)
        rows = (
            (self.built, self.built_in, self.built_out, 0),
            (self.chained, self.chained_in, self.chained_out, 2),
        )
        for states, values, outs, first in rows:
            coarse = self.rules.coarse
            charts.kept(
                coarse, self.bounds, states, values, outs, first, threshold, alive
            )
        return alive

    def chain_posteriors(self, n_names: int) -> Floats:
        """``(n + 1, n + 1, names)``: how probable each chain is over each span."""
        rules = self.rules
        chances = np.zeros((self.n + 1, self.n + 1, n_names))
        charts.posteriors(
            self.n, rules.by_start, rules.chain_end, rules.p_by_start,
            rules.chain_name, self.bounds, self.built, self.built_in, self.chained,
            self.chained_out, chances,
        )  # fmt: skip
        return chances

    def tag_posteriors(self, tag_of: Ints, n_tags: int) -> Floats:
        """``(n, tags)``; ``tag_of[s]``: the tag of state s, -1 of none."""
        chances = np.zeros((self.n, n_tags))
        for i in range(self.n):
            rows = slice(*self.bounds[i * (self.n + 1) + i + 1, :2])
            p = self.built_in[rows] * self.built_out[rows]
            np.add.at(chances[i], tag_of[self.built[rows]], p)
        chances /= chances.sum(1, keepdims=True)
        return chances

    def forest(
        self, names: tuple[str, ...], words: Sequence[Emission], threshold: float
    ) -> tuple[Forest, Floats]:
        """All derivations more probable than ``threshold``, packed; nats.

        A derivation weighs the log-probability of its tree given the sentence, among
        all trees of the grammar. If the threshold cuts every tree, a smaller is taken.
        """
        room = 4 * len(self.built) + 4 * len(self.chained) + 1000
        while threshold > 1e-30:
            packed = self._packed(names, words, threshold, room)
            if packed is None:
                room *= 2
                continue
            forest, weights = restrict(*packed, np.ones(len(packed[1]), dtype=np.bool_))
            if forest.n_nodes and forest.ends[-1] - forest.starts[-1] == self.n:
                weights[forest.first_edge[-2] :] -= self.log_partition
                return forest, weights
            threshold *= 1e-3
        return EMPTY_FOREST, np.empty(0)

    def _packed(
        self,
        names: tuple[str, ...],
        words: Sequence[Emission],
        threshold: float,
        room: int,
    ) -> tuple[Forest, Floats] | None:
        rules, leaf_weight = self.rules, np.zeros(len(self.built))
        for i, (states, values) in enumerate(words):
            rows = slice(*self.bounds[i * (self.n + 1) + i + 1, :2])
            value_of = dict(zip(states.tolist(), np.log(values), strict=True))
            leaf_weight[rows] = [value_of[s] for s in self.built[rows].tolist()]
        nodes = np.empty((room, 3), dtype=np.int32)
        n_edges = np.empty(room, dtype=np.int32)
        tails = np.empty((room, 2), dtype=np.int32)
        weights = np.empty(room)
        v, e = charts.pack(
            self.n, rules.pairings, rules.by_start, rules.chain_end,
            rules.p_by_start, rules.chain_name, rules.coarse, self.bounds, self.scale,
            self.built, self.built_in, leaf_weight, self.chained, self.chained_in,
            self.chained_out, threshold, nodes, n_edges, tails, weights,
        )  # fmt: skip
        if v < 0:
            return None
        label, start, end = np.ascontiguousarray(nodes[:v].T)
        used = tails[:e] >= 0
        forest = Forest(
            names, label, start, end,
            _offsets(n_edges[:v]), _offsets(used.sum(1)), tails[:e][used],
        )  # fmt: skip
        return forest, weights[:e].copy()


def fill(
    rules: RuleTable, words: Sequence[Emission], alive: NDArray[np.bool_] | None = None
) -> Chart:
    """The chart of a sentence. ``alive`` ``(cells, coarse states)``: what may be used.

    O(n^3) times the rules that fit; memory grows with what is alive.
    """
    n = len(words)
    cells = (n + 1) ** 2
    if alive is None:
        alive = np.ones((cells, int(rules.coarse.max()) + 1), dtype=np.bool_)
    lex_first = _offsets(np.array([len(states) for states, _ in words]))
    lex_state = np.concatenate([states for states, _ in words])
    lex_value = np.concatenate([values for _, values in words])
    room = 40 * cells + 1000
    while True:
        bounds, scale = np.zeros((cells, 4), dtype=np.int32), np.zeros(cells)
        built, chained = (np.empty(room, dtype=np.int32) for _ in range(2))
        built_in, chained_in = np.empty(room), np.empty(room)
        a, b = charts.inside(
            n, lex_first, lex_state, lex_value, rules.pairings, rules.by_end,
            rules.chain_start, rules.p_by_end, alive, rules.coarse, bounds, scale,
            built, built_in, chained, chained_in,
        )  # fmt: skip
        if a >= 0:
            return Chart(
                n, rules, bounds, scale, built[:a], built_in[:a], chained[:b],
                chained_in[:b],
            )  # fmt: skip
        room *= 2


def _offsets(lengths: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)


CAPABILITIES: frozenset[Capability] = frozenset({"constituents", "forest", "tags"})
PRUNED = 3e-4  # coarse posteriors below are not looked at again
PACKED = 1e-5  # fine posteriors below are in no forest
Guide = Mapping[int, Mapping[str, float]]


class ModelParser:
    """A back-end over any GrammarModel.

    ``best`` is the consensus tree: it maximises the summed posteriors of its brackets,
    each less 0.4 (Goodman 1996). Forests hold what is more probable than 1e-5. What
    the fine grammar cannot parse is parsed by the coarse one; what neither can has an
    empty forest and the likeliest tag of each word.
    """

    def __init__(self, model: GrammarModel, info: BackendInfo) -> None:
        self.info = info
        self.given = model

    @property
    def model(self) -> GrammarModel:
        return self.given

    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list[Analysis | Exception]:
        """An Analysis each; SentenceTooLong in place of what is too long."""
        return self.analyse_guided(sentences, [{}] * len(sentences), want=want)

    def analyse_guided(
        self,
        sentences: list[Sentence],
        guides: Sequence[Guide],
        *,
        want: frozenset[Capability],
    ) -> list[Analysis | Exception]:
        """As ``analyse``, with the tags of some tokens restricted to the given
        probabilities; InvalidValue for a sentence none of whose tags the model has."""
        with timed(self.info.name, "decoding", sentences=len(sentences)):
            return [
                self._answer(sentence, guide, want)
                for sentence, guide in zip(sentences, guides, strict=True)
            ]

    def lexicon(self) -> Mapping[str, Mapping[str, int]]:
        """Words as they were written, with how often each tag stood on them."""
        return self._lexicon

    def entry_of(self, form: str) -> str:
        return form

    def _answer(
        self, sentence: Sentence, guide: Guide, want: frozenset[Capability]
    ) -> Analysis | Exception:
        if len(sentence) > self.info.max_tokens:
            return SentenceTooLong(len(sentence), self.info.max_tokens)
        fine, coarse = [], []
        for i, form in enumerate(sentence.forms):
            states, values = self.model.lexicon.emissions(form, first=i == 0)
            if i in guide:
                states, values = self._guided(guide[i])
                if not len(states):
                    return InvalidValue(f"token {i}: no tag of this model is given")
            fine.append((states, values))
            coarse.append(self.model.coarse_emission(states, values))
        rough = fill(self.model.coarse, coarse)
        if not rough.is_complete:
            return self._no_parse(sentence, fine)
        chart, words = rough, coarse
        if self.model.fine is not self.model.coarse:
            alive = rough.alive(PRUNED, len(self.model.coarse_states))
            narrow = fill(self.model.fine, fine, alive)
            if narrow.is_complete:
                chart, words = narrow, fine
        return self._analysis(sentence, chart, words, want)

    def _analysis(
        self,
        sentence: Sentence,
        chart: Chart,
        words: Sequence[Emission],
        want: frozenset[Capability],
    ) -> Analysis:
        names, tags = self.model.names, self.model.tags
        p_tags = chart.tag_posteriors(self.model.tag_of(chart.rules), len(tags))
        forest = weights = best = None
        if want & {"constituents", "forest"}:
            forest, weights = chart.forest(names, words, PACKED)
            best = self._best(chart, forest, weights)
        with np.errstate(divide="ignore"):
            tag_logp = np.log(p_tags)
        return Analysis(
            sentence,
            forest,
            weights,
            best,
            xpos=tuple(tags[x] for x in p_tags.argmax(1)),
            tag_logp=tag_logp,
            tag_names=tags,
        )

    def _best(
        self, chart: Chart, forest: Forest, weights: Floats
    ) -> tuple[float, tuple[Phrase, ...]]:
        """The consensus tree among those of the forest, and what it weighs there."""
        phrases = in_forest(forest, chart.chain_posteriors(len(self.model.names)))
        return weight_of_phrases(forest, weights, phrases), phrases

    def _guided(self, tags: Mapping[str, float]) -> Emission:
        """P(word | state) from P(tag | word), by Bayes; nothing if no tag is known."""
        prior = self.model.lexicon.prior
        tag_of = self.model.tag_of(self.model.fine)
        is_tag, n_tags = tag_of >= 0, len(self.model.tags)
        total = np.bincount(tag_of[is_tag], prior[is_tag], n_tags)
        p = np.array([tags.get(name, 0.0) for name in self.model.tags])
        value = np.where(total > 0, p / np.maximum(total, 1.0), 0.0)
        states = np.flatnonzero(is_tag & (value[tag_of] > 0) & (prior > 0))
        values = value[tag_of[states]]
        return states.astype(np.int32), values / values.max(initial=1e-300)

    def _no_parse(self, sentence: Sentence, words: Sequence[Emission]) -> Analysis:
        tag_of, prior = self.model.tag_of(self.model.fine), self.model.lexicon.prior
        likeliest = (s[(v * prior[s]).argmax()] for s, v in words)
        xpos = tuple(self.model.tags[tag_of[state]] for state in likeliest)
        return Analysis(sentence, EMPTY_FOREST, np.empty(0), xpos=xpos)

    @cached_property
    def _lexicon(self) -> Mapping[str, Mapping[str, int]]:
        tag_of, tags = self.model.tag_of(self.model.fine), self.model.tags
        lexicon: dict[str, Counter[str]] = {}
        for form, (states, counts) in self.model.lexicon.by_word.items():
            entry = lexicon[form] = Counter()
            for state, count in zip(states.tolist(), counts.tolist(), strict=True):
                entry[tags[tag_of[state]]] += int(count)
        return lexicon


class PcfgParser(ModelParser):
    """The back-end of one model folder; its arrays are read by the first sentence."""

    def __init__(self, folder: ModelFolder | Path) -> None:
        self._folder = (
            folder
            if isinstance(folder, ModelFolder)
            else open_folder(folder, needed=FILES)
        )
        manifest = self._folder.manifest
        self.info = BackendInfo(
            name=str(manifest["name"]),
            version=str(manifest["version"]),
            licence=str(manifest.get("licence") or "as its treebank"),
            languages=tuple(manifest.get("languages") or ("und",)),
            capabilities=CAPABILITIES,
            max_tokens=int(manifest.get("max_tokens", 200)),
            note=str(manifest.get("note", "")),
        )

    @cached_property
    def _model(self) -> GrammarModel:
        return read_model(self._folder)

    @property
    def model(self) -> GrammarModel:
        return self._model
