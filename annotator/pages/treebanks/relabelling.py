"""The page that relabels by query: what would change, drawn before and after."""

from typing import Any

from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import Refusal
from annotator.models import BatchTree, Corpus, TreeBatch
from annotator.models.projects import Anybody
from annotator.services.treebanks import relabelling
from annotator.services.treebanks.relabelling import Change, Order, planned
from annotator.svg import parse as svg
from annotator.svg.parse import Note
from core.data.tree import Tree
from core.layout.links import LinkedSide, parse_scene

Json = dict[str, Any]
DRAWN, LISTED, BATCHES = 3, 25, 20
LONG = 60  # words: longer sentences are listed, not drawn


def order_page(corpus: Corpus, order: Order, *, by: Anybody) -> Json:
    """The form, and what the order would do; what is refused is said next to it."""
    page: Json = {
        "project": corpus.project,
        "corpus": corpus,
        "order": order,
        "batches": _batches(corpus),
    }
    if not order.query or not order.label:
        return page
    try:
        plan = planned(corpus, order, by=by)
    except Refusal as refusal:
        return page | {"refusal": refusal}
    return page | {
        "plan": plan,
        "pairs": [(*pair, n) for pair, n in plan.pairs.most_common(12)],
        "left": plan.left.most_common(),
        "rows": [_row(n, one) for n, one in enumerate(plan.changes[:LISTED])],
        "more": max(len(plan.changes) - LISTED, 0),
    }


def _batches(corpus: Corpus) -> list[Json]:
    rows = corpus.batches.select_related("by", "undone_by")[:BATCHES]
    return [{"batch": one, "counts": relabelling.counts(one)} for one in rows]


def _row(n: int, change: Change) -> Json:
    tree = change.parse.to_tree()
    labels = change.labels
    return {
        "sentence": change.parse.sentence,
        "nodes": [(tree.labels[v], new, _words(tree, v)) for v, new in labels],
        "drawn": _drawn(change, tree) if n < DRAWN else (),
    }


def _words(tree: Tree, v: int) -> str:
    return " ".join(tree.words[token] for token in tree.yield_of(v))


def _drawn(change: Change, tree: Tree) -> tuple[tuple[str, str], ...]:
    """Before and after; nothing of a sentence that is too long for two drawings."""
    if tree.n_tokens > LONG:
        return ()
    text = change.parse.sentence.text
    notes = {_box(tree, v): Note(is_match=True) for v, _label in change.labels}
    words = tuple(change.parse.sentence.forms)
    pictures = []
    for name, one in (
        (_("Before"), tree),
        (_("After"), change.operation.on(tree).tree),
    ):
        scene = parse_scene(LinkedSide(words, one, None))
        here = notes if change.new is None or one is tree else {}
        drawn = svg.draw(scene, title=f"{name}: {text}", phrases=here)
        pictures.append((name, drawn))
    return tuple(pictures)


def _box(tree: Tree, v: int) -> str:
    """A tag is drawn with its word."""
    return f"w{tree.tokens[v]}" if tree.is_leaf(v) else f"n{v}"


def batch_page(batch: TreeBatch, *, by: Anybody) -> Json:
    """What became of every sentence of a batch."""
    corpus = batch.corpus
    rows = batch.trees.select_related("sentence").order_by("pk")
    noted = rows.filter(state__in=[BatchTree.State.LEFT, BatchTree.State.KEPT])
    return {
        "project": corpus.project,
        "corpus": corpus,
        "batch": batch,
        "counts": relabelling.counts(batch),
        "noted": noted[:200],
        "rows": rows[:200],
        "may_undo": batch.undone_at is None
        and access.may(by, "manage", corpus.project),
    }
