"""Where a person goes on after a form that any page has."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def safe_next(request: HttpRequest, wanted: str) -> str:
    """``wanted`` if it is an address of ours, else the home page's name."""
    is_ours = url_has_allowed_host_and_scheme(
        wanted, {request.get_host()}, require_https=request.is_secure()
    )
    return wanted if is_ours else "projects"
