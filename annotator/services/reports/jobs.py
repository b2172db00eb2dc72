"""Reports over more judgments than someone should wait for: computed by a worker."""

from collections.abc import Generator
from typing import Any

from django.db.models import Sum
from django.http import QueryDict
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest
from annotator.models import Campaign, Job, Tally
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.reports import agreement
from annotator.services.reports.agreement import ReportSource
from annotator.services.reports.query import check, parse
from core.protocols import Step

LIVE_AT_MOST = 30_000  # judgments; about two seconds of reading and computing


def n_judgments(of: ReportSource) -> int:
    """About how many judgments there are to read: what the tallies say."""
    if not isinstance(of.row, Campaign):
        return of.row.n_ratings
    rows = Tally.objects.filter(participant__campaign=of.row)
    return rows.aggregate(n=Sum("n_done"))["n"] or 0


def is_large(of: ReportSource) -> bool:
    """Whether the report is better computed by a worker than while someone waits."""
    return n_judgments(of) > LIVE_AT_MOST


def start(of: ReportSource, *, query: str, title: str, by: Anybody) -> Job:
    """A job that computes the report and freezes it. Raises NotAllowed, BadRequest."""
    access.require(by, "curate", of.project)
    if not title.strip():
        raise BadRequest(_("Enter a title for the report."), field="title")
    params = {"kind": of.kind, "code": of.code, "query": query, "title": title}
    return jobs.create(
        of.project, "report", title=f"Report: {title}", by=by, params=params
    )


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Compute and freeze the report that the job asks for."""
    yield Step(total=1, note="reading the judgments")
    source = agreement.source(job.project, job.params["kind"], job.params["code"])
    if source is None or job.by is None:
        raise BadRequest("The campaign or ratings of this report were deleted.")
    spec = parse(QueryDict(job.params["query"]))
    check(spec, source.read().data)
    query, title = job.params["query"], job.params["title"]
    kept = agreement.freeze(source, spec, query=query, title=title, by=job.by)
    yield Step(done=1, note="frozen: see the list of frozen reports")
    return {"report": kept.code}
