"""A corpus: its pairs, what is uncertain in it, how it comes in and goes out."""

from functools import partial
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotator import access
from annotator.errors import BadRequest
from annotator.exchange.download import attachment
from annotator.forms import (
    ColumnsForm,
    FindForm,
    LanguagesForm,
    PairFilter,
    ScoreForm,
    UploadForm,
    number,
    refuse_unknown,
    sent_by,
)
from annotator.http.answers import form_page
from annotator.models import Job, Project
from annotator.pages import corpora as pages
from annotator.pages.site import dashboard
from annotator.services.alignments import finding, phrases, words
from annotator.services.corpora import exports, imports, storing


@require_GET
def corpus(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    corpus = access.corpus_or_404(request.user, slug, code)
    known = {*PairFilter.base_filters, *ScoreForm.base_fields, "after"}
    refuse_unknown(request.GET, known)
    fits = PairFilter(queryset=corpus.pairs.all(), request=request)
    order = ScoreForm(request.GET)
    rows, how = fits.rows(), order.arguments()
    page = pages.pairs(corpus, rows, how, request.GET, by=request.user)
    page |= {"filter": fits, "order": order}
    page["row"] = dashboard.corpus_row(corpus, by=request.user)
    return render(request, "pairs/corpus.html", page)


MAX_PAGE = 99_999


@require_http_methods(["GET", "POST"])
def alignments(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Pairs by how many of the aligner's links are wrong, to be expected."""
    corpus = access.corpus_or_404(request.user, slug, code)
    if request.method == "POST":
        options = (request.POST.get(name, "") for name in ("method", "parser"))
        job = words.start_by(corpus, *options, by=request.user)
        return redirect("job", slug, job.code)
    refuse_unknown(request.GET, {"state", "page"})
    state, page = request.GET.get("state", "open"), request.GET.get("page", "1")
    if state not in dict(pages.STATES):
        raise BadRequest(_("There is no such state."), field="state")
    problem = _("Pages are counted from 1.")
    place = number(page, 1, MAX_PAGE, field="page", problem=problem)
    context = pages.uncertain(corpus, state, place, by=request.user)
    return render(request, "pairs/alignments.html", context)


@require_GET
def next_unsure(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Go to the pair that needs a person most; after the last one, to the list.

    If no aligner has linked anything, the first pair that is not done.
    """
    corpus = access.corpus_or_404(request.user, slug, code)
    rows = phrases.uncertain(corpus, state="open")
    row = rows.exclude(pair__code=request.GET.get("after", "")).first()
    if row is not None:
        return redirect("pair", slug, row.pair.code)
    pair = pages.first_to_link(corpus) if "after" not in request.GET else None
    if pair is None:
        return redirect("alignments", slug, code)
    return redirect("pair", slug, pair.code)


@require_http_methods(["GET", "POST"])
def find(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The paraphrases found in a corpus and their estimated precision; POST finds
    more."""
    corpus = access.corpus_or_404(request.user, slug, code, "run")
    form = FindForm(request.POST or None)

    def act() -> HttpResponse:
        access.require(request.user, "manage", corpus.project)
        arguments = sent_by(form)
        if other := arguments.pop("other"):
            arguments["other"] = get_object_or_404(corpus.project.corpora, code=other)
        job = finding.start(corpus, by=request.user, **arguments)
        return redirect("job", slug, job.code)

    def page() -> dict[str, Any]:
        return pages.finds(corpus, by=request.user) | {"form": form}

    return form_page(request, "pairs/find.html", page, act)


FILES = ("files", "source_text", "target_text")  # the last two for Pharaoh


@require_http_methods(["GET", "POST"])
def upload(request: HttpRequest, slug: str) -> HttpResponse:
    """The form; what it sends is checked first, by a job."""
    project = access.project_or_404(request.user, slug, "import")
    first = {"corpus": request.GET.get("corpus", "")}
    form = UploadForm(request.POST or None, initial=first)
    return form_page(
        request,
        "uploads/upload.html",
        lambda: pages.upload(project) | {"form": form},
        lambda: _start(request, project, form),
    )


@require_http_methods(["GET", "POST"])
def upload_report(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The result of a dry run or an import; a dry run can be followed by its import."""
    project = access.project_or_404(request.user, slug, "import")
    job = get_object_or_404(project.jobs, code=code, kind="import")
    if request.method == "POST":
        return _go_on(request, job)
    refuse_unknown(request.GET, {"page"})
    shown = pages.upload_report(project, job, request.GET.get("page"))
    part = "_report" if request.headers.get("HX-Request") else "report"
    return render(request, f"uploads/{part}.html", shown)


def _go_on(request: HttpRequest, job: Job) -> HttpResponse:
    if "source" in request.POST:
        columns = ColumnsForm(request.POST).sent()
        made = imports.check_again(job, by=request.user, columns=columns)
        return redirect("upload_report", job.project.slug, made.code)
    chosen = {name: request.POST.get(name) == "yes" for name in ("partial", "align")}
    languages = LanguagesForm(request.POST).sent()
    made = imports.go_on(job, by=request.user, languages=languages, **chosen)
    return redirect("upload_report", job.project.slug, made.code)


@require_GET
def export(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The formats a corpus can go out in, and what each loses."""
    corpus = access.corpus_or_404(request.user, slug, code, "export")
    refuse_unknown(request.GET, {"author"})
    shown = pages.export(corpus, request.GET.get("author", ""))
    return render(request, "uploads/export.html", shown)


@require_GET
def export_file(
    request: HttpRequest, slug: str, code: str, kind: str
) -> HttpResponseBase:
    """The corpus as a download: one file, or a zip if the format takes several."""
    corpus = access.corpus_or_404(request.user, slug, code, "export")
    refuse_unknown(request.GET, {"author", "split", "exact"})
    author = request.GET.get("author", "")
    ticked = {name: request.GET.get(name) == "yes" for name in ("split", "exact")}
    make = partial(
        exports.parts, corpus, kind, by=request.user, author=author, **ticked
    )
    return attachment(make, f"{corpus.name}.{kind}.zip")


def _start(
    request: HttpRequest, project: Project, form: UploadForm
) -> HttpResponse | None:
    """To the dry run; None if the form is not right, and says so itself."""
    files = [one for name in FILES for one in request.FILES.getlist(name)]
    if not files:
        form.add_error(None, _("Choose at least one file."))
    if not form.is_valid():
        return None
    uploads = [
        storing.keep(project, name, content, by=request.user)
        for name, content in storing.files_in(files)
    ]
    arguments: dict[str, Any] = form.arguments()
    arguments["corpus"] = arguments["corpus"] or Path(uploads[0].name).stem[:120]
    job = imports.start(project, uploads, by=request.user, dry_run=True, **arguments)
    return redirect("upload_report", project.slug, job.code)
