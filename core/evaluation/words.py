"""How well words are aligned: precision, recall, F1 and alignment error rate.

Pairs of sentences with word links that people made: reading and analysing them.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.agreement.alignments.aer import alignment_error_rate
from core.agreement.figures import as_json
from core.data.alignment import Kind, Link, ref_key, token_ref
from core.data.tokens import Sentence
from core.errors import FormatError
from core.formats.alignments import jacana, msr_rte2, multimwa, pharaoh
from core.formats.records import BadLine, PairRecord
from core.learning.folds import outer_folds
from core.phrase_alignment.overlap import lexical_word_links
from core.protocols import Analysis, Capability, ParserBackend, WordAligner
from core.text.wordnet import Thesaurus
from core.word_alignment.aligner import TrainedWordAligner, words_of
from core.word_alignment.lexicon import cosines
from core.word_alignment.model import LinkedPair, fit_words

Format = Literal["multimwa", "jacana", "pharaoh", "msr-rte2"]
FORMATS: tuple[Format, ...] = ("multimwa", "jacana", "pharaoh", "msr-rte2")
WANT: frozenset[Capability] = frozenset({"tags", "vectors"})
BATCH = 512
Cell = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class WordCase:
    """A pair: words counted from 0. ``possible`` holds the sure ones too."""

    ref: str
    source: Analysis
    target: Analysis
    sure: frozenset[Cell]
    possible: frozenset[Cell]

    @property
    def texts(self) -> tuple[str, str]:
        """What tells a sentence from another: its letters and digits."""
        return _text(self.source.sentence), _text(self.target.sentence)

    def matrix(self) -> NDArray[np.bool_]:
        """The links, possible ones too, bool ``(T, V)``."""
        shape = len(self.source.sentence), len(self.target.sentence)
        cells = np.zeros(shape, dtype=bool)
        for cell in self.possible:
            cells[cell] = True
        return cells


def read_cases(paths: Sequence[Path], format: Format) -> list[WordCase]:
    """The pairs of all files. Pairs of the same words are one: what all files call
    sure is sure, what any of them links is possible.

    Pharaoh takes three files: links, source text, target text. Raises FormatError
    naming file and line at the first that cannot be read.
    """
    if format == "pharaoh":
        if len(paths) != 3:
            raise FormatError("Pharaoh takes three files: links, source, target")
        lines = [_lines(path) for path in paths]
        return list(_of_records(pharaoh.read(*lines), paths[0]))
    cases: dict[tuple[str, tuple[str, ...], tuple[str, ...]], WordCase] = {}
    for path in paths:
        for case in _read(path, format):
            sides = case.source.sentence.forms, case.target.sentence.forms
            old = cases.get((case.ref, *sides), case)
            cases[case.ref, *sides] = replace(
                old, sure=old.sure & case.sure, possible=old.possible | case.possible
            )
    if not cases:
        raise FormatError(f"{paths[0]}: it has no pairs")
    return list(cases.values())


def _read(path: Path, format: Format) -> Iterator[WordCase]:
    lines = _lines(path)
    if format != "msr-rte2":
        codec = multimwa if format == "multimwa" else jacana
        yield from _of_records(codec.read(lines), path)
        return
    try:
        for pair in msr_rte2.read(lines):
            source, target = (
                Analysis(Sentence.of(s)) for s in (pair.hypothesis, pair.text)
            )
            both = pair.sure | pair.possible
            yield WordCase(str(pair.number), source, target, pair.sure, both)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from error


def _lines(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return list(file)  # no line ends at U+2028 and its like
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error}") from error


def _of_records(records: Iterable[object], path: Path) -> Iterator[WordCase]:
    for record in records:
        if isinstance(record, BadLine):
            where = f"{path}, line {record.line}: "
            raise FormatError(where + record.reason, remedy=record.remedy)
        if isinstance(record, PairRecord):
            source, target = (
                Analysis(Sentence(side.tokens))
                for side in (record.source, record.target)
            )
            links = record.layers[0].alignment.links
            sure = frozenset(_cell(link) for link in links if link.kind == "sure")
            both = frozenset(_cell(link) for link in links)
            yield WordCase(record.id, source, target, sure, both)


def _cell(link: Link) -> Cell:
    return ref_key(link.source)[1], ref_key(link.target)[1]


def analysed(
    cases: Sequence[WordCase], backend: ParserBackend
) -> Iterator[list[WordCase]]:
    """The cases with the tags and vectors of a parser, a batch at a time; what it
    cannot take stays without."""
    for at in range(0, len(cases), BATCH):
        some = cases[at : at + BATCH]
        sentences = [s.sentence for case in some for s in (case.source, case.target)]
        analyses = backend.analyse(sentences, want=WANT & backend.info.capabilities)
        yield [
            replace(case, source=source, target=target)
            if isinstance(source, Analysis) and isinstance(target, Analysis)
            else case
            for case, source, target in zip(
                some, analyses[::2], analyses[1::2], strict=True
            )
        ]  # fmt: skip


def apart(cases: Sequence[WordCase], others: Iterable[WordCase]) -> list[WordCase]:
    """The cases that share no sentence with the others."""
    known = {text for case in others for text in case.texts}
    return [case for case in cases if not known.intersection(case.texts)]


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


def _text(sentence: Sentence) -> str:
    return "".join(c for form in sentence.forms for c in form.lower() if c.isalnum())


METHODS = ("trained", "plain", "cosine", "lexical")
Chooser = Callable[[int], WordAligner]


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
        made.append(LinkedPair(source, target, case.matrix()))
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
    texts = [case.texts for case in cases]
    for part in outer_folds(texts, k, np.random.default_rng(seed)):
        mine = set(part)
        rest = [case for at, case in enumerate(cases) if at not in mine]
        metric = trained.context.metric if vectors else None
        pairs = linked(rest, vectors=vectors)
        model = fit_words(pairs, thesaurus, metric, seed=seed)
        yield dict.fromkeys(sorted(mine), replace(trained, context=model, plain=model))


def scores(cases: Sequence[WordCase], chooser: Chooser) -> dict[str, Any]:
    """Every figure: ``precision, recall, f1, aer`` against sure and possible links,
    ``sure``: of the links called sure against the sure ones; shares of 1.

    ``pairs_per_second``: aligning alone, the analyses being available.
    """
    start = time.perf_counter()
    predicted = [
        chooser(at).align(case.source, case.target) for at, case in enumerate(cases)
    ]
    seconds = time.perf_counter() - start
    every = [_cells(links, ("sure", "possible")) for links in predicted]
    gold_sure = [case.sure for case in cases]
    gold = [case.possible for case in cases]
    return {
        **_prf(every, gold),
        "aer": as_json(alignment_error_rate(every, gold_sure, gold)).get("value"),
        "sure": _prf([_cells(links, ("sure",)) for links in predicted], gold_sure),
        "links": sum(map(len, every)),
        "gold_links": sum(map(len, gold)),
        "pairs": len(cases),
        "pairs_per_second": round(len(cases) / max(seconds, 1e-9), 1),
    }


def _cells(links: Sequence[Link], kinds: Sequence[Kind]) -> frozenset[Cell]:
    return frozenset(
        (ref_key(link.source)[1], ref_key(link.target)[1])
        for link in links
        if link.kind in kinds
    )


def _prf(
    predicted: Sequence[frozenset[Cell]], gold: Sequence[frozenset[Cell]]
) -> dict[str, float]:
    hits = sum(len(a & b) for a, b in zip(predicted, gold, strict=True))
    n_predicted, n_gold = (max(1, sum(map(len, side))) for side in (predicted, gold))
    return {
        "precision": hits / n_predicted,
        "recall": hits / n_gold,
        "f1": 2 * hits / (n_predicted + n_gold),
    }
