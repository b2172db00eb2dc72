"""The aligner's work on a corpus: starting it, and the pairs that need people most."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotator import access
from annotator.errors import BadRequest
from annotator.forms import number, refuse_unknown
from annotator.pages import corpora as pages
from annotator.services.alignments import phrases, words

MAX_PAGE = 99_999


@login_required
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


@login_required
@require_GET
def next_unsure(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """On to the pair that needs a person most; after the last one, back to the list.

    Where no aligner has linked anything, the first pair that is not done.
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
