"""Joint parses: starting them over a corpus, and one pair before and after."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from annotator import access
from annotator.errors import Refusal
from annotator.forms import JointForm, refuse_unknown
from annotator.models import Corpus, Pair
from annotator.services import joint_parsing, joint_view, parsing
from core.backends import registry

__all__ = ["corpus_joint", "pair_joint"]


@login_required
@require_http_methods(["GET", "POST"])
def corpus_joint(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The runs over a corpus; POST starts one, or goes on with it."""
    project = access.project_or_404(request.user, slug)
    found = get_object_or_404(project.corpora, code=code)
    found.project = project
    form, error = JointForm(), ""
    if request.method == "POST":
        form = JointForm(request.POST)
        try:
            return _start(request, found, form)
        except Refusal as refusal:
            if refusal.status == 403:
                raise
            error = str(refusal)
    context = {
        "project": project,
        "corpus": found,
        "form": form,
        "error": error,
        "parsers": parsing.engines(),
        "default": registry.DEFAULT,
        "runs": joint_parsing.runs_of(found),
        "may_run": access.may(request.user, "run", project),
    }
    return render(request, "joint/corpus.html", context, status=400 if error else 200)


def _start(request: HttpRequest, corpus: Corpus, form: JointForm) -> HttpResponse:
    """Raises BadRequest or Conflict."""
    access.require(request.user, "run", corpus.project)
    parser = request.POST.get("parser") or registry.DEFAULT
    settings = joint_parsing.settings_of(form.asked())
    job = joint_parsing.start(corpus, settings, parser=parser, by=request.user)
    return redirect("job", corpus.project.slug, job.code)


@login_required
@require_GET
def pair_joint(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """One pair: separate and joint trees beside gold, and the course of the duals."""
    project = access.project_or_404(request.user, slug)
    refuse_unknown(request.GET, {"run"})
    rows = Pair.objects.filter(corpus__project=project)
    pair = get_object_or_404(
        rows.select_related("corpus", "source", "target"), code=code
    )
    results = joint_view.results_of(pair)
    wanted = request.GET.get("run", "")
    found = joint_view.result_of(results, wanted)
    if wanted and found is None:
        raise Http404("This run has no result for the pair.")
    context = {
        "project": project,
        "pair": pair,
        "results": results,
        "found": found,
        "may_run": access.may(request.user, "run", project),
    }
    if found is not None:
        context["sides"] = joint_view.sides_of(found, pair)
        context["course"] = joint_view.course_of(found)
    return render(request, "joint/pair.html", context)
