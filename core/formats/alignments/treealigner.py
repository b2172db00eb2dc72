"""Stockholm TreeAligner XML: links between the nodes of two TigerXML treebanks.

    file   = <treealign> <head> … <treebanks> <treebank id language filename> x 2
             </treebanks> … </head> <alignments> { item } </alignments> </treealign>
    item   = <align type [author] [last_change] [prob] [comment]> node node </align>
           | <sen-align> node node </sen-align>         the two sentences correspond
           | <to-empty root-id tb-id empty-in …>        a sentence without counterpart
    node   = <node treebank_id node_id/>

"good" links are sure, all other types possible; the type itself is kept, as are all
attributes. A link of type "comment" is a note on two nodes, so these make a layer of
their own, "comments". The first treebank named is the source. Two sentences with a link
or a sen-align between them are a pair; ``<sentence>_VROOT`` is the top node.

The whole file is held in memory: links come in no order, and the trees apart.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from xml.etree.ElementTree import Element

from core.data.alignment import Alignment, Link, phrase_ref, token_ref
from core.errors import FormatError
from core.formats import tigerxml, xml
from core.formats.records import (
    BadLine,
    Format,
    LayerRecord,
    PairRecord,
    Record,
    RecordHeader,
    SentenceRecord,
    Tail,
    bad,
)

LOSSES = (
    "Labels, nulls, the raw text and dependency parses are left out.",
    "Sentences in no pair are in the TigerXML files only.",
    "Pairs without two constituency parses are left out.",
    "Of several layers the first is written, and the layer of comments.",
    "The <size> in the head counts on when links were added or taken away.",
)
ITEMS = frozenset({"head", "align", "sen-align", "to-empty"})
ORDER = ("comment", "type", "last_change", "author", "prob")
OWN = ("at", "raw")  # attrs that are ours, not the file's
COMMENTS = "comments"
TAIL = "\n</alignments>\n</treealign>\n"
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<treealign subversion="3" version="2">
<head>
<alignment-metadata>
<description>Written by Gemel</description>
<size>0</size>
</alignment-metadata>
<treebanks>
<treebank id="source" language="{source}" filename="source.xml"/>
<treebank id="target" language="{target}" filename="target.xml"/>
</treebanks>
<alignment-features>
<alignment-feature color="#33e533" name="good">Exact alignment</alignment-feature>
<alignment-feature color="#e53333" name="fuzzy">Fuzzy alignment</alignment-feature>
</alignment-features>
</head>
<alignments>"""
Place = tuple[int, str, str]  # side, sentence id, ref


def read(
    lines: Iterable[str], open_treebank: Callable[[str], Iterable[str]]
) -> Iterator[Record | BadLine]:
    """A RecordHeader, the sentences of both treebanks, the pairs in order, a Tail.

    ``open_treebank`` gives the lines of the TigerXML file that the head names; its
    FormatError ends the reading. A parse says its treebank in ``meta["bank"]``.
    """
    reading = _AlignmentReading()
    try:
        for item in xml.items(lines, ITEMS):
            if item.element is None:
                reading.tail = item.raw
            elif item.element.tag == "head":
                reading.take_head(item.element, item.raw)
                for side, bank in enumerate(reading.banks):
                    name = bank["filename"]
                    yield from reading.take_treebank(side, name, open_treebank(name))
            else:
                try:
                    reading.take(item.element, item.raw)
                except FormatError as error:
                    yield bad(error, line=item.line, excerpt=item.raw)
    except FormatError as error:
        yield bad(error)
    yield from reading.records()


def filenames(lines: Iterable[str]) -> list[str]:
    """The names of the treebank files in the head; none if it cannot be read."""
    try:
        head = next(xml.items(lines, frozenset({"head"}))).element
    except FormatError:
        return []
    banks = [] if head is None else head.findall("treebanks/treebank")
    return [bank.get("filename", "") for bank in banks]


def write(records: Iterable[Record]) -> Iterator[str]:
    """The alignment file. Items go back to the place they came from, new ones last."""
    head, tail = RecordHeader(HEAD.format(source="en", target="en")), TAIL
    rows: list[tuple[int, int, str]] = []
    banks = ["source", "target"]
    n_pairs = n_links = 0
    for record in records:
        if isinstance(record, RecordHeader) and record.meta.get("treebanks"):
            head = record
            banks = [str(bank["id"]) for bank in record.meta["treebanks"]]
            rows += [(int(at), 0, text) for at, text in record.meta.get("items", ())]
        elif isinstance(record, Tail):
            tail = record.text
        elif isinstance(record, PairRecord):
            n_pairs += 1
            made = list(_links(record, n_pairs, banks))
            n_links += len(made)
            rows += made
    yield _resized(head, n_links)
    for _, _, text in sorted(rows):
        yield text
    yield tail


def _resized(head: RecordHeader, n_links: int) -> str:
    grown = n_links - int(head.meta.get("n_links", 0))
    if not grown:
        return head.text
    return re.sub(
        r"<size>(\d+)</size>",
        lambda match: f"<size>{int(match[1]) + grown}</size>",
        head.text,
        count=1,
    )


def _links(
    record: PairRecord, number: int, banks: list[str]
) -> Iterator[tuple[int, int, str]]:
    """Place in the file, pair number, and the element of each link of the pair."""
    names = []
    for sentence in (record.source, record.target):
        tree = sentence.parse.tree if sentence.parse else None
        if tree is None or sentence.parse is None:
            return
        name = sentence.id or f"s{number}"
        refs = _refs(sentence, tigerxml.ids_of(sentence.parse, tree, name), name)
        names.append({ref: node for node, ref in refs.items()})
    for layer in record.layers:
        for link in layer.alignment.links:
            ends = [names[0].get(link.source), names[1].get(link.target)]
            if ends[0] is None or ends[1] is None:
                continue
            at = int(link.attrs.get("at", 10**12))
            nodes = zip(banks, map(str, ends), strict=True)
            yield at, number, link.attrs.get("raw") or _element(link, list(nodes))


def _element(link: Link, nodes: list[tuple[str, str]]) -> str:
    given = {n: v for n, v in link.attrs.items() if n not in OWN}
    given.setdefault("type", "good" if link.kind == "sure" else "fuzzy")
    names = [n for n in ORDER if n in given] + sorted(set(given) - set(ORDER))
    rows = [f"\n<align{xml.attributes((n, given[n]) for n in names)}>"]
    for bank, node in nodes:
        pair = [("treebank_id", bank), ("node_id", node)]
        rows.append(f"<node{xml.attributes(pair)}/>")
    return "\n".join([*rows, "</align>"])


def _refs(sentence: SentenceRecord, ids: list[str], name: str) -> dict[str, str]:
    """The ref of each node id of the sentence."""
    assert sentence.parse is not None
    assert sentence.parse.tree is not None
    refs = {f"{name}_VROOT": phrase_ref(0)}
    for v, node in enumerate(ids):
        token = sentence.parse.tree.tokens[v]
        if node:
            refs[node] = token_ref(token) if token >= 0 else phrase_ref(v)
    return refs


class _AlignmentReading:
    """What one file has said so far."""

    def __init__(self) -> None:
        self.banks: list[dict[str, str]] = []
        self.tail = TAIL
        self._head = ""
        self._metadata: dict[str, str] = {}
        self._sides: dict[str, int] = {}
        self._sentences: list[dict[str, SentenceRecord]] = [{}, {}]
        self._places: list[dict[str, tuple[str, str]]] = [{}, {}]
        self._links: dict[tuple[str, str], list[tuple[str, Link]]] = {}
        self._items: list[tuple[int, str]] = []
        self._n = 0  # items so far
        self._n_links = 0

    def take_head(self, element: Element, raw: str) -> None:
        self._head = raw
        banks = element.findall("treebanks/treebank")
        self.banks = [
            {name: bank.get(name, "") for name in ("id", "language", "filename")}
            for bank in banks
        ]
        self._sides = {bank["id"]: side for side, bank in enumerate(self.banks)}
        if len(self._sides) != 2 or not all(bank["filename"] for bank in self.banks):
            raise FormatError(
                f"the header names {len(banks)} treebanks; expected two",
                line=1,
                column=1,
                remedy="write two <treebank id filename> with different ids",
            )
        meta = element.find("alignment-metadata")
        if meta is not None:
            self._metadata = {one.tag: (one.text or "").strip() for one in meta}

    def take_treebank(
        self, side: int, name: str, lines: Iterable[str]
    ) -> Iterator[BadLine]:
        """Keep its sentences; say what could not be read."""
        for record in tigerxml.read(lines):
            if isinstance(record, BadLine):
                yield replace(record, file=name)
            elif isinstance(record, RecordHeader):
                self.banks[side]["head"] = record.text
            elif isinstance(record, Tail):
                self.banks[side]["tail"] = record.text
            elif isinstance(record, SentenceRecord) and record.parse:
                ids = record.parse.meta["ids"]
                parse = replace(record.parse, meta={"ids": ids, "bank": side})
                self._sentences[side][record.id] = replace(record, parse=parse)
                for node, ref in _refs(record, ids, record.id).items():
                    self._places[side][node] = record.id, ref

    def take(self, element: Element, raw: str) -> None:
        """An item of the list of alignments."""
        self._n += 1
        if self._n == 1:
            cut = raw.find("<alignments>") + len("<alignments>")
            self._head, raw = self._head + raw[:cut], raw[cut:]
        if element.tag == "to-empty":
            self._items.append((self._n, raw))
            return
        ends = self._ends(element)
        cell = ends[0][1], ends[1][1]
        if element.tag == "sen-align":
            self._items.append((self._n, raw))
            self._links.setdefault(cell, [])
            return
        self._n_links += 1
        link = self._link(element, raw, ends)
        kind = link.attrs["type"]
        layer = COMMENTS if kind == "comment" else ""
        self._links.setdefault(cell, []).append((layer, link))

    def _ends(self, element: Element) -> list[Place]:
        places: list[Place] = []
        for node in element.findall("node"):
            side = self._sides.get(node.get("treebank_id", ""), -1)
            name = node.get("node_id", "")
            if side < 0 or name not in self._places[side]:
                raise FormatError(
                    f"a link to a missing node {name!r} of treebank "
                    f"{node.get('treebank_id', '')!r}",
                    column=1,
                    remedy="check that these are the treebanks it was made for",
                )
            places.append((side, *self._places[side][name]))
        places.sort()
        if [place[0] for place in places] != [0, 1]:
            raise FormatError(
                "a link needs one node of each treebank",
                column=1,
                remedy="write two <node>, one of each treebank",
            )
        return places

    def _link(self, element: Element, raw: str, ends: list[Place]) -> Link:
        attrs = {"type": "good", **element.attrib, "at": str(self._n)}
        kind = "sure" if attrs["type"] == "good" else "possible"
        nodes = [
            (node.get("treebank_id", ""), node.get("node_id", ""))
            for node in element.findall("node")
        ]
        link = Link(ends[0][2], ends[1][2], kind, attrs=attrs)  # type: ignore[arg-type]
        if _element(link, nodes) == raw and self._sides[nodes[0][0]] == 0:
            return link
        return replace(link, attrs={**attrs, "raw": raw})

    def records(self) -> Iterator[Record]:
        """All records; a link given twice for the same nodes counts once."""
        meta = {**self._metadata, "treebanks": self.banks, "items": self._items}
        yield RecordHeader(self._head, meta | {"n_links": self._n_links})
        for side in self._sentences:
            yield from side.values()
        order = [{name: n for n, name in enumerate(side)} for side in self._sentences]
        cells = sorted(self._links, key=lambda c: (order[0][c[0]], order[1][c[1]]))
        for source, target in cells:
            layers: dict[str, dict[tuple[str, str], Link]] = {"": {}, COMMENTS: {}}
            for name, link in self._links[source, target]:
                layers[name].setdefault(link.cell, link)
            yield PairRecord(
                self._sentences[0][source],
                self._sentences[1][target],
                f"{source}-{target}",
                layers=tuple(
                    LayerRecord(Alignment(tuple(links.values())), name=name)
                    for name, links in layers.items()
                    if links
                ),
            )
        yield Tail(self.tail)


_EXAMPLE = """<?xml version="1.0" encoding="UTF-8"?>
<treealign>
<head>
<treebanks>
<treebank id="a" language="en" filename="source.xml"/>
<treebank id="b" language="en" filename="target.xml"/>
</treebanks>
</head>
<alignments>
<align type="good"><node treebank_id="a" node_id="a1_1"/>
<node treebank_id="b" node_id="b1_1"/></align>
</alignments>
</treealign>
"""
FORMAT = Format(
    "treealigner",
    "Stockholm TreeAligner XML",
    holds="pairs",
    suffixes=(".xml",),
    strictness=4,
    read=read,
    write=write,
    losses=LOSSES,
    example={
        "links.xml": _EXAMPLE,
        "source.xml": tigerxml.EXAMPLE.format(id="a", first="She"),
        "target.xml": tigerxml.EXAMPLE.format(id="b", first="He"),
    },
    holds_gaps=True,
    needs_trees=True,
    needs="the alignment and the two TigerXML files its head names",
    claims=lambda start: xml.root(start) == "treealign" or None,
)
