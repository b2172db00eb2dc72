"""The rules of a corpus, and the trees that break them."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.forms import refuse_unknown
from annotator.http.answers import form_page
from annotator.models import Corpus
from annotator.pages.treebanks import rules as pages
from annotator.services.treebanks import rules


@login_required
@require_http_methods(["GET", "POST"])
def problems(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """What breaks the rules of a corpus; POST declares other rules. What was typed and
    refused is in its field still."""
    corpus = access.corpus_or_404(request.user, slug, code)
    refuse_unknown(request.GET, {"after"})
    after, name = request.GET.get("after", ""), "treebanks/problems.html"
    return form_page(
        request,
        name,
        lambda: pages.shown(corpus, after=after, by=request.user),
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
