"""Running a query: a page of matches, and how many there are.

Trees are searched in windows that grow, so that what is frequent is found at once and
nothing is sorted but the matches of a window.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.models import Corpus, Membership, Origin
from annotator.models.projects import SEE_OTHERS, Anybody, id_of
from annotator.services.queries import index
from annotator.services.queries.compiling import Body, Bound, Viewer, compiled
from annotator.services.queries.labels import UnknownLabel, unknown_in
from annotator.services.queries.tables import QueryTooSlow, one_of, selected, within
from core.errors import FormatError
from core.queries import labels, parser
from core.queries.syntax import Query, WhereCondition

_TREE_OF_SOMEBODY_ELSE = (  # a visible layer may refer to an invisible one
    "SELECT 1 FROM annotator_parse q WHERE q.id IN (v.tree, v.other)"
    " AND q.origin = 'annotator' AND (q.author_id IS NULL OR q.author_id <> %s)"
)
_OPS = {"=": "=", "!=": "<>", "<": "<", ">": ">", "<=": "<=", ">=": ">="}


@dataclass(frozen=True, slots=True)
class SearchScope:
    """``corpora``: to search, in this order. ``user``: 0 is anyone who runs a command,
    who sees everything."""

    corpora: tuple[Corpus, ...]
    user: int
    sees_others: bool

    def narrow(self, body: Body, query: Query) -> None:
        """Add who may see what, and the conditions of ``where``."""
        conditions = {one.key: one for one in query.where}
        trees = conditions["trees"].value if "trees" in conditions else ""
        if "parser" in conditions:
            trees = "parser"
            body.add("p.engine = %s", [conditions["parser"].value])
        if query.has_links:
            self._layers(body, conditions.get("layer"))
            if trees:
                self._trees(body, "v.tree", trees)
        else:
            self._trees(body, "v.parse", trees or "best")
        sentence = "v.sentence"
        if query.has_links:
            body.tables.append("search_tree vt")
            body.add("vt.parse = v.tree")
            sentence = "vt.sentence"
        of_sentence = [one for one in query.where if one.key in ("id", "length")]
        if of_sentence:
            body.tables.append("annotator_sentence s")
            body.add(f"s.id = {sentence}")
        for one in of_sentence:
            self._sentence(body, one)

    def _layers(self, body: Body, condition: WhereCondition | None) -> None:
        body.tables.append("annotator_alignmentlayer l")
        body.add("l.id = v.layer")
        if not self.sees_others:
            body.add("(l.origin <> 'annotator' OR l.author_id = %s)", [self.user])
            body.add(f"NOT EXISTS ({_TREE_OF_SOMEBODY_ELSE})", [self.user])
        if condition is None:
            return
        name = condition.value
        if name in ("gold", "engine"):
            body.add("l.origin = %s", [name])
        elif name == "mine":
            body.add("l.author_id = %s", [self.user])
        else:
            who = "SELECT id FROM auth_user WHERE username = %s"
            body.add(f"(l.engine = %s OR l.author_id IN ({who}))", [name, name])

    def _trees(self, body: Body, column: str, which: str) -> None:
        if which == "best":
            if column == "v.parse":
                body.add("v.chosen = 1")
                return
            chosen = (
                "SELECT 1 FROM search_tree c WHERE c.parse = v.tree AND c.chosen = 1"
            )
            body.add(f"EXISTS ({chosen})")
            return
        body.tables.append("annotator_parse p")
        body.add(f"p.id = {column}")
        if which == "gold":
            body.add("p.origin = %s", [Origin.GOLD])
        elif which == "parser":
            body.add("p.origin = %s AND p.rank = 1", [Origin.ENGINE])
        elif which == "mine":
            body.add("p.author_id = %s", [self.user])
        if not self.sees_others:
            body.add("(p.origin <> 'annotator' OR p.author_id = %s)", [self.user])

    def _sentence(self, body: Body, one: WhereCondition) -> None:
        if one.key == "length":
            body.add(f"s.n_tokens {_OPS[one.op]} %s", [int(one.value)])
            return
        if not one.is_regex:
            body.add(f"s.ref {_OPS[one.op]} %s", [one.value])
            return
        sql, params = one_of("s.id", self._named(one.value))
        body.add(sql if one.op == "=" else f"NOT ({sql})", params)

    def _named(self, regex: str) -> list[int]:
        return [
            pk
            for corpus in self.corpora
            for pk, ref in corpus.sentences.values_list("pk", "ref")
            if labels.matches(regex, ref)
        ]


def scope_of(
    corpora: Sequence[Corpus], query: Query, user: Anybody | None
) -> SearchScope:
    """The scope of a query of this person over corpora of one project, which the person
    may see; None for the command line. Raises BadRequest if the query names a corpus
    that is not among them."""
    chosen = list(corpora)
    for one in query.where:
        if one.key != "corpus":
            continue
        named = [c for c in corpora if one.value in (c.code, c.name)]
        if not named:
            raise BadRequest(
                _("There is no corpus %(name)s to search here.")
                % {"name": repr(one.value)},
                field="q",
                column=one.column,
            )
        chosen = [c for c in chosen if (c in named) == (one.op == "=")]
    if user is None:
        return SearchScope(tuple(chosen), 0, sees_others=True)
    projects = {corpus.project_id for corpus in corpora}
    member = Membership.objects.filter(user_id=id_of(user), project__in=projects)
    others = set(member.filter(role__in=SEE_OTHERS).values_list("project", flat=True))
    return SearchScope(tuple(chosen), id_of(user), sees_others=projects <= others)


WINDOW, MAX_WINDOW = 250, 8000  # trees, or layers, that are searched at a time
AT_ONCE = 400  # parses and layers that a search indexes first: under a second


@dataclass(frozen=True, slots=True)
class Hit:
    """A node of a match: ``node`` and ``kind`` as in ``core.queries.rows``."""

    name: str
    tree: int
    node: int
    kind: int
    label: str
    is_near: bool


@dataclass(frozen=True, slots=True)
class Match:
    """One way to find what the query says; the root is the first hit. Without links
    ``pair`` and ``layer`` are 0. ``side``: 0 if the root is in the source."""

    corpus: Corpus
    sentence: int
    pair: int
    layer: int
    side: int
    hits: tuple[Hit, ...]
    key: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MatchPage:
    """A page of matches; ``after``: where the next one begins, "" at the end;
    ``waiting``: parses and layers that are not indexed yet."""

    matches: list[Match]
    after: str
    waiting: int


@dataclass(frozen=True, slots=True)
class MatchColumns:
    """Columns of a match as SQL, the first node apart, which is ``n0``: its sentence,
    and the tree or layer that it was found in. ``is_token``: n0 is a word of a
    dependency tree."""

    is_token: bool
    sentence: str
    found_in: str


@dataclass
class MatchCounts:
    """``is_whole``: False if the time was over; then these are the least there are."""

    matches: int = 0
    sentences: int = 0
    pairs: int = 0
    by_label: Counter[str] = field(default_factory=Counter)
    by_corpus: Counter[str] = field(default_factory=Counter)
    is_whole: bool = True
    found_in: set[int] = field(default_factory=set)  # sentences

    def cover(self, found: Sequence[Match]) -> None:
        """Count at least what was found: the time may be over before it is counted."""
        sentences = {match.sentence for match in found}
        pairs = {match.pair for match in found} - {0}
        self.matches = max(self.matches, len(found))
        self.sentences = max(self.sentences, len(sentences))
        self.pairs = max(self.pairs, len(pairs))


def read(text: str) -> Query:
    """The query that someone writes. Raises BadRequest with column and remedy."""
    try:
        return parser.parse(text)
    except FormatError as error:
        raise BadRequest(
            _("Column %(column)s: %(reason)s. Remedy: %(remedy)s.")
            % {
                "column": error.column,
                "reason": error.reason,
                "remedy": error.remedy,
            },
            field="q",
            column=error.column,
            reason=error.reason,
            remedy=error.remedy,
        ) from error


def search(
    text: str,
    corpora: Sequence[Corpus],
    user: Anybody | None,
    *,
    trees: WhereCondition | None = None,
) -> "Search":
    """The query over these corpora, of one project, as this person may see them; None:
    anyone who runs the command line. What few trees are new are indexed first.
    ``trees``: a condition in the place of what the query says of trees.

    Raises BadRequest on a query that cannot be read.
    """
    query = read(text)
    if trees is not None:
        rest = [one for one in query.where if one.key not in ("trees", "parser")]
        query = replace(query, where=(*rest, trees))
    scope = scope_of(corpora, query, user)
    keys = [corpus.pk for corpus in scope.corpora]
    if keys:
        index.catch_up(keys, limit=AT_ONCE)
    return Search(query, scope, index.waiting(keys) if keys else 0)


class Search:
    """A query, compiled for each kind of tree that it may be about."""

    def __init__(self, query: Query, scope: SearchScope, waiting: int) -> None:
        self.query, self.scope, self.waiting = query, scope, waiting
        self.seconds: float = settings.QUERY_SECONDS

    def page(self, after: str = "", size: int = 50) -> MatchPage:
        """The matches that follow ``after``, in the order of trees and their nodes.

        Raises BadRequest if ``after`` is none of ours, QueryTooSlow.
        """
        start, key = self._start(after)
        matches: list[Match] = []
        with within(self.seconds):
            for at in range(start, len(self.scope.corpora)):
                walk = self._walk(at, key if at == start else (), size + 1)
                for match in walk:
                    matches.append(match)
                    if len(matches) > size:
                        last = matches[size - 1]
                        code = "-".join(map(str, last.key))
                        after = f"{last.corpus.code}-{code}"
                        return MatchPage(matches[:size], after, self.waiting)
        return MatchPage(matches, "", self.waiting)

    def pages(self, size: int) -> Iterator[MatchPage]:
        """All pages, in their order; raises QueryTooSlow."""
        page = self.page(size=size)
        yield page
        while page.after:
            page = self.page(page.after, size=size)
            yield page

    def counts(self, seconds: float | None = None) -> MatchCounts:
        """The number of matches, within the time limit."""
        made = MatchCounts()
        limit = seconds or self.seconds
        ends = time.monotonic() + limit
        sentences: set[int] = set()
        pairs: set[int] = set()
        for corpus in self.scope.corpora:
            body = self._body(corpus)
            if body.is_void:
                continue
            for low, high in self._windows(corpus, 0, size=4000):
                if time.monotonic() > ends:
                    made.is_whole = False
                    break
                rows = self._grouped(body, (low, high), limit)
                if rows is None:
                    made.is_whole = False
                    break
                for sentence, pair, label, n in rows:
                    made.matches += n
                    made.by_label[label] += n
                    made.by_corpus[corpus.name] += n
                    sentences.add(sentence)
                    pairs |= {pair} - {0}
        made.sentences, made.pairs = len(sentences), len(pairs)
        made.found_in = sentences
        if not self.query.has_links:
            self._count_pairs(made, sentences, max(ends - time.monotonic(), 0.1))
        return made

    def tallies(
        self, corpus: Corpus, key: Callable[[MatchColumns], str], ends: float
    ) -> Iterator[list[tuple[Any, int]]]:
        """Yield keys of matches in this corpus and their numbers, window by window.

        ``ends``: when the time is over, as ``time.monotonic`` says; then raises
        QueryTooSlow.
        """
        body, found_in = self._body(corpus), self._keys([])[0]
        if body.is_void:
            return
        columns = MatchColumns(
            bool(self._kind(corpus)), self._head()[0], found_in=found_in
        )
        sql = (
            f"SELECT m.k, COUNT(*) FROM (SELECT {key(columns)} AS k {body.sql}"
            f" AND {found_in} > %s AND {found_in} <= %s) m GROUP BY m.k"
        )
        for window in self._windows(corpus, 0, size=4000):
            with within(max(ends - time.monotonic(), 0.001)):
                rows = selected(sql, [*body.params, *window])
            yield rows
            if time.monotonic() > ends:
                raise QueryTooSlow("")

    def unknown(self, *, is_found: bool) -> list[UnknownLabel]:
        """Return the labels of the query that no tree has, with similar ones.

        ``is_found``: there are matches, so labels missing in single corpora are not
        reported.
        """
        corpora = [corpus.pk for corpus in self.scope.corpora]
        return unknown_in(self.query, corpora, is_found=is_found)

    def _count_pairs(
        self, made: MatchCounts, sentences: set[int], seconds: float
    ) -> None:
        """How many pairs have one of these sentences, as far as the time goes."""
        for corpus in self.scope.corpora:
            of_source, keys = one_of("source_id", sorted(sentences))
            of_target, _params = one_of("target_id", sorted(sentences))
            sql = (
                "SELECT COUNT(*) FROM annotator_pair WHERE corpus_id = %s"
                f" AND ({of_source} OR {of_target})"
            )
            try:
                with within(seconds):
                    made.pairs += selected(sql, [corpus.pk, *keys, *keys])[0][0]
            except QueryTooSlow:
                made.is_whole = False
                return

    def _start(self, after: str) -> tuple[int, tuple[int, ...]]:
        if not after:
            return 0, ()
        code, *parts = after.split("-")
        codes = [corpus.code for corpus in self.scope.corpora]
        digits = all(one.isascii() and one.isdigit() and len(one) < 19 for one in parts)
        if code not in codes or not parts or not digits or len(parts) > 20:
            raise BadRequest(_("Page not found."), field="after")
        return codes.index(code), tuple(map(int, parts))

    def _body(self, corpus: Corpus) -> Body:
        viewer = Viewer(self.scope.user, self.scope.sees_others)
        body = compiled(self.query, kind=self._kind(corpus), viewer=viewer)
        self.scope.narrow(body, self.query)
        body.add("v.corpus = %s", [corpus.pk])
        return body

    def _kind(self, corpus: Corpus) -> int:
        """Which trees a query without labels is about: constituents, if there are."""
        if self.query.kind:
            return int(self.query.kind == "dependency")
        sql = "SELECT 1 FROM search_tree WHERE corpus = %s AND kind = 0 LIMIT 1"
        return int(not selected(sql, [corpus.pk]))

    def _windows(
        self, corpus: Corpus, last: int, size: int = WINDOW
    ) -> Iterator[tuple[int, int]]:
        """Half-open ranges of trees or layers after ``last``, each larger."""
        column = "layer" if self.query.has_links else "parse"
        table = "layer" if self.query.has_links else "tree"
        sql = (
            f"SELECT {column} FROM search_{table} WHERE corpus = %s AND kind = %s"
            f" AND {column} > %s ORDER BY {column} LIMIT 1 OFFSET %s"
        )
        kind = self._kind(corpus)
        while True:
            end = selected(sql, [corpus.pk, kind, last, size])
            if not end:
                yield last, 2**62
                return
            yield last, end[0][0]
            last, size = end[0][0], min(2 * size, MAX_WINDOW)

    def _walk(self, at: int, after: tuple[int, ...], size: int) -> Iterator[Match]:
        corpus = self.scope.corpora[at]
        body = self._body(corpus)
        keys = self._keys(body.bound)
        if after and len(after) != len(keys):
            raise BadRequest(_("Page not found."), field="after")
        if body.is_void:
            return
        n_matches = 0
        for low, high in self._windows(corpus, after[0] - 1 if after else 0):
            for match in self._matches(corpus, body, keys, (low, high, after), size):
                yield match
                n_matches += 1
                if n_matches >= size:
                    return

    def _keys(self, bound: Sequence[Bound]) -> list[str]:
        head = ["v.layer", "v.side"] if self.query.has_links else ["v.parse"]
        return head + [f"{one.alias}.pre" for one in bound]

    def _matches(
        self,
        corpus: Corpus,
        body: Body,
        keys: list[str],
        window: tuple[int, int, tuple[int, ...]],
        size: int,
    ) -> Iterator[Match]:
        """The first matches in a window and after a key; their labels are read once
        they are chosen."""
        low, high, after = window
        columns = [*keys, *self._head()]
        for one in body.bound:
            columns += [f"{one.alias}.{name}" for name in ("tree", "node", "kind")]
        sql = f"SELECT {', '.join(columns)} {body.sql} AND {keys[0]} > %s"
        sql += f" AND {keys[0]} <= %s"
        params = [*body.params, low, high]
        if after:
            marks = ", ".join(["%s"] * len(keys))
            sql += f" AND ({', '.join(keys)}) > ({marks})"
            params += after
        sql += f" ORDER BY {', '.join(keys)} LIMIT %s"
        rows = selected(sql, [*params, size])
        labels = _labels(rows, keys, body.bound)
        for row in rows:
            yield _match(corpus, row, keys, body.bound, labels)

    def _head(self) -> list[str]:
        if self.query.has_links:
            return ["vt.sentence", "v.pair", "v.layer", "v.side"]
        return ["v.sentence", "0", "0", "0"]

    def _grouped(
        self, body: Body, window: tuple[int, int], seconds: float
    ) -> list[tuple[int, int, str, int]] | None:
        """Sentence, pair, label of the root, matches; None if the time was over."""
        head = self._head()[:2]
        column = self._keys([])[0]
        groups = ", ".join([head[0], "v.pair" if self.query.has_links else "v.kind"])
        sql = (
            f"SELECT m.a, m.b, b.text, m.n FROM (SELECT {head[0]} AS a, {head[1]} AS b,"
            f" n0.label AS c, COUNT(*) AS n {body.sql} AND {column} > %s AND"
            f" {column} <= %s GROUP BY {groups}, n0.label) m"
            " JOIN search_label b ON b.id = m.c"
        )
        try:
            with within(seconds):
                return selected(sql, [*body.params, *window])
        except QueryTooSlow:
            return None


def _labels(
    rows: list[Any], keys: list[str], bound: Sequence[Bound]
) -> dict[tuple[int, int], str]:
    """The labels of the nodes of these matches, by tree and preorder number."""
    skip = len(keys) - len(bound)
    places = set()
    for row in rows:
        for at in range(len(bound)):
            tree = row[len(keys) + 4 + 3 * at]
            places.add((tree, row[skip + at]))
    labels: dict[tuple[int, int], str] = {}
    ordered = sorted(places)
    for start in range(0, len(ordered), 400):
        part = ordered[start : start + 400]
        one = "(n.tree = %s AND n.pre = %s)"
        sql = (
            "SELECT n.tree, n.pre, b.text FROM search_node n JOIN search_label b"
            f" ON b.id = n.label WHERE {' OR '.join([one] * len(part))}"
        )
        flat = [number for place in part for number in place]
        labels |= {(tree, pre): text for tree, pre, text in selected(sql, flat)}
    return labels


def _match(
    corpus: Corpus,
    row: Sequence[Any],
    keys: list[str],
    bound: Sequence[Bound],
    labels: dict[tuple[int, int], str],
) -> Match:
    n, skip = len(keys), len(keys) - len(bound)
    hits = []
    for at, one in enumerate(bound):
        tree, node, kind = row[n + 4 + 3 * at : n + 7 + 3 * at]
        label = labels.get((tree, row[skip + at]), "")
        hits.append(Hit(one.name, tree, node, kind, label, one.is_near))
    sentence, pair, layer, side = row[n : n + 4]
    return Match(corpus, sentence, pair, layer, side, tuple(hits), tuple(row[:n]))
