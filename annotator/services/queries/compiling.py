"""Queries as SQL over the index: a row of ``search_node`` for each node that a match
binds, EXISTS for what is negated or one of several. No text of the query is ever part
of the SQL: labels travel as numbers, values as parameters."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotator.services.queries.index import LinkState
from annotator.services.queries.labels import Resolver
from annotator.services.queries.tables import NEVER, one_of
from core.queries import labels
from core.queries.syntax import (
    And,
    Back,
    Feature,
    Features,
    Formula,
    Labels,
    Maybe,
    Node,
    NodeRelation,
    NodeState,
    Not,
    Or,
    Query,
    RegexTest,
    TagClass,
    Test,
)

_DOWN = {
    "<": "{b}.parent = {a}.pre",
    "<<": "{b}.pre > {a}.pre AND {b}.pre <= {a}.last",
    "<N": "{b}.parent = {a}.pre AND {b}.ord = {n}",
    "<-N": "{b}.parent = {a}.pre AND {b}.rord = {n}",
    "<,": "{b}.parent = {a}.pre AND {b}.ord = 1",
    "<-": "{b}.parent = {a}.pre AND {b}.rord = 1",
    "<:": "{b}.parent = {a}.pre AND {a}.kids = 1",
    "<=": "({b}.pre = {a}.pre OR {b}.parent = {a}.pre)",
    "<<,": "{b}.pre > {a}.pre AND {b}.pre <= {a}.last"
    " AND {b}.pre - {a}.pre = {b}.depth - {a}.depth",
    "<<-": "{b}.pre > {a}.pre AND {b}.last = {a}.last",
    "<<:": "{b}.pre > {a}.pre AND {b}.pre <= {a}.uend",
    "<#": "{b}.parent = {a}.pre AND {a}.head >= 0 AND {b}.head = {a}.head",
    "<<#": "{b}.pre > {a}.pre AND {b}.pre <= {a}.last"
    " AND {a}.head >= 0 AND {b}.head = {a}.head",
    "<+(C)": "{b}.pre > {a}.pre AND {b}.pre <= {a}.last",
}
"""B below A; ``n`` is a whole number that the parser has read."""
_SISTERS = "{a}.parent >= 0 AND {b}.parent = {a}.parent AND {b}.pre > {a}.parent"
"""Sisters; a range of the primary key, so that no whole tree is read for each node."""
_END = (
    "(SELECT m.last FROM search_node m WHERE m.tree = {a}.tree AND m.pre = {a}.parent)"
)
_BESIDE = {
    "<<<": "{b}.pre > {a}.pre AND {b}.pre <= {a}.last AND {b}.kids = 0",
    ".": "{b}.lo = {a}.hi",
    ",": "{a}.lo = {b}.hi",
    "..": "{b}.lo >= {a}.hi",
    ",,": "{a}.lo >= {b}.hi",
    "$": f"{_SISTERS} AND {{b}}.pre <> {{a}}.pre AND {{b}}.pre <= {_END}",
    "$.": f"{_SISTERS} AND {{b}}.pre = {{a}}.last + 1",
    "$,": f"{_SISTERS} AND {{b}}.pre < {{a}}.pre AND {{b}}.ord = {{a}}.ord - 1",
    "$..": f"{_SISTERS} AND {{b}}.pre > {{a}}.last AND {{b}}.pre <= {_END}",
    "$,,": f"{_SISTERS} AND {{b}}.pre < {{a}}.pre",
    "==": "{b}.pre = {a}.pre",
    ":": "1 = 1",
}
PLANNED = 6  # tables whose order the database chooses
_COLUMNS = ("form", "lemma", "upos", "xpos")


@dataclass(frozen=True, slots=True)
class Bound:
    """A node that each match has: its table's alias, its name, and whether it is on
    the side of the root."""

    alias: str
    name: str
    is_near: bool


@dataclass
class Body:
    """Tables and conditions, joined by "," and AND, with the parameters in order."""

    tables: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    params: list[Any] = field(default_factory=list)
    bound: list[Bound] = field(default_factory=list)

    def add(self, condition: str, params: Sequence[Any] = ()) -> None:
        self.conditions.append(condition)
        self.params += params

    @property
    def is_void(self) -> bool:
        """Whether nothing can match: a label or word that is not in the index."""
        return NEVER in self.conditions

    @property
    def sql(self) -> str:
        """Tables are joined in the order of the query: the planner's estimates for so
        many are worse."""
        sign = " CROSS JOIN " if len(self.tables) > PLANNED else ", "
        return f"FROM {sign.join(self.tables)} WHERE {' AND '.join(self.conditions)}"


@dataclass(frozen=True, slots=True)
class _NodeColumns:
    """Where a node is: ``tree``, ``other``: columns that hold the tree of this side
    and of the other; ``side``: an expression, 0 or 1."""

    tree: str
    other: str = ""
    side: str = "0"
    is_near: bool = True

    @property
    def across(self) -> "_NodeColumns":
        return _NodeColumns(
            self.other, self.tree, f"(1 - {self.side})", not self.is_near
        )


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who asks: 0 is anyone who runs a command, who sees everything."""

    user: int = 0
    sees_others: bool = True


def compiled(query: Query, *, kind: int, viewer: Viewer = Viewer()) -> Body:
    """The FROM and WHERE of a query; ``kind``: 0 constituents, 1 arcs.

    With links the first table is ``search_layer v``, otherwise ``search_tree v``, and
    the caller restricts their rows. The root is ``n0``.
    """
    made = _Compiler(Resolver(), kind, viewer)
    if query.has_links:
        body = Body(["search_layer v"])
        frame = _NodeColumns("v.tree", "v.other", "v.side")
    else:
        body = Body(["search_tree v"])
        frame = _NodeColumns("v.parse")
    body.add("v.kind = %s", [kind])
    made.node(query.root, frame, body)
    return body


class _Compiler:
    """Gives out aliases, and turns each part of a query into conditions."""

    def __init__(self, resolver: Resolver, kind: int, viewer: Viewer) -> None:
        self._resolver, self._viewer = resolver, viewer
        self._kind = kind
        self._names: dict[str, tuple[str, bool]] = {}
        self._n = 0

    def node(self, node: Node, frame: _NodeColumns, body: Body) -> str:
        """Join the node's row; its alias."""
        alias = f"n{self._n}"
        self._n += 1
        body.tables.append(f"search_node {alias}")
        body.add(f"{alias}.tree = {frame.tree}")
        body.bound.append(Bound(alias, node.name, frame.is_near))
        for condition, params in self._test(node.test, alias):
            body.add(condition, params)
        if node.name:
            self._names[node.name] = alias, frame.is_near
        for part in _conjuncts(node.formula):
            if isinstance(part, NodeRelation):
                self._relation(part, alias, frame, body)
            elif not isinstance(part, Maybe):
                body.add(*self._condition(part, alias, frame))
        return alias

    def _relation(
        self, relation: NodeRelation, alias: str, frame: _NodeColumns, body: Body
    ) -> None:
        """Join the partner, or constrain it if it is already joined."""
        if relation.op == "~":
            self._link(relation, alias, frame, body)
            return
        if relation.op == "^":
            body.add(*self._in_other_tree(relation, alias, frame))
            return
        if isinstance(relation.node.test, Back):
            other, is_near = self._names[relation.node.test.name]
            if is_near != frame.is_near:
                body.add(NEVER)
        else:
            other = self.node(relation.node, frame, body)
        body.add(*self._related(relation, alias, other))

    def _related(self, relation: NodeRelation, a: str, b: str) -> tuple[str, list[Any]]:
        op = relation.op
        if op in ("->", "<-arc"):
            head, child = (a, b) if op == "->" else (b, a)
            sql, params = f"{child}.parent = {head}.pre", []
            if relation.labels:
                ids = self._resolver.words(relation.labels)
                more, params = one_of(f"{child}.label", ids)
                sql += f" AND {more}"
            return sql, params
        if op in _BESIDE:
            return _BESIDE[op].format(a=a, b=b), []
        if op.startswith(">"):
            a, b, op = b, a, op.replace(">", "<")
        sql, params = _DOWN[op].format(a=a, b=b, n=int(relation.n)), []
        if relation.through is not None:
            more, params = self._through(relation.through, a, b)
            sql += f" AND {more}"
        return sql, params

    def _through(self, test: Test, a: str, b: str) -> tuple[str, list[Any]]:
        """No node strictly between A and B fails the test."""
        c = f"n{self._n}"
        self._n += 1
        sql, params = _joined(" AND ", self._test(test, c) or [("1 = 1", [])])
        return (
            f"NOT EXISTS (SELECT 1 FROM search_node {c} WHERE {c}.tree = {a}.tree"
            f" AND {c}.pre > {a}.pre AND {c}.pre < {b}.pre AND {c}.last >= {b}.pre"
            f" AND NOT ({sql}))"
        ), params

    def _link(
        self, relation: NodeRelation, alias: str, frame: _NodeColumns, body: Body
    ) -> None:
        test = relation.node.test
        if isinstance(test, NodeState):
            body.add(*self._state(test, alias, frame))
            return
        k = f"k{self._n}"
        self._n += 1
        body.tables.append(f"search_link {k}")
        states = [
            state
            for name, state in (
                ("sure", LinkState.SURE),
                ("possible", LinkState.POSSIBLE),
            )
            if not relation.kinds or name in relation.kinds
        ]
        body.add(self._of(k, alias, frame))
        body.add(*one_of(f"{k}.state", [int(state) for state in states]))
        body.add(f"{k}.label = {alias}.label")
        if isinstance(test, Back):
            other, is_near = self._names[test.name]
            body.add(f"{k}.to_pre = {other}.pre" if is_near != frame.is_near else NEVER)
            return
        other = self.node(relation.node, frame.across, body)
        body.add(f"{k}.to_pre = {other}.pre AND {k}.to_label = {other}.label")
        if isinstance(test, TagClass) and self._kind:
            return  # a token's column: no label of an arc says it
        ids = self._resolver.label(test)
        if ids is not None and not getattr(test, "negated", False):
            body.add(*one_of(f"{k}.to_label", ids))

    def _of(self, k: str, alias: str, frame: _NodeColumns) -> str:
        """The condition that a row of links is of this layer and begins at this
        node."""
        return (
            f"{k}.layer = v.layer AND {k}.kind = v.kind AND {k}.side = {frame.side}"
            f" AND {k}.pre = {alias}.pre"
        )

    def _other_tree(
        self, relation: NodeRelation, frame: _NodeColumns
    ) -> tuple[Body, str, int]:
        """Another tree of the sentence that the person may see; its alias and kind."""
        which, viewer = relation.kinds[0], self._viewer
        x, y, p = (f"{name}{self._n}" for name in "xyp")
        self._n += 1
        kind = {"arcs": 1, "tree": 0}.get(which, self._kind)
        body = Body([f"search_tree {y}", f"search_tree {x}", f"annotator_parse {p}"])
        body.add(f"{y}.parse = {frame.tree} AND {x}.sentence = {y}.sentence")
        body.add(f"{p}.id = {x}.parse AND {x}.kind = %s", [kind])
        if which in ("arcs", "tree"):
            body.add(f"{x}.chosen = 1")
        elif which == "gold":
            body.add(f"{p}.origin = 'gold'")
        elif which == "parser":
            body.add(f"{p}.origin = 'engine' AND {p}.rank = 1")
        elif which == "mine":
            body.add(f"{p}.author_id = %s", [viewer.user])
        else:
            who = "SELECT id FROM auth_user WHERE username = %s"
            body.add(f"{p}.origin = 'annotator' AND {p}.author_id IN ({who})", [which])
        if not viewer.sees_others:
            own = f"({p}.origin <> 'annotator' OR {p}.author_id = %s)"
            body.add(own, [viewer.user])
        return body, x, kind

    def _in_other_tree(
        self, relation: NodeRelation, alias: str, frame: _NodeColumns
    ) -> tuple[str, list[Any]]:
        """That a node of another tree of the sentence has the same words."""
        body, x, kind = self._other_tree(relation, frame)
        own, names = self._kind, self._names
        self._kind, self._names = kind, {}
        there = self.node(relation.node, _NodeColumns(f"{x}.parse"), body)
        self._kind, self._names = own, names
        body.add(_same_words(alias, there, bool(own), bool(kind)))
        # Else PostgreSQL reads the other trees of all sentences first.
        return f"EXISTS (SELECT 1 {body.sql} LIMIT 1 OFFSET 0)", body.params

    def _state(
        self, test: NodeState, alias: str, frame: _NodeColumns
    ) -> tuple[str, list[Any]]:
        k = f"k{self._n}"
        self._n += 1
        rows = (
            f"EXISTS (SELECT 1 FROM search_link {k} WHERE {self._of(k, alias, frame)}"
        )
        if test.name == "undecided":
            return f"{alias}.kind <> 2 AND NOT {rows})", []
        state = LinkState.NULL if test.name == "null" else LinkState.PARKED
        return f"{rows} AND {k}.state = %s)", [int(state)]

    def _condition(
        self, formula: Formula, alias: str, frame: _NodeColumns
    ) -> tuple[str, list[Any]]:
        """Whether it holds of the node, without binding another."""
        if isinstance(formula, NodeRelation):
            body = Body()
            self._relation(formula, alias, frame, body)
            if not body.tables:
                return f"({' AND '.join(body.conditions)})", body.params
            return f"EXISTS (SELECT 1 {body.sql})", body.params
        if isinstance(formula, Maybe):
            return "1 = 1", []
        if isinstance(formula, Not):
            sql, params = self._condition(formula.part, alias, frame)
            part = formula.part
            if isinstance(part, NodeRelation) and part.op == "^":
                body, _alias, _kind = self._other_tree(part, frame)
                there = f"EXISTS (SELECT 1 {body.sql})"  # without one nothing is known
                return f"({there} AND NOT ({sql}))", [*body.params, *params]
            return f"NOT ({sql})", params
        word = " OR " if isinstance(formula, Or) else " AND "
        parts = [self._condition(part, alias, frame) for part in formula.parts]
        sql, params = _joined(word, ((f"({part})", own) for part, own in parts))
        return f"({sql})", params

    def _test(self, test: Test, alias: str) -> list[tuple[str, list[Any]]]:
        """What the test says of the node's own row."""
        if isinstance(test, Features):
            return self._features(test.all, alias)
        if isinstance(test, TagClass):
            if self._kind:
                ids = self._resolver.words(labels.upos_of(test.name))
                return [_token(alias, [one_of("t.upos", ids)])]
            ids = self._resolver.label(test) or []
            return [(f"{alias}.kind = 1", []), one_of(f"{alias}.label", ids)]
        label_ids = self._resolver.label(test)
        if label_ids is None:
            return []
        assert isinstance(test, Labels | RegexTest)
        return [one_of(f"{alias}.label", label_ids, negated=test.negated)]

    def _features(
        self, features: Sequence[Feature], alias: str
    ) -> list[tuple[str, list[Any]]]:
        own, of_token = [], []
        for feature in features:
            if feature.same:
                of_token.append(self._same(feature, alias))
                continue
            is_bare = not feature.texts and not feature.regex
            if feature.key == "deprel" or feature.key in _COLUMNS:
                ids = self._resolver.value(feature)
                negated = feature.negated != is_bare  # without a value: not the empty
                if feature.key == "deprel":
                    own.append(one_of(f"{alias}.label", ids, negated=negated))
                else:
                    column = f"t.{feature.key}"
                    of_token.append(one_of(column, ids, negated=negated))
                continue
            ids = self._resolver.features(feature)
            of_token.append(one_of("t.feats", ids, negated=feature.negated))
        return [*own, _token(alias, of_token)] if of_token else own

    def _same(self, feature: Feature, alias: str) -> tuple[str, list[Any]]:
        """That token t and the one of a named node agree in a column, or differ."""
        other = self._names[feature.same][0]
        key, sign = feature.key, "<>" if feature.negated else "="
        if key == "deprel":
            return f"{alias}.label {sign} {other}.label", []
        head = (
            "EXISTS (SELECT 1 FROM search_token u WHERE"
            f" u.tree = {other}.tree AND u.pre = {other}.pre AND"
        )
        if key in _COLUMNS:
            empty = self._resolver.words([""])
            some, params = one_of(f"t.{key}", empty, negated=True)
            more, others = one_of(f"u.{key}", empty, negated=True)
            sql = f"{head} t.{key} {sign} u.{key} AND {some} AND {more})"
            return sql, [*params, *others]
        either: list[tuple[str, list[Any]]] = []
        groups = self._resolver.by_value(key)
        for ids in groups:
            rest = [n for group in groups if group is not ids for n in group]
            (own, params), (theirs, others) = (
                one_of("t.feats", ids),
                one_of("u.feats", rest if feature.negated else ids),
            )
            either.append((f"({own} AND {theirs})", [*params, *others]))
        if not either:
            return NEVER, []
        sql, params = _joined(" OR ", either)
        return f"{head} ({sql}))", params


def _joined(word: str, parts: Iterable[tuple[str, list[Any]]]) -> tuple[str, list[Any]]:
    """The conditions with a word between them, and the parameters of all."""
    texts, params = zip(*parts, strict=True)
    return word.join(texts), [value for values in params for value in values]


def _same_words(a: str, b: str, a_is_word: bool, b_is_word: bool) -> str:  # noqa: FBT001
    """That two nodes of a sentence have the same words; among arcs a word stands for
    the phrase that it heads: its own head is outside."""
    if a_is_word and b_is_word:
        return f"{b}.node = {a}.node"
    if not (a_is_word or b_is_word):
        return " AND ".join(f"{_end(a, f)} = {_end(b, f)}" for f in ("MIN", "MAX"))
    word, phrase = (a, b) if a_is_word else (b, a)
    within = f"BETWEEN {_end(phrase, 'MIN')} AND {_end(phrase, 'MAX')}"
    return (
        f"{word}.node {within} AND NOT EXISTS (SELECT 1 FROM search_node h WHERE"
        f" h.tree = {word}.tree AND h.pre = {word}.parent AND h.node {within})"
    )


def _end(node: str, which: str) -> str:
    """The position of the first or last word of a node of a constituent tree."""
    return (
        f"(CASE {node}.kind WHEN 2 THEN {node}.node ELSE (SELECT {which}(w.node) FROM"
        f" search_node w WHERE w.tree = {node}.tree AND w.pre > {node}.pre AND"
        f" w.pre <= {node}.last AND w.kind = 2 AND w.node >= 0) END)"
    )


def _token(
    alias: str, conditions: list[tuple[str, list[Any]]]
) -> tuple[str, list[Any]]:
    """The condition that the node's token satisfies all these."""
    sql, params = _joined(" AND ", conditions)
    if any(condition == NEVER for condition, _ in conditions):
        return NEVER, []
    return (
        "EXISTS (SELECT 1 FROM search_token t WHERE"
        f" t.tree = {alias}.tree AND t.pre = {alias}.pre AND {sql})"
    ), params


def _conjuncts(formula: Formula | None) -> Iterator[Formula]:
    if isinstance(formula, And):
        for part in formula.parts:
            yield from _conjuncts(part)
    elif formula is not None:
        yield formula
