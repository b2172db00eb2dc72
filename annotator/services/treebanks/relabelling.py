"""Which nodes a query names, and what they would be called: a plan, and no row."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotator import access
from annotator.errors import BadRequest
from annotator.models import Corpus, Origin, Parse
from annotator.models.projects import Anybody
from annotator.services.queries import running
from annotator.services.queries.running import Hit, Search
from core.data.tree import Tree
from core.errors import GemelError, InvalidValue
from core.queries.labels import basic
from core.queries.rows import Kind
from core.trees.editing import RelabelAll, checked_label

MOST, PORTION = 20_000, 500  # sentences of a batch; matches read at a time
LOOK_SECONDS = 5.0
NOT_GOLD = gettext_noop(
    "trees of a parser, which are relabelled only if they become gold trees"
)
SOMEBODYS = gettext_noop("trees that are someone's own, or former gold")
SAME = gettext_noop("trees in which the nodes have this label already")
UNREADABLE = gettext_noop("trees that cannot be read")


@dataclass(frozen=True, slots=True)
class Order:
    """What someone wants relabelled.

    ``node``: the name of one of the query's nodes, "" for its first.
    ``keeps_functions``: NP-SBJ becomes NX-SBJ. ``with_parsed``: a parser's tree becomes
    gold, where a sentence has no gold tree.
    """

    query: str
    label: str
    node: str = ""
    keeps_functions: bool = False
    with_parsed: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """One sentence: its tree, and the nodes that get another label."""

    parse: Parse
    labels: tuple[tuple[int, str], ...]

    @property
    def operation(self) -> RelabelAll:
        return RelabelAll(self.labels)


@dataclass
class Plan:
    """``pairs``: how many nodes go from one label to another. ``left``: how many
    trees stay as they are, by reason. ``digest``: of all that would be done."""

    order: Order
    changes: list[Change] = field(default_factory=list)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)

    @property
    def n_nodes(self) -> int:
        return sum(self.pairs.values())

    @property
    def digest(self) -> str:
        rows = [(one.parse.code, one.labels) for one in self.changes]
        return sha256(repr((self.order, rows)).encode()).hexdigest()[:32]


def planned(corpus: Corpus, order: Order, *, by: Anybody) -> Plan:
    """The nodes of the corpus that the order is about, in the order of their trees.

    Raises NotAllowed, BadRequest (the query, the label, or too much), QueryTooSlow.
    """
    access.require(by, "manage", corpus.project)
    search = running.search(order.query, [corpus], by)
    _check(search, order)
    plan = Plan(order)
    nodes = _nodes(search, order.node)
    for parse, chosen in _with_parses(nodes):
        reason = _reason(parse, order)
        tree = None if reason else _tree(parse)
        if tree is None:
            plan.left[reason or UNREADABLE] += 1
            continue
        labels = _labels(tree, chosen, order)
        if not labels:
            plan.left[SAME] += 1
            continue
        plan.changes.append(Change(parse, labels))
        plan.pairs.update((tree.labels[node], label) for node, label in labels)
    return plan


def _check(search: Search, order: Order) -> None:
    try:
        checked_label(order.label)
    except InvalidValue as error:
        raise BadRequest(str(error), field="label") from error
    if search.query.kind == "dependency":
        raise BadRequest(
            _(
                "This query is about dependency arcs; only nodes of constituent trees "
                "are relabelled at once."
            ),
            field="q",
        )
    if search.waiting:
        reason = ngettext(
            "%(n)s tree or layer is not indexed yet, so nodes may be "
            "missed. Index it first on the search page.",
            "%(n)s trees or layers are not indexed yet, so nodes may be "
            "missed. Index them first on the search page.",
            search.waiting,
        )
        raise BadRequest(reason % {"n": search.waiting}, field="q")


def _nodes(search: Search, name: str) -> dict[int, list[int]]:
    """By tree the nodes that the query means. Raises BadRequest."""
    by_tree: dict[int, set[int]] = {}
    ends = time.monotonic() + LOOK_SECONDS
    after = ""
    while True:
        page = search.page(after, size=PORTION)
        for match in page.matches:
            hit = _meant(match.hits, name)
            if hit.kind not in (Kind.PHRASE, Kind.TAG):
                raise BadRequest(_word(), field="q")
            by_tree.setdefault(hit.tree, set()).add(hit.node)
        after = page.after
        if not after:
            return {tree: sorted(nodes) for tree, nodes in by_tree.items()}
        if len(by_tree) > MOST or time.monotonic() > ends:
            raise BadRequest(_too_much(), field="q")


def _word() -> str:
    return _(
        "The node is a word; only phrases and tags are relabelled. Name the tag above "
        "it: NN=n < door."
    )


def _too_much() -> str:
    reason = _(
        "This takes more than %(seconds)s seconds, or covers more than "
        "%(most)s sentences. Narrow the query: where length < 20."
    )
    return reason % {"seconds": f"{LOOK_SECONDS:g}", "most": MOST}


def _meant(hits: Iterable[Hit], name: str) -> Hit:
    for hit in hits:
        if not name or hit.name == name:
            return hit
    reason = _("No node of the query is called %(quoted)s: write it as NP=%(name)s.")
    raise BadRequest(reason % {"quoted": repr(name), "name": name}, field="node")


def _with_parses(nodes: dict[int, list[int]]) -> Iterator[tuple[Parse, list[int]]]:
    keys = sorted(nodes)
    for start in range(0, len(keys), PORTION):
        part = keys[start : start + PORTION]
        rows = Parse.objects.select_related("sentence").in_bulk(part)
        yield from ((rows[key], nodes[key]) for key in part if key in rows)


def _reason(parse: Parse, order: Order) -> str:
    """Why the tree stays as it is; "" if it does not."""
    if parse.kind != Parse.Kind.CONSTITUENCY:
        return UNREADABLE
    if parse.origin == Origin.ENGINE:
        return "" if order.with_parsed and not _has_gold(parse) else NOT_GOLD
    return "" if parse.origin == Origin.GOLD else SOMEBODYS


def _has_gold(parse: Parse) -> bool:
    rows = Parse.objects.filter(sentence=parse.sentence_id, kind=parse.kind)
    return rows.filter(origin=Origin.GOLD).exists()


def _tree(parse: Parse) -> Tree | None:
    try:
        return parse.to_tree()
    except GemelError:
        return None


def _labels(tree: Tree, nodes: list[int], order: Order) -> tuple[tuple[int, str], ...]:
    """The nodes that are not called so already, with their new labels."""
    changes = []
    for node in nodes:
        old = tree.labels[node]
        tail = old[len(basic(old)) :] if order.keeps_functions else ""
        if old != order.label + tail:
            changes.append((node, order.label + tail))
    return tuple(changes)
