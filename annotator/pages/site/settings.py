"""For those who run a project: settings of it and its parts, the log, the links."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings as limits
from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext_lazy

from annotator import access
from annotator.errors import BadRequest
from annotator.models import (
    AlignmentLayer,
    Campaign,
    Corpus,
    Invitation,
    Judgment,
    LogEntry,
    Origin,
    Project,
    RatingSet,
    Removal,
    Role,
    TreeEvent,
)
from annotator.models.projects import Anybody
from annotator.pages.campaigns.rules import FIELDS as RULES
from annotator.services.projects import removals
from annotator.services.projects.invitations import MAX_DAYS, MAX_USES
from annotator.services.projects.keeping import ABOUT
from annotator.services.projects.removals import Part, kind_of

ROWS = 100
LINKS = 50  # of invitations shown
WORDS = (  # of fields and of what a thing holds, for the catalogue
    gettext_noop("description"),
    gettext_noop("licence"),
    gettext_noop("provenance"),
    gettext_noop("corpus"),
    gettext_noop("corpora"),
    gettext_noop("campaign"),
    gettext_noop("campaigns"),
    gettext_noop("pair"),
    gettext_noop("pairs"),
    gettext_noop("rating"),
    gettext_noop("ratings"),
    gettext_noop("judgment"),
    gettext_noop("judgments"),
    gettext_noop("pair linked by people"),
    gettext_noop("pairs linked by people"),
    gettext_noop("tree step"),
    gettext_noop("tree steps"),
)


ACTS = {
    "made": pgettext_lazy("log", "created"),
    "opened": pgettext_lazy("log", "opened"),
    "started": pgettext_lazy("log", "started"),
    "joined as": pgettext_lazy("log", "joined as"),
    "invited": pgettext_lazy("log", "invited"),
    "revoked": pgettext_lazy("log", "revoked"),
    "removed": pgettext_lazy("log", "removed"),
    "deleted": pgettext_lazy("log", "deleted"),
    "restored": pgettext_lazy("log", "restored"),
    "copied": pgettext_lazy("log", "copied"),
    "renamed": pgettext_lazy("log", "renamed"),
    "archived": pgettext_lazy("log", "archived"),
    "exported": pgettext_lazy("log", "exported"),
    "wrote": pgettext_lazy("log", "wrote"),
    "set rules of": pgettext_lazy("log", "set rules of"),
    "set aside": pgettext_lazy("log", "set aside"),
    "decided by majority": pgettext_lazy("log", "decided by majority"),
    "took back majority of": pgettext_lazy("log", "undid the majority in"),
    "closed": pgettext_lazy("log", "closed"),
    "paused": pgettext_lazy("log", "paused"),
    "adopted": pgettext_lazy("log", "adopted"),
    "left": pgettext_lazy("log", "undid the adoption of"),
}
"""Acts of the log as the page shows them."""
THINGS = {
    "project": pgettext_lazy("log", "project"),
    "corpus": pgettext_lazy("log", "corpus"),
    "campaign": pgettext_lazy("log", "campaign"),
    "ratings": pgettext_lazy("log", "ratings"),
    "invitation": pgettext_lazy("log", "invitation"),
    "sign-in link": pgettext_lazy("log", "sign-in link"),
    "member": pgettext_lazy("log", "member"),
    "items": pgettext_lazy("log", "items"),
    "answers": pgettext_lazy("log", "answers"),
    "guideline": pgettext_lazy("log", "guidelines"),
    "release": pgettext_lazy("log", "release"),
    "everything": pgettext_lazy("log", "everything"),
    "parser": pgettext_lazy("log", "parser"),
    "weights": pgettext_lazy("log", "weights"),
}
"""Kinds of things in the log, likewise."""


def settings(thing: Project | Part) -> dict[str, Any]:
    """What can be set, and what would be deleted."""
    project = thing if isinstance(thing, Project) else thing.project
    return {
        "project": project,
        "thing": thing,
        "kind": kind_of(thing),
        "about": {name: getattr(thing, name) for name in ABOUT.get(type(thing), {})},
        "work": work_in(thing),
        "url": settings_url(thing),
        "keep_days": removals.KEEP_DAYS,
        "deleted": deleted(project) if isinstance(thing, Project) else [],
    }


def settings_url(thing: Project | Part) -> str:
    if isinstance(thing, Project):
        return reverse("project_settings", args=[thing.slug])
    where = [thing.project.slug, kind_of(thing), thing.code]
    return reverse("part_settings", args=where)


def deleted(project: Project) -> list[tuple[Removal, int]]:
    """Deleted objects of the project, with their remaining days."""
    rows = project.removals.select_related("by")
    return [(row, _days_left(row)) for row in rows]


def _days_left(removal: Removal) -> int:
    return max(0, (removals.gone_after(removal) - timezone.now()).days)


def work_in(thing: Project | Part) -> list[tuple[int, str]]:
    """People's work in it: the numbers that are not zero, as text."""
    counts: dict[str, int] = {}
    if isinstance(thing, Project):
        counts = _of_campaigns(campaign__project=thing) | _of_corpora(project=thing)
        counts["corpus"] = thing.corpora.count()
        counts["campaign"] = thing.campaigns.filter(is_simulated=False).count()
    elif isinstance(thing, Campaign):
        counts = _of_campaigns(campaign=thing)
    elif isinstance(thing, Corpus):
        counts = {"pair": thing.n_pairs} | _of_corpora(pk=thing.pk)
    elif isinstance(thing, RatingSet):
        counts = {"rating": thing.n_ratings}
    return [(n, _plural(word, n)) for word, n in counts.items() if n]


def require_confirmed(thing: Project | Part, typed: str) -> list[tuple[int, str]]:
    """The confirmation needed. Raises BadRequest, with the contents, where people's
    work would be deleted and its name was not typed."""
    holds = work_in(thing)
    if holds and " ".join(typed.split()) != thing.name:
        raise BadRequest(
            _("Type the name, %(name)s, to delete it.") % {"name": thing.name},
            field="confirm",
            holds=held(holds),
        )
    return holds


def held(holds: list[tuple[int, str]]) -> list[dict[str, Any]]:
    """The same for a program."""
    return [{"n": n, "what": what} for n, what in holds]


def _of_campaigns(**where: Any) -> dict[str, int]:
    own = {f"item__{name}": value for name, value in where.items()}
    answered = Judgment.objects.filter(**own, participant__user__isnull=False)
    return {"judgment": answered.filter(state=Judgment.State.DONE).count()}


def _of_corpora(**where: Any) -> dict[str, int]:
    corpora = Corpus.objects.filter(**where)
    linked = AlignmentLayer.objects.filter(
        pair__corpus__in=corpora, origin=Origin.ANNOTATOR
    )
    steps = TreeEvent.objects.filter(draft__sentence__corpus__in=corpora)
    return {"pair linked by people": linked.count(), "tree step": steps.count()}


def _plural(word: str, n: int) -> str:
    irregular = {"corpus": "corpora", "pair linked by people": "pairs linked by people"}
    return word if n == 1 else irregular.get(word, f"{word}s")


def log(project: Project, *, page: int, who: str) -> dict[str, Any]:
    """The log, newest first; ``who``: of this person only."""
    rows = LogEntry.objects.filter(project=project).select_related("by")
    people = rows.order_by("by__username").values_list("by__username", flat=True)
    shown = Paginator(rows.filter(by__username=who) if who else rows, ROWS)
    listed = shown.get_page(page)
    return {
        "project": project,
        "page": listed,
        "lines": [
            (
                row,
                ACTS.get(row.act, row.act),
                THINGS.get(row.kind, row.kind),
                _detail(row),
            )
            for row in listed.object_list
        ],
        "people": [name for name in people.distinct() if name],
        "who": who,
    }


def _detail(row: LogEntry) -> str:
    """What a line says next to the name: rules that were set, as their form does."""
    if row.act != "set rules of":
        return row.detail
    names = (RULES.get(name, (name,))[0] for name in row.detail.split(", "))
    return ", ".join(str(name) for name in names)


def people(project: Project, sent: Mapping[str, str], *, by: Anybody) -> dict[str, Any]:
    """The members of the project; for its managers, the invitation links.

    ``sent``: ``q``, a part of a name, and ``people``, the page of the list.
    """
    may_manage = access.may(by, "manage", project)
    rows = project.memberships.select_related("user").order_by("user__username")
    text = typed(sent)
    return {
        "project": project,
        "may_manage": may_manage,
        "roles": Role.choices,
        "q": text,
        "members": page_of(named(rows, text), sent.get("people", "")),
        **(invitations(project) if may_manage else {}),
    }


def invitations(project: Project, campaign: Campaign | None = None) -> dict[str, Any]:
    """The links of a project or a campaign: open ones first, and who used which."""
    rows = Invitation.objects.filter(project=project, campaign=campaign)
    rows = rows.prefetch_related("uses__user").order_by("-pk")[:LINKS]
    return {
        "invitations": sorted(rows, key=lambda row: not row.is_open),
        "max_uses": MAX_USES,
        "max_days": MAX_DAYS,
        "providers": Invitation.Provider.choices if campaign else [],
    }


PEOPLE = 100  # of a page
FEWEST = 10  # of a page with many fields for each
LONGEST = 150  # characters of a name
OTHER_FIELDS = 20  # of a form, next to those of its people


def typed(sent: Mapping[str, str]) -> str:
    """The part of a name that is looked for; "": everyone is shown."""
    return sent.get("q", "").replace("\x00", "").strip()[:LONGEST]


def named(rows: QuerySet[Any], text: str, *, label: str = "") -> QuerySet[Any]:
    """Rows with ``text`` in the name of their ``user``, in any case.

    ``label``: the field with the names of authors without an account.
    """
    if not text:
        return rows
    wanted = Q(user__username__icontains=text)
    if label:
        wanted |= Q(user=None, **{f"{label}__icontains": text})
    return rows.filter(wanted)


def page_of(rows: Any, number: str, *, size: int = PEOPLE) -> Page[Any]:
    """A page of rows; the first or the last page where the number is out of range."""
    return Paginator(rows, size).get_page(number)


def at_once(n_fields: int) -> int:
    """How many people a form may list with this many fields for each: Django refuses
    one with more than ``DATA_UPLOAD_MAX_NUMBER_FIELDS``."""
    most = (limits.DATA_UPLOAD_MAX_NUMBER_FIELDS or 10**6) - OTHER_FIELDS
    return max(FEWEST, min(PEOPLE, most // max(1, n_fields)))
