"""The rules of a corpus, and the trees that break them."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.forms import refuse_unknown
from annotator.pages.treebanks import rules as pages
from annotator.services.treebanks import rules

__all__ = ["problems"]


@login_required
@require_http_methods(["GET", "POST"])
def problems(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """What breaks the rules of a corpus; POST declares other rules. What was typed and
    refused is in its field still."""
    corpus = access.corpus_or_404(request.user, slug, code)
    refuse_unknown(request.GET, {"after"})
    refusal: Refusal | None = None
    sent = request.POST
    if request.method == "POST":
        try:
            seen = _revision(sent.get("seen", ""))
            rules.keep(corpus, sent.get("text", ""), seen=seen, by=request.user)
        except Refusal as error:
            refusal = error
        else:
            messages.success(request, _("These rules are declared now."))
            return redirect("problems", slug, code)
    after = request.GET.get("after", "")
    page = pages.shown(corpus, after=after, by=request.user)
    if refusal is not None:
        page |= {"refusal": refusal, "typed": sent.get("text", "")}
    status = refusal.status if refusal else 200
    return render(request, "treebanks/problems.html", page, status=status)


def _revision(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        reason = _("seen is the revision of the rules you saw.")
        raise BadRequest(reason, field="seen")
    return int(text)
