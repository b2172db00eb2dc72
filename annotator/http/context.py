"""Template context of every page."""

import contextlib

from django.http import HttpRequest

from annotator import __version__, backups, disk
from annotator.http import oidc, themes
from annotator.models import Membership, Role


def site(request: HttpRequest) -> dict[str, object]:
    return {
        "gemel_version": __version__,
        "space_left_mb": _space_left(request),
        "oidc_name": oidc.name(),
        "theme": themes.chosen(request),
        "themes": themes.NAMES,
        "backups_are_late": _backups_are_late(request),
    }


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
