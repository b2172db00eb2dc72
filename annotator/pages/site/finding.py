"""One search over everything that a person may see, by name and by words."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from annotator import access
from annotator.models import (
    Bitext,
    Campaign,
    Corpus,
    Pair,
    ParaphraseTable,
    Project,
    RatingSet,
)
from annotator.models.projects import Anybody, id_of
from annotator.pages.site import help as help_pages
from annotator.pages.site.documents import GLOSSARY
from annotator.services.campaigns import judging

SHOWN = 10  # of each kind


@dataclass(frozen=True, slots=True)
class SiteHit:
    """``where``: the project, or the document of help."""

    title: str
    where: str
    url: str


def find(text: str, *, by: Anybody) -> list[tuple[str, list[SiteHit]]]:
    """Kinds and what there is of each, at most ``SHOWN``; kinds without any left out.

    Names must contain the text, in any case; pairs all its words.
    """
    text = " ".join(text.split())
    if not text:
        return []
    kinds = [
        (_("Projects"), _projects(text, by)),
        (_("Judging"), _judging(text, by)),
        (_("Corpora"), _named(Corpus.objects.visible_to(by), text, "corpus")),
        (_("Campaigns"), _named(Campaign.objects.visible_to(by), text, "campaign")),
        (_("Ratings"), _ratings(text, by)),
        (_("Parallel text"), _named(Bitext.objects.visible_to(by), text, "bitext")),
        (_("Paraphrases"), _tables(text, by)),
        (_("Pairs"), _pairs(text, by)),
        (_("Help"), _help(text)),
    ]
    by_kind = [(kind, list(hits)) for kind, hits in kinds]
    return [(kind, hits) for kind, hits in by_kind if hits]


def _projects(text: str, by: Anybody) -> Iterator[SiteHit]:
    rows = Project.objects.visible_to(by).filter(name__icontains=text)
    for row in rows[:SHOWN]:
        yield SiteHit(row.name, "", reverse("project", args=[row.slug]))


def _judging(text: str, by: Anybody) -> Iterator[SiteHit]:
    for row in judging.open_to(by).filter(name__icontains=text)[:SHOWN]:
        yield _hit(row, "judge")


def _ratings(text: str, by: Anybody) -> Iterator[SiteHit]:
    own = {
        "project__memberships__user_id": id_of(by),
        "project__memberships__role__in": access.VERBS["report"],
    }
    rows = RatingSet.objects.filter(**own, name__icontains=text)
    for row in rows.select_related("project")[:SHOWN]:
        url = reverse("report", args=[row.project.slug, "ratings", row.code])
        yield SiteHit(row.name, row.project.name, url)


def _tables(text: str, by: Anybody) -> Iterator[SiteHit]:
    rows = ParaphraseTable.objects.visible_to(by)
    return _named(rows, text, "paraphrase_search")


def _named(rows: "QuerySet[Any]", text: str, page: str) -> Iterator[SiteHit]:
    matches = rows.filter(name__icontains=text).select_related("project")
    for row in matches.order_by("name")[:SHOWN]:
        yield _hit(row, page)


def _hit(row: Any, page: str) -> SiteHit:
    url = reverse(page, args=[row.project.slug, row.code])
    return SiteHit(row.name, row.project.name, url)


def _pairs(text: str, by: Anybody) -> Iterator[SiteHit]:
    corpora = list(Corpus.objects.visible_to(by).values_list("pk", flat=True))
    mine = Pair.objects.filter(corpus__in=corpora).containing(text)
    first = list(mine.order_by("pk").values_list("pk", flat=True)[:SHOWN])
    rows = Pair.objects.filter(pk__in=first).order_by("pk")  # joined for these alone
    for row in rows.select_related("source", "corpus__project"):
        corpus = row.corpus
        url = reverse("pair", args=[corpus.project.slug, row.code])
        yield SiteHit(row.source.text, f"{corpus.project.name}, {corpus.name}", url)


def _help(text: str) -> Iterator[SiteHit]:
    """Terms of the glossary first, then headings."""
    matches = (
        hit for hit in (*_terms(), *_headings()) if text.casefold() in hit.title.lower()
    )
    for _n, hit in zip(range(SHOWN), matches, strict=False):
        yield hit


def _terms() -> Iterator[SiteHit]:
    page = help_pages.help_page(GLOSSARY)
    sections = {heading.anchor for heading in page.contents}
    for anchor in page.anchors[1:]:
        if anchor not in sections:
            url = help_pages.link(f"{GLOSSARY}#{anchor}")
            yield SiteHit(anchor.replace("-", " "), page.title, url)


def _headings() -> Iterator[SiteHit]:
    for name in sorted(help_pages.NAMES):
        page = help_pages.help_page(name)
        for heading in page.contents:
            url = help_pages.link(f"{name}#{heading.anchor}")
            yield SiteHit(heading.title, page.title, url)
