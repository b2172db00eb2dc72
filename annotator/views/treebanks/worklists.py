"""Worklists: making them, working on them."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.forms import refuse_unknown
from annotator.forms.trees import wanted
from annotator.http.answers import form_page
from annotator.models import Project, Worklist, WorkShare
from annotator.models.projects import Anybody, id_of
from annotator.pages.treebanks import worklists as pages
from annotator.services.treebanks import worklists


@login_required
@require_http_methods(["GET", "POST"])
def corpus_lists(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The lists of a corpus; POST makes one, or shows again what was typed."""
    corpus = access.corpus_or_404(request.user, slug, code)
    refuse_unknown(request.GET, {"q"})
    typed = {"typed": request.GET.get("q", "")}

    def act() -> HttpResponse:
        made = worklists.make(corpus, wanted(request.POST), by=request.user)
        return redirect("worklist", slug, made.code)

    def page() -> dict[str, Any]:
        return pages.corpus_page(corpus, by=request.user) | typed

    return form_page(request, "treebanks/worklists.html", page, act, refused=_chosen)


def _chosen(refusal: Refusal, request: HttpRequest) -> dict[str, Any]:
    sent = request.POST
    return {"refusal": refusal, "sent": sent, "chosen": sent.getlist("people")}


@login_required
@require_http_methods(["GET", "POST"])
def worklist(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """One list; POST goes on to the next item, or changes who works on it."""
    project = access.project_or_404(request.user, slug)
    worklist = _worklist(request.user, project, code)
    refuse_unknown(request.GET, set())
    if request.method == "POST":
        return _do(request, worklist)
    page = pages.list_page(worklist, by=request.user)
    return render(request, "treebanks/worklist.html", page)


def _worklist(user: Anybody, project: Project, code: str) -> Worklist:
    worklist = get_object_or_404(pages.visible_to(user, project), code=code)
    worklist.corpus.project = project
    return worklist


def _do(request: HttpRequest, worklist: Worklist) -> HttpResponse:
    sent, by = request.POST, request.user
    what = sent.get("do", "")
    if what == "next":
        return _onward(request, worklist)
    if what == "add":
        worklists.set_people(worklist, sent.getlist("people"), by=by)
    elif what == "remove":
        worklists.remove(worklist, sent.get("name", ""), by=by)
    elif what == "close":
        worklists.close(worklist, by=by)
    else:
        raise BadRequest(_("next, add, remove or close."), field="do")
    return redirect("worklist", worklist.corpus.project.slug, worklist.code)


def _onward(request: HttpRequest, worklist: Worklist) -> HttpResponse:
    """To what is next for this person, or back to the list."""
    slug = worklist.corpus.project.slug
    share = worklists.next_share(worklist, by=request.user)
    if share is None:
        messages.success(request, _("You have finished this list."))
        return redirect("worklist", slug, worklist.code)
    url = pages.page_of(share.item, worklist.corpus.project)
    return redirect(f"{url}?work={share.code}")


@login_required
@require_POST
def finish(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Done with an item, or skipping it; then on to the next."""
    project = access.project_or_404(request.user, slug)
    rows = WorkShare.objects.select_related("item__worklist__corpus", "item__sentence")
    mine = rows.filter(user_id=id_of(request.user))
    share = get_object_or_404(mine, code=code, item__worklist__corpus__project=project)
    sent = request.POST
    note = sent.get("note", "")
    worklists.finish(share, sent.get("do", ""), note=note, by=request.user)
    worklist = share.item.worklist
    if worklist.closed_at:
        messages.success(request, _("This list is closed: no more work is assigned."))
        return redirect("worklist", slug, worklist.code)
    return _onward(request, worklist)
