"""The search over everything."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotator.forms import refuse_unknown
from annotator.pages.site import finding as pages

LONGEST = 200


@login_required
@require_GET
def find(request: HttpRequest) -> HttpResponse:
    refuse_unknown(request.GET, {"q"})
    text = request.GET.get("q", "")[:LONGEST]
    shown = {"text": text, "kinds": pages.find(text, by=request.user)}
    return render(request, "site/find.html", shown)
