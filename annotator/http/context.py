"""Template context of every page.

The theme is the system's, or the one chosen in this browser. The server writes it into
the page, so that none appears in the wrong colours.
"""

import contextlib

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from annotator import __version__, backups, disk
from annotator.http import oidc
from annotator.models import Membership, Role

THEME = "gemel_theme"  # the cookie
THEME_S = 60 * 60 * 24 * 365
THEMES = {"system": _("As the system"), "light": _("Light"), "dark": _("Dark")}


def site(request: HttpRequest) -> dict[str, object]:
    return {
        "gemel_version": __version__,
        "space_left_mb": _space_left(request),
        "oidc_name": oidc.name(),
        "theme": _theme(request),
        "themes": THEMES,
        "backups_are_late": _backups_are_late(request),
    }


def remember_theme(response: HttpResponse, name: str) -> None:
    """Raises KeyError at a name that is none."""
    THEMES[name]
    response.set_cookie(
        THEME,
        name,
        max_age=THEME_S,
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )


def _theme(request: HttpRequest) -> str:
    name = request.COOKIES.get(THEME, "")
    return name if name in THEMES else "system"


def _backups_are_late(request: HttpRequest) -> bool:
    """Told to the operator."""
    person = getattr(request, "user", None)
    with contextlib.suppress(OSError):  # a disk that cannot be read has its own page
        return bool(person and person.is_superuser and backups.state().is_late)
    return False


def _space_left(request: HttpRequest) -> int | None:
    """For managers, when it is nearly gone; None: nothing to say."""
    person = getattr(request, "user", None)
    if person is None or not disk.is_low() or not person.is_authenticated:
        return None
    manages = Membership.objects.filter(user_id=person.pk, role=Role.MANAGER)
    return int(disk.free_mb()) if person.is_superuser or manages.exists() else None
