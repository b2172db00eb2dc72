"""What a job reports of itself, as lines for people, and where its end leads."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotator import access
from annotator.access import Anybody
from annotator.models import Job, Project
from annotator.services import jobs
from annotator.services.queries import index

LISTED = 100

ISSUES = 100  # shown to those who manage the project

LINKED = {"align", "run", "report", "campaign", "batch"}  # codes in a result
ELSEWHERE = {
    "by_unknown",
    "base",
    "compared",
    "rows",
    "languages",
    "strata",
}  # on pages of their own
NAMES = (  # what jobs tell by name
    *(_("dry run"), _("new"), _("failed"), _("issues"), _("warnings"), _("rows")),
    *(_("bad"), _("pairs"), _("sentences"), _("trees"), _("parses"), _("layers")),
    *(_("links"), _("tokens"), _("phrases"), _("places"), _("bitexts"), _("changes")),
    *(_("aligned"), _("parsed"), _("scored"), _("indexed"), _("judged"), _("known")),
    *(_("placed"), _("best"), _("lacking"), _("left out"), _("made continuous")),
    *(_("cross validated"), _("tags"), _("in other languages"), _("without vectors")),
    *(_("without counterpart"), _("language model words"), _("counted before")),
    *(_("engine"), _("version"), _("parser"), _("aligner"), _("corpus"), _("name")),
    *(_("linking"), _("kinds"), _("digest"), _("licence"), _("table"), _("seal")),
    *(_("acts"), _("bytes"), _("candidates"), _("found"), _("sampled")),
)


def listed(project: Project, *, by: Anybody) -> dict[str, Any]:
    """The newest jobs, and whether anyone works on those that wait."""
    jobs_of = Job.objects.visible_to(by).filter(project=project)
    rows = list(jobs_of.select_related("by")[:LISTED])
    return {
        "project": project,
        "jobs": rows,
        "waiting": any(row.state == Job.State.QUEUED for row in rows),
        "worker": jobs.is_worker_alive(),
        "is_queue_away": jobs.is_queue_away(),
    }


def shown(job: Job, *, by: Anybody) -> dict[str, Any]:
    """A job with its progress; its issues for those who manage the project."""
    project = job.project
    is_managed = access.may(by, "manage", project)
    return {
        "project": project,
        "job": job,
        "is_managed": is_managed,
        "note": job.note_for(is_managed=is_managed),
        "told": report_lines(job.result),
        "next": next_pages(job, by=by),
        "issues": job.issues.all()[: ISSUES if is_managed else 0],
        "n_issues": job.issues.count(),
        "ahead": Job.objects.active().filter(pk__lt=job.pk).count(),
        "worker": jobs.is_worker_alive(),
        "is_queue_away": jobs.is_queue_away(),
        "may_cancel": job.by_id == by.pk or access.may(by, "run", project),
        "unindexed": _unindexed(job),
        "may_run": access.may(by, "run", project),
    }


def _unindexed(job: Job) -> int:
    """How many trees searches miss, if the job was cancelled during indexing."""
    if job.state != Job.State.DONE or not job.cancel_asked:
        return 0
    corpora = list(job.project.corpora.values_list("pk", flat=True))
    return index.waiting(corpora) if corpora else 0


def report_lines(result: dict[str, Any]) -> list[tuple[str, str]]:
    """A job's results, for people; codes are links elsewhere on the page."""
    shown = {k: v for k, v in result.items() if k not in LINKED | ELSEWHERE}
    return [(capfirst(_named(k)), _plain(v)) for k, v in shown.items()]


def _named(key: str) -> str:
    """A key of a result in the reader's language, as far as ``NAMES`` has it."""
    return "F1" if key == "f1" else gettext(key.replace("_", " "))


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return ", ".join(f"{_plain(v)} {_named(k)}" for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return str(value)


@dataclass(frozen=True, slots=True)
class NextPage:
    """A page that a job leads to. ``of``: whose code it takes, by its name in what the
    job answered or was asked, ``job`` for its own; "": none. ``verb``: what who goes
    there must be allowed to do."""

    label: Promise
    page: str
    of: str = ""
    verb: str = "view"


_PARSES = NextPage(_("Open the parses"), "parses", "corpus")
_ALIGNMENTS = NextPage(_("Open the alignments"), "alignments", "corpus")
_BITEXT = NextPage(_("Open the parallel text"), "bitext", "bitext")
_REPORTS = {  # of every dry run and import, whatever became of it
    "import": NextPage(_("Open the report"), "upload_report", "job", "import"),
    "bitext_import": NextPage(_("Open the report"), "bitext_report", "job", "import"),
}
_NEXT = {
    "align": _ALIGNMENTS,
    "align_words": _ALIGNMENTS,
    "bitext_import": _BITEXT,
    "bitext_links": _BITEXT,
    "bitext_parses": _BITEXT,
    "campaign_items": NextPage(
        _("Open the campaign"), "campaign", "campaign", "see_others"
    ),
    "find_paraphrases": NextPage(
        _("View found pairs"), "find_paraphrases", "source", "run"
    ),
    "import": NextPage(_("Open the corpus"), "corpus", "corpus"),
    "index": NextPage(_("Search the trees"), "project_query"),
    "joint": NextPage(_("Open the ledger"), "ledger", "run"),
    "linking": NextPage(_("Parse with it"), "substitution", "corpus"),
    "machine": NextPage(_("Open the campaign"), "campaign", "campaign", "see_others"),
    "paraphrase_items": NextPage(
        _("Plan who judges what"), "campaign_design", "campaign", "see_others"
    ),
    "paraphrase_weights": NextPage(_("View weights"), "paraphrase_weights", "table"),
    "paraphrases": NextPage(_("Search the paraphrases"), "paraphrase_search", "table"),
    "parse": _PARSES,
    "rehearse": NextPage(
        _("Open the simulation"), "campaign", "campaign", "see_others"
    ),
    "relabel": NextPage(_("View result"), "relabelled", "batch", "manage"),
    "release": NextPage(_("Open the releases"), "releases", "", "export"),
    "report": NextPage(_("Open the report"), "frozen", "report", "report"),
    "score": NextPage(_("Open the pairs by their score"), "corpus", "corpus"),
    "substitution": NextPage(_("Compare the parsers"), "parses", "corpus"),
    "train_parser": NextPage(
        _("Parse remaining sentences with it"), "parses", "corpus"
    ),
}
_CORPORA = NextPage(_("Parse a corpus with it"), "corpora")  # of text outside corpora


def next_pages(job: Job, *, by: Anybody) -> list[dict[str, str]]:
    """The next pages after a job: ``label`` and ``url`` of its result, if it is done,
    and of its report."""
    pages = [_NEXT[job.kind]] if job.kind in _NEXT and _has_made(job) else []
    if job.kind == "linking" and not job.params.get("corpus"):
        pages = [_CORPORA] if pages else []
    pages += [_REPORTS[job.kind]] if job.kind in _REPORTS else []
    codes = _codes(job)
    return [
        {"label": str(one.label), "url": _address(job, one, codes)}
        for one in pages
        if (not one.of or codes.get(one.of)) and access.may(by, one.verb, job.project)
    ]


def _has_made(job: Job) -> bool:
    return job.state == Job.State.DONE and not job.params.get("dry_run")


def _codes(job: Job) -> dict[str, str]:
    """Codes by name; what the job answered before what it was asked."""
    codes = job.params | job.result | {"job": job.code}
    if job.kind == "import":
        corpus = job.project.corpora.filter(name=job.params.get("corpus", "")).first()
        codes["corpus"] = corpus.code if corpus else ""
    if job.kind == "bitext_import":
        codes["bitext"] = job.code  # the bitext that it makes has its code
    return codes


def _address(job: Job, one: NextPage, codes: dict[str, str]) -> str:
    args = [job.project.slug, *([codes[one.of]] if one.of else [])]
    query = {
        "train_parser": {"parser": job.result.get("parser", "")},
        "score": {"scores": job.result.get("run", "")},
    }.get(job.kind)
    return reverse(one.page, args=args) + (f"?{urlencode(query)}" if query else "")
