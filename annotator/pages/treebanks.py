"""Work on whole treebanks: relabelling by query, problems, worklists."""

from collections import Counter
from typing import Any

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import Refusal
from annotator.models import (
    BatchTree,
    Corpus,
    Project,
    TreebankRules,
    TreeBatch,
    WorkItem,
    Worklist,
    WorkShare,
)
from annotator.models.projects import Anybody, id_of
from annotator.services.treebanks import relabelling, rules
from annotator.services.treebanks.relabelling import Change, Order, planned
from annotator.services.treebanks.rules import Checked
from annotator.svg import parse as svg
from annotator.svg.parse import Note
from core.data.tree import Tree
from core.layout.links import LinkedSide, parse_scene
from core.validation.declared import EXAMPLE
from core.validation.sentences import Problem

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
    """The result for every sentence of a batch."""
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


PAGE = 25  # sentences with problems


def problems_page(corpus: Corpus, *, after: str, by: Anybody) -> Json:
    """The rules, and a look through the trees; raises BadRequest as ``rules.check``."""
    row = TreebankRules.objects.filter(corpus=corpus).select_related("by").first()
    report = rules.check(corpus, after=after, most=PAGE, counts=not after)
    project = corpus.project
    return {
        "project": project,
        "corpus": corpus,
        "row": row,
        "text": row.text if row else "",
        "revision": row.revision if row else 0,
        "example": EXAMPLE,
        "may_manage": access.may(by, "manage", project),
        "may_edit": access.may(by, "annotate", project),
        "report": report,
        "total": report.total,
        "after": after,
        "counts": report.total.by_rule.most_common(),
        "rows": [_problem_row(one) for one in report.checked],
    }


def _problem_row(checked: Checked) -> Json:
    problems = [problem_json(one, checked) for one in checked.problems]
    return {"sentence": checked.sentence, "tree": checked.tree, "problems": problems}


def problem_json(problem: Problem, checked: Checked) -> Json:
    """A problem with its words, as pages and programs show it."""
    forms = checked.sentence.forms
    return {
        "rule": problem.rule,
        "about": problem.about,
        "text": problem.text,
        "remedy": problem.remedy,
        "node": problem.node if problem.node >= 0 else None,
        "words": list(problem.words),
        "forms": [forms[m] for m in problem.words if m < len(forms)],
    }


ITEMS = 200  # of a list that are shown
State = WorkShare.State


def visible_to(user: Anybody, project: Project) -> QuerySet[Worklist]:
    """All lists for those who manage; one's own for others."""
    rows = Worklist.objects.filter(corpus__project=project).select_related("corpus")
    if access.may(user, "manage", project):
        return rows
    mine = Q(people__user_id=id_of(user), people__removed_at=None)
    return rows.filter(mine).distinct()


def corpus_page(corpus: Corpus, *, by: Anybody) -> Json:
    """The lists of a corpus; for managers the form."""
    project = corpus.project
    lists = visible_to(by, project).filter(corpus=corpus)
    return {
        "project": project,
        "corpus": corpus,
        "may_manage": access.may(by, "manage", project),
        "lists": [_summary(one, by) for one in lists],
        "members": _annotators(project),
        "units": Worklist.Unit.choices,
        "rankings": Worklist.Ranking.choices,
        "saved": project.queries.all(),
    }


def _annotators(project: Project) -> list[str]:
    """The names of those who may work on a list."""
    roles = access.VERBS["annotate"]
    members = project.memberships.filter(role__in=roles).select_related("user")
    return [one.user.get_username() for one in members.order_by("user")]


def _summary(worklist: Worklist, by: Anybody) -> Json:
    shares = WorkShare.objects.filter(item__worklist=worklist).order_by()
    states = Counter(shares.values_list("state", flat=True))
    own = Counter(shares.filter(user_id=id_of(by)).values_list("state", flat=True))
    n_items = worklist.items.count()
    people = worklist.people.filter(user_id=id_of(by), removed_at=None)
    return {
        "list": worklist,
        "wanted": n_items * worklist.n_each,
        "done": states[State.DONE],
        "own_done": own[State.DONE],
        "own_skipped": own[State.SKIPPED],
        "is_mine": people.exists(),
    }


def list_page(worklist: Worklist, *, by: Anybody) -> Json:
    """One list: to managers all of it, to others what they did themselves."""
    project = worklist.corpus.project
    may_manage = access.may(by, "manage", project)
    page = _summary(worklist, by) | {
        "project": project,
        "corpus": worklist.corpus,
        "may_manage": may_manage,
        "own": _own(worklist, by),
    }
    if not may_manage:
        return page
    people = worklist.people.select_related("user")
    there = {one.user.get_username() for one in people if one.removed_at is None}
    return page | {
        "people": [_person(worklist, one) for one in people],
        "others": [name for name in _annotators(project) if name not in there],
        "items": _items(worklist),
        "n_items": worklist.items.count(),
    }


def _person(worklist: Worklist, person: Any) -> Json:
    shares = WorkShare.objects.filter(item__worklist=worklist, user=person.user_id)
    states = Counter(shares.order_by().values_list("state", flat=True))
    return {
        "name": person.user.get_username(),
        "removed_at": person.removed_at,
        "done": states[State.DONE],
        "skipped": states[State.SKIPPED],
        "open": states[State.OPEN],
    }


def _items(worklist: Worklist) -> list[Json]:
    rows = worklist.items.select_related("sentence", "pair").prefetch_related(
        "shares__user"
    )[:ITEMS]
    return [
        {
            "place": item.place,
            "value": item.value,
            "text": str(item.sentence.text if item.sentence else item.pair),
            "url": page_of(item, worklist.corpus.project),
            "shares": list(item.shares.all()),
        }
        for item in rows
    ]


def _own(worklist: Worklist, by: Anybody) -> list[Json]:
    rows = WorkShare.objects.filter(item__worklist=worklist, user_id=id_of(by))
    rows = rows.select_related("item__sentence", "item__pair").order_by("-at")[:50]
    project = worklist.corpus.project
    return [
        {
            "share": one,
            "text": str(one.item.sentence.text if one.item.sentence else one.item.pair),
            "url": f"{page_of(one.item, project)}?work={one.code}",
        }
        for one in rows
    ]


def page_of(item: WorkItem, project: Project) -> str:
    """The page for work on the item."""
    if item.sentence is not None:
        return reverse("tree_edit", args=[project.slug, item.sentence.code])
    assert item.pair is not None
    return reverse("pair", args=[project.slug, item.pair.code])


def bar(code: str, project: Project, by: Anybody) -> Json | None:
    """The progress shown on an item's page; None if the person does not work on it."""
    if not code:
        return None
    rows = WorkShare.objects.filter(code=code, user_id=id_of(by))
    share = (
        rows.filter(item__worklist__corpus__project=project)
        .select_related("item__worklist")
        .first()
    )
    if share is None:
        return None
    return _summary(share.item.worklist, by) | {"share": share}
