"""Ways to align words: baselines, and aligners fitted on the links of other pairs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.data.alignment import Link, token_ref
from core.data.tokens import Sentence
from core.errors import FormatError
from core.protocols import Analysis, WordAligner
from core.text.wordnet import Thesaurus
from core.word_alignment.aligner import TrainedWordAligner, words_of
from core.word_alignment.lexicon import cosines
from lab.evaluation.folds import outer_folds
from lab.evaluation.phrase_overlap import lexical_word_links
from lab.evaluation.word_fitting import LinkedPair, fit_words
from lab.evaluation.word_links import WordCase, _lines


def texts_of(case: WordCase) -> tuple[str, str]:
    """What tells a sentence from another: its letters and digits."""
    return _text(case.source.sentence), _text(case.target.sentence)


def _text(sentence: Sentence) -> str:
    return "".join(c for form in sentence.forms for c in form.lower() if c.isalnum())


def matrix(case: WordCase) -> NDArray[np.bool_]:
    """The links, possible ones too, bool ``(T, V)``."""
    cells = np.zeros((len(case.source.sentence), len(case.target.sentence)), bool)
    for cell in case.possible:
        cells[cell] = True
    return cells


def apart(cases: Sequence[WordCase], others: Iterable[WordCase]) -> list[WordCase]:
    """The cases that share no sentence with the others."""
    known = {text for case in others for text in texts_of(case)}
    return [case for case in cases if not known.intersection(texts_of(case))]


def read_versions(prefix: Path) -> list[tuple[Sentence, Sentence]]:
    """Pairs out of line-aligned files PREFIX.0, PREFIX.1, …: of every line, the first
    two versions that differ, both of 8 to 32 words. Raises FormatError."""
    files = sorted(prefix.parent.glob(f"{prefix.name}.[0-9]"))
    if len(files) < 2:
        raise FormatError(f"{prefix}.0 and {prefix}.1 are missing")
    pairs = []
    for row in zip(*(_lines(path) for path in files), strict=False):
        texts = dict.fromkeys(tuple(line.split()) for line in row)
        some = [words for words in texts if 8 <= len(words) <= 32]
        if len(some) > 1:
            pairs.append((Sentence.of(some[0]), Sentence.of(some[1])))
    return pairs


METHODS = ("trained", "plain", "cosine", "lexical")


class CosineAligner:
    """Links words whose vectors prefer each other to all others: the baseline."""

    def align(self, source: Analysis, target: Analysis) -> tuple[Link, ...]:
        if source.vectors is None or target.vectors is None:
            return ()
        similarity = cosines(source.vectors, target.vectors)
        rows, columns = similarity.argmax(1), similarity.argmax(0)
        return tuple(
            Link(token_ref(i), token_ref(int(j)))
            for i, j in enumerate(rows)
            if columns[j] == i
        )


class LexicalAligner:
    """Links words of one form or one stem, one to one: what needs no model."""

    def align(self, source: Analysis, target: Analysis) -> tuple[Link, ...]:
        cells = lexical_word_links(source.sentence.forms, target.sentence.forms)
        return tuple(Link(token_ref(int(i)), token_ref(int(j)))
                     for i, j in np.argwhere(cells))  # fmt: skip


class _Plain:
    """The trained aligner as a program without a parser has it."""

    def __init__(self, aligner: TrainedWordAligner) -> None:
        self._aligner = aligner

    def align(self, source: Analysis, target: Analysis) -> tuple[Link, ...]:
        without = (Analysis(one.sentence) for one in (source, target))
        return self._aligner.align(*without)


def aligner_of(method: str, trained: TrainedWordAligner) -> WordAligner:
    """One of METHODS."""
    aligners: dict[str, WordAligner] = {
        "trained": trained,
        "plain": _Plain(trained),
        "cosine": CosineAligner(),
        "lexical": LexicalAligner(),
    }
    return aligners[method]


def linked(cases: Sequence[WordCase], *, vectors: bool = True) -> list[LinkedPair]:
    """The cases as the learner wants them, possible links among the links."""
    made = []
    for case in cases:
        source, target = words_of(case.source), words_of(case.target)
        if not vectors:
            source, target = (replace(s, vectors=None) for s in (source, target))
        made.append(LinkedPair(source, target, matrix(case)))
    return made


def crossfit(
    cases: Sequence[WordCase],
    k: int,
    trained: TrainedWordAligner,
    thesaurus: Thesaurus | None,
    *,
    vectors: bool = True,
    seed: int = 0,
) -> Iterator[dict[int, TrainedWordAligner]]:
    """For each of ``k`` parts, its case numbers and an aligner fitted on the others.

    Cases that share a sentence are in one part. The metric stays: it is fitted
    without links.
    """
    texts = [texts_of(case) for case in cases]
    for part in outer_folds(texts, k, np.random.default_rng(seed)):
        mine = set(part)
        rest = [case for at, case in enumerate(cases) if at not in mine]
        metric = trained.context.metric if vectors else None
        pairs = linked(rest, vectors=vectors)
        model = fit_words(pairs, thesaurus, metric, seed=seed)
        yield dict.fromkeys(sorted(mine), replace(trained, context=model, plain=model))
