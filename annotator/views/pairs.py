"""A corpus and its pairs, a page at a time."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from annotator import access
from annotator.forms import PairFilter, ScoreForm, refuse_unknown
from annotator.models import Corpus
from annotator.models.corpora import PairQuerySet
from annotator.services import scoring

PAGE = 50
COUNTED = 1_000  # counting further would cost more than it tells


@login_required
@require_GET
def corpus(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug)
    found = get_object_or_404(project.corpora, code=code)
    known = {*PairFilter.base_filters, *ScoreForm.base_fields, "after"}
    refuse_unknown(request.GET, known)
    fits = PairFilter(request.GET, queryset=found.pairs.all())
    after = request.GET.get("after", "")
    order = ScoreForm(request.GET)
    listed, run = scoring.with_scores(
        fits.qs.for_list(), found, **order.asked(), after=after
    )
    rows = list(listed[: PAGE + 1])
    context = {
        "project": project,
        "corpus": found,
        "filter": fits,
        "pairs": rows[:PAGE],
        "counted": _counted(found, fits.qs, filtered=_is_filtered(request)),
        "next_url": _url(request, rows[PAGE - 1].code) if len(rows) > PAGE else "",
        "first_url": _url(request, "") if after else "",
        "order": order,
        "run": run,
        "runs": list(found.score_runs.filter(n_scored__gt=0)),
        "scorers": list(scoring.scorers()),
        "may_run": access.may(request.user, "run", project),
    }
    return render(request, "pairs/corpus.html", context)


def _is_filtered(request: HttpRequest) -> bool:
    return any(value for name, value in request.GET.items() if name != "after")


def _counted(found: Corpus, fits: PairQuerySet, *, filtered: bool) -> str:
    if not filtered:
        return f"{found.n_pairs:,} pairs"
    n = fits.order_by()[: COUNTED + 1].count()
    return f"more than {COUNTED:,} pairs fit" if n > COUNTED else f"{n:,} pairs fit"


def _url(request: HttpRequest, after: str) -> str:
    query = request.GET.copy()
    query.pop("after", None)
    if after:
        query["after"] = after
    return "?" + query.urlencode()
