"""The navigation of a project: its sections, how much each holds, where one is.

A page belongs to the section of the first part of its path below the project. Counts
cost one query, asked only where the navigation is drawn.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotator import access
from annotator.models import (
    Bitext,
    Campaign,
    Corpus,
    Job,
    Membership,
    ParaphraseTable,
)
from annotator.models.projects import id_of
from annotator.throughput.prepared import Select, Slot


@dataclass(frozen=True, slots=True)
class Section:
    """``page``: the name of its first page; ``verb``: who sees it at all."""

    key: str
    title: Promise
    page: str
    verb: str = "view"


SECTIONS = [
    Section("overview", _("Overview"), "project"),
    Section("corpora", _("Corpora"), "corpora"),
    Section("search", _("Search trees"), "project_query"),
    Section("paraphrases", _("Paraphrases"), "paraphrases"),
    Section("campaigns", _("Campaigns"), "campaigns"),
    Section("reports", _("Reports"), "agreement", "report"),
    Section("releases", _("Releases"), "releases", "export"),
    Section("people", _("People"), "people"),
    Section("jobs", _("Jobs"), "jobs"),
    Section("settings", _("Settings"), "project_settings", "manage"),
]
SECTION_OF = {  # first part of the path below the project
    "": "overview",
    "learn": "corpora",
    "corpora": "corpora",
    "corpus": "corpora",
    "pair": "corpora",
    "sentence": "corpora",
    "ledger": "corpora",
    "relabelled": "corpora",
    "upload": "corpora",
    "worklist": "corpora",
    "work": "corpora",
    "bitexts": "corpora",
    "bitext": "corpora",
    "search": "search",
    "paraphrases": "paraphrases",
    "campaigns": "campaigns",
    "campaign": "campaigns",
    "judge": "campaigns",
    "agreement": "reports",
    "releases": "releases",
    "people": "people",
    "jobs": "jobs",
    "settings": "settings",
    "log": "settings",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the navigation. ``current``: "page", "true" (within it), or ""."""

    title: str
    url: str
    count: int
    current: str


class Navigation:
    """The place of a request within a project; false outside of any."""

    def __init__(self, request: HttpRequest) -> None:
        match = getattr(request, "resolver_match", None)
        self._user = getattr(request, "user", None)
        self._page = match.url_name if match else ""
        kwargs = match.kwargs if match else {}
        below = request.path.removeprefix(f"/p/{kwargs.get('slug', '')}/")
        is_inside = "slug" in kwargs and below != request.path
        self.slug: str = kwargs["slug"] if is_inside else ""
        self._key = SECTION_OF.get(below.split("/")[0], "") if is_inside else ""

    @property
    def section(self) -> Section | None:
        return next((one for one in SECTIONS if one.key == self._key), None)

    @property
    def is_first_page(self) -> bool:
        """Whether this is the page that the section itself leads to."""
        return self.section is not None and self.section.page == self._page

    @property
    def section_url(self) -> str:
        return reverse(self.section.page, args=[self.slug]) if self.section else ""

    @cached_property
    def member(self) -> Any:
        """The person's membership with the project and the counts, or None."""
        if not self.slug or self._user is None or not self._user.is_authenticated:
            return None
        found = _MEMBER.models(user=id_of(self._user), slug=self.slug)
        return found[0] if found else None

    @property
    def project(self) -> Any:
        return self.member.project if self.member else None

    @cached_property
    def entries(self) -> list[Entry]:
        """The sections that the person's role may open."""
        if self.member is None:
            return []
        role = self.member.role
        shown = [one for one in SECTIONS if role in access.VERBS[one.verb]]
        return [self._entry(one) for one in shown]

    def _entry(self, section: Section) -> Entry:
        here = "page" if self.is_first_page else "true"
        return Entry(
            str(section.title),
            reverse(section.page, args=[self.slug]),
            self._count(section.key),
            here if section.key == self._key else "",
        )

    def _count(self, key: str) -> int:
        sees_all = self.member.role in access.VERBS["see_others"]
        name = "mine" if key == "campaigns" and not sees_all else key
        return int(getattr(self.member, f"n_{name}", 0))


def _counts() -> dict[str, Any]:
    """By name, how many rows of the project each section holds."""
    judged = Campaign.objects.filter(participants__user_id=Slot("user"))
    counts = {
        "n_corpora": _number(Corpus.objects.all()) + _number(Bitext.objects.all()),
        "n_paraphrases": _number(ParaphraseTable.objects.all()),
        "n_campaigns": _number(Campaign.objects.all()),
        "n_mine": _number(judged.exclude(state=Campaign.State.DRAFT)),
        "n_people": _number(Membership.objects.all()),
        "n_jobs": _number(Job.objects.active()),
    }
    return counts


def _number(rows: "QuerySet[Any]") -> Coalesce:
    here = rows.filter(project=OuterRef("project")).order_by().values("project")
    counted = here.annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


_MEMBER = Select(
    lambda: (
        Membership.objects.filter(user_id=Slot("user"), project__slug=Slot("slug"))
        .select_related("project")
        .annotate(**_counts())[:1]
    )
)


def site(request: HttpRequest) -> dict[str, object]:
    """For every template: ``navigation``."""
    return {"navigation": Navigation(request)}
