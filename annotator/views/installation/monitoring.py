"""For programs that watch: alive, ready, figures. No page needs a person here."""

from hmac import compare_digest

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from annotator.monitoring import metrics, readiness


@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """This process answers; nothing else is looked at."""
    return JsonResponse({"state": "alive"})


@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """What it needs to serve people; 503 if something lacks."""
    states = readiness.states()
    is_ready = all(state.is_good for state in states)
    body = {
        "state": "ready" if is_ready else "not ready",
        "checks": {state.name: state.detail or "good" for state in states},
    }
    return JsonResponse(body, status=200 if is_ready else 503)


@require_safe
def metrics_text(request: HttpRequest) -> HttpResponse:
    """For who has the token; where none is set there is no such page."""
    if not metrics.is_on():
        raise Http404
    given = request.headers.get("Authorization", "")
    if not compare_digest(given.encode(), f"Bearer {settings.METRICS_TOKEN}".encode()):
        answer = HttpResponse("Send the metrics token.\n", status=401)
        answer["WWW-Authenticate"] = "Bearer"
        return answer
    text, media_type = metrics.text()
    return HttpResponse(text, content_type=media_type)
