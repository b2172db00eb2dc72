"""XML as a stream: records with their source text.

A document type declaration is refused, and with it every entity: no billion laughs, no
file of the server in a sentence. Formats that carry a plain one (RTE) may allow a
DOCTYPE that only names a DTD: it is never fetched, and declarations stay refused.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder
from xml.sax.saxutils import quoteattr

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from core.errors import FormatError
from core.formats.records import MAX_RECORD, clean

MAX_NESTING = 100
_ROOT = re.compile(r"\ufeff?\s*(?:<[?!][^>]*>\s*)*<([a-z][a-z-]*)")
_TAG_END = re.compile(rb"""(?:[^>"']|"[^"]*"|'[^']*')*>""")


@dataclass(frozen=True, slots=True)
class XmlItem:
    """A requested element; ``element`` None: the text after the last one.

    ``raw``: all text since the item before, this element included.
    """

    element: Element | None
    raw: str
    line: int = 0
    column: int = 0


def items(
    pieces: Iterable[str], names: frozenset[str], *, doctype: bool = False
) -> Iterator[XmlItem]:
    """Every element of these names, in order, then the rest of the text.

    Raises FormatError where the text is not well formed, declares entities, nests
    deeper than 100 within an item, or holds an item over 10 MB.
    """
    collector = _Collector(names)
    parser = DefusedXMLParser(
        target=collector, encoding="utf-8", forbid_dtd=not doctype
    )
    collector.expat = parser.parser
    for number, piece in enumerate(pieces, 1):
        _feed(parser, collector, piece, number)
        yield from collector.take()
    try:
        parser.close()
    except ParseError as error:
        raise _format_error(error) from error
    yield from collector.take()
    yield XmlItem(None, collector.rest())


def root(start: str) -> str:
    """Return the name of the root element of a file that starts so, "" if unknown."""
    match = _ROOT.match(start)
    return match[1] if match else ""


def attributes(values: Iterable[tuple[str, str]]) -> str:
    """`` name="value"`` for each, escaped."""
    quoted = (f" {name}={quoteattr(value)}" for name, value in values)
    return "".join(quoted)


def _feed(
    parser: DefusedXMLParser, collector: "_Collector", piece: str, number: int
) -> None:
    clean(piece, line=number)
    data = piece.encode("utf-8")
    collector.buffer += data
    try:
        parser.feed(data)
    except ParseError as error:
        raise _format_error(error) from error
    except DefusedXmlException as error:
        raise FormatError(
            "the file declares a DOCTYPE or entities, which are not read",
            line=parser.parser.CurrentLineNumber,
            column=parser.parser.CurrentColumnNumber + 1,
            remedy="remove the declaration and write the characters themselves",
        ) from error
    if len(collector.buffer) > MAX_RECORD:
        raise FormatError(
            "more than 10 MB without the end of a record",
            line=collector.at[0] or number,
            column=1,
            remedy="check that this is the format you chose",
        )


def _format_error(error: ParseError) -> FormatError:
    line, column = error.position
    reason = str(error).partition(":")[0]
    cut = "no element found" in reason or "unclosed" in reason
    return FormatError(
        f"no well-formed XML: {reason}",
        line=line,
        column=column + 1,
        remedy="the file may be cut off" if cut else "mend the XML at this place",
    )


class _Collector:
    """Parser target: builds the requested elements, drops everything else."""

    def __init__(self, names: frozenset[str]) -> None:
        self.expat: Any = None
        self.buffer = bytearray()  # what no item has taken yet
        self.at = (0, 0)
        self._base = 0  # byte index of buffer[0] in the file
        self._names = names
        self._builder: TreeBuilder | None = None
        self._depth = 0
        self._from = 0  # byte index of the open item
        self._closed: list[tuple[Element, int, int, int]] = []

    def start(self, tag: str, attrs: dict[str, str]) -> None:
        if self._builder is None and tag in self._names:
            self._builder, self._depth = TreeBuilder(), 0
            line, column = self.expat.CurrentLineNumber, self.expat.CurrentColumnNumber
            self.at, self._from = (line, column + 1), self.expat.CurrentByteIndex
        if self._builder is not None:
            self._depth += 1
            if self._depth > MAX_NESTING:
                raise FormatError(
                    f"elements nested deeper than {MAX_NESTING}",
                    line=self.expat.CurrentLineNumber,
                    column=self.expat.CurrentColumnNumber + 1,
                )
            self._builder.start(tag, attrs)

    def end(self, tag: str) -> None:
        if self._builder is None:
            return
        self._builder.end(tag)
        self._depth -= 1
        if not self._depth:
            element = self._builder.close()
            self._closed.append((element, self._end(), *self.at))
            self._builder = None

    def _end(self) -> int:
        """The byte index behind the item that ends here.

        expat reports the position before "</name>", but after "<name/>".
        """
        here = int(self.expat.CurrentByteIndex)
        tag = _TAG_END.match(self.buffer, self._from - self._base)
        just_closed = tag is not None and tag.end() == here - self._base
        if just_closed and self.buffer[here - self._base - 2] == ord("/"):
            return here
        closing = self.buffer.index(b">", here - self._base)
        return self._base + closing + 1

    def data(self, text: str) -> None:
        if self._builder is not None:
            self._builder.data(text)

    def close(self) -> None:
        """Nothing is left to do."""

    def take(self) -> Iterator[XmlItem]:
        """The items that are complete, each with its text."""
        for element, end, line, column in self._closed:
            raw = bytes(self.buffer[: end - self._base])
            del self.buffer[: end - self._base]
            self._base = end
            yield XmlItem(element, raw.decode("utf-8"), line, column)
        self._closed = []

    def rest(self) -> str:
        return bytes(self.buffer).decode("utf-8")
