"""Worklists as pages: the form and the lists of a corpus, one list, work under hand."""

from collections import Counter
from typing import Any

from django.db.models import Q, QuerySet
from django.urls import reverse

from annotator import access
from annotator.models import Corpus, Project, WorkItem, Worklist, WorkShare
from annotator.models.projects import Anybody, id_of

Json = dict[str, Any]
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
    roles = access.VERBS["annotate"]
    members = project.memberships.filter(role__in=roles).select_related("user")
    return {
        "project": project,
        "corpus": corpus,
        "may_manage": access.may(by, "manage", project),
        "lists": [_summary(one, by) for one in lists],
        "members": [one.user.get_username() for one in members.order_by("user")],
        "units": Worklist.Unit.choices,
        "rankings": Worklist.Ranking.choices,
        "saved": project.queries.all(),
    }


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
    roles = access.VERBS["annotate"]
    members = project.memberships.filter(role__in=roles).select_related("user")
    names = [one.user.get_username() for one in members.order_by("user")]
    return page | {
        "people": [_person(worklist, one) for one in people],
        "others": [name for name in names if name not in there],
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
    """Where the item is worked on."""
    if item.sentence is not None:
        return reverse("tree_edit", args=[project.slug, item.sentence.code])
    assert item.pair is not None
    return reverse("pair", args=[project.slug, item.pair.code])


def bar(code: str, project: Project, by: Anybody) -> Json | None:
    """What the page of an item shows of the work; None if it is none of theirs."""
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
