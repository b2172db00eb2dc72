"""The overview of a project and everyone's home page."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from itertools import accumulate
from typing import Any

from django.db.models import (
    Count,
    Exists,
    F,
    IntegerField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotator import access
from annotator.models import (
    AlignmentLayer,
    Campaign,
    Corpus,
    Job,
    Origin,
    Pair,
    Parse,
    Participant,
    Project,
    Tally,
    TreeDraft,
    Worklist,
    WorkPerson,
    WorkShare,
)
from annotator.models.projects import Anybody, id_of
from annotator.pages.site.loop import COUNTED, loop_of
from annotator.pages.site.needs import needs
from annotator.pages.site.quality import is_measured
from annotator.services.campaigns import messages, shares
from annotator.services.campaigns.shares import JudgeShare
from annotator.services.kept_counts import MANY, kept
from annotator.services.projects.removals import deleted_projects
from annotator.throughput.prepared import Select, Slot

SHOWN = shares.MOST  # of each kind
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
    """Work that this person may continue, in one project or in all of theirs."""
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
                "%(n)s pair started, not done",
                "%(n)s pairs started, not done",
                row["n"],
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
        text = ngettext("%(n)s unsaved tree", "%(n)s unsaved trees", n)
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
    """Corpora with pairs that an aligner linked and no one has looked at."""
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
    if not corpora:
        return Counter()
    pairs = Pair.objects.filter(state=Pair.State.PROPOSED).order_by()
    small = [corpus for corpus in corpora if corpus.n_pairs <= MANY]
    rows = pairs.filter(corpus__in=small).values_list("corpus").annotate(n=Count("pk"))
    counts = Counter(dict(rows))
    for corpus in corpora:
        if corpus.n_pairs > MANY:
            own = pairs.filter(corpus=corpus)
            counts[corpus.pk] = kept(f"proposed-{corpus.pk}", corpus.n_pairs, own.count)
    return counts


CORPORA, JOBS = 8, 5  # shown; the rest is behind a link
DAYS = 7


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """A corpus with how many of its pairs are parsed, linked and reviewed;
    ``is_counted``: whether these are known."""

    corpus: Corpus
    parsed: int = 0
    linked: int = 0
    reviewed: int = 0
    is_counted: bool = True

    @property
    def steps(self) -> list[tuple[str, str, str]]:
        """Name, state ("done", "now" or ""), and the share as text."""
        total = self.corpus.n_pairs
        steps: list[tuple[str, str, str]] = [(_("Imported"), "done", "")]
        parts = {
            _("Parsed"): self.parsed,
            _("Aligned"): self.linked,
            _("Reviewed"): self.reviewed,
        }
        for name, n in parts.items():
            state = "done" if n >= total else "now" if n else ""
            share = f"{100 * n // total} %" if state == "now" else ""
            steps.append((name, state, share))
        return steps

    @property
    def next(self) -> tuple[str, str]:
        """The step that is to do: what the link says, and the page."""
        total = self.corpus.n_pairs if self.is_counted else 0
        if self.parsed < total and not self.linked:
            return _("Parse"), "parses"
        if self.linked < total:
            return _("Align"), "alignments"
        if self.reviewed < total:
            return _("Correct links"), "next_unsure"
        return "", ""


@dataclass(slots=True)
class Person:
    """A person's work in the last week."""

    name: str
    judgments: int = 0
    pairs: int = 0
    last: date = date.min


_PROJECTS = Select(
    lambda: Project.objects.filter(memberships__user_id=_ASKING).annotate(
        n_corpora=Count("corpora", distinct=True), role=F("memberships__role")
    )
)
_LISTED = Select(
    lambda: (
        Corpus.objects.filter(project_id=_HERE, archived_at=None)
        .select_related("project")
        .order_by("-pk")
    )
)
_RUNNING = Select(
    lambda: (
        Job.objects.visible_to_key(_ASKING)
        .filter(project_id=_HERE)
        .active()
        .order_by("-pk")[:JOBS]
    )
)


def home(user: Anybody) -> dict[str, Any]:
    """By role: this person's work, what needs them as a manager, projects."""
    rows = _PROJECTS.models(user=id_of(user))
    return {
        "projects": [one for one in rows if one.archived_at is None],
        "may_create": access.may_create(user),
        "archived": [one for one in rows if one.archived_at is not None],
        "deleted": deleted_projects(user),
        "unread": [one for one in messages.of(user) if one.is_unread],
        "tasks": waiting(user),
        "needs": needs(user),
        "is_measured": is_measured(user),
    }


def overview(project: Project, *, by: Anybody) -> dict[str, Any]:
    """The state of a project, as far as this person's role may see it."""
    role = access.role_in(by, project)
    sees_others = role in access.VERBS["see_others"]
    listed = _LISTED.models(project=project.pk)
    corpora = _corpora(listed, with_steps=sees_others)
    tasks = waiting(by, project)
    running = _RUNNING.models(user=id_of(by), project=project.pk)
    loop = loop_of(project, corpora, tasks, running, role) if sees_others else None
    return {
        "project": project,
        "role": role,
        "may_manage": role in access.VERBS["manage"],
        "tasks": tasks,
        "loop": loop,
        "needs": needs(by, project),
        "is_measured": is_measured(by, project),
        "corpora": corpora[:CORPORA],
        "has_more_corpora": len(corpora) > CORPORA,
        "people": _people(project) if sees_others else [],
        "running": running,
        "sees_others": sees_others,
    }


def corpus_row(corpus: Corpus, *, by: Anybody) -> CorpusRow | None:
    """The progress of a corpus; None for people who may not see others' work, or
    without pairs."""
    sees_others = access.may(by, "see_others", corpus.project)
    if not sees_others or not 0 < corpus.n_pairs <= COUNTED:
        return None
    (row,) = _corpora([corpus], with_steps=True)
    return row


def _corpora(rows: list[Corpus], *, with_steps: bool) -> list[CorpusRow]:
    """Counted are the first ones, up to 200,000 pairs together."""
    sizes = accumulate(row.n_pairs for row in rows)
    counted = [row for row, n in zip(rows, sizes, strict=True) if n <= COUNTED]
    if not with_steps:
        counted = []
    sums = _steps([row for row in counted if row.n_pairs <= MANY])
    for row in counted:
        if row.n_pairs > MANY:
            sums |= kept(f"steps-{row.pk}", row.n_pairs, partial(_steps, [row]))
    known = {row.pk for row in counted}
    return [
        CorpusRow(row, *sums.get(row.pk, (0, 0, 0)), is_counted=row.pk in known)
        for row in rows
    ]


def _steps(corpora: list[Corpus]) -> dict[int, tuple[int, int, int]]:
    """Pairs parsed, linked and reviewed, by the primary key of the corpus."""
    if not corpora:
        return {}
    counted = Pair.objects.filter(corpus__in=corpora).order_by().values("corpus")
    return {
        row["corpus"]: (row["parsed"], row["linked"], row["reviewed"])
        for row in counted.annotate(
            parsed=Count("pk", filter=Q(has_parse=True)),
            linked=Count("pk", filter=~Q(state=Pair.State.NONE)),
            reviewed=Count("pk", filter=Q(state=Pair.State.DONE)),
        )
    }


def _people(project: Project) -> list[Person]:
    """Who judged or linked in the last week, the last first."""
    since = timezone.now() - timedelta(days=DAYS)
    people: dict[str, Person] = {}
    judged = Tally.objects.filter(
        participant__campaign__project=project,
        participant__user__isnull=False,
        day__gte=since.date(),
    ).values_list("participant__user__username")
    for name, n, last in judged.annotate(n=Sum("n_done"), last=Max("day")):
        person = people.setdefault(name, Person(name))
        person.judgments, person.last = n, max(person.last, last)
    linked = AlignmentLayer.objects.filter(
        pair__corpus__project=project,
        origin=Origin.ANNOTATOR,
        author__isnull=False,
        updated_at__gte=since,
    ).order_by()
    names = linked.values_list("author__username")
    for name, n, last in names.annotate(n=Count("pk"), last=Max("updated_at")):
        person = people.setdefault(name, Person(name))
        person.pairs, person.last = n, max(person.last, last.date())
    return sorted(people.values(), key=lambda one: (one.last, one.name), reverse=True)
