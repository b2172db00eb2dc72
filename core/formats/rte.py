"""Recognising Textual Entailment, RTE-1 to RTE-3.

    corpus = <entailment-corpus challenge="1"> { pair } </entailment-corpus>
    pair   = <pair id value|entailment task [length]> <t>text</t> <h>text</h> </pair>

RTE-1 says ``value`` TRUE or FALSE, RTE-2 and 3 ``entailment`` YES, NO or UNKNOWN; the
label is that word, as it is. A DOCTYPE that names the DTD is allowed, and not fetched.
"""

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape

from core.errors import FormatError
from core.formats import xml
from core.formats.pairs import side
from core.formats.records import (
    BadLine,
    Format,
    PairRecord,
    Record,
    RecordHeader,
    Tail,
    bad,
    with_raw,
)

LOSSES = (
    "Parses, links and layers are left out.",
    "Of the further columns only those of a <pair> (task, length) are written.",
    "Sentence ids are left out.",
)
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<entailment-corpus>'
TAIL = "\n</entailment-corpus>\n"


def read(lines: Iterable[str]) -> Iterator[Record | BadLine]:
    """A PairRecord for each ``<pair>``; ``meta`` holds its other attributes."""
    first = True
    try:
        for item in xml.items(lines, frozenset({"pair"}), doctype=True):
            if item.element is None:
                yield Tail(item.raw)
                continue
            cut = item.raw.rfind("<pair") if first else 0
            if first:
                cut = len(item.raw[:cut].rstrip())
                yield RecordHeader(item.raw[:cut])
                first = False
            raw = item.raw[cut:]
            try:
                yield with_raw(_pair(item.element, item.line), raw, item.line)
            except FormatError as error:
                yield bad(error, line=item.line, excerpt=raw)
    except FormatError as error:
        yield bad(error)


def write(records: Iterable[Record]) -> Iterator[str]:
    """The corpus; pairs as they were read, or rebuilt."""
    started, tail = False, TAIL
    for record in records:
        if isinstance(record, RecordHeader):
            yield record.text
            started = True
        elif isinstance(record, PairRecord):
            if not started:
                yield HEAD
            started = True
            yield record.raw or _render(record)
        elif isinstance(record, Tail):
            tail = record.text
    yield (tail if started else HEAD + TAIL)


def _pair(element: Element, line: int) -> PairRecord:
    attrs = dict(element.attrib)
    source = side(element.findtext("t") or "", "text <t>", line)
    target = side(element.findtext("h") or "", "hypothesis <h>", line)
    named = [name for name in ("value", "entailment") if name in attrs]
    label = attrs[named[0]] if named else ""
    meta = {n: v for n, v in attrs.items() if n not in ("id", "value", "entailment")}
    if named == ["entailment"]:
        meta["label_attribute"] = "entailment"
    return PairRecord(source, target, attrs.get("id", ""), label, (), meta)


def _render(record: PairRecord) -> str:
    named = record.meta.get("label_attribute", "value")
    values = [("id", record.id), (str(named), record.label)]
    kept = ("task", "length")
    values += [(n, str(record.meta[n])) for n in kept if n in record.meta]
    t, h = (
        escape(one.text or " ".join(one.forms))
        for one in (record.source, record.target)
    )
    open_tag = f"<pair{xml.attributes(v for v in values if v[1])}>"
    return f"\n{open_tag}\n\t<t>{t}</t>\n\t<h>{h}</h>\n</pair>"


_EXAMPLE = """<?xml version="1.0" encoding="UTF-8"?>
<entailment-corpus>
<pair id="1" entailment="YES" task="QA">
<t>The boat left the harbour at noon.</t>
<h>A boat left the harbour.</h>
</pair>
</entailment-corpus>
"""
FORMAT = Format(
    "rte",
    "RTE XML (RTE-1 to 3)",
    holds="pairs",
    suffixes=(".xml",),
    strictness=4,
    read=read,
    write=write,
    losses=LOSSES,
    example={"rte.xml": _EXAMPLE},
    claims=lambda start: xml.root(start) == "entailment-corpus" or None,
)
