"""Joint parses: starting them over a corpus, and one pair before and after."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotator import access
from annotator.exchange import download
from annotator.forms import JointForm, refuse_unknown
from annotator.http.answers import form_page
from annotator.models import Corpus, JointPair, Pair, Project
from annotator.pages import corpora
from annotator.pages import joint as pages
from annotator.services.parses import joint
from annotator.svg.figure import FORMATS, convert
from core.parsing import registry


@login_required
@require_http_methods(["GET", "POST"])
def corpus_joint(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The runs over a corpus; POST starts one, or goes on with it."""
    corpus = access.corpus_or_404(request.user, slug, code)
    if request.method == "POST":
        access.require(request.user, "run", corpus.project)
    form = JointForm(request.POST) if request.method == "POST" else JointForm()
    return form_page(
        request,
        "joint/corpus.html",
        lambda: corpora.joint_runs(corpus, by=request.user) | {"form": form},
        lambda: _start(request, corpus, form),
        status_refused=400,
    )


def _start(request: HttpRequest, corpus: Corpus, form: JointForm) -> HttpResponse:
    """Raises BadRequest or Conflict."""
    parser = request.POST.get("parser") or registry.DEFAULT
    settings = joint.settings_of(form.arguments())
    job = joint.start(corpus, settings, parser=parser, by=request.user)
    return redirect("job", corpus.project.slug, job.code)


@login_required
@require_GET
def pair_joint(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """One pair: separate and joint trees next to gold, and the course of the duals."""
    loaded = _load(request, slug, code)
    page = pages.shown(loaded.pair, loaded.results, loaded.result) | {
        "project": loaded.project,
        "may_run": access.may(request.user, "run", loaded.project),
    }
    return render(request, "joint/pair.html", page)


@login_required
@require_GET
def figure(
    request: HttpRequest, slug: str, code: str, what: str, to: str
) -> HttpResponse:
    """One drawing of that page, by its name, as SVG, PDF or PNG."""
    if to not in FORMATS:
        raise Http404(_("Choose svg, pdf or png."))
    loaded = _load(request, slug, code)
    drawn = pages.figures_of(loaded.result, loaded.pair) if loaded.result else {}
    if what not in drawn:
        raise Http404(_("There is no such figure of this pair."))
    name = f"gemel-joint-{what}-{code}.{to}"
    return download.figure(convert(drawn[what], to), name, FORMATS[to], "attachment")


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A pair, its results, and the one that is asked for: None if there is none."""

    project: Project
    pair: Pair
    results: list[JointPair]
    result: JointPair | None


def _load(request: HttpRequest, slug: str, code: str) -> _Loaded:
    """Raises Http404 if the run asked for has no result of the pair."""
    project = access.project_or_404(request.user, slug)
    refuse_unknown(request.GET, {"run"})
    pairs = Pair.objects.select_related("corpus", "source", "target")
    pair = get_object_or_404(pairs, corpus__project=project, code=code)
    results = pages.results_of(pair)
    wanted = request.GET.get("run", "")
    result = pages.result_of(results, wanted)
    if wanted and result is None:
        raise Http404(_("This run has no result for the pair."))
    return _Loaded(project, pair, results, result)
