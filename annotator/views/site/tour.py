"""Beginning and leaving the guided tour."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotator.http.returning import safe_next
from annotator.pages.site import tour as pages


@login_required
@require_POST
def tour(request: HttpRequest) -> HttpResponse:
    """``do=begin``: to the first stop. Else the tour is left, on the page ``next``."""
    if request.POST.get("do") != "begin":
        request.session.pop(pages.KEY, None)
        return redirect(safe_next(request, request.POST.get("next", "")))
    project = pages.sample_of(request.user)
    if project is None:
        raise Http404("The tour needs the sample project.")
    request.session[pages.KEY] = True
    return redirect(pages.stops(project, by=request.user)[0].url)
