"""Parallel text: the list, uploads, one bitext with its jobs and sample."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
)

from annotator import access
from annotator.errors import BadRequest
from annotator.forms import BitextForm, refuse_unknown, whole
from annotator.http.answers import form_page
from annotator.models import Bitext, Job, Project
from annotator.pages import bitexts as pages
from annotator.sample import texts as sample
from annotator.services.paraphrases import bitext_links, bitext_parses
from annotator.services.paraphrases import bitexts as service

FILES = ("source_text", "target_text", "links")


@require_GET
def bitexts(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug)
    context = {
        "project": project,
        "bitexts": project.bitexts.all(),
        "may_import": access.may(request.user, "import", project),
    }
    return render(request, "bitexts/bitexts.html", context)


@require_http_methods(["GET", "POST"])
def upload(request: HttpRequest, slug: str) -> HttpResponse:
    """The form; what it sends is checked first, by a job."""
    project = access.project_or_404(request.user, slug, "import")
    form = BitextForm(request.POST or None)
    return form_page(
        request,
        "bitexts/upload.html",
        lambda: pages.upload(project) | {"form": form},
        lambda: _start(request, project, form),
    )


@require_GET
def sample_text(request: HttpRequest, name: str) -> FileResponse:
    """One of the sample's texts, to be sent back as a first bitext."""
    if name not in sample.TEXTS:
        raise Http404
    path = sample.path_of(name)
    return FileResponse(path.open("rb"), as_attachment=True, filename=path.name)


@require_http_methods(["GET", "POST"])
def upload_report(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The result of a dry run or an import; a dry run can be followed by its import."""
    project = access.project_or_404(request.user, slug, "import")
    job = get_object_or_404(project.jobs, code=code, kind=service.KIND)
    if request.method == "POST":
        partial = request.POST.get("partial") == "yes"
        made = service.go_on(job, by=request.user, partial=partial)
        return redirect("bitext_report", slug, made.code)
    refuse_unknown(request.GET, {"page"})
    shown = pages.upload_report(project, job, request.GET.get("page"))
    part = "_report" if request.headers.get("HX-Request") else "report"
    return render(request, f"bitexts/{part}.html", shown)


@require_GET
def bitext(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Counts, what can be done with it, its jobs, a sample of its pairs."""
    project = access.project_or_404(request.user, slug)
    bitext = get_object_or_404(project.bitexts.select_related("project"), code=code)
    refuse_unknown(request.GET, {"from"})
    start = whole(request.GET.get("from", "1"), 1, max(bitext.n_pairs, 1))
    if start is None:
        raise BadRequest(_("Pairs count from 1."), field="from")
    shown = pages.bitext(bitext, start, by=request.user)
    return render(request, "bitexts/bitext.html", shown)


@require_POST
def act(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Start the linking or the parsing, or take the bitext away."""
    project = access.project_or_404(request.user, slug)
    bitext = get_object_or_404(project.bitexts.select_related("project"), code=code)
    what, engine = request.POST.get("what", ""), request.POST.get("engine", "")
    if what == "delete":
        service.delete(bitext, by=request.user)
        return redirect("bitexts", slug)
    job = _act(request, bitext, what, engine)
    return redirect("job", slug, job.code)


def _act(request: HttpRequest, bitext: Bitext, what: str, engine: str) -> Job:
    if what == "link":
        how = request.POST.get("symmetrise", "")
        return bitext_links.start(
            bitext, engine=engine, symmetrise=how, by=request.user
        )
    if what == "parse":
        return bitext_parses.start(bitext, engine, by=request.user)
    raise BadRequest(_("Link, parse or delete."), field="what")


def _start(
    request: HttpRequest, project: Project, form: BitextForm
) -> HttpResponse | None:
    """To the dry run; None if the form is not right, and says so itself."""
    files = [one for name in FILES for one in request.FILES.getlist(name)]
    form.require_files(set(FILES) & set(request.FILES))
    if not form.is_valid():
        return None
    uploads = service.keep(project, files, by=request.user)
    how = form.arguments()
    job = service.start(project, uploads, by=request.user, dry_run=True, **how)
    return redirect("bitext_report", project.slug, job.code)
