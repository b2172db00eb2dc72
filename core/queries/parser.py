r"""The query language.

    query    = pattern [ "where" cond { ("&" | ",") cond } ]
    pattern  = node [ or ] [ ["!" | "?"] "~" [ "[" kind { "|" kind } "]" ] pattern ]
    or       = and { "|" and }
    and      = rel { ["&"] rel }
    rel      = ["!" | "?"] ( op node | "[" or "]" | arc node | other node )
    other    = "^[" ( "gold" | "parser" | "mine" | "arcs" | "tree" | user ) "]"
    op       = a relation of ``relations.RELATIONS`` or ``ALIASES``; in "[ ]" also "~"
    arc      = "-[" [ label { "|" label } ] "]->" | "<-[" … "]-"
    node     = ( test | "(" pattern ")" ) [ "=" name ]
    test     = ["!"] ["@"] ( text { "|" text } | regex ) | "__" | class | "=" name
             | "[" [ feature { ("&" | ",") feature } ] "]"
             | "null" | "parked" | "undecided"                    after "~" alone
    feature  = ["!"] key | key ("=" | "!=") ( value { "|" value } | regex | "=" name )
    cond     = key op ( value | regex )
    text     = a label or a word, in quotation marks where it holds other signs

The relations of a node all hang on this node: in ``A < B < C``, A is the parent of
both. "&" binds more closely than "|". ``A ~ B``: a link leads from A to B, a node of
the other side of the pair; all links of a match are of one layer. ``A ^[gold] B``: in
another tree of the sentence a node B has the same words; a word among arcs stands for
the phrase that it heads.
"""

import re
from dataclasses import replace
from typing import NoReturn

from core.errors import FormatError, InvalidValue
from core.queries import checking, labels
from core.queries.labels import CLASSES
from core.queries.syntax import (
    ALIASES,
    RELATIONS,
    And,
    Any,
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
    WhereCondition,
)

QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
REGEX = re.compile(r"/((?:[^/\\]|\\.)*)/")
_SPACE = re.compile(r"\s*")


class Scanner:
    """A position in a text, and what follows it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    @property
    def column(self) -> int:
        """The column of the next word, from 1."""
        self.space()
        return self.at + 1

    def space(self) -> None:
        match = _SPACE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()

    def peek(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        self.space()
        return pattern.match(self.text, self.at)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The match at this place, which is then behind it."""
        match = self.peek(pattern)
        if match is not None:
            self.at = match.end()
        return match

    def sign(self, sign: str) -> bool:
        """Consume this text if it is next; return whether it was."""
        self.space()
        is_here = self.text.startswith(sign, self.at)
        self.at += len(sign) if is_here else 0
        return is_here

    def sees(self, sign: str) -> bool:
        self.space()
        return self.text.startswith(sign, self.at)

    @property
    def is_at_end(self) -> bool:
        self.space()
        return self.at >= len(self.text)

    def want(self, sign: str, what: str) -> None:
        if not self.sign(sign):
            self.fail(f"{what} is not closed", f"write {sign} here")

    def quoted(self) -> str | None:
        """Return the content of quotation marks here."""
        match = self.take(QUOTED)
        return None if match is None else re.sub(r"\\(.)", r"\1", match[1])

    def regex(self) -> str | None:
        """Return the text between two slashes here; "\\/" is a slash."""
        column = self.column
        match = self.take(REGEX)
        if match is None:
            return None
        try:
            return labels.checked(match[1].replace("\\/", "/"))
        except InvalidValue as error:
            self.fail(str(error), "a simpler one, or a list: A|B|C", column)

    def fail(self, reason: str, remedy: str, column: int = 0) -> NoReturn:
        """Raise FormatError at this column, or here."""
        at = column or self.column
        raise FormatError(reason, line=1, column=at, remedy=remedy)


MAX_LENGTH, MAX_DEPTH = 1000, 30
STATES = ("null", "parked", "undecided")
_LABEL = re.compile(
    r"[^\s()/|@!&=?\[\]<>~.,$:\"{};`]+(?:\$(?=[\s)|\]=&]|\Z))?", re.UNICODE
)
_NAME = re.compile(r"=([A-Za-z]\w*)")
_NUMBERED = re.compile(r"[<>]-?([1-9][0-9]{0,3})")
_THROUGH = re.compile(r"[<>]\+\(")
_ARC = re.compile(r"-\[([^\[\]]*)\]->|<-\[([^\[\]]*)\]-(?!>)")
_OTHER = re.compile(r"\^\[([\w.@+-]+)\]")
_UNKNOWN = re.compile(r"[<>]\.\.\.|[.,]\+\(|[<>]{3}-?[1-9]")
_OPS = sorted({*RELATIONS, *ALIASES}, key=len, reverse=True)
_PLAIN = re.compile("|".join(re.escape(op) for op in _OPS if op[-1] not in "N)"))
_MOTHER_BACK = re.compile(r"[<>](?==[A-Za-z])")
_KEY = re.compile(r"[A-Za-z][A-Za-z_\[\]0-9]*?(?=\s*(?:!?=|[&,\]]))")
_VALUE = re.compile(r"[^\s&|\]\[!=,\"/]+")
_WHERE = re.compile(r"where\b")
_CONDITION = re.compile(r"([a-z]+)\s*(!=|<=|>=|=|<|>)")
_META_VALUE = re.compile(r"[^\s&,\"/]+")


def parse(text: str) -> Query:
    """The query that ``text`` says.

    Raises FormatError, line 1, with the column (from 1) and a remedy.
    """
    if len(text) > MAX_LENGTH:
        raise FormatError(
            f"a query of more than {MAX_LENGTH} characters", line=1, column=MAX_LENGTH
        )
    reader = _QueryReader(text)
    root = reader.pattern(0)
    where = reader.where()
    if not reader.scan.is_at_end:
        reader.scan.fail(*_unread(reader.scan))
    return checking.checked(root, where, text)


def _unread(scan: Scanner) -> tuple[str, str]:
    rest = scan.text[scan.at :].split()[0][:20]
    if rest[0] == "|":
        return "'|' stands alone", "alternatives of relations in brackets: [~ A | ~ B]"
    if rest[0] in ")]":
        return f"{rest[0]!r} closes nothing", "take it away"
    return (
        f"{rest!r} is no relation",
        'a relation such as < or <<, "~" for a link, or "where" is missing here',
    )


class _QueryReader:
    """Recursive descent: one method for each rule of the grammar."""

    def __init__(self, text: str) -> None:
        self.scan = Scanner(text)

    def pattern(self, depth: int, *, linked: bool = False) -> Node:
        scan = self.scan
        if depth > MAX_DEPTH:
            scan.fail(f"more than {MAX_DEPTH} levels of brackets", "a simpler query")
        node = self.node(depth, linked=linked)
        if self._relation_follows(in_group=False):
            node = _with(node, self.either(depth, in_group=False))
        link = self._link(depth)
        return node if link is None else _with(node, link)

    def _link(self, depth: int) -> Formula | None:
        scan, at = self.scan, self.scan.at
        sign = "!" if scan.sign("!") else "?" if scan.sign("?") else ""
        column = scan.column
        if not scan.sign("~"):
            scan.at = at
            return None
        kinds = self._kinds()
        node = self.pattern(depth + 1, linked=True)
        return _signed(sign, NodeRelation("~", node, kinds=kinds, column=column))

    def _kinds(self) -> tuple[str, ...]:
        """Of links: "~[possible]"; a space before the bracket makes it a word."""
        scan = self.scan
        match = re.compile(r"\[(sure|possible)\]").match(scan.text, scan.at)
        if match is None:
            return ()
        scan.at = match.end()
        return (match[1],)

    def _relation_follows(self, *, in_group: bool) -> bool:
        scan, at = self.scan, self.scan.at
        scan.sign("&")
        _ = scan.sign("!") or scan.sign("?")
        begins = (_ARC, _OTHER, _UNKNOWN, _NUMBERED, _PLAIN)
        here = any(scan.peek(one) for one in begins)
        here = here or scan.peek(_THROUGH) is not None or scan.sees("[")
        here = here or (in_group and scan.sees("~"))
        scan.at = at
        return here

    def either(self, depth: int, *, in_group: bool) -> Formula:
        parts = [self.both(depth, in_group=in_group)]
        while self.scan.sign("|"):
            parts.append(self.both(depth, in_group=in_group))
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def both(self, depth: int, *, in_group: bool) -> Formula:
        parts = [self.relation(depth, in_group=in_group)]
        while self._relation_follows(in_group=in_group):
            self.scan.sign("&")
            parts.append(self.relation(depth, in_group=in_group))
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def relation(self, depth: int, *, in_group: bool) -> Formula:
        scan = self.scan
        sign = "!" if scan.sign("!") else "?" if scan.sign("?") else ""
        if scan.sign("["):
            if depth > MAX_DEPTH:
                scan.fail(f"more than {MAX_DEPTH} levels of brackets", "fewer")
            part = self.either(depth + 1, in_group=True)
            scan.want("]", "the group [")
            return _signed(sign, part)
        column = scan.column
        if scan.sees("~") and not in_group:
            scan.fail("a link among alternatives", "put them in brackets: [~ A | ~ B]")
        operator = self._operator(column)
        node = self.node(depth, linked=operator.op == "~")
        return _signed(sign, replace(operator, node=node, column=column))

    def _operator(self, column: int) -> NodeRelation:
        """The relation, whose node is still to be read."""
        scan, node = self.scan, Node(Any())
        if scan.sign("~"):
            return NodeRelation("~", node, kinds=self._kinds())
        if (other := scan.take(_OTHER)) is not None:
            return NodeRelation("^", node, kinds=(other[1],))
        if (arc := scan.take(_ARC)) is not None:
            labels = (arc[1] if arc[1] is not None else arc[2]).split("|")
            names = tuple(one.strip() for one in labels if one.strip())
            op = "->" if arc[1] is not None else "<-arc"
            return NodeRelation(op, node, labels=names)
        if (unknown := scan.peek(_UNKNOWN)) is not None:
            scan.fail(f"{unknown[0]} is not known here", "see the list of relations")
        if (through := scan.take(_THROUGH)) is not None:
            test = self.test(linked=False)
            scan.want(")", f"the bracket of {through[0]}")
            return NodeRelation(f"{through[0]}C)", node, through=test)
        if (numbered := scan.take(_NUMBERED)) is not None:
            op = numbered[0].removesuffix(numbered[1]) + "N"
            return NodeRelation(op, node, n=int(numbered[1]))
        plain = scan.take(_MOTHER_BACK) or scan.take(_PLAIN)
        if plain is None:
            scan.fail("a relation is missing", "for example < or <<", column)
        return NodeRelation(ALIASES.get(plain[0], plain[0]), node)

    def node(self, depth: int, *, linked: bool) -> Node:
        scan = self.scan
        column = scan.column
        if scan.sign("("):
            node = self.pattern(depth + 1, linked=linked)
            scan.want(")", "the bracket (")
        else:
            node = Node(self.test(linked=linked), column=column)
        name = re.compile(_NAME.pattern).match(scan.text, scan.at)
        if name is None or isinstance(node.test, Back | NodeState):
            return node
        if node.name:
            scan.fail(f"this node is named {node.name!r} already", "one name a node")
        scan.at = name.end()
        return Node(node.test, name[1], node.formula, node.column)

    def test(self, *, linked: bool) -> Test:
        scan = self.scan
        if (back := scan.take(_NAME)) is not None:
            return Back(back[1])
        if scan.sees("["):
            return self.features()
        negated, column = scan.sign("!"), scan.column
        basic = scan.sign("@")
        if (regex := scan.regex()) is not None:
            return RegexTest(regex, basic, negated)
        texts, plain = self._texts()
        if not (basic or negated) and len(texts) == 1 and plain:
            if texts[0] == "__":
                return Any()
            if texts[0] in STATES and linked:
                return NodeState(texts[0])  # type: ignore[arg-type]
            if texts[0] in CLASSES:
                return TagClass(texts[0])
        if plain and {*texts} & {*CLASSES, "__"}:
            remedy = 'in quotation marks if it is a word: "noun"; else groups: [ | ]'
            scan.fail("a class of words among alternatives", remedy, column)
        return Labels(texts, basic, negated)

    def _texts(self) -> tuple[tuple[str, ...], bool]:
        """Return the alternatives, and whether none of them is in quotation marks."""
        texts: list[str] = []
        plain = True
        while True:
            quoted = self.scan.quoted()
            if quoted is not None:
                texts, plain = [*texts, quoted], False
            elif (label := self.scan.take(_LABEL)) is not None:
                texts.append(label[0])
            else:
                self.scan.fail(
                    "a node is missing",
                    "a label such as NP, a /regex/, __ for any, or [upos=VERB]",
                )
            here = self.scan.at
            follows = self.scan.sign("|") and (
                self.scan.sees('"') or self.scan.peek(_LABEL) is not None
            )
            if not follows or self._is_arc_next():
                self.scan.at = here
                return tuple(texts), plain

    def _is_arc_next(self) -> bool:
        return self.scan.peek(_ARC) is not None

    def features(self) -> Features:
        scan = self.scan
        scan.want("[", "a word")
        features: list[Feature] = []
        while not scan.sign("]"):
            if features and not (scan.sign("&") or scan.sign(",")):
                scan.fail("features run together", "& between them, ] at the end")
            features.append(self._feature())
        return Features(tuple(features))

    def _feature(self) -> Feature:
        scan = self.scan
        absent = scan.sign("!")
        key = scan.take(_KEY)
        if key is None:
            scan.fail("a feature is missing", "for example upos=VERB or deprel=nsubj")
        name = {"word": "form"}.get(key[0], key[0])
        negated = scan.sign("!=")
        if not (negated or scan.sign("=")):
            return Feature(name, negated=absent)
        if absent:
            scan.fail("! and a value", f"write {name}!=…")
        if (same := scan.take(_NAME)) is not None:
            return Feature(name, same=same[1], negated=negated)
        if (regex := scan.regex()) is not None:
            return Feature(name, regex=regex, negated=negated)
        texts = [self._value()]
        while scan.sign("|"):
            texts.append(self._value())
        return Feature(name, tuple(texts), negated=negated)

    def _value(self) -> str:
        quoted = self.scan.quoted()
        if quoted is not None:
            return quoted
        match = self.scan.take(_VALUE)
        if match is None:
            self.scan.fail("a value is missing", 'in quotation marks if it is odd: ","')
        return match[0]

    def where(self) -> tuple[WhereCondition, ...]:
        scan = self.scan
        if scan.take(_WHERE) is None:
            return ()
        conditions: list[WhereCondition] = []
        while not conditions or scan.sign("&") or scan.sign(","):
            column = scan.column
            head = scan.take(_CONDITION)
            if head is None:
                scan.fail("a condition is missing", "for example where length < 20")
            conditions.append(self._condition(head[1], head[2], column))
        return tuple(conditions)

    def _condition(self, key: str, op: str, column: int) -> WhereCondition:
        scan = self.scan
        if (regex := scan.regex()) is not None:
            return WhereCondition(key, op, regex, is_regex=True, column=column)
        value = scan.quoted()
        if value is None:
            plain = scan.take(_META_VALUE)
            if plain is None:
                scan.fail("a value is missing", f"{key} {op} …")
            value = plain[0]
        return WhereCondition(key, op, value, column=column)


def _signed(sign: str, part: Formula) -> Formula:
    if sign == "!":
        return Not(part)
    return Maybe(part) if sign else part


def _with(node: Node, more: Formula) -> Node:
    """The node, this too holding of it."""
    whole = more if node.formula is None else And((node.formula, more))
    return Node(node.test, node.name, whole, node.column)
