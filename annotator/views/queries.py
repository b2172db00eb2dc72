"""Searching the trees of a corpus or of a project."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotator import access
from annotator.errors import BadRequest
from annotator.exchange import written
from annotator.exchange.files import safe_name
from annotator.forms import refuse_unknown
from annotator.models import Corpus, Parse, Project
from annotator.pages import queries as pages
from annotator.services.queries import contexts, grouping, running, saved


@require_http_methods(["GET", "POST"])
def search(request: HttpRequest, slug: str, code: str = "") -> HttpResponse:
    """A query and what it finds; POST: saving one, or indexing."""
    project, corpus = _place(request, slug, code)
    refuse_unknown(request.GET, {"q", "after", "by", "versus"})
    if request.method == "POST":
        return _do(request, project)
    corpora = [corpus] if corpus else list(project.corpora.all())
    page = pages.searched(project, corpus, corpora, request.GET, request.user)
    status = page["refusal"].status if "refusal" in page else 200
    return render(request, "queries/search.html", page, status=status)


def _place(request: HttpRequest, slug: str, code: str) -> tuple[Project, Corpus | None]:
    if not code:
        return access.project_or_404(request.user, slug), None
    corpus = access.corpus_or_404(request.user, slug, code)
    return corpus.project, corpus


def _do(request: HttpRequest, project: Project) -> HttpResponse:
    sent = request.POST
    if sent.get("do") == "index":
        job = saved.index_now(project, by=request.user)
        return redirect("job", project.slug, job.code)
    if sent.get("do") == "forget":
        saved.forget(project, sent.get("saved", ""), by=request.user)
        return redirect(request.get_full_path())
    if sent.get("do") != "save":
        raise BadRequest(_("Unknown action. Choose save, forget or index."), field="do")
    made = saved.keep(project, sent.get("name", ""), sent.get("q", ""), by=request.user)
    messages.success(request, _("Saved as “%(name)s”.") % {"name": made.name})
    return redirect(request.get_full_path())


@require_GET
def export(
    request: HttpRequest, slug: str, form: str, code: str = ""
) -> StreamingHttpResponse:
    """The results of a query, as a file."""
    project, corpus = _place(request, slug, code)
    access.require(request.user, "export", project)
    refuse_unknown(request.GET, {"q"})
    corpora = [corpus] if corpus else list(project.corpora.all())
    search = running.search(request.GET.get("q", ""), corpora, request.user)
    response = StreamingHttpResponse(
        contexts.pieces(search, form), content_type=contexts.FORMS[form]
    )
    name = f"{safe_name((corpus or project).name)}-search.{form}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_GET
def tree(request: HttpRequest, slug: str) -> HttpResponse:
    """A match: its tree with the nodes marked, and the tree it is linked to."""
    project = access.project_or_404(request.user, slug)
    asked = request.GET
    refuse_unknown(asked, {"parse", "marks", "other_parse", "other_marks", "q"})
    page = _drawn(request, project, "") | {"project": project, "q": asked.get("q", "")}
    if "other_parse" in asked:
        page["other"] = _drawn(request, project, "other_")
    part = "_tree" if request.headers.get("HX-Request") else "tree"
    return render(request, f"queries/{part}.html", page)


def _drawn(request: HttpRequest, project: Project, which: str) -> dict[str, Any]:
    """The tree of one side of a match, if this person may read it."""
    rows = Parse.objects.readable_by(request.user, project).select_related("sentence")
    code = request.GET.get(f"{which}parse", "")
    parse = get_object_or_404(rows, code=code, sentence__corpus__project=project)
    return pages.drawing(parse, request.GET.get(f"{which}marks", ""))


@require_GET
def groups(
    request: HttpRequest, slug: str, form: str, code: str = ""
) -> StreamingHttpResponse:
    """The matches of a query by groups, as a file."""
    project, corpus = _place(request, slug, code)
    access.require(request.user, "export", project)
    asked = request.GET
    refuse_unknown(asked, {"q", "by", "versus"})
    if form not in written.FORMS:
        raise Http404
    corpora = [corpus] if corpus else list(project.corpora.all())
    text, by = asked.get("q", ""), asked.get("by", "")
    second = pages.second_of(text, corpora, asked.get("versus", ""), request.user)
    searches = [running.search(text, corpora, request.user)]
    searches += [second[0]] if second else []
    made = [grouping.grouped(one, by) for one in searches]
    table = grouping.compared(*made).table() if second else made[0].table()
    file = written.FORMS[form]
    response = StreamingHttpResponse(file.write(table), content_type=file.media)
    name = f"{safe_name((corpus or project).name)}-groups.{form}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
