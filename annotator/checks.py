"""System checks, each with an id and a hint: ``python manage.py check``."""

import shutil
from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from core.errors import Unavailable
from core.parsing import registry

TAG = "gemel"  # of the checks below, which also run at every start


@register(TAG)
def no_debug_on_a_server(**_: Any) -> list[CheckMessage]:
    """Debug pages show secrets; a server with PostgreSQL is not a development
    machine."""
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


@register(TAG)
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


@register(TAG)
def closed_to_others(**_: Any) -> list[CheckMessage]:
    """Database, key and uploads are for the account that runs Gemel alone."""
    home = settings.GEMEL_HOME
    names = [home, *home.glob("*.sqlite3*"), *home.glob("secret_key")]
    names = [path for path in names if path.exists() and path.stat().st_mode & 0o077]
    if not names:
        return []
    return [
        Warning(
            f"Other accounts of this machine can read {names[0]}.",
            hint="chmod 700 the folder, 600 its files, or set another GEMEL_HOME.",
            id="gemel.W005",
        )
    ]


@register(TAG)
def room_on_the_disk(**_: Any) -> list[CheckMessage]:
    """Jobs wait and imports are refused on a disk that is nearly full."""
    free = shutil.disk_usage(settings.GEMEL_HOME).free / 2**20
    if free >= settings.MIN_FREE_MB:
        return []
    return [
        Warning(
            f"{settings.GEMEL_HOME} has {free:.0f} MB left: jobs and imports wait.",
            hint="Make room, or set GEMEL_MIN_FREE_MB to less.",
            id="gemel.W003",
        )
    ]


@register(TAG)
def provider_can_be_asked(**_: Any) -> list[CheckMessage]:
    """Signing in by a provider, or a directory, needs packages a desk does without."""
    asked = (
        (settings.OIDC, "GEMEL_OIDC_ISSUER", ("authlib", "requests"), "oidc", "E006"),
        (settings.LDAP, "GEMEL_LDAP_URL", ("ldap3",), "ldap", "E007"),
    )
    errors: list[CheckMessage] = []
    for chosen, variable, packages, extra, code in asked:
        lacking = [one for one in packages if chosen and find_spec(one) is None]
        if lacking:
            problem = (
                f"{variable} is set, but {' and '.join(lacking)} is not installed."
            )
            hint = f"pip install 'gemel[{extra}]'"
            errors.append(Error(problem, hint=hint, id=f"gemel.{code}"))
    return errors


@register(TAG)
def parsers_of_the_operator_are_named_well(**_: Any) -> list[CheckMessage]:
    """A file of parsers with a mistake would fail every page that lists parsers."""
    try:
        registry.check_external()
    except Unavailable as error:
        hint = "Correct the file, or unset GEMEL_PARSERS; see docs/parsers.md."
        return [Error(str(error), hint=hint, id="gemel.E008")]
    return []
