"""The back-end: a model at work on sentences."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from core.data.check import Floats
from core.data.forest import EMPTY_FOREST, Forest
from core.data.tokens import Sentence
from core.errors import InvalidValue, SentenceTooLong
from core.forests.derivation import Phrase
from core.forests.phrases import weight_of_phrases
from core.instrumentation import timed
from core.parsing.consensus import in_forest
from core.parsing.pcfg.chart import Chart, Emission, fill
from core.parsing.pcfg.folder import FILES, read_model
from core.parsing.pcfg.model import GrammarModel
from core.parsing.store import ModelFolder, open_folder
from core.protocols import Analysis, BackendInfo, Capability

__all__ = ["CAPABILITIES", "ModelParser", "PcfgParser"]

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
        """As ``analyse``, where some tokens may have some tags alone, as probable as
        said; InvalidValue in place of a sentence none of whose tags the model has."""
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
