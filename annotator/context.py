"""What every page may show."""

from django.http import HttpRequest

from annotator import __version__

__all__ = ["site"]


def site(request: HttpRequest) -> dict[str, object]:
    return {"gemel_version": __version__}
