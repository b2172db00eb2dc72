"""The page of a pair: its sentences, its layers and the aligned-trees editor."""

from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
)

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.forms import LinkForm
from annotator.models import AlignmentLayer
from annotator.pages import canvas, editor, treebanks
from annotator.pages.canvas import Canvas
from annotator.services.alignments import layers, links, proposals
from annotator.services.corpora import trees


@require_GET
def pair(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    proposals.warm_soon()
    options = canvas.options_of(request.GET.dict())
    page = editor.shown(_load(request, slug, code), options, by=request.user)
    work = request.GET.get("work", "")
    page["work"] = treebanks.bar(work, page["project"], request.user)
    return render(request, "editor/pair.html", page)


@require_GET
def drawing(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The trees on their own, when the view, a fold or a tree has changed."""
    drawn = _load(request, slug, code)
    svg = drawn.svg(canvas.options_of(request.GET.dict()))
    return JsonResponse({"svg": svg, **editor.trees_part(drawn)})


@require_POST
def tree(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """A tree that someone pasted."""
    drawn = _load(request, slug, code)
    side, text = request.POST.get("side", ""), request.POST.get("text", "")
    try:
        trees.paste(drawn.pair, side, text, by=request.user)
        messages.success(request, _("The tree is there."))
    except BadRequest as refusal:
        messages.error(request, str(refusal))
    return redirect("pair", slug, code)


@require_http_methods(["GET", "POST"])
def table(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The same pair as a table, with the same commands, for any browser."""
    drawn = _load(request, slug, code)
    if request.method == "POST":
        _play_form(request, drawn)
        here = reverse("pair_table", args=[slug, code])
        chosen = request.GET.get("layer", "")
        return redirect(f"{here}?layer={chosen}" if chosen else here)
    page = editor.table(drawn, by=request.user) | {"uuid": uuid4()}
    part = request.GET.get("part") == "1"
    name = "editor/_table.html" if part else "editor/table.html"
    return render(request, name, page)


def _load(request: HttpRequest, slug: str, code: str) -> Canvas:
    project = access.project_or_404(request.user, slug)
    layer = request.GET.get("layer", "")
    return editor.load(project, code, layer=layer, by=request.user)


def _play_form(request: HttpRequest, drawn: Canvas) -> None:
    """One operation from the plain form; what is refused becomes a message."""
    sent = LinkForm(request.POST)
    if not sent.is_valid():
        messages.error(request, _("Choose a row of each side, then a command."))
        return
    try:
        layer = drawn.layer or layers.start(drawn.pair, by=request.user)
        state = sent.cleaned_data["op"]
        if state in AlignmentLayer.State.values:
            layers.set_state(layer, state, by=request.user)
        else:
            links.play(layer, sent.to_step(), by=request.user)
    except Refusal as refusal:
        messages.error(request, str(refusal))
