"""A corpus and its pairs, a page at a time."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotator import access
from annotator.forms import PairFilter, ScoreForm, refuse_unknown
from annotator.pages import corpora as pages
from annotator.pages.site import dashboard


@login_required
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
