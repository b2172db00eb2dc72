"""The API, described on a plain page: no scripts from elsewhere."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET
from drf_spectacular.generators import SchemaGenerator

VERBS = ("get", "post", "put", "patch", "delete")


@login_not_required
@require_GET
def api_docs(request: HttpRequest) -> HttpResponse:
    schema = SchemaGenerator().get_schema(public=True)
    calls = [
        {"verb": verb.upper(), "path": path, "text": call.get("description", "")}
        for path, verbs in schema["paths"].items()
        for verb, call in verbs.items()
        if verb in VERBS
    ]
    return render(request, "api_docs.html", {"calls": calls})
