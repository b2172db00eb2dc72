"""The overview of a project and everybody's home page."""

from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Any

from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from annotator import access
from annotator.models import (
    AlignmentLayer,
    Campaign,
    Corpus,
    Job,
    Origin,
    Pair,
    Project,
    Tally,
)
from annotator.models.projects import Anybody
from annotator.pages.site.needs import needs
from annotator.pages.site.quality import is_measured
from annotator.pages.site.work import waiting
from annotator.services.campaigns import progress
from annotator.services.kept_counts import MANY, kept
from annotator.services.projects.removals import deleted_projects

CORPORA, CAMPAIGNS, JOBS = 8, 6, 5  # shown; the rest is behind a link
COUNTED = 200_000  # pairs of the shown corpora; above, counting costs too much
DAYS = 7


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """A corpus with how many of its pairs are parsed, linked and reviewed."""

    corpus: Corpus
    parsed: int = 0
    linked: int = 0
    reviewed: int = 0

    @property
    def steps(self) -> list[tuple[str, str, str]]:
        """Name, how far ("done", "now" or ""), and the share in words."""
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
        total = self.corpus.n_pairs
        if self.parsed < total and not self.linked:
            return _("Parse"), "parses"
        if self.linked < total:
            return _("Align"), "alignments"
        if self.reviewed < total:
            return _("Correct links"), "next_unsure"
        return "", ""


@dataclass(frozen=True, slots=True)
class CampaignRow:
    campaign: Campaign
    done: int
    need: int

    @property
    def share(self) -> float:
        return self.done / self.need if self.need else 0.0


@dataclass(slots=True)
class Person:
    """What somebody did in the last week."""

    name: str
    judgments: int = 0
    pairs: int = 0
    last: date = date.min


def home(user: Anybody) -> dict[str, Any]:
    """By role: what this person works on, what needs them as a manager, projects."""
    rows = Project.objects.visible_to(user)
    rows = rows.annotate(
        n_corpora=Count("corpora", distinct=True), role=F("memberships__role")
    )
    return {
        "projects": rows.filter(archived_at=None),
        "may_create": access.may_create(user),
        "archived": rows.exclude(archived_at=None),
        "deleted": deleted_projects(user),
        "tasks": waiting(user),
        "needs": needs(user),
        "is_measured": is_measured(user),
    }


def overview(project: Project, *, by: Anybody) -> dict[str, Any]:
    """How a project stands, as far as this person's role may see it."""
    role = access.role_in(by, project)
    sees_others = role in access.VERBS["see_others"]
    seen = Job.objects.visible_to(by).filter(project=project)
    listed = project.corpora.filter(archived_at=None)
    corpora = list(listed.order_by("-pk")[: CORPORA + 1])
    return {
        "project": project,
        "role": role,
        "may_manage": role in access.VERBS["manage"],
        "may_run": role in access.VERBS["run"],
        "tasks": waiting(by, project),
        "needs": needs(by, project),
        "is_measured": is_measured(by, project),
        "corpora": _corpora(corpora[:CORPORA], with_steps=sees_others),
        "has_more_corpora": len(corpora) > CORPORA,
        "campaigns": _campaigns(project) if sees_others else [],
        "people": _people(project) if sees_others else [],
        "running": list(seen.active().order_by("-pk")[:JOBS]),
        "ended": list(
            seen.exclude(ended_at=None)
            .exclude(state=Job.State.FAILED)
            .order_by("-ended_at")[:JOBS]
        ),
        "sees_others": sees_others,
    }


def corpus_row(corpus: Corpus, *, by: Anybody) -> CorpusRow | None:
    """How far a corpus is; None for who does not see others' work, or without pairs."""
    sees_others = access.may(by, "see_others", corpus.project)
    if not sees_others or not 0 < corpus.n_pairs <= COUNTED:
        return None
    (row,) = _corpora([corpus], with_steps=True)
    return row


def _corpora(rows: list[Corpus], *, with_steps: bool) -> list[CorpusRow]:
    if not with_steps or sum(row.n_pairs for row in rows) > COUNTED:
        return [CorpusRow(row) for row in rows]
    few = [row for row in rows if row.n_pairs <= MANY]
    sums = _steps(few)
    for row in rows:
        if row.n_pairs > MANY:
            sums |= kept(f"steps-{row.pk}", row.n_pairs, partial(_steps, [row]))
    return [CorpusRow(row, *sums.get(row.pk, (0, 0, 0))) for row in rows]


def _steps(corpora: list[Corpus]) -> dict[int, tuple[int, int, int]]:
    """Pairs parsed, linked and reviewed, by the primary key of the corpus."""
    counted = Pair.objects.filter(corpus__in=corpora).order_by().values("corpus")
    return {
        row["corpus"]: (row["parsed"], row["linked"], row["reviewed"])
        for row in counted.annotate(
            parsed=Count("pk", filter=Q(has_parse=True)),
            linked=Count("pk", filter=~Q(state=Pair.State.NONE)),
            reviewed=Count("pk", filter=Q(state=Pair.State.DONE)),
        )
    }


def _campaigns(project: Project) -> list[CampaignRow]:
    """The newest, without rehearsals, with the answers that are there and wanted."""
    rows = list(_listed(project)[:CAMPAIGNS])
    counts = progress.done_and_needed(rows)
    return [CampaignRow(row, *counts.get(row.pk, (0, 0))) for row in rows]


def _listed(project: Project) -> QuerySet[Campaign]:
    return project.campaigns.filter(is_simulated=False, archived_at=None)


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
