"""Light or dark theme: the system's, or the one chosen in this browser.

The server writes the choice into the page, so that none appears in the wrong colours.
"""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

COOKIE = "gemel_theme"
AGE_S = 60 * 60 * 24 * 365
NAMES = {"system": _("As the system"), "light": _("Light"), "dark": _("Dark")}


def chosen(request: HttpRequest) -> str:
    name = request.COOKIES.get(COOKIE, "")
    return name if name in NAMES else "system"


def remember(response: HttpResponse, name: str) -> None:
    """Raises KeyError at a name that is none."""
    NAMES[name]
    response.set_cookie(
        COOKIE,
        name,
        max_age=AGE_S,
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )
