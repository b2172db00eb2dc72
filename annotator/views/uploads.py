"""Bringing a corpus in by the browser: files, the report of a dry run, the import."""

from typing import Any, BinaryIO, cast
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from annotator import access
from annotator.errors import Refusal
from annotator.exchange import registry
from annotator.exchange.download import attachment
from annotator.forms import UploadForm, refuse_unknown
from annotator.models import Corpus, Job, Project
from annotator.services import jobs
from annotator.services.corpora import exports, imports

SHOWN = 50  # issues on a page
FILES = ("files", "source_text", "target_text")  # the last two for Pharaoh


@login_required
@require_http_methods(["GET", "POST"])
def upload(request: HttpRequest, slug: str) -> HttpResponse:
    """The form; what it sends is checked first, by a job."""
    project = access.project_or_404(request.user, slug, "import")
    corpus = request.GET.get("corpus", "")
    form = UploadForm(request.POST or None, initial={"corpus": corpus})
    problem, status = "", 200
    if request.method == "POST":
        try:
            job = _start(request, project, form)
        except Refusal as error:
            problem, status = str(error), error.status
        else:
            if job is not None:
                return redirect("upload_report", slug, job.code)
            status = 400
    context = {
        "project": project,
        "form": form,
        "problem": problem,
        "formats": registry.FORMATS.values(),
        "worker": jobs.is_worker_alive(),
    }
    return render(request, "uploads/upload.html", context, status=status)


@login_required
@require_http_methods(["GET", "POST"])
def upload_report(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """What a dry run or an import found; from a dry run the import is started."""
    project = access.project_or_404(request.user, slug, "import")
    job = get_object_or_404(project.jobs, code=code, kind="import")
    if request.method == "POST":
        partial = request.POST.get("partial") == "yes"
        made = imports.go_on(job, by=request.user, partial=partial)
        return redirect("upload_report", slug, made.code)
    refuse_unknown(request.GET, {"page"})
    context = {
        "project": project,
        "job": job,
        "format": registry.find(job.params["format"]),
        "counts": _counts(job),
        "good": job.params["format"] == "gemel" or job.result.get("sentences"),
        "issues": Paginator(job.issues.all(), SHOWN).get_page(request.GET.get("page")),
        "corpus": _corpus(project, job),
        "is_dry": job.params["dry_run"],
        "worker": jobs.is_worker_alive(),
    }
    part = "_report" if request.headers.get("HX-Request") else "report"
    return render(request, f"uploads/{part}.html", context)


@login_required
@require_GET
def export(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The formats a corpus can go out in, and what each loses."""
    corpus = access.corpus_or_404(request.user, slug, code, "export")
    refuse_unknown(request.GET, {"author"})
    came_as = {entry["format"] for entry in corpus.meta.get("files", [])}
    author = request.GET.get("author", "")
    context = {
        "authors": exports.authors(corpus),
        "author": author,
        "query": "?" + urlencode({"author": author}) if author else "",
        "project": corpus.project,
        "corpus": corpus,
        "formats": registry.FORMATS.values(),
        "came_as": came_as,
    }
    return render(request, "uploads/export.html", context)


@login_required
@require_GET
def export_file(
    request: HttpRequest, slug: str, code: str, kind: str
) -> HttpResponseBase:
    """The corpus as a download: one file, or a zip if the format takes several."""
    corpus = access.corpus_or_404(request.user, slug, code, "export")
    refuse_unknown(request.GET, {"author", "split", "exact"})
    parts = exports.parts(
        corpus,
        kind,
        by=request.user,
        author=request.GET.get("author", ""),
        split=request.GET.get("split") == "yes",
        exact=request.GET.get("exact") == "yes",
    )
    return attachment(parts, f"{corpus.name}.{kind}.zip")


def _start(request: HttpRequest, project: Project, form: UploadForm) -> Job | None:
    """The dry run; None if the form is not right, and says so itself."""
    files = [one for name in FILES for one in request.FILES.getlist(name)]
    if not files:
        form.add_error(None, "Choose at least one file.")
    if not form.is_valid():
        return None
    uploads = [
        imports.keep(project, str(one.name), cast(BinaryIO, one), by=request.user)
        for one in files
    ]
    asked: dict[str, Any] = form.asked()
    return imports.start(project, uploads, by=request.user, dry_run=True, **asked)


def _counts(job: Job) -> list[tuple[str, int, int | None]]:
    """Name, how many the files hold, how many of them are new."""
    new = job.result.get("new", {})
    names = ("sentences", "pairs", "parses", "layers", "links")
    return [
        (name, job.result[name], new.get(name)) for name in names if name in job.result
    ]


def _corpus(project: Project, job: Job) -> Corpus | None:
    return project.corpora.filter(name=job.params["corpus"]).first()
