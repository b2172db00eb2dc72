"""The project's documents as help; they are for anyone, as the sign-in page is."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotator.pages.site import help as pages


@require_GET
def index(request: HttpRequest) -> HttpResponse:
    return render(request, "help/index.html", {"sections": pages.index()})


@require_GET
def page(request: HttpRequest, name: str) -> HttpResponse:
    if name not in pages.NAMES:
        raise Http404("There is no such help page.")
    return render(request, "help/page.html", {"document": pages.help_page(name)})
