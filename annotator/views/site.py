"""What every page leads to: the search over everything, help and the tour."""

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotator.forms import refuse_unknown
from annotator.http.answers import safe_next
from annotator.pages.site import finding
from annotator.pages.site import help as help_pages
from annotator.pages.site import tour as tours

LONGEST = 200


@require_GET
def find(request: HttpRequest) -> HttpResponse:
    refuse_unknown(request.GET, {"q"})
    text = request.GET.get("q", "")[:LONGEST]
    shown = {"text": text, "kinds": finding.find(text, by=request.user)}
    return render(request, "site/find.html", shown)


@login_not_required
@require_GET
def help_index(request: HttpRequest) -> HttpResponse:
    return render(request, "help/index.html", {"sections": help_pages.index()})


@login_not_required
@require_GET
def help_page(request: HttpRequest, name: str) -> HttpResponse:
    if name not in help_pages.NAMES:
        raise Http404("There is no such help page.")
    return render(request, "help/page.html", {"document": help_pages.help_page(name)})


@require_POST
def tour(request: HttpRequest) -> HttpResponse:
    """``do=begin``: to the first stop. Else the tour is left, on the page ``next``."""
    if request.POST.get("do") != "begin":
        request.session.pop(tours.KEY, None)
        return redirect(safe_next(request, request.POST.get("next", "")))
    project = tours.sample_of(request.user)
    if project is None:
        raise Http404("The tour needs the sample project.")
    request.session[tours.KEY] = True
    return redirect(tours.stops(project, by=request.user)[0].url)
