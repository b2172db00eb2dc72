"""What a job reports of itself, as lines for people, and where its end leads."""

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from annotator import access
from annotator.access import Anybody
from annotator.models import Job
from annotator.services import jobs

__all__ = ["next_page", "report_lines", "shown"]

ISSUES = 100  # shown to those who manage the project

LINKED = {"run", "report", "campaign"}  # codes in a result
ELSEWHERE = {"by_unknown", "base"}  # on the page of the corpus's parses


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
        "next": next_page(job),
        "issues": job.issues.all()[: ISSUES if is_managed else 0],
        "n_issues": job.issues.count(),
        "ahead": Job.objects.active().filter(pk__lt=job.pk).count(),
        "worker": jobs.is_worker_alive(),
        "may_cancel": job.by_id == by.pk or access.may(by, "run", project),
    }


def report_lines(result: dict[str, Any]) -> list[tuple[str, str]]:
    """What a job found out, for people; codes are links elsewhere on the page."""
    shown = {k: v for k, v in result.items() if k not in LINKED | ELSEWHERE}
    return [(k.replace("_", " ").capitalize(), _plain(v)) for k, v in shown.items()]


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return ", ".join(f"{_plain(v)} {k.replace('_', ' ')}" for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return str(value)


_NEXT = {  # kind of job: what the link says, the page, whose code it takes
    "import": ("Open the report", "upload_report", ""),
    "parse": ("Open the parses", "parses", "corpus"),
    "train_parser": ("Parse the rest with it", "parses", "corpus"),
    "linking": ("Parse with it", "substitution", "corpus"),
    "substitution": ("Compare the parsers", "parses", "corpus"),
    "joint": ("Open the ledger", "ledger", "run"),
    "align": ("Open the alignments", "alignments", "corpus"),
    "align_words": ("Open the alignments", "alignments", "corpus"),
    "score": ("Open the pairs by their score", "corpus", "corpus"),
    "report": ("Open the report", "frozen", "report"),
    "rehearse": ("Open the rehearsal", "campaign", "campaign"),
    "campaign_items": ("Open the campaign", "campaign", "campaign"),
    "paraphrase_items": ("Plan who judges what", "campaign_design", "campaign"),
    "bitext_import": ("Open the report", "bitext_report", ""),
    "bitext_links": ("Open the parallel text", "bitext", "bitext"),
    "bitext_parses": ("Open the parallel text", "bitext", "bitext"),
    "paraphrase_weights": ("See the weights", "paraphrase_weights", "table"),
    "paraphrases": ("Search the paraphrases", "paraphrase_search", "table"),
}


def next_page(job: Job) -> dict[str, str]:
    """Where a job that has done its work leads: ``label`` and ``url``; else {}."""
    label, page, of = _NEXT.get(job.kind, ("", "", ""))
    code = (job.result | job.params).get(of) if of else job.code
    if not page or not code or (of and job.state != Job.State.DONE):
        return {}
    url = reverse(page, args=[job.project.slug, code])
    query = {
        "train_parser": f"?{urlencode({'parser': job.result.get('parser', '')})}",
        "score": f"?{urlencode({'scores': job.result.get('run', '')})}",
    }
    return {"label": label, "url": url + query.get(job.kind, "")}
