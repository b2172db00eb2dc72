"""Uploaded parallel text: the codec and the files it reads."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.utils.translation import gettext_noop

from annotator.errors import BadRequest
from annotator.exchange.files import Source
from core.data.tokens import Sentence
from core.formats.bitext import moses, tmx, tsv
from core.formats.bitext.records import BitextRecord, Cut, cut_signs, unescaped
from core.formats.records import BadLine, words
from core.text.tokenize import tokenize

FORMATS = {
    "moses": gettext_noop(
        "Two text files, a line for each pair; perhaps a third with the links"
    ),
    "tsv": gettext_noop("A table: source, tab, target"),
    "tmx": gettext_noop("A translation memory"),
}


@dataclass(frozen=True, slots=True)
class BitextReading:
    """How to read the files: ``raw``, text that is not tokenised; ``linked``, a TSV
    whose third column holds links; ``escaped``, &apos; and the like as Moses writes
    them."""

    format: str
    source_language: str
    target_language: str
    raw: bool = False
    linked: bool = False
    escaped: bool = False


def read(
    sources: list[Source], how: BitextReading
) -> Iterator[tuple[str, BitextRecord | BadLine]]:
    """Name of the file, and its records; what cannot be decoded comes too.

    Raises BadRequest on a wrong number of files.
    """
    records = _records(sources, how)
    for record in records:
        if isinstance(record, BadLine):
            yield _named(sources, record)
        else:
            yield sources[0].name, record


def _named(sources: list[Source], record: BadLine) -> tuple[str, BadLine]:
    """The reason names the line that could not be decoded."""
    for source in sources:
        if record.line in source.bad:
            return source.name, replace(source.bad[record.line], file=source.name)
    return sources[0].name, record


def _records(
    sources: list[Source], how: BitextReading
) -> Iterator[BitextRecord | BadLine]:
    cuts = {
        "cut_source": _cut(how.source_language, how),
        "cut_target": _cut(how.target_language, how),
    }
    if how.format == "moses":
        if len(sources) not in (2, 3):
            raise BadRequest(
                "Give two files, the English one first; a third file can hold the "
                "links.",
                field="files",
            )
        links = sources[2].lines() if len(sources) == 3 else None
        return moses.read(sources[0].lines(), sources[1].lines(), links, **cuts)
    if len(sources) != 1:
        raise BadRequest("Give one file at a time.", field="files")
    if how.format == "tsv":
        return tsv.read(sources[0].lines(), linked=how.linked, **cuts)
    return tmx.read(
        sources[0].lines(),
        source=how.source_language,
        target=how.target_language,
        **cuts,
    )


def _cut(language: str, how: BitextReading) -> Cut | None:
    """How the text of a side becomes tokens, None: it is tokens already."""
    if how.raw or how.format == "tmx":
        english = language.lower().startswith("en")
        cut: Cut = _english if english else cut_signs
    else:
        cut = words
    if how.escaped:
        plain = cut
        return lambda text: plain(unescaped(text))
    return cut


def _english(text: str) -> list[str]:
    if not text.strip():
        return []
    sentence: Sentence = tokenize(text)
    return [token.form for token in sentence.tokens]
