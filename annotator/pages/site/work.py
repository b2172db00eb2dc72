"""What waits for one person: items to judge, links and trees to go on with.

Own work only: what others did shows in nothing but the items that are left.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import (
    Count,
    Exists,
    IntegerField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotator import access
from annotator.models import (
    AlignmentLayer,
    Campaign,
    Corpus,
    Pair,
    Parse,
    Participant,
    Project,
    TreeDraft,
    Worklist,
    WorkPerson,
    WorkShare,
)
from annotator.models.projects import Anybody, id_of
from annotator.services.campaigns import shares
from annotator.services.campaigns.shares import JudgeShare
from annotator.services.kept_counts import MANY, kept
from annotator.throughput.prepared import Select, Slot

SHOWN = 12  # of each kind
_ASKING, _HERE = Slot("user"), Slot("project")


@dataclass(frozen=True, slots=True)
class Task:
    """``share``: how much of it is done, 0 to 1, where that is known. Without ``url``
    there is nothing to do but to read ``text``."""

    kind: str
    title: str
    project: str
    text: str
    url: str
    label: str
    share: float | None = None
    is_posted: bool = False  # the button takes the next piece of work


def waiting(user: Anybody, project: Project | None = None) -> list[Task]:
    """What this person may go on with, in one project or in all of theirs."""
    return [
        *_judging(user, project),
        *_worklists(user, project),
        *_links(user, project),
        *_trees(user, project),
        *_proposed(user, project),
    ]


class _Own:
    """Rows of one person in the projects where they annotate, or in one of these.

    Everybody's first page asks for them, so each statement is compiled once.
    """

    def __init__(self, rows: "Callable[[Q], QuerySet[Any, Any]]", to: str) -> None:
        """``to``: the way from a row to its project."""
        mine = Q(
            **{
                f"{to}__memberships__user_id": _ASKING,
                f"{to}__memberships__role__in": sorted(access.VERBS["annotate"]),
            }
        )
        here = mine & Q(**{to: _HERE})
        self._all, self._here = Select(lambda: rows(mine)), Select(lambda: rows(here))

    def of(self, user: Anybody, project: Project | None) -> tuple[Select, Any]:
        """The statement, and what it is given."""
        if project is None:
            return self._all, {"user": id_of(user)}
        return self._here, {"user": id_of(user), "project": project.pk}

    def models(self, user: Anybody, project: Project | None) -> list[Any]:
        select, given = self.of(user, project)
        return select.models(**given)

    def dicts(
        self, names: Sequence[str], user: Anybody, project: Project | None
    ) -> list[dict[str, Any]]:
        """Rows by the names of their columns, which are in this order."""
        select, given = self.of(user, project)
        return [dict(zip(names, row, strict=True)) for row in select.rows(**given)]


_JUDGING = _Own(
    lambda mine: (
        Participant.objects.filter(
            mine, user_id=_ASKING, campaign__state=Campaign.State.OPEN
        )
        .select_related("campaign__project")
        .order_by("-campaign_id")[:SHOWN]
    ),
    "campaign__project",
)


def _judging(user: Anybody, project: Project | None) -> list[Task]:
    people = _JUDGING.models(user, project)
    if not people:
        return []
    share = shares.of_many(people)
    tasks = [_of_participant(person, share[person.pk]) for person in people]
    return [task for task in tasks if task is not None]


def _sum(rows: "QuerySet[Any, Any]") -> Coalesce:
    return Coalesce(Subquery(rows.values("n"), output_field=IntegerField()), 0)


def _of_participant(person: Participant, share: JudgeShare) -> Task | None:
    """The campaign as a task; None when this person's share of it is done."""
    campaign = person.campaign
    where = ("judge", campaign.name, campaign.project.name)
    if person.state != Participant.State.ACTIVE:
        return Task(*where, f"{person.get_state_display()}.", "", "")
    if not share.left:
        return None
    url = reverse("judge", args=[campaign.project.slug, campaign.code])
    label = _("Continue") if share.done else _("Start judging")
    return Task(*where, _left(share), url, label, share.done / share.all)


def _left(share: JudgeShare) -> str:
    if share.left == share.skipped:
        return ngettext(
            "%(n)s skipped item left", "%(n)s skipped items left", share.left
        ) % {"n": share.left}
    return ngettext(
        "%(n)s of %(all)s item left", "%(n)s of %(all)s items left", share.all
    ) % {"n": share.left, "all": share.all}


def _worklist_rows(mine: Q) -> "QuerySet[Worklist]":
    done = WorkShare.objects.filter(
        item__worklist=OuterRef("pk"), user_id=_ASKING, state=WorkShare.State.DONE
    )
    counted = done.order_by().values("item__worklist").annotate(n=Count("pk"))
    people = WorkPerson.objects.filter(
        worklist=OuterRef("pk"), user_id=_ASKING, removed_at=None
    )
    rows = Worklist.objects.filter(mine, Exists(people), closed_at=None)
    rows = rows.annotate(n_done=_sum(counted)).select_related("corpus__project")
    return rows.order_by("-pk")[:SHOWN]


_WORKLISTS = _Own(_worklist_rows, "corpus__project")


def _worklists(user: Anybody, project: Project | None) -> list[Task]:
    return [
        Task(
            "worklist",
            one.name,
            one.corpus.project.name,
            _("%(unit)s of %(corpus)s, %(n)s done by you")
            % {
                "unit": one.get_unit_display(),
                "corpus": one.corpus,
                "n": one.n_done,
            },
            reverse("worklist", args=[one.corpus.project.slug, one.code]),
            _("Continue"),
            is_posted=True,
        )
        for one in _WORKLISTS.models(user, project)
    ]


def _link_rows(mine: Q) -> "QuerySet[Any, Any]":
    rows = AlignmentLayer.objects.filter(
        mine, author_id=_ASKING, state=AlignmentLayer.State.OPEN
    )
    return _by_corpus(rows, "pair")


_LINKS = _Own(_link_rows, "pair__corpus__project")


def _links(user: Anybody, project: Project | None) -> list[Task]:
    return [
        Task(
            "links",
            row["corpus"],
            row["project"],
            ngettext(
                "%(n)s pair begun, not done", "%(n)s pairs begun, not done", row["n"]
            )
            % {"n": row["n"]},
            reverse("pair", args=[row["slug"], row["code"]]),
            _("Continue"),
        )
        for row in _LINKS.dicts(_NAMES, user, project)
    ]


_EDITORS = {Parse.Kind.CONSTITUENCY: "tree", Parse.Kind.DEPENDENCY: "arcs"}


def _draft_rows(mine: Q) -> "QuerySet[Any, Any]":
    rows = TreeDraft.objects.filter(mine, author_id=_ASKING, revision__gt=0)
    return _by_corpus(rows, "sentence", "kind")


_DRAFTS = _Own(_draft_rows, "sentence__corpus__project")


def _trees(user: Anybody, project: Project | None) -> list[Task]:
    """Trees, then arcs, each the corpus touched last first."""
    rows = _DRAFTS.dicts((*_NAMES[:-3], "kind", *_NAMES[-3:]), user, project)
    return [
        Task(
            name,
            row["corpus"],
            row["project"],
            _begun(name, row["n"]),
            reverse(f"{name}_edit", args=[row["slug"], row["code"]]),
            _("Continue"),
        )
        for kind, name in _EDITORS.items()
        for row in rows
        if row["kind"] == kind
    ]


def _begun(name: str, n: int) -> str:
    if name == "arcs":
        text = ngettext(
            "arcs of %(n)s sentence begun, not saved",
            "arcs of %(n)s sentences begun, not saved",
            n,
        )
    else:
        text = ngettext(
            "%(n)s tree begun, not saved", "%(n)s trees begun, not saved", n
        )
    return text % {"n": n}


_NAMES = ("id", "corpus", "project", "slug", "n", "last", "code")  # of _by_corpus


def _by_corpus(
    rows: "QuerySet[Any, Any]", to: str, *apart: str
) -> "QuerySet[Any, Any]":
    """How many rows in each corpus, with the code of the pair or sentence touched last;
    ``apart``: columns whose values are counted apart."""
    corpus = f"{to}__corpus"
    same = {name: OuterRef(name) for name in (corpus, *apart)}
    newest = rows.filter(**same).order_by("-updated_at").values(f"{to}__code")
    names = (f"{corpus}__name", f"{corpus}__project__name", f"{corpus}__project__slug")
    grouped = rows.order_by().values_list(corpus, *names, *apart)
    counted = grouped.annotate(
        n=Count("pk"), last=Max("updated_at"), code=Subquery(newest[:1])
    )
    return counted.order_by("-last")[: SHOWN * (1 + len(apart))]


def _proposed_rows(mine: Q) -> "QuerySet[Corpus]":
    pairs = Pair.objects.filter(corpus=OuterRef("pk"), state=Pair.State.PROPOSED)
    rows = Corpus.objects.filter(mine, Exists(pairs)).select_related("project")
    return rows.order_by("-pk")[:SHOWN]


_PROPOSED = _Own(_proposed_rows, "project")


def _proposed(user: Anybody, project: Project | None) -> list[Task]:
    """Corpora with pairs that an aligner linked and nobody has looked at."""
    corpora = _PROPOSED.models(user, project)
    counts = _proposed_in(corpora)
    return [
        Task(
            "links",
            corpus.name,
            corpus.project.name,
            ngettext(
                "%(n)s pair with links to correct",
                "%(n)s pairs with links to correct",
                counts[corpus.pk],
            )
            % {"n": counts[corpus.pk]},
            reverse("next_unsure", args=[corpus.project.slug, corpus.code]),
            _("Correct links"),
        )
        for corpus in corpora
    ]


def _proposed_in(corpora: list[Corpus]) -> Counter[int]:
    """By corpus, how many such pairs: of the large ones as kept, of all others by one
    query."""
    pairs = Pair.objects.filter(state=Pair.State.PROPOSED).order_by()
    small = [corpus for corpus in corpora if corpus.n_pairs <= MANY]
    rows = pairs.filter(corpus__in=small).values_list("corpus").annotate(n=Count("pk"))
    counts = Counter(dict(rows))
    for corpus in corpora:
        if corpus.n_pairs > MANY:
            own = pairs.filter(corpus=corpus)
            counts[corpus.pk] = kept(f"proposed-{corpus.pk}", corpus.n_pairs, own.count)
    return counts
