"""System checks, each with an id and a hint: ``python manage.py check``."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

__all__ = ["no_debug_on_a_server", "one_world"]


@register()
def no_debug_on_a_server(**_: Any) -> list[CheckMessage]:
    """Debug pages show secrets; a server with PostgreSQL is no desk."""
    vendor = settings.DATABASES["default"]["ENGINE"]
    if settings.DEBUG and vendor.endswith("postgresql"):
        return [
            Error(
                "GEMEL_DEBUG is on together with PostgreSQL.",
                hint="Unset GEMEL_DEBUG; errors are in the log.",
                id="gemel.E001",
            )
        ]
    return []


@register()
def one_world(**_: Any) -> list[CheckMessage]:
    """A file broker reaches workers on this machine only."""
    vendor = settings.DATABASES["default"]["ENGINE"]
    embedded = settings.CELERY_BROKER_URL == settings.FILE_BROKER
    if vendor.endswith("postgresql") and embedded and settings.HTTPS:
        return [
            Warning(
                "PostgreSQL with the file broker: only workers on this machine work.",
                hint="Set CELERY_BROKER_URL to Redis or RabbitMQ.",
                id="gemel.W002",
            )
        ]
    return []
