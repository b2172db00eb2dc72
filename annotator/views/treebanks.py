"""Work on whole treebanks: relabelling by query, declared rules, worklists."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.forms import refuse_unknown
from annotator.forms.trees import wanted
from annotator.http.answers import form_page
from annotator.models import Corpus, Project, TreeBatch, Worklist, WorkShare
from annotator.models.projects import Anybody, id_of
from annotator.pages import treebanks as pages
from annotator.services.treebanks import relabelling, rules, worklists
from annotator.services.treebanks.relabelling import Order

FIELDS = {"q", "label", "node", "functions", "parsed", "drafts"}


@require_http_methods(["GET", "POST"])
def relabel(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The order and its preview; POST does what the preview showed."""
    corpus = access.corpus_or_404(request.user, slug, code, "manage")
    refuse_unknown(request.GET, FIELDS)
    order = _order(request.POST if request.method == "POST" else request.GET)
    more: dict[str, Any] = {}
    if request.method == "POST":
        try:
            return _apply(request, corpus, order)
        except Refusal as error:
            more = {"stale": error}
    page = pages.order_page(corpus, order, by=request.user) | more
    refusal = page.get("stale") or page.get("refusal")
    status = refusal.status if refusal else 200
    return render(request, "treebanks/relabel.html", page, status=status)


def _apply(request: HttpRequest, corpus: Corpus, order: Order) -> HttpResponse:
    seen = request.POST.get("seen", "")
    made, job = relabelling.apply(corpus, order, seen=seen, by=request.user)
    if job is not None:
        return redirect("job", corpus.project.slug, job.code)
    return redirect("relabelled", corpus.project.slug, made.code)


def _order(sent: QueryDict) -> Order:
    return Order(
        sent.get("q", ""),
        sent.get("label", "").strip(),
        sent.get("node", "").strip().removeprefix("="),
        keeps_functions=_ticked(sent, "functions"),
        with_parsed=_ticked(sent, "parsed"),
        as_drafts=_ticked(sent, "drafts"),
    )


def _ticked(sent: QueryDict, name: str) -> bool:
    if sent.get(name, "") not in ("", "1"):
        reason = _("%(name)s must be 1 or omitted.") % {"name": name}
        raise BadRequest(reason, field=name)
    return bool(sent.get(name))


@require_http_methods(["GET", "POST"])
def batch(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The result of a batch; POST undoes it."""
    project = access.project_or_404(request.user, slug, "manage")
    rows = TreeBatch.objects.select_related("corpus", "by", "undone_by")
    made = get_object_or_404(rows, code=code, corpus__project=project)
    made.corpus.project = project
    refuse_unknown(request.GET, set())
    if request.method == "POST":
        return _undo(request, made)
    page = pages.batch_page(made, by=request.user)
    return render(request, "treebanks/batch.html", page)


def _undo(request: HttpRequest, made: TreeBatch) -> HttpResponse:
    slug = made.corpus.project.slug
    job = relabelling.undo(made, by=request.user)
    if job is not None:
        return redirect("job", slug, job.code)
    counts = relabelling.counts(made)
    message = _("Undone; as they were before: %(n)s.") % {"n": counts["undone"]}
    if counts["kept"]:
        kept = _("Changed since, so they stay: %(n)s, listed below.")
        message = f"{message} {kept % {'n': counts['kept']}}"
    messages.success(request, message)
    return redirect("relabelled", slug, made.code)


@require_http_methods(["GET", "POST"])
def problems(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Violations of a corpus's rules; POST declares other rules. Refused text stays in
    its field."""
    corpus = access.corpus_or_404(request.user, slug, code)
    refuse_unknown(request.GET, {"after"})
    after, name = request.GET.get("after", ""), "treebanks/problems.html"
    return form_page(
        request,
        name,
        lambda: pages.problems_page(corpus, after=after, by=request.user),
        lambda: _declare(request, corpus),
        refused=_typed,
    )


def _declare(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    seen, text = _revision(request.POST.get("seen", "")), request.POST.get("text", "")
    rules.keep(corpus, text, seen=seen, by=request.user)
    messages.success(request, _("These rules are declared now."))
    return redirect("problems", corpus.project.slug, corpus.code)


def _typed(refusal: Refusal, request: HttpRequest) -> dict[str, Any]:
    return {"refusal": refusal, "typed": request.POST.get("text", "")}


def _revision(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        reason = _("seen is the revision of the rules you saw.")
        raise BadRequest(reason, field="seen")
    return int(text)


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


@require_http_methods(["GET", "POST"])
def worklist(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """One list; POST goes to the next item, or changes who works on it."""
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
