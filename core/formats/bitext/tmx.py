"""TMX, translation memories: pairs out of the units that have both languages.

    tmx  = <tmx> <header …/> <body> { tu } </body> </tmx>
    tu   = <tu> { <tuv xml:lang="en"> <seg> text </seg> </tuv> } </tu>

A language is meant with its varieties: "en" takes en-GB. Of several segments of one
language the first is taken. Native codes within a segment (bpt, ept, it, ph, ut) are
left out, the text that other markup encloses is kept. A unit without the foreign
language is a pair without counterpart. The DOCTYPE may name a DTD, which is never
fetched; declarations are refused.
"""

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

from core.errors import FormatError
from core.formats import xml
from core.formats.bitext.records import BitextRecord, Cut, cut_signs, plain
from core.formats.records import BadLine, bad, flat

_UNITS = frozenset({"tu"})
_CODES = frozenset({"bpt", "ept", "it", "ph", "ut"})
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def read(
    pieces: Iterable[str],
    *,
    source: str,
    target: str,
    cut_source: Cut | None = cut_signs,
    cut_target: Cut | None = cut_signs,
) -> Iterator[BitextRecord | BadLine]:
    """A record for each unit; ``source``, ``target``: languages, as "en" and "fr".

    A file that is not well formed is a BadLine, and the end of it.
    """
    number = 0
    try:
        for item in xml.items(pieces, _UNITS, doctype=True):
            if item.element is None:
                continue
            try:
                sides = (
                    plain(_segment(item.element, source), cut_source, line=item.line),
                    plain(_segment(item.element, target), cut_target, line=item.line),
                )
                yield BitextRecord(number, *sides, None, item.line)
            except FormatError as error:
                yield bad(error, line=item.line)
            number += 1
    except FormatError as error:
        yield bad(error)


def _segment(unit: Element, language: str) -> str:
    for variant in unit.iter("tuv"):
        tag = (variant.get(_LANG) or variant.get("lang") or "").lower()
        if tag.replace("_", "-").split("-")[0] == language.lower().split("-")[0]:
            segment = variant.find("seg")
            return "" if segment is None else flat(_text(segment))
    return ""


def _text(element: Element) -> str:
    parts = [element.text or ""]
    for child in element:
        if child.tag not in _CODES:
            parts.append(_text(child))
        parts.append(child.tail or "")
    return "".join(parts)
