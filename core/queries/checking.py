"""Checks of a query beyond its grammar: names, kinds of nodes, conditions."""

from typing import NoReturn

from core.errors import FormatError
from core.queries.syntax import (
    And,
    Back,
    Features,
    Formula,
    KindName,
    Labels,
    Node,
    NodeRelation,
    NodeState,
    Query,
    RegexTest,
    WhereCondition,
    beyond,
    nodes_of,
    relations_of,
)

MAX_NODES = 16
TREES = ("best", "gold", "parser", "mine", "all")
CONDITIONS = {
    "corpus": "the code or the name of the corpus: = or !=",
    "id": "the id that the source gives to the sentence, or a /regex/: = or !=",
    "length": "the number of words of the sentence: = != < > <= >=",
    "layer": "gold, engine, mine, or the name of who made the layer: =",
    "parser": "the name of the parser whose trees are searched: =",
    "trees": f"which trees of a sentence: {', '.join(TREES)}: =",
}
_EQUAL = ("=", "!=")
_OPS = dict.fromkeys(("corpus", "id"), _EQUAL) | dict.fromkeys(
    ("layer", "trees", "parser"), ("=",)
)


def checked(root: Node, where: tuple[WhereCondition, ...], text: str) -> Query:
    """The query. Raises FormatError where it says what no tree can answer."""
    nodes = sorted(nodes_of(root), key=lambda node: node.column)
    if len(nodes) > MAX_NODES:
        _fail(nodes[-1].column, f"more than {MAX_NODES} nodes", "a simpler query")
    if isinstance(root.test, Back | NodeState):
        _fail(root.column, "a query begins with a node", "NP ~ null, not null ~ NP")
    _Names().check(root)
    relations = list(relations_of(root))
    for relation in relations:
        _check_relation(relation)
    for condition in where:
        _check_condition(condition)
    links = any(relation.op == "~" for relation in relations)
    return Query(root, where, _kind_of(root), links, text)


class _Names:
    """Names are given before they are used, by nodes that every match has."""

    def __init__(self) -> None:
        self.known: set[str] = set()

    def check(self, node: Node, *, is_bound: bool = True) -> None:
        if isinstance(node.test, Back) and node.test.name not in self.known:
            name = node.test.name
            _fail(node.column, f"no node is named {name!r} yet", f"NP={name} before it")
        for one in node.test.all if isinstance(node.test, Features) else ():
            if one.same and one.same not in self.known:
                remedy = f"[upos=VERB]={one.same} before it"
                _fail(node.column, f"no node is named {one.same!r} yet", remedy)
        if node.name and not is_bound:
            remedy = "name a node that every match has: not after !, ? or among |"
            _fail(node.column, f"the name {node.name!r} may have no node", remedy)
        if node.name in self.known:
            remedy = f"the same node again is ={node.name}, without a label"
            _fail(node.column, f"two nodes named {node.name!r}", remedy)
        self.known |= {node.name} - {""}
        if node.formula is not None:
            self._formula(node.formula, is_bound=is_bound)

    def _formula(self, formula: Formula, *, is_bound: bool) -> None:
        if isinstance(formula, NodeRelation) and formula.op == "^":
            _Names().check(formula.node, is_bound=False)
        elif isinstance(formula, NodeRelation):
            self.check(formula.node, is_bound=is_bound)
        elif isinstance(formula, And):
            for part in formula.parts:
                self._formula(part, is_bound=is_bound)
        else:
            one = not hasattr(formula, "parts")
            for part in (formula.part,) if one else formula.parts:  # type: ignore[union-attr]
                self._formula(part, is_bound=False)


def _check_relation(relation: NodeRelation) -> None:
    target = relation.node.test
    if isinstance(target, NodeState):
        if relation.op != "~":
            _fail(relation.column, f"{target.name} is no node", f"~ {target.name}")
        if relation.kinds or relation.node.formula is not None:
            column, name = relation.column, target.name
            _fail(column, f"{name} has no kind and no relations", f"~ {name} alone")
    if isinstance(target, Back) and relation.node.formula is not None:
        remedy = "say them where the node is named"
        _fail(relation.node.column, "relations of a back reference", remedy)
    if isinstance(relation.through, Features | Back | NodeState):
        _fail(relation.column, "a label is wanted in +( )", "for example <+(VP)")


def _check_condition(condition: WhereCondition) -> None:
    key, op = condition.key, condition.op
    if key not in CONDITIONS:
        known = ", ".join(CONDITIONS)
        _fail(condition.column, f"no condition {key!r}", f"known are {known}")
    if op not in _OPS.get(key, (*_EQUAL, "<", ">", "<=", ">=")):
        _fail(condition.column, f"{key} {op} means nothing", CONDITIONS[key])
    value = condition.value
    if condition.is_regex and key != "id":
        _fail(condition.column, f"no regular expression for {key}", CONDITIONS[key])
    if key == "length" and not (value.isascii() and value.isdigit() and len(value) < 7):
        _fail(condition.column, f"length is a number, not {value!r}", "length < 20")
    if key == "trees" and value not in TREES:
        _fail(condition.column, f"no trees {value!r}", f"one of {', '.join(TREES)}")


def _kind_of(root: Node) -> KindName:
    """The kind of the tree of ``root``; other trees of the sentence must fit, too."""
    others = list(beyond(root))
    hidden = {id(node) for one in others for node in nodes_of(one.node)}
    inner = {id(one) for other in others for one in relations_of(other.node)}
    nodes = [node for node in nodes_of(root) if id(node) not in hidden]
    relations = [one for one in relations_of(root) if id(one) not in inner]
    own = _kind(nodes, relations)
    for one in others:
        if id(one) in inner:
            continue
        if any(other.op == "~" for other in relations_of(one.node)):
            _fail(one.column, "a link beyond ^", "say it before the other tree")
        expected = {"arcs": "dependency", "tree": "constituency"}.get(one.kinds[0], own)
        found = _kind_of(one.node)
        if expected and found and expected != found:
            remedy = "^[arcs] leads to words of arcs, ^[tree] to phrases"
            _fail(one.column, f"^[{one.kinds[0]}] leads to a {expected} tree", remedy)
    return own


def _kind(nodes: list[Node], relations: list[NodeRelation]) -> KindName:
    words = [node.column for node in nodes if isinstance(node.test, Features)]
    words += [one.column for one in relations if one.op in ("->", "<-arc")]
    phrases = [n.column for n in nodes if isinstance(n.test, Labels | RegexTest)]
    phrases += [one.column for one in relations if one.through is not None]
    if words and phrases:
        remedy = "lead from one to the other by ^[arcs] or ^[tree]"
        _fail(max(words[0], phrases[0]), "constituents and arcs in one query", remedy)
    return "dependency" if words else "constituency" if phrases else ""


def _fail(column: int, reason: str, remedy: str) -> NoReturn:
    raise FormatError(reason, line=1, column=column, remedy=remedy)
