"""The formats a corpus can come in and go out as: one line each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Literal

from annotator.errors import BadRequest
from annotator.exchange.files import Source
from core.data.tokens import Token
from core.errors import FormatError
from core.formats import conllu, gemel, jsonl, lines, msrpc, pairs, ptb, rte, tigerxml
from core.formats.alignments import multimwa, pharaoh, treealigner
from core.formats.gemel import GemelItem
from core.formats.records import (
    BadLine,
    PairRecord,
    Record,
    RecordHeader,
    SentenceRecord,
    Tail,
    words,
)


@dataclass(frozen=True, slots=True)
class Format:
    """``holds``: what its records are; ``suffixes``: how such files are called."""

    name: str
    title: str
    codec: ModuleType
    holds: Literal["sentences", "pairs", "corpus"]
    suffixes: tuple[str, ...]
    example: str  # the arguments of import_corpus

    @property
    def losses(self) -> tuple[str, ...]:
        """What a record may hold and this format cannot."""
        losses: tuple[str, ...] = self.codec.LOSSES
        return losses

    @property
    def holds_gaps(self) -> bool:
        """Whether phrases may be discontinuous in it."""
        return self.name in ("tigerxml", "treealigner", "gemel")

    @property
    def needs(self) -> str:
        """The files one import takes, for people."""
        return {
            "pharaoh": "the links, the source text and the target text",
            "treealigner": "the alignment and the two TigerXML files its head names",
        }.get(self.name, "one file or several")


_ALL = (
    Format("ptb", "Penn Treebank brackets", ptb, "sentences",
           (".ptb", ".mrg", ".tree", ".trees", ".parse", ".psd"), "trees/"),
    Format("conllu", "CoNLL-U", conllu, "sentences", (".conllu", ".conll"),
           "dev.conllu"),
    Format("tigerxml", "TigerXML", tigerxml, "sentences", (".xml",), "tiger.xml"),
    Format("lines", "Sentences, one per line", lines, "sentences", (".txt",),
           "sentences.txt"),
    Format("treealigner", "Stockholm TreeAligner XML", treealigner, "pairs", (".xml",),
           "alignments.xml"),
    Format("pharaoh", "Pharaoh links and two texts", pharaoh, "pairs",
           (".align", ".pharaoh", ".links"), "links.align source.txt target.txt"),
    Format("pairs", "Pairs, tab-separated", pairs, "pairs", (".tsv", ".txt"),
           "pairs.tsv"),
    Format("jsonl", "Pairs, JSON Lines", jsonl, "pairs", (".jsonl", ".ndjson"),
           "pairs.jsonl"),
    Format("msrpc", "MSR Paraphrase Corpus", msrpc, "pairs", (".tsv", ".txt"),
           "msr_paraphrase_test.txt"),
    Format("rte", "RTE XML (RTE-1 to 3)", rte, "pairs", (".xml",), "rte1_test.xml"),
    Format("multimwa", "MultiMWA, tab-separated", multimwa, "pairs", (".tsv",),
           "wiki-test.tsv"),
    Format("gemel", "Gemel bundle: everything", gemel, "corpus", (".gemel",),
           "news.gemel"),
)  # fmt: skip
FORMATS = {one.name: one for one in _ALL}


def find(name: str) -> Format:
    """The format of this name; raises BadRequest with the names there are."""
    if name not in FORMATS:
        known = ", ".join(FORMATS)
        raise BadRequest(f"There is no format {name!r}: {known}.", field="format")
    return FORMATS[name]


def arrange(kind: Format, sources: list[Source]) -> list[Source]:
    """The files in the order ``read`` wants: the one that names the others first."""
    if kind.name != "treealigner":
        return sources
    named = [bool(treealigner.filenames(source.lines())) for source in sources]
    order = sorted(range(len(sources)), key=lambda i: not named[i])
    return [sources[i] for i in order]


def read(
    kind: Format, sources: list[Source], columns: Mapping[str, int] | None = None
) -> Iterator[tuple[int, Record | GemelItem | BadLine]]:
    """Index of the file, and what its codec says; what cannot be decoded comes too.

    ``columns``: of pairs, which column is which, as ``core.formats.pairs`` has it.
    """
    if kind.name == "pharaoh":
        yield from _merged(0, sources, _pharaoh(sources))
    elif kind.name == "treealigner":
        yield from _merged(0, sources, _treealigner(sources))
    else:
        how = {"columns": columns} if columns and kind.name == "pairs" else {}
        for index, source in enumerate(sources):
            n, records = 0, kind.codec.read(source.lines(), **how)
            for _, record in _merged(index, [source], records):
                n += not isinstance(record, RecordHeader | Tail)
                yield index, record
            if not n and len(sources) > 1:
                yield index, _unused(source, f"holds nothing that is {kind.title}")


def tokenised(record: Record | GemelItem | BadLine) -> Record | GemelItem | BadLine:
    """Return the record with raw text cut at spaces alone, where it has no tokens."""
    if isinstance(record, PairRecord):
        sides = _cut(record.source), _cut(record.target)
        return replace(record, source=sides[0], target=sides[1])
    return _cut(record) if isinstance(record, SentenceRecord) else record


def _cut(record: SentenceRecord) -> SentenceRecord:
    if record.tokens:
        return record
    return replace(record, tokens=tuple(Token(word) for word in words(record.text)))


def _merged(
    index: int, sources: list[Source], records: Iterator[Record | GemelItem | BadLine]
) -> Iterator[tuple[int, Record | GemelItem | BadLine]]:
    """The records; a line that could not be decoded is named once, by that reason."""
    for record in records:
        if isinstance(record, BadLine):
            named = [one for one in sources if one.name == record.file] or sources[:1]
            if record.line not in named[0].bad:
                yield index, replace(record, file=named[0].name)
        else:
            yield index, record
    for source in sources:
        for line in source.bad.values():
            yield index, replace(line, file=source.name)


def _unused(source: Source, reason: str) -> BadLine:
    """A file of several that brings nothing: never passed over in silence."""
    remedy = "leave it out, or choose the format that all the files are in"
    return BadLine(0, 0, f"the file {reason}", remedy, file=source.name)


def _pharaoh(sources: list[Source]) -> Iterator[Record | BadLine]:
    if len(sources) == 3:
        texts = sources[1].lines(), sources[2].lines()
    elif len(sources) == 2:
        texts = _sides(sources[1], 0), _sides(sources[1], 1)
    else:
        raise BadRequest(
            "Pharaoh links need the links, the source text and the target text "
            "(or one text with source ||| target on each line).",
            field="files",
        )
    yield from pharaoh.read(sources[0].lines(), *texts)


def _sides(source: Source, side: int) -> Iterator[str]:
    for line in source.lines():
        parts = line.split("|||")
        yield parts[side].strip() + "\n" if len(parts) == 2 else "\0"


def _treealigner(sources: list[Source]) -> Iterator[Record | BadLine]:
    by_name = {source.name: source for source in sources}

    def open_treebank(name: str) -> Iterator[str]:
        if name not in by_name:
            raise FormatError(
                f"the treebank {name!r} named in the header was not uploaded",
                line=1,
                column=1,
                remedy="send it along with the alignment, under that name",
            )
        return by_name[name].lines()

    yield from treealigner.read(sources[0].lines(), open_treebank)
    named = {sources[0].name, *treealigner.filenames(sources[0].lines())}
    for source in sources:
        if source.name not in named:
            yield _unused(source, "is not named by the alignment")
