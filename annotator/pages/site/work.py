"""What waits for one person: items to judge, links and trees to go on with.

Own work only: what others did shows in nothing but the items that are left.
"""

from collections import Counter
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

SHOWN = 12  # of each kind


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


def _annotating(user: Anybody, project: Project | None, to: str) -> Q:
    """Rows of the projects in which the person annotates; ``to``: the way there."""
    here = {
        f"{to}memberships__user_id": id_of(user),
        f"{to}memberships__role__in": access.VERBS["annotate"],
    }
    return Q(**here) & (Q(**{to.removesuffix("__"): project}) if project else Q())


def _judging(user: Anybody, project: Project | None) -> list[Task]:
    rows = Participant.objects.filter(
        _annotating(user, project, "campaign__project__"),
        user_id=id_of(user),
        campaign__state=Campaign.State.OPEN,
    )
    rows = rows.select_related("campaign__project").order_by("-campaign_id")
    people = list(rows[:SHOWN])
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


def _worklists(user: Anybody, project: Project | None) -> list[Task]:
    mine = WorkShare.objects.filter(
        item__worklist=OuterRef("pk"), user_id=id_of(user), state=WorkShare.State.DONE
    )
    counted = mine.order_by().values("item__worklist").annotate(n=Count("pk"))
    rows = Worklist.objects.filter(
        _annotating(user, project, "corpus__project__"),
        Exists(
            WorkPerson.objects.filter(
                worklist=OuterRef("pk"), user_id=id_of(user), removed_at=None
            )
        ),
        closed_at=None,
    ).annotate(n_done=_sum(counted))
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
        for one in rows.select_related("corpus__project").order_by("-pk")[:SHOWN]
    ]


def _links(user: Anybody, project: Project | None) -> list[Task]:
    rows = AlignmentLayer.objects.filter(
        _annotating(user, project, "pair__corpus__project__"),
        author_id=id_of(user),
        state=AlignmentLayer.State.OPEN,
    )
    newest = rows.filter(pair__corpus=OuterRef("pair__corpus")).order_by("-updated_at")
    grouped = _by_corpus(rows, "pair__corpus", newest.values("pair__code"))
    return [
        Task(
            "links",
            row["pair__corpus__name"],
            row["pair__corpus__project__name"],
            ngettext(
                "%(n)s pair begun, not done", "%(n)s pairs begun, not done", row["n"]
            )
            % {"n": row["n"]},
            reverse("pair", args=[row["pair__corpus__project__slug"], row["code"]]),
            _("Continue"),
        )
        for row in grouped
    ]


_EDITORS = {Parse.Kind.CONSTITUENCY: "tree", Parse.Kind.DEPENDENCY: "arcs"}


def _trees(user: Anybody, project: Project | None) -> list[Task]:
    kinds = _EDITORS.items()
    return [task for one in kinds for task in _drafts(user, project, *one)]


def _drafts(
    user: Anybody, project: Project | None, kind: Parse.Kind, name: str
) -> list[Task]:
    rows = TreeDraft.objects.filter(
        _annotating(user, project, "sentence__corpus__project__"),
        author_id=id_of(user),
        revision__gt=0,
        kind=kind,
    )
    newest = rows.filter(sentence__corpus=OuterRef("sentence__corpus"))
    codes = newest.order_by("-updated_at").values("sentence__code")
    return [
        Task(
            name,
            row["sentence__corpus__name"],
            row["sentence__corpus__project__name"],
            _begun(name, row["n"]),
            reverse(
                f"{name}_edit",
                args=[row["sentence__corpus__project__slug"], row["code"]],
            ),
            _("Continue"),
        )
        for row in _by_corpus(rows, "sentence__corpus", codes)
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


def _by_corpus(
    rows: "QuerySet[Any, Any]", to: str, newest: "QuerySet[Any, Any]"
) -> list[dict[str, Any]]:
    """How many rows in each corpus, with the code of the one touched last."""
    names = (f"{to}__name", f"{to}__project__name", f"{to}__project__slug")
    grouped = rows.order_by().values(to, *names)
    counted = grouped.annotate(
        n=Count("pk"), last=Max("updated_at"), code=Subquery(newest[:1])
    )
    return list(counted.order_by("-last")[:SHOWN])


def _proposed(user: Anybody, project: Project | None) -> list[Task]:
    """Corpora with pairs that an aligner linked and nobody has looked at."""
    pairs = Pair.objects.filter(corpus=OuterRef("pk"), state=Pair.State.PROPOSED)
    rows = Corpus.objects.filter(
        _annotating(user, project, "project__"), Exists(pairs)
    ).select_related("project")
    corpora = list(rows.order_by("-pk")[:SHOWN])
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
