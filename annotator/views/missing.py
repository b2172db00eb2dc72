"""What is not there: a page for people, the API's one shape for programs."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import defaults

__all__ = ["not_found"]

ERROR = {"code": "not_found", "message": "There is no such endpoint.", "facts": {}}


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The answer to an address that no pattern fits, or to an Http404 of a page."""
    if request.path.startswith("/api/"):
        return JsonResponse({"error": ERROR}, status=404)
    return defaults.page_not_found(request, exception)
