"""TigerXML (König, Lezius & Voormann 2003).

    corpus = <corpus id> <head> … </head> <body> { s } </body> </corpus>
    s      = <s id> <graph root> <terminals> { t } </terminals>
                                 <nonterminals> { nt } </nonterminals> </graph> </s>
    t      = <t id word pos [lemma] [morph] …> { secedge } </t>
    nt     = <nt id cat> { edge | secedge } </nt>
    edge   = <edge label idref>             secedge = <secedge label idref>

Phrases may be discontinuous. If several nodes have no parent, they are attached to a
phrase VROOT that the file does not hold. A terminal tagged -NONE- is a trace. "--" is
an empty value, except as a tag. ``meta["ids"]`` of a parse gives the id of each node in
preorder, "" for that VROOT. ``meta["source"]`` of an edited one is the ``<s>`` that it
was: nodes of the same id keep what else it says of them. A secondary edge to a missing
node, or to its own, is in the text of the sentence alone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import Element

from core.data.tokens import Token
from core.data.tree import MAX_DEPTH, Secondary, Tree, TreeBuilder
from core.errors import FormatError, InvalidValue
from core.formats import xml
from core.formats.records import (
    BadLine,
    Format,
    PairRecord,
    ParseRecord,
    Record,
    RecordHeader,
    SentenceRecord,
    Tail,
    bad,
)

LOSSES = (
    "Pairs, labels, links and layers are left out: see treealigner.",
    "Dependency parses, and sentences without a constituency parse, are left out.",
    "The raw text and the token columns upos and misc are left out.",
    "Further attributes are kept only in sentences that came as TigerXML.",
)
TRACE = "-NONE-"
VROOT = "VROOT"
SOURCE = "source"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<corpus id="gemel">\n<head/>\n<body>'
TAIL = "\n</body>\n</corpus>\n"


def read(lines: Iterable[str]) -> Iterator[Record | BadLine]:
    """Yield a SentenceRecord for each ``<s>``, or a BadLine for a bad graph."""
    seen: set[str] = set()
    first = True
    try:
        for item in xml.items(lines, frozenset({"s"})):
            if item.element is None:
                yield Tail(item.raw)
                continue
            cut = item.raw.find("<s") if first else 0
            if first:
                cut = item.raw.find("<body>") + len("<body>")
                yield RecordHeader(item.raw[:cut])
                first = False
            try:
                yield _sentence(item.element, item.raw[cut:], item.line, seen)
            except FormatError as error:
                yield bad(error, line=item.line, excerpt=item.raw[cut:])
    except FormatError as error:
        yield bad(error)


def write(records: Iterable[Record]) -> Iterator[str]:
    """The corpus; sentences as they were read, or made from their trees."""
    started, tail, number = False, TAIL, 0
    for record in records:
        if isinstance(record, RecordHeader):
            yield record.text or HEAD
            started = True
        elif isinstance(record, Tail):
            tail = record.text
        else:
            if not started:
                yield HEAD
                started = True
            sides = (
                (record.source, record.target)
                if isinstance(record, PairRecord)
                else (record,)
            )
            for side in sides:
                number += 1
                yield side.raw or render(side, side.id or f"s{number}")
    yield tail if started else HEAD + TAIL


def terminals(tree: Tree) -> tuple[int, ...]:
    """The leaves in sentence order; a trace comes before the next token."""
    leaves = [v for v in range(len(tree)) if tree.is_leaf(v)]
    return tuple(sorted(leaves, key=lambda v: (tree.spans[v], v)))


def _is_virtual(tree: Tree) -> bool:
    """Whether the root needs no node in the file: its children are below nothing."""
    edges = tree.edges and any(tree.edges[v] for v in tree.children[0])
    named = any(0 in one[:2] for one in tree.secondary)
    return tree.labels[0] == VROOT and not edges and not named


def node_ids(tree: Tree, sentence: str) -> list[str]:
    """Fresh ids: terminals from 1, phrases from 500, "" for a virtual root."""
    ids = [""] * len(tree)
    for n, v in enumerate(terminals(tree), 1):
        ids[v] = f"{sentence}_{n}"
    n = max(500, len(terminals(tree)) + 1)
    for v in range(len(tree)):
        if not tree.is_leaf(v) and not (v == 0 and _is_virtual(tree)):
            ids[v] = f"{sentence}_{n}"
            n += 1
    return ids


def ids_of(parse: ParseRecord, tree: Tree, sentence: str) -> list[str]:
    """The ids that the nodes came with, if there is one for each; else fresh ones."""
    ids = parse.meta.get("ids")
    if isinstance(ids, list) and len(ids) == len(tree):
        return [str(one) for one in ids]
    return node_ids(tree, sentence)


def kept_ids(tree: Tree, former: Tree, ids: Sequence[str]) -> list[str]:
    """Return the ids of the nodes of ``tree``, which was made from ``former``.

    A word keeps the id of its place, a phrase that of a phrase over the same words,
    preferably with its label; in a chain from the top down. Others get new ids, so that
    whatever names an id elsewhere means the same words. ``ids``: of ``former``.
    """
    old: dict[tuple[int, ...], list[int]] = {}
    for v in range(len(former)):
        if former.tokens[v] < 0:
            old.setdefault(former.yield_of(v), []).append(v)
    words = (v for v in range(len(former)) if former.tokens[v] >= 0)
    of_token = {former.tokens[v]: ids[v] for v in words}
    made = [of_token.get(tree.tokens[v], "") for v in range(len(tree))]
    phrases = [v for v in range(len(tree)) if tree.tokens[v] < 0]
    for same_label in (True, False):
        for v in phrases:
            there = old.get(tree.yield_of(v), [])
            fitting = [
                u for u in there if not same_label or former.labels[u] == tree.labels[v]
            ]
            if not made[v] and fitting and ids[fitting[0]]:
                made[v] = ids[fitting[0]]
                there.remove(fitting[0])
    return _with_new(made, tree, ids)


def _with_new(made: list[str], tree: Tree, ids: Sequence[str]) -> list[str]:
    stem = next((one for one in ids if one), "s_0").rpartition("_")[0]
    used, n = {*ids, *made}, 500
    for v, one in enumerate(made):
        if one or (v == 0 and _is_virtual(tree)):
            continue
        while f"{stem}_{n}" in used:
            n += 1
        made[v] = f"{stem}_{n}"
        used.add(made[v])
    return made


def render(record: SentenceRecord, name: str) -> str:
    """The ``<s>`` of this sentence; "" without a constituency parse."""
    if record.parse is None or record.parse.tree is None:
        return ""
    tree = record.parse.tree
    ids = ids_of(record.parse, tree, name)
    root = ids[0] or next((i for i in ids[1:] if i), "")
    rows = [f"\n<s{xml.attributes([('id', name)])}>"]
    rows.append(f"<graph{xml.attributes([('root', root)])}>\n<terminals>")
    given = _given(record.parse)
    for v in terminals(tree):
        values = _of_terminal(record, tree, v, ids[v], given.get(ids[v]))
        second = _secondary(tree, v, ids, given.get(ids[v]))
        row = f" <t{xml.attributes(values.items())}"
        rows += [f"{row}>", *second, " </t>"] if second else [f"{row}/>"]
    rows.append("</terminals>\n<nonterminals>")
    for v in range(len(tree)):
        if not tree.is_leaf(v) and ids[v]:
            known = given.get(ids[v])
            values = dict(known.items()) if known is not None else {}
            values |= {"id": ids[v], "cat": tree.labels[v]}
            rows.append(f"<nt{xml.attributes(values.items())}>")
            rows += [_edge(tree, child, ids[child]) for child in tree.children[v]]
            rows += [*_secondary(tree, v, ids, known), "</nt>"]
    rows.append("</nonterminals>\n</graph>\n</s>")
    return "\n".join(rows)


def _given(parse: ParseRecord) -> dict[str, Element]:
    """The elements of the ``<s>`` that an edited tree was, by id."""
    source = str(parse.meta.get(SOURCE, ""))
    try:
        found = list(xml.items([source], frozenset({"s"}))) if source else []
    except FormatError:  # a bundle from elsewhere may bring any
        return {}
    roots = [one.element for one in found if one.element is not None]
    return {el.get("id", ""): el for root in roots for el in root.iter() if el != root}


def _of_terminal(
    record: SentenceRecord, tree: Tree, v: int, name: str, known: Element | None
) -> dict[str, str]:
    """The attributes of a terminal; those that came with it stay in their order."""
    token = (
        record.tokens[tree.tokens[v]] if tree.tokens[v] >= 0 else Token(tree.forms[v])
    )
    values = dict(known.items()) if known is not None else {}
    values |= {"id": name, "word": token.form, "pos": tree.labels[v]}
    for column, value in (("lemma", token.lemma), ("morph", token.feats)):
        if value or column in values:
            values[column] = value or "--"
    return values


def _secondary(
    tree: Tree, v: int, ids: Sequence[str], known: Element | None
) -> list[str]:
    """The secondary edges of a node; those that came with it as they came."""
    came = known.findall("secedge") if known is not None else []
    given = {(one.get("idref"), _label(one)): dict(one.items()) for one in came}
    rows = []
    for node, target, label in tree.secondary:
        if node == v and ids[target]:
            plain = {"label": label or "--", "idref": ids[target]}
            values = given.get((ids[target], label), plain)
            rows.append(f" <secedge{xml.attributes(values.items())}/>")
    return rows


def secondary(element: Element, ids: Sequence[str]) -> Secondary:
    """The secondary edges of an ``<s>`` between nodes with these ids, by preorder."""
    at = {name: v for v, name in enumerate(ids) if name}
    edges = {
        (at[node.get("id", "")], at[one.get("idref", "")], _label(one))
        for node in element.iter()
        for one in node.findall("secedge")
        if node.get("id") in at and one.get("idref") in at
    }
    return tuple(sorted(one for one in edges if one[0] != one[1]))


def lifted(meta: Mapping[str, Any], raw: str) -> dict[str, Any]:
    """The notes of a parse that came as ``raw``, with the secondary edges of that text
    where they say nothing of any: earlier releases left these in the text."""
    ids = meta.get("ids")
    if "secondary" in meta or "<secedge" not in raw or not isinstance(ids, list):
        return dict(meta)
    try:
        elements = [one.element for one in xml.items([raw], frozenset({"s"}))]
    except FormatError:
        return dict(meta)
    edges = (e for one in elements if one is not None for e in secondary(one, ids))
    found = [list(edge) for edge in edges]
    return dict(meta) | ({"secondary": found} if found else {})


def _label(edge: Element) -> str:
    label = edge.get("label", "")
    return "" if label == "--" else label


def _edge(tree: Tree, v: int, name: str) -> str:
    label = tree.edges[v] if tree.edges else ""
    return f" <edge{xml.attributes([('label', label or '--'), ('idref', name)])}/>"


def _sentence(element: Element, raw: str, line: int, seen: set[str]) -> SentenceRecord:
    name = element.get("id", "")
    if not name or name in seen:
        what = (
            f"sentence id {name!r} is used twice" if name else "a sentence without id"
        )
        raise FormatError(what, line=line, column=1, remedy="give each <s> its own id")
    seen.add(name)
    graph = _Graph(element, line)
    tokens = tuple(graph.token(n) for n in range(len(graph.words)) if graph.is_word(n))
    tree, ids = graph.tree()
    if not tokens:
        raise FormatError(f"sentence {name} has no words", line=line, column=1)
    text = " ".join(token.form for token in tokens)
    tree = replace(tree, secondary=secondary(element, ids))
    parse = ParseRecord(tree=tree, meta={"ids": ids})
    return SentenceRecord(tokens, text, name, parse, raw, line)


class _Graph:
    """The graph of one sentence; raises FormatError where it is not a tree."""

    def __init__(self, element: Element, line: int) -> None:
        self.line = line
        self.words = list(element.iter("t"))
        phrases = list(element.iter("nt"))
        names = [one.get("id", "") for one in (*self.words, *phrases)]
        self._position = {one.get("id", ""): n for n, one in enumerate(self.words)}
        self._phrases = {one.get("id", ""): one for one in phrases}
        if not self.words:
            raise self._error("a sentence without words")
        if len(set(names)) != len(names) or "" in names:
            twice = next(name for name in names if names.count(name) > 1 or not name)
            raise self._error(f"node id {twice!r} is missing or used twice")
        self._mother: dict[str, tuple[str, str]] = {}
        for phrase in phrases:
            self._parents(phrase)
        self._first = self._first_words()

    def _error(self, reason: str) -> FormatError:
        return FormatError(
            reason, line=self.line, column=1, remedy="mend the graph of this sentence"
        )

    def _parents(self, phrase: Element) -> None:
        name = phrase.get("id", "")
        for edge in phrase.iter("edge"):
            child = edge.get("idref", "")
            if child not in self._position and child not in self._phrases:
                raise self._error(
                    f"an edge of {name} leads to a missing node {child!r}"
                )
            if child in self._mother:
                raise self._error(f"node {child} has two parents")
            self._mother[child] = name, _label(edge)

    def _first_words(self) -> dict[str, int]:
        """The first terminal below each node; walking up from the terminals."""
        first: dict[str, int] = {}
        for name, n in self._position.items():
            at: str | None = name
            while at is not None and at not in first:
                first[at] = n
                at = self._mother[at][0] if at in self._mother else None
        for name in self._phrases:
            if name not in first:
                raise self._error(f"phrase {name} has no words, or is on a cycle")
        return first

    def is_word(self, n: int) -> bool:
        return self.words[n].get("pos") != TRACE

    def token(self, n: int) -> Token:
        word = self.words[n]
        lemma, morph = (
            "" if word.get(name, "--") == "--" else word.get(name, "")
            for name in ("lemma", "morph")
        )
        try:
            return Token(word.get("word", ""), lemma, "", word.get("pos", ""), morph)
        except InvalidValue as error:
            raise self._error(f"terminal {word.get('id')}: {error}") from error

    def tree(self) -> tuple[Tree, list[str]]:
        """The tree, children by their first word, and the id of each node."""
        below: dict[str, list[str]] = {}
        roots: list[str] = []
        for name in sorted(self._first, key=lambda one: self._first[one]):
            parent = self._mother.get(name)
            (below.setdefault(parent[0], []) if parent else roots).append(name)
        words = [n for n in range(len(self.words)) if self.is_word(n)]
        token_of = {n: i for i, n in enumerate(words)}
        builder, ids = TreeBuilder(), []
        if len(roots) > 1:
            builder.open(VROOT)
            ids.append("")
        try:
            for root in roots:
                self._grow(builder, root, below, token_of, ids)
            if len(roots) > 1:
                builder.close()
            astray = sorted(set(self._first) - set(ids))
            if astray:
                raise InvalidValue(f"node {astray[0]} is on a cycle")
            return builder.freeze(), ids
        except InvalidValue as error:
            raise self._error(str(error)) from error

    def _grow(
        self,
        builder: TreeBuilder,
        name: str,
        below: dict[str, list[str]],
        token_of: dict[int, int],
        ids: list[str],
    ) -> None:
        ids.append(name)
        edge = self._mother[name][1] if name in self._mother else ""
        n = self._position.get(name)
        if n is None:
            if builder.depth >= MAX_DEPTH:
                raise InvalidValue(f"deeper than {MAX_DEPTH} levels")
            builder.open(self._phrases[name].get("cat", "") or "--", edge=edge)
            for child in below[name]:
                self._grow(builder, child, below, token_of, ids)
            builder.close()
        elif n in token_of:
            word = self.words[n]
            tag, form = word.get("pos", "") or "--", word.get("word", "")
            builder.leaf(tag, form, token=token_of[n], edge=edge)
        else:
            builder.trace(TRACE, self.words[n].get("word", "") or "*", edge=edge)


EXAMPLE = """<?xml version="1.0" encoding="UTF-8"?>
<corpus id="{id}">
<body>
<s id="{id}1"><graph root="{id}1_500">
<terminals>
<t id="{id}1_1" word="{first}" pos="PRP"/>
<t id="{id}1_2" word="sleeps" pos="VBZ"/>
</terminals>
<nonterminals>
<nt id="{id}1_500" cat="S"><edge label="SBJ" idref="{id}1_1"/>
<edge label="HD" idref="{id}1_2"/></nt>
</nonterminals>
</graph></s>
</body>
</corpus>
"""
FORMAT = Format(
    "tigerxml",
    "TigerXML",
    holds="sentences",
    suffixes=(".xml",),
    strictness=4,
    read=read,
    write=write,
    losses=LOSSES,
    example={"trees.xml": EXAMPLE.format(id="a", first="She")},
    needs_trees=True,
    holds_gaps=True,
)
