"""What the pages of bitexts show: what came in, sample pairs with their links drawn."""

from typing import Any

from django.core.paginator import Paginator
from django.utils.translation import gettext_lazy, ngettext

from annotator import access
from annotator.access import Anybody
from annotator.exchange.bitexts import FORMATS
from annotator.models import Bitext, Job, Project
from annotator.sample.texts import TEXTS
from annotator.services import jobs
from annotator.services.paraphrases import bitext_links
from annotator.services.parses import offered
from annotator.svg import links as drawing
from core.data.alignment import Alignment
from core.errors import GemelError
from core.formats.alignments import pharaoh
from core.layout.links import LinkedSide, link_scene
from core.pivoting.bitext import BitextPair

SHOWN = 8
ISSUES = 50  # on a page
COUNTS = {
    "pairs": gettext_lazy("pairs"),
    "without_counterpart": gettext_lazy("without counterpart"),
    "sentences": gettext_lazy("sentences"),
}
WIDEST = 40  # tokens of a side that is drawn; a longer pair is text alone


def upload(project: Project) -> dict[str, Any]:
    """The content around the form."""
    return {
        "project": project,
        "formats": FORMATS.items(),
        "sample": TEXTS,
        "worker": jobs.is_worker_alive(),
    }


def upload_report(project: Project, job: Job, page: str | None) -> dict[str, Any]:
    """The result of a dry run or an import: counts, and a page of its issues; ``made``:
    the import that followed a dry run."""
    here = [name for name in COUNTS if name in job.result]
    return {
        "project": project,
        "job": job,
        "counts": [(COUNTS[name], job.result[name]) for name in here],
        "issues": Paginator(job.issues.all(), ISSUES).get_page(page),
        "bitext": project.bitexts.filter(code=job.code).first(),
        "is_dry": job.params["dry_run"],
        "made": project.jobs.importing(job).first() if job.params["dry_run"] else None,
        "worker": jobs.is_worker_alive(),
    }


def bitext(bitext: Bitext, start: int, *, by: Anybody) -> dict[str, Any]:
    """Its jobs, its actions, and its pairs from number ``start``, counted from 1."""
    project = bitext.project
    every = project.jobs.filter(kind__startswith="bitext_")
    mine = [job for job in every if job.params.get("bitext") == bitext.code]
    return {
        "project": project,
        "bitext": bitext,
        "pairs": sample(bitext, start - 1),
        "start": start,
        "before": max(start - SHOWN, 1) if start > 1 else None,
        "after": start + SHOWN if start + SHOWN <= bitext.n_pairs else None,
        "jobs": mine[:10],
        "aligners": bitext_links.engines(),
        "symmetrisations": bitext_links.SYMMETRISATIONS,
        "parsers": offered.of_project(project),
        "may_run": access.may(by, "run", project),
        "may_import": access.may(by, "import", project),
        "worker": jobs.is_worker_alive(),
    }


def sample(bitext: Bitext, start: int) -> list[tuple[BitextPair, str]]:
    """Pairs from row ``start``, each with its figure, "" if there is none to draw."""
    return [
        (pair, figure_of(pair)) for pair in bitext.pairs.pairs(start=start, limit=SHOWN)
    ]


def figure_of(pair: BitextPair) -> str:
    """The two sentences face to face with their links; "" if they are not linked, or
    too long to be drawn."""
    source, target = (tuple(side.split(" ")) for side in (pair.source, pair.target))
    if pair.links is None or max(len(source), len(target)) > WIDEST:
        return ""
    try:
        alignment = pharaoh.parse(pair.links, len(source), len(target))
    except GemelError:
        alignment = Alignment()
    n_links = len(alignment.links)
    return drawing.draw(
        link_scene(LinkedSide(source), LinkedSide(target)),
        title=ngettext(
            "Pair %(number)s: %(n)s link", "Pair %(number)s: %(n)s links", n_links
        )
        % {"number": pair.pair_id + 1, "n": n_links},
        desc=f"{pair.source} — {pair.target}",
        marks=drawing.marks_of(alignment),
    )
