"""Editing the constituent tree of a sentence, in any browser."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from annotator import access
from annotator.errors import Refusal
from annotator.forms import TreeForm, refuse_unknown
from annotator.models import Sentence
from annotator.models.projects import Anybody
from annotator.pages import tree_editor
from annotator.services.parses import drafts, gold

__all__ = ["edit"]


@login_required
@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The tree under one's hands; POST does one step, and says what came of it.

    A script asks for the editor alone; without one the whole page comes again. What was
    typed and refused is in its field still.
    """
    project = access.project_or_404(request.user, slug)
    rows = Sentence.objects.filter(corpus__project=project).select_related("corpus")
    sentence = get_object_or_404(rows, code=code)
    sentence.corpus.project = project
    refuse_unknown(request.GET, {"base"})
    refusal: Refusal | None = None
    if request.method == "POST":
        try:
            said = _do(sentence, request.POST, request.user)
            if said:
                messages.success(request, said)
        except Refusal as error:
            refusal = error
        if not refusal and not request.headers.get("HX-Request"):
            return redirect("tree_edit", slug, code)
    base = request.GET.get("base", "")
    context = tree_editor.shown(sentence, request.user, base=base)
    context |= _refused(request.POST, refusal)
    part = "_editor" if request.headers.get("HX-Request") else "editor"
    status = refusal.status if refusal else 200
    return render(request, f"trees/{part}.html", context, status=status)


def _refused(sent: QueryDict, refusal: Refusal | None) -> dict[str, Any]:
    """What was refused, at its place, with what had been typed."""
    if refusal is None:
        return {}
    return {
        "refusal": refusal,
        "facts": refusal.facts,
        "typed": sent.get("text", "") if sent.get("op") == "replace" else "",
    }


def _do(sentence: Sentence, sent: QueryDict, by: Anybody) -> str:
    """One step of the form; what is to be said of it. Raises Refusal."""
    asked = TreeForm(sent).asked()
    draft = drafts.start(sentence, by=by, base=asked["base"])
    draft.sentence = sentence
    if asked["op"] == "save":
        return f"Saved as your tree. {gold.save(draft, by=by).said}"
    if asked["op"] == "gold":
        saved = gold.save_as_gold(draft, by=by, seen=asked["gold"])
        return f"This is the gold tree now. {saved.said}"
    if asked["op"] == "begin":
        text = tree_editor.text_of(sentence, by, asked["source"])
        asked |= {"op": "replace", "text": text}
    drafts.play(draft, drafts.DraftStep.read(asked, draft.to_tree()), by=by)
    return ""
