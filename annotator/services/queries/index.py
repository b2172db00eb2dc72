"""Bringing the search index up to date: what is noted to be done, in portions.

Each portion is one short transaction, in which its notes go, too. Whoever searches
first does the last few himself, so that an answer is about what is there now.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any

from django.db import OperationalError, connection, transaction
from django.db.models import Q

from annotator.models import AlignmentLayer, Corpus, Job, Origin, Pair, Parse, Project
from annotator.services.queries import links
from annotator.services.queries.labels import ids_of
from annotator.services.queries.rows import delete, insert
from annotator.services.queries.tables import LAYER, PARSE, SENTENCE, TABLES
from core.data.deps import DepTree
from core.data.tokens import Token
from core.errors import GemelError
from core.formats import conllu
from core.protocols import Step
from core.queries.rows import NodeRow, dep_rows, tree_rows

__all__ = ["PORTION", "catch_up", "in_steps", "rebuild", "run", "waiting"]

PORTION = 200  # parses, or layers, of one transaction
MAX_ROWS = 32_000  # nodes of a tree: its numbers are small
LOCK = 7_306_171  # who indexes on PostgreSQL waits for whoever does
WAIT_MS = "300"  # for a row that somebody changes; shorter than deadlock_timeout
LOCKED = "55P03"  # PostgreSQL's lock_not_available
_ORDER = {Origin.GOLD: 0, Origin.ENGINE: 1}  # of these is the tree for a sentence


def waiting(corpora: Sequence[int] | None = None) -> int:
    """How many parses, layers and sentences are still to be indexed."""
    if _is_nothing_noted():
        return 0
    return sum(len(_noted(what, corpora, 10**9)) for what in (PARSE, LAYER, SENTENCE))


def catch_up(corpora: Sequence[int] | None = None, *, limit: int = 10**9) -> int:
    """Index what is noted of these corpora, or of all; how many parses and layers.

    ``limit``: no more than about as many.
    """
    done = 0
    while done < limit and not _is_nothing_noted():
        n = _portion(corpora)
        done += n
        if not n:
            break
    return done


def in_steps(project: Project) -> Iterator[Step]:
    """The same for a project, as steps of a job that do not count."""
    while not _is_nothing_noted():
        corpora = list(project.corpora.values_list("pk", flat=True))
        if not corpora or not _portion(corpora):
            return
        yield Step()


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Index what is noted of a project, counted."""
    corpora = list(job.project.corpora.values_list("pk", flat=True))
    left, done = waiting(corpora), 0
    yield Step(total=left)
    while corpora and (n := _portion(corpora)):
        done += n
        yield Step(done=n)
    return {"indexed": done}


def rebuild(corpus: Corpus | None = None) -> int:
    """Note everything, of one corpus or of all, to be indexed anew; how many rows."""
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
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM search_todo LIMIT 1")
        return cursor.fetchone() is None


def _portion(corpora: Sequence[int] | None) -> int:
    """One portion of the first kind of which there is some; 0: nothing is left, or
    somebody is changing it: their change is found by the next search."""
    try:
        with transaction.atomic():
            _wait_briefly()
            return _taken(corpora)
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", "") != LOCKED:
            raise
        return 0


def _wait_briefly() -> None:
    """Whoever edits must never be the one who gives way to us."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [WAIT_MS])


def _taken(corpora: Sequence[int] | None) -> int:
    """Notes go first, then what they are of is read: a change that is being made is
    waited for, and one that comes later makes a note of its own."""
    for what, work in ((PARSE, _parses), (SENTENCE, _sentences), (LAYER, links.index)):
        if keys := _noted(what, corpora, PORTION):
            _forget(what, keys)
            work(keys)
            return len(keys)
    return 0


_OF_CORPUS = {
    PARSE: "JOIN annotator_parse p ON p.id = t.id"
    " JOIN annotator_sentence s ON s.id = p.sentence_id",
    LAYER: "JOIN annotator_alignmentlayer l ON l.id = t.id"
    " JOIN annotator_pair s ON s.id = l.pair_id",
    SENTENCE: "JOIN annotator_sentence s ON s.id = t.id",
}


def _noted(what: int, corpora: Sequence[int] | None, limit: int) -> list[int]:
    sql, params = "SELECT t.id FROM search_todo t", [what]
    condition = "t.what = %s"
    if corpora is not None:
        sql += f" {_OF_CORPUS[what]}"
        condition += f" AND s.corpus_id IN ({', '.join(['%s'] * len(corpora))})"
        params += corpora
    with connection.cursor() as cursor:
        order = "ORDER BY t.id LIMIT %s"
        cursor.execute(f"{sql} WHERE {condition} {order}", [*params, limit])
        return [row[0] for row in cursor.fetchall()]


def _note(what: int, keys: Iterable[int]) -> int:
    rows = [(what, key) for key in keys]
    sql = "INSERT INTO search_todo (what, id) VALUES (%s, %s) ON CONFLICT DO NOTHING"
    with connection.cursor() as cursor:
        cursor.executemany(sql, rows)
    return len(rows)


def _forget(what: int, keys: Sequence[int]) -> None:
    marks = ", ".join(["%s"] * len(keys))
    with connection.cursor() as cursor:
        cursor.execute(
            f"DELETE FROM search_todo WHERE what = %s AND id IN ({marks})",
            [what, *keys],
        )


def _parses(keys: list[int]) -> None:
    """Trees as rows; their sentences are noted, since another tree may stand for them
    now."""
    parses = list(Parse.objects.filter(pk__in=keys).select_related("sentence"))
    if former := _indexed(keys):  # a look at each new one would read whole tables
        for name, column in (("node", "tree"), ("token", "tree"), ("tree", "parse")):
            delete(name, column, former)
    nodes: list[tuple[int, NodeRow]] = []
    tokens: list[tuple[int, int, Token]] = []
    for parse in parses:
        rows, words = _rows_of(parse)
        nodes += [(parse.pk, row) for row in rows]
        tokens += [(parse.pk, row.pre, words[row.node]) for row in rows if words]
    _insert_nodes(nodes)
    _insert_tokens(tokens)
    trees = [
        (p.pk, p.sentence.corpus_id, p.sentence_id, _is_deps(p), 0) for p in parses
    ]
    insert("tree", trees)
    _note(SENTENCE, {parse.sentence_id for parse in parses})


def _indexed(keys: list[int]) -> list[int]:
    marks = ", ".join(["%s"] * len(keys))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT parse FROM search_tree WHERE parse IN ({marks})", keys)
        return [row[0] for row in cursor.fetchall()]


def _is_deps(parse: Parse) -> int:
    return int(parse.kind == Parse.Kind.DEPENDENCY)


def _rows_of(parse: Parse) -> tuple[list[NodeRow], Sequence[Token]]:
    """The rows of a tree, none if it cannot be read; of arcs, the tokens with them."""
    tokens: Sequence[Token] = ()
    try:
        if not _is_deps(parse):
            rows = tree_rows(parse.to_tree())
        else:
            tree: DepTree = parse.to_deps()
            rows, tokens = dep_rows(tree), conllu.tokens_of(parse.text)
    except GemelError:
        return [], ()
    return (rows, tokens) if len(rows) <= MAX_ROWS else ([], ())


def _insert_nodes(nodes: list[tuple[int, NodeRow]]) -> None:
    ids = ids_of(row.label for _, row in nodes)
    insert(
        "node",
        [
            (
                tree, r.pre, r.last, r.parent, r.depth, r.ord, r.rord, r.kids, r.uend,
                r.lo, r.hi, int(r.kind), r.node, ids[r.label[:250].replace("\0", "")],
            )
            for tree, r in nodes
        ],
    )  # fmt: skip


def _insert_tokens(tokens: list[tuple[int, int, Token]]) -> None:
    columns = [
        (tree, pre, (one.form, one.lemma, one.upos, one.xpos, one.feats))
        for tree, pre, one in tokens
    ]
    ids = ids_of(text for _, _, texts in columns for text in texts)
    rows = [
        (tree, pre, *(ids[text[:250].replace("\0", "")] for text in texts))
        for tree, pre, texts in columns
    ]
    insert("token", rows)


def _sentences(keys: list[int]) -> None:
    """Choose the tree that stands for each sentence; their layers may mean others."""
    rows: Any = Parse.objects.filter(sentence__in=keys, origin__in=list(_ORDER))
    rows = rows.values_list("sentence_id", "kind", "origin", "rank", "pk")
    best: dict[tuple[int, str], int] = {}
    for sentence, kind, _, _, pk in sorted(
        rows, key=lambda row: (_ORDER[row[2]], row[3], row[4])
    ):
        best.setdefault((sentence, kind), pk)
    marks = ", ".join(["%s"] * len(keys))
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE search_tree SET chosen = 0 WHERE chosen = 1 AND"
            f" sentence IN ({marks})",
            keys,
        )
        if best:
            marks = ", ".join(["%s"] * len(best))
            cursor.execute(
                f"UPDATE search_tree SET chosen = 1 WHERE parse IN ({marks})",
                [*best.values()],
            )
    pairs = Pair.objects.filter(Q(source__in=keys) | Q(target__in=keys)).order_by()
    layers = AlignmentLayer.objects.filter(pair__in=pairs).order_by()
    _note(LAYER, layers.values_list("pk", flat=True))
