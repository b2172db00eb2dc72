"""Updating the search index: queued changes, in portions.

Each portion is one short transaction, in which its notes go, too: anyone who dies in it
leaves both as they were. Anyone who searches first does the last few himself, so that
an answer is about what is there now; many, ``in_chunks`` hands out to workers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from django.db import OperationalError, connection, transaction
from django.db.models import Q

from annotator.models import AlignmentLayer, Corpus, Origin, Pair, Parse, Project
from annotator.services.queries.labels import clip, ids_of
from annotator.services.queries.tables import (
    LAYER,
    PARSE,
    SENTENCE,
    TABLES,
    delete,
    insert,
    one_of,
    selected,
)
from core.data.alignment import Alignment, Ref
from core.data.deps import DepTree
from core.data.tokens import Token
from core.errors import GemelError
from core.formats import conllu
from core.protocols import Step
from core.queries.rows import Kind, NodeRow, dep_rows, tree_rows

PORTION = 200  # parses, or layers, of one transaction
MAX_ROWS = 32_000  # nodes of a tree: its numbers are small
SAMPLED = 1000  # rows of each index that statistics look at, on SQLite
LOCK = 7_306_171  # on PostgreSQL: alone, or shared by who index chunks of a job
WAIT_MS = "300"  # for a row that someone changes; shorter than deadlock_timeout
LOCKED = "55P03"  # PostgreSQL's lock_not_available


class Busy(Exception):
    """Someone is changing the rows to be indexed."""


_ORDER = {Origin.GOLD: 0, Origin.ENGINE: 1}  # of these is the tree for a sentence


def waiting(corpora: Sequence[int] | None = None) -> int:
    """The numbers of parses, layers and sentences still to be indexed."""
    if _is_nothing_noted():
        return 0
    return sum(len(noted(what, corpora)) for what in (PARSE, LAYER, SENTENCE))


def catch_up(corpora: Sequence[int] | None = None, *, limit: int = 10**9) -> int:
    """Index what is noted of these corpora, or of all; how many parses and layers.

    ``limit``: no more than about as many.
    """
    done = 0
    for n in _portions(corpora):
        done += n
        if done >= limit:
            break
    if done >= PORTION or not is_analysed():
        analyse()
    return done


def in_steps(project: Project) -> Iterator[Step]:
    """The same for a project, as steps of a job."""
    corpora = list(project.corpora.values_list("pk", flat=True))
    for n in _portions(corpora) if corpora else ():
        yield Step(done=n)
    analyse()


def analyse() -> None:
    """Tell the database how its tables are filled: without that it joins relations in
    an order that takes minutes. A sample of each index: milliseconds."""
    names = ", ".join(f"search_{name}" for name in TABLES)
    with connection.cursor() as cursor:
        if connection.vendor != "sqlite":
            cursor.execute(f"ANALYZE {names}")
            return
        cursor.execute(f"PRAGMA analysis_limit = {SAMPLED}")
        for name in TABLES:
            cursor.execute(f"ANALYZE search_{name}")


def is_analysed() -> bool:
    """Whether the database has ever been analysed."""
    if connection.vendor != "sqlite":
        (row,) = selected(
            "SELECT reltuples >= 0 FROM pg_class WHERE oid = to_regclass('search_node')"
        )
        return bool(row[0])
    if not selected("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1'"):
        return False
    sql = "SELECT 1 FROM sqlite_stat1 WHERE tbl = 'search_node' LIMIT 1"
    return bool(selected(sql))


def rebuild(corpus: Corpus | None = None) -> int:
    """Note everything, of one corpus or of all, to be indexed again; how many rows."""
    parses, layers = Parse.objects.order_by(), AlignmentLayer.objects.order_by()
    if corpus is not None:
        parses = parses.filter(sentence__corpus=corpus)
        layers = layers.filter(pair__corpus=corpus)
    with transaction.atomic(), connection.cursor() as cursor:
        if corpus is None:
            for name in TABLES:
                if name != "label":
                    cursor.execute(f"DELETE FROM search_{name}")
        n = _note(PARSE, parses.values_list("pk", flat=True))
        return n + _note(LAYER, layers.values_list("pk", flat=True))


def _is_nothing_noted() -> bool:
    return not selected("SELECT 1 FROM search_todo LIMIT 1")


def _portions(corpora: Sequence[int] | None) -> Iterator[int]:
    """Portion after portion, of the first kind of which there is some; how many each
    brought. What someone is changing is left: the next search finds their change."""
    while not _is_nothing_noted():
        for what in (PARSE, SENTENCE, LAYER):
            if keys := noted(what, corpora, limit=PORTION):
                break
        else:
            return
        try:
            n = portion(what, keys)
        except Busy:
            return
        yield n


def portion(what: int, keys: Sequence[int], *, together: bool = False) -> int:
    """Index those of the keys that are noted still, in a transaction; how many.

    ``together``: next to others who do, of other keys; else no one else indexes
    meanwhile. Raises Busy while someone is changing one of them.
    """
    trees = _read(keys) if what == PARSE else _TreesRead({}, {})
    try:
        with transaction.atomic():
            _wait_briefly(together)
            # Notes go first, then what they are of is read: a change that is being
            # made is waited for, and one that comes later makes a note of its own.
            taken = _taken(what, keys)
            if not taken:
                return 0
            if what == PARSE:
                _parses(taken, trees)
            elif what == SENTENCE:
                _sentences(taken)
            else:
                _layers(taken)
            return len(taken)
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", "") != LOCKED:
            raise
        raise Busy from error


def _wait_briefly(together: bool) -> None:  # noqa: FBT001
    """Anyone who edits must never be the one who gives way to us."""
    if connection.vendor == "postgresql":
        shared = "_shared" if together else ""
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT pg_advisory_xact_lock{shared}(%s)", [LOCK])
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [WAIT_MS])


_OF_CORPUS = {
    PARSE: "JOIN annotator_parse p ON p.id = t.id"
    " JOIN annotator_sentence s ON s.id = p.sentence_id",
    LAYER: "JOIN annotator_alignmentlayer l ON l.id = t.id"
    " JOIN annotator_pair s ON s.id = l.pair_id",
    SENTENCE: "JOIN annotator_sentence s ON s.id = t.id",
}


def noted(
    what: int,
    corpora: Sequence[int] | None = None,
    *,
    ids: tuple[int, int] = (0, 2**62),
    limit: int = 10**9,
) -> list[int]:
    """Rows to be indexed of a kind, in order. ``corpora``: of these alone; ``ids``: the
    first and the last."""
    sql, params = "SELECT t.id FROM search_todo t", [what, *ids]
    condition = "t.what = %s AND t.id BETWEEN %s AND %s"
    if corpora is not None:
        of_corpus, keys = one_of("s.corpus_id", corpora)
        sql += f" {_OF_CORPUS[what]}"
        condition += f" AND {of_corpus}"
        params += keys
    sql = f"{sql} WHERE {condition} ORDER BY t.id LIMIT %s"
    return [key for (key,) in selected(sql, [*params, limit])]


def _note(what: int, keys: Iterable[int]) -> int:
    rows = [(what, key) for key in sorted(keys)]  # in one order: who waits, waits once
    sql = "INSERT INTO search_todo (what, id) VALUES (%s, %s) ON CONFLICT DO NOTHING"
    with connection.cursor() as cursor:
        cursor.executemany(sql, rows)
    return len(rows)


def _taken(what: int, keys: Sequence[int]) -> list[int]:
    """Take the notes of these away; of which there was one."""
    of_these, params = one_of("id", keys)
    sql = f"DELETE FROM search_todo WHERE what = %s AND {of_these} RETURNING id"
    return sorted(key for (key,) in selected(sql, [what, *params]))


@dataclass(frozen=True, slots=True)
class _TreeRows:
    """``tokens``: of a dependency tree, for each row the columns of its token."""

    rows: list[NodeRow]
    tokens: Sequence[tuple[str, ...]]

    def texts(self) -> Iterator[str]:
        yield from (row.label for row in self.rows)
        yield from (text for columns in self.tokens for text in columns)


@dataclass(frozen=True, slots=True)
class _TreesRead:
    """Trees by parse and text, and the numbers of their labels."""

    made: dict[tuple[int, str], _TreeRows]
    ids: dict[str, int]

    def of(self, parse: Parse) -> _TreeRows:
        """Those of a tree that has changed since are made now."""
        key = parse.pk, parse.text
        if key not in self.made:
            self.made[key] = one = _rows_of(parse)
            self.ids.update(ids_of(one.texts()))
        return self.made[key]


def _read(keys: Sequence[int]) -> _TreesRead:
    """What takes time, and new labels, which others may be about to number, too:
    before the transaction that these would wait for."""
    parses = Parse.objects.filter(pk__in=keys)
    made = {(parse.pk, parse.text): _rows_of(parse) for parse in parses}
    return _TreesRead(
        made, ids_of(text for one in made.values() for text in one.texts())
    )


def _parses(keys: list[int], trees: _TreesRead) -> None:
    """Trees as rows; their sentences are queued, since another tree may now be chosen
    for them."""
    parses = list(Parse.objects.filter(pk__in=keys).select_related("sentence"))
    if former := _indexed(keys):  # a look at each new one would read whole tables
        for name, column in (("node", "tree"), ("token", "tree"), ("tree", "parse")):
            delete(name, column, former)
    made = [(parse.pk, trees.of(parse)) for parse in parses]
    insert("node", [row for pk, one in made for row in _node_rows(pk, one, trees.ids)])
    insert(
        "token", [row for pk, one in made for row in _token_rows(pk, one, trees.ids)]
    )
    insert(
        "tree",
        [(p.pk, p.sentence.corpus_id, p.sentence_id, _is_deps(p), 0) for p in parses],
    )
    _note(SENTENCE, {parse.sentence_id for parse in parses})


def _indexed(keys: list[int]) -> list[int]:
    of_these, params = one_of("parse", keys)
    rows = selected(f"SELECT parse FROM search_tree WHERE {of_these}", params)
    return [key for (key,) in rows]


def _is_deps(parse: Parse) -> int:
    return int(parse.kind == Parse.Kind.DEPENDENCY)


def _rows_of(parse: Parse) -> _TreeRows:
    """The rows of a tree, none if it cannot be read; of arcs, the tokens with them."""
    words: Sequence[Token] = ()
    try:
        if not _is_deps(parse):
            rows = tree_rows(parse.to_tree())
        else:
            tree: DepTree = parse.to_deps()
            rows, words = dep_rows(tree), conllu.tokens_of(parse.text)
    except GemelError:
        return _TreeRows([], [])
    if len(rows) > MAX_ROWS:
        return _TreeRows([], [])
    tokens = [words[row.node] for row in rows] if words else []
    columns = [(one.form, one.lemma, one.upos, one.xpos, one.feats) for one in tokens]
    return _TreeRows(rows, columns)


def _node_rows(
    tree: int, one: _TreeRows, ids: Mapping[str, int]
) -> Iterator[tuple[int, ...]]:
    for r in one.rows:
        yield (
            tree, r.pre, r.last, r.parent, r.depth, r.ord, r.rord, r.kids, r.uend,
            r.lo, r.hi, int(r.kind), r.node, ids[clip(r.label)], r.head,
        )  # fmt: skip


def _token_rows(
    tree: int, one: _TreeRows, ids: Mapping[str, int]
) -> Iterator[tuple[int, ...]]:
    for row, columns in zip(one.rows, one.tokens, strict=False):
        yield tree, row.pre, *(ids[clip(text)] for text in columns)


def _sentences(keys: list[int]) -> None:
    """Choose the tree of each sentence; their layers may use others."""
    rows: Any = Parse.objects.filter(sentence__in=keys, origin__in=list(_ORDER))
    rows = rows.values_list("sentence_id", "kind", "origin", "rank", "pk")
    best: dict[tuple[int, str], int] = {}
    for sentence, kind, _, _, pk in sorted(
        rows, key=lambda row: (_ORDER[row[2]], row[3], row[4])
    ):
        best.setdefault((sentence, kind), pk)
    former, of_sentences = one_of("sentence", keys)
    chosen, parses = one_of("parse", [*best.values()])
    update = "UPDATE search_tree SET chosen ="
    with connection.cursor() as cursor:
        cursor.execute(f"{update} 0 WHERE chosen = 1 AND {former}", of_sentences)
        cursor.execute(f"{update} 1 WHERE {chosen}", parses)
    pairs = Pair.objects.filter(Q(source__in=keys) | Q(target__in=keys)).order_by()
    layers = AlignmentLayer.objects.filter(pair__in=pairs).order_by()
    _note(LAYER, layers.values_list("pk", flat=True))


Nodes = Mapping[Ref, tuple[int, int]]
"""Of a tree: by ref, its preorder number and its label's number."""


class LinkState(IntEnum):
    SURE = 1
    POSSIBLE = 2
    NULL = 3
    PARKED = 4


@dataclass(frozen=True, slots=True)
class _LayerOnTrees:
    """A layer on one kind of tree; a side without such a tree has 0 and no nodes."""

    layer: AlignmentLayer
    kind: int
    trees: tuple[int, int]
    nodes: tuple[Nodes, Nodes]


def _layers(keys: Sequence[int]) -> None:
    """The rows of these layers again. Within a transaction."""
    for name in ("layer", "link"):
        delete(name, "layer", keys)
    rows = AlignmentLayer.objects.filter(pk__in=keys).select_related(
        "pair", "source_parse", "target_parse"
    )
    layers = list(rows.defer("meta", "source_parse__text", "target_parse__text"))
    chosen = _chosen({s for one in layers for s in _sides(one)})
    wanted = {
        (one.pk, kind): _trees(one, kind, chosen) for one in layers for kind in (0, 1)
    }
    nodes = _nodes({tree for trees in wanted.values() for tree in trees if tree})
    seen = [
        _LayerOnTrees(
            one, kind, trees, (nodes.get(trees[0], {}), nodes.get(trees[1], {}))
        )
        for one in layers
        for kind in (0, 1)
        if any(trees := wanted[one.pk, kind])
    ]
    insert("layer", [row for one in seen for row in _views(one)])
    insert("link", sorted({row for one in seen for row in _links(one)}))


def _sides(layer: AlignmentLayer) -> tuple[int, int]:
    return layer.pair.source_id, layer.pair.target_id


def _chosen(sentences: set[int]) -> dict[tuple[int, int], int]:
    """By sentence and kind, the chosen tree."""
    of_these, params = one_of("sentence", [*sentences])
    sql = "SELECT sentence, kind, parse FROM search_tree WHERE chosen = 1 AND"
    rows = selected(f"{sql} {of_these}", params)
    return {(sentence, kind): parse for sentence, kind, parse in rows}


def _trees(
    layer: AlignmentLayer, kind: int, chosen: Mapping[tuple[int, int], int]
) -> tuple[int, int]:
    """The trees of this kind on which the layer is shown, 0 for none."""
    wanted = Parse.Kind.DEPENDENCY if kind else Parse.Kind.CONSTITUENCY
    source, target = (
        parse.pk
        if parse is not None and parse.kind == wanted
        else chosen.get((sentence, kind), 0)
        for parse, sentence in zip(
            (layer.source_parse, layer.target_parse), _sides(layer), strict=True
        )
    )
    return source, target


def _nodes(trees: set[int]) -> dict[int, dict[Ref, tuple[int, int]]]:
    """The nodes of these trees that links can name: not the words below tags."""
    nodes: dict[int, dict[Ref, tuple[int, int]]] = {}
    of_these, params = one_of("tree", [*trees])
    sql = "SELECT tree, pre, node, kind, label FROM search_node WHERE"
    above = (0, 0)
    for tree, pre, node, kind, label in selected(
        f"{sql} {of_these} ORDER BY tree, pre", params
    ):
        here = nodes.setdefault(tree, {})
        if kind == Kind.WORD:  # its tag is what a link on it means
            here[f"w{node}"] = above
            continue
        above = pre, label
        here[f"w{node}" if kind == Kind.TOKEN else f"n{node}"] = above
    return nodes


def _views(seen: _LayerOnTrees) -> Iterator[tuple[int | None, ...]]:
    layer, pair = seen.layer, seen.layer.pair
    for side in (0, 1):
        if seen.trees[side]:
            trees = seen.trees[side], seen.trees[1 - side] or None
            yield layer.pk, seen.kind, side, pair.corpus_id, pair.pk, *trees


def _links(seen: _LayerOnTrees) -> Iterator[tuple[int, ...]]:
    """Rows of links and of what is decided instead, from either side."""
    try:
        decided = seen.layer.to_core()
    except GemelError:
        decided = Alignment()
    for link in decided.links:
        ends = link.source, link.target
        state = LinkState.SURE if link.kind == "sure" else LinkState.POSSIBLE
        for side in (0, 1):
            here = seen.nodes[side].get(ends[side])
            there = seen.nodes[1 - side].get(ends[1 - side])
            if here:  # a partner missing in this kind of tree still counts
                end = there or (-1, 0)
                row = here[0], int(state), end[0], here[1], end[1]
                yield seen.layer.pk, seen.kind, side, *row
    nulls = decided.null_source, decided.null_target
    parked = [
        {row.get(name) for row in seen.layer.parked if isinstance(row.get(name), str)}
        for name in ("s", "t")
    ]
    for state, refs in ((LinkState.NULL, nulls), (LinkState.PARKED, parked)):
        for side in (0, 1):
            for ref in refs[side]:
                if here := seen.nodes[side].get(str(ref)):
                    row = here[0], int(state), -1, here[1], 0
                    yield seen.layer.pk, seen.kind, side, *row
