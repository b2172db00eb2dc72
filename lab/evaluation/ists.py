"""Chunk alignments of interpretable similarity (iSTS, SemEval-2015 and 2016), ``.wa``.

    file     = { sentence }                                        blank lines between
    sentence = <sentence id="…" …> [ // text  // text ] source target links </sentence>
    source   = <source> { number form : } </source>                  a token a line
    target   = <translation> { number form : } </translation>
    links    = <alignment> { chunk <==> chunk // type // score // comment } </alignment>
    chunk    = 0 | number { number }                                 0 is no chunk
    type     = name { _ name }, score = a number | NIL

Tokens are counted from 1, links stand one a line, and every chunk of a sentence is in
some link. It only looks like XML: nothing is escaped. A chunk may have several links,
and gaps. Read only; the two texts, scores and comments are left out.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.errors import FormatError
from core.formats.records import clean, numbered

Chunk = tuple[int, ...]
_OPEN = re.compile(r'<sentence\s+id="([^"]*)"[^>]*>')
_SECTIONS = ("source", "translation", "alignment")


FORMAT = "see lab.evaluation.ists"


@dataclass(frozen=True, slots=True)
class ChunkLink:
    """Tokens from 0, ascending; an empty side: the other chunk has no partner."""

    source: Chunk
    target: Chunk
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChunkPair:
    """Two sentences and the links between their chunks."""

    id: str
    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[ChunkLink, ...]

    def chunks(self, which: int) -> list[Chunk]:
        """The chunks of the source (0) or target (1), each once, from left to right."""
        sides = ((link.source, link.target)[which] for link in self.links)
        return sorted({side for side in sides if side})


def read(lines: Iterable[str]) -> Iterator[ChunkPair]:
    """Every pair, in order. Raises FormatError with line and column."""
    rows = (
        (number, text)
        for number, line, _ in numbered(lines)
        if (text := clean(line, line=number).strip())
    )
    ids = set()
    for number, text in rows:
        head = _OPEN.fullmatch(text)
        if not head:
            raise _wrong(
                number,
                '<sentence id="…"> is missing here',
                FORMAT,
            )
        if head[1] in ids:
            raise _wrong(
                number, f"a second sentence {head[1]}", "give each its own number"
            )
        ids.add(head[1])
        yield _pair(head[1], rows, number)


def _pair(name: str, rows: Iterator[tuple[int, str]], first: int) -> ChunkPair:
    """The pair whose first line was read already."""
    source = _tokens(_section(rows, "source", first))
    target = _tokens(_section(rows, "translation", first))
    links = tuple(
        _link(text, number, len(source), len(target))
        for number, text in _section(rows, "alignment", first)
    )
    number, text = next(rows, (first, ""))
    if text != "</sentence>":
        raise (
            _cut(number, "</sentence>")
            if not text
            else _wrong(
                number,
                "</sentence> is missing here",
                "give a sentence its three sections",
            )
        )
    if not (source and target):
        raise _wrong(first, "a sentence without a token", "give each token a line")
    return ChunkPair(name, source, target, links)


def _section(
    rows: Iterator[tuple[int, str]], name: str, first: int
) -> Iterator[tuple[int, str]]:
    """The lines between ``<name>`` and ``</name>``."""
    for number, text in rows:
        if text == f"<{name}>":
            break
        if not text.startswith("//"):
            raise _wrong(number, f"<{name}> is missing here", FORMAT)
    for number, text in rows:
        if text == f"</{name}>":
            return
        if text in ("</sentence>", *(f"<{other}>" for other in _SECTIONS)):
            raise _wrong(number, f"<{name}> is not closed", f"close it with </{name}>")
        yield number, text
    raise _cut(first, f"</{name}>")


def _tokens(rows: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    forms: list[str] = []
    for number, text in rows:
        place, _, rest = text.partition(" ")
        form = rest.removesuffix(":").strip()
        if place != str(len(forms) + 1) or not form or len(form.split()) > 1:
            reason = f"token {len(forms) + 1} of the sentence is missing here"
            raise _wrong(number, reason, "write it as: number form :")
        forms.append(form)
    return tuple(forms)


def _link(text: str, number: int, n_source: int, n_target: int) -> ChunkLink:
    chunks, *facts = (part.strip() for part in text.split(" // ", 3))
    source, arrow, target = chunks.partition("<==>")
    if not arrow or len(facts) < 2:
        reason = "no link between two chunks"
        raise _wrong(number, reason, "write it as: 1 2 <==> 3 // EQUI // 5 // …")
    sides = _chunk(source, n_source, number), _chunk(target, n_target, number)
    if not any(sides):
        raise _wrong(number, "a link without chunks", "remove it")
    return ChunkLink(*sides, tuple(facts[0].split("_")))


def _chunk(text: str, n_tokens: int, line: int) -> Chunk:
    marks = text.split()
    if marks == ["0"]:
        return ()
    if not marks:
        raise _wrong(
            line, "a link without a chunk on one side", "0 means no chunk: name a chunk"
        )
    places = set()
    for mark in marks:
        ascii_digits = mark.isascii() and mark.isdigit() and len(mark) < 9
        if not (ascii_digits and 1 <= int(mark) <= n_tokens):
            reason = f"{mark!r} is no token of its sentence, which has {n_tokens}"
            raise _wrong(
                line, reason, "tokens are counted from 1; 0 alone means no chunk"
            )
        places.add(int(mark) - 1)
    return tuple(sorted(places))


def _wrong(line: int, reason: str, remedy: str) -> FormatError:
    return FormatError(reason, line=line, column=1, remedy=remedy)


def _cut(first: int, wanted: str) -> FormatError:
    reason = f"the file ends before {wanted} of the sentence that begins here"
    return FormatError(reason, line=first, column=1, remedy="it may be cut off")
