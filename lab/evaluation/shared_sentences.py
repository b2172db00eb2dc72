"""Which sentences two sets have in common: what a figure may owe to having seen them.

A set is one or more files of any format in ``READERS``; a row of it is a sentence, or
a pair with two. Two measures: *exact*, the words in order as they stand (white space
counts as one space), and *normalised*, the letters and digits alone in lower case
(NFKC), which sees through tokenising, quotes, brackets and dashes. A sentence without
any letter or digit is like no other.
"""

import gzip
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import FormatError
from core.evaluation.joint_parsing import read_pairs
from core.formats import conllu, jsonl, msrpc, pairs, ptb, rte, tigerxml
from core.formats.alignments import msr_rte2, multimwa, phrase_links
from core.formats.records import BadLine, PairRecord, SentenceRecord
from lab.evaluation import jacana

Texts = tuple[str, ...]
Rows = Iterator[tuple[int, Texts] | str]  # a line about each that cannot be read


@dataclass(frozen=True, slots=True)
class SetRow:
    """``place``: FILE:LINE, of formats that count pairs instead FILE:PAIR;
    ``texts``: its one sentence or two."""

    place: str
    texts: Texts


@dataclass(frozen=True, slots=True)
class SharedSentence:
    """A sentence of two rows. ``exact``: as it stands; else normalised alone."""

    first: str
    second: str
    exact: bool
    text: str


def _codec(read: Callable[[Iterable[str]], Iterator[object]]) -> Callable[[Path], Rows]:
    """Yield the rows that a codec of records reads."""

    def rows(path: Path) -> Rows:
        for at, record in enumerate(read(_lines(path)), 1):
            if isinstance(record, BadLine):
                yield f"{path}, line {record.line}: {record.reason}"
            elif isinstance(record, PairRecord):
                both = _text(record.source), _text(record.target)
                yield record.line or at, both
            elif isinstance(record, SentenceRecord):
                yield record.line or at, (_text(record),)

    return rows


def _text(side: SentenceRecord) -> str:
    return " ".join(side.forms) if side.tokens else side.text


def _rte2(path: Path) -> Rows:
    for pair in msr_rte2.read(_lines(path)):
        yield pair.number, (" ".join(pair.text), " ".join(pair.hypothesis))


def _phrase_links(path: Path) -> Rows:
    for at, pair in enumerate(phrase_links.loads("".join(_lines(path))), 1):
        yield at, (" ".join(pair.source.words), " ".join(pair.target.words))


def _paraphrases(path: Path) -> Rows:
    for at, row in enumerate(read_pairs(path), 2):
        yield at, (" ".join(row.source.forms), " ".join(row.paraphrase.forms))


def _plain(path: Path) -> Rows:
    for at, line in enumerate(_lines(path), 1):
        if line.strip():
            yield at, (line.strip(),)


READERS: dict[str, Callable[[Path], Rows]] = {
    "ptb": _codec(ptb.read),
    "conllu": _codec(conllu.read),
    "tigerxml": _codec(tigerxml.read),
    "pairs": _codec(pairs.read),
    "jsonl": _codec(jsonl.read),
    "msrpc": _codec(msrpc.read),
    "rte": _codec(rte.read),
    "multimwa": _codec(multimwa.read),
    "jacana": _codec(jacana.read),
    "msr-rte2": _rte2,
    "phrase-links": _phrase_links,
    "paraphrases": _paraphrases,
    "text": _plain,
}
"""By the name of a format; ``text`` is a sentence a line."""
_BY_SUFFIX = {
    **dict.fromkeys((".mrg", ".ptb", ".tree", ".trees", ".parse", ".psd"), "ptb"),
    **dict.fromkeys((".conllu", ".conll"), "conllu"),
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
}
_BEGINS = (
    ("corpus\tsent_id\tsource\tparaphrase", "paraphrases"),
    ("quality\t", "msrpc"),
    ("# sentence pair", "msr-rte2"),
)


def format_of(path: Path) -> str:
    """The format by the file's name (or by that before ``.gz``), or by how it begins;
    ``text`` if by neither."""
    suffix = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    lines = _lines(path)
    head = "".join(lines[:20]).lstrip().lower()
    for begin, name in _BEGINS:
        if head.startswith(begin):
            return name
    if head.startswith("<"):
        return "rte" if "<entailment-corpus" in head else "tigerxml"
    if suffix == ".json":
        return "phrase-links" if '"source_tree"' in head else "jacana"
    columns = lines[0].count("\t") + 1 if lines else 1
    if columns >= 9:
        return "multimwa"
    return "pairs" if columns > 1 else "text"


def read_set(paths: Iterable[Path], format: str = "") -> tuple[list[SetRow], list[str]]:
    """The rows of all files, of ``format`` or of what each looks like, and a line about
    each place that cannot be read.

    Raises FormatError that names the file if one cannot be read, or holds nothing.
    """
    rows: list[SetRow] = []
    bad: list[str] = []
    for path in paths:
        before = len(rows)
        try:
            for item in READERS[format or format_of(path)](path):
                if isinstance(item, str):
                    bad.append(item)
                else:
                    rows.append(SetRow(f"{path}:{item[0]}", item[1]))
        except FormatError as error:
            if str(path) in str(error):
                raise
            raise FormatError(f"{path}: {error}") from error
        if len(rows) == before:
            remedy = f"say its format: {' '.join(READERS)}"
            raise FormatError(f"{path}: no sentence in it", remedy=remedy)
    return rows, bad


def compare(
    first: Sequence[SetRow], second: Sequence[SetRow], *, least: int = 1
) -> list[SharedSentence]:
    """Every sentence of ``second`` that is in ``first``, each with the first place
    there that has it; an exact one before one that is alike only when normalised.

    ``least``: shorter sentences, in words, are left out: they are alike by chance.
    """
    exact: dict[str, str] = {}
    alike: dict[str, str] = {}
    for row in first:
        for text in row.texts:
            exact.setdefault(_spaced(text), row.place)
            alike.setdefault(reduced(text), row.place)
    matches = []
    for row in second:
        for text in dict.fromkeys(map(_spaced, row.texts)):
            key = reduced(text)
            if key and key in alike and len(text.split(" ")) >= least:
                place = exact.get(text, alike[key])
                matches.append(SharedSentence(place, row.place, text in exact, text))
    return matches


def reduced(text: str) -> str:
    """Return the letters and digits of a text, in lower case."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(sign for sign in folded if sign.isalnum())


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _lines(path: Path) -> list[str]:
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
            return list(file)
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: cannot be read: {error}") from error
