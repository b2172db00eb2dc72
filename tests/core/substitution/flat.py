"""A small parser that knows six words, and a text to link others to them."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.data.forest import ForestBuilder
from core.data.tokens import Sentence
from core.errors import SentenceTooLong
from core.protocols import Analysis, BackendInfo, Capability
from core.substitution.linking import LinkingCounts, Recorder

EVERYTHING: frozenset[Capability] = frozenset({"constituents", "forest", "tags"})
LEXICON = {
    "the": {"DT": 9},
    "cat": {"NN": 8},
    "dog": {"NN": 7, "VB": 1},
    "sleeps": {"VBZ": 8},
    "runs": {"VBZ": 6, "NNS": 2},
    "old": {"JJ": 8},
}


class Flat:
    """Puts all words below one S, each with its commonest tag, FW if it is unknown."""

    def __init__(self) -> None:
        self.info = BackendInfo("flat", "1", "CC0", ("en",), EVERYTHING, max_tokens=12)

    def lexicon(self) -> Mapping[str, Mapping[str, int]]:
        return LEXICON

    def entry_of(self, form: str) -> str:
        return form.lower()

    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list[Analysis | Exception]:
        return self.analyse_guided(sentences, [{}] * len(sentences), want=want)

    def analyse_guided(
        self,
        sentences: list[Sentence],
        guides: Sequence[Mapping[int, Mapping[str, float]]],
        *,
        want: frozenset[Capability],
    ) -> list[Analysis | Exception]:
        pairs = zip(sentences, guides, strict=True)
        return [self._answer(sentence, guide) for sentence, guide in pairs]

    def _answer(
        self, sentence: Sentence, guide: Mapping[int, Mapping[str, float]]
    ) -> Analysis | Exception:
        n = len(sentence)
        if n > self.info.max_tokens:
            return SentenceTooLong(n, self.info.max_tokens)
        builder = ForestBuilder()
        leaves = [builder.node("", i, i + 1) for i in range(n)]
        for leaf in leaves:
            builder.edge(leaf)
        builder.edge(builder.node("S", 0, n), leaves)
        tags = []
        for i, form in enumerate(sentence.forms):
            known = guide.get(i) or LEXICON.get(form.lower(), {"FW": 1})
            tags.append(max(known, key=lambda tag: known[tag]))
        return Analysis(sentence, builder.freeze(), np.zeros(n + 1), xpos=tuple(tags))


class Mute:
    """A parser that does not tell what it learned from."""

    info = BackendInfo("mute", "1", "CC0", ("en",), EVERYTHING)

    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list[Analysis | Exception]:
        return []


def corpus(*lines: str) -> LinkingCounts:
    recorder = Recorder()
    for line in lines * 4:
        recorder.add(line.split())
    return recorder.freeze(sources=["small"])


TEXT = corpus(
    "the cat sleeps",
    "the old cat runs",
    "the wug sleeps",
    "the old wug runs",
    "the dog runs",
    "the cat plimbs",
)
