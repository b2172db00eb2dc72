"""The Django app."""

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db import connections
from django.db.models.signals import post_migrate


class AnnotatorConfig(AppConfig):
    """People, rows and requests around the engine in ``core``."""

    name = "annotator"
    verbose_name = "Gemel"

    def ready(self) -> None:
        from annotator import checks, jobkinds  # noqa: F401 - they register

        post_migrate.connect(_search_tables, sender=self)
        if settings.METRICS_TOKEN:
            from annotator.monitoring import metrics

            metrics.listen()


def _search_tables(using: str, **_: Any) -> None:
    """The tables and triggers of searches, which no model describes."""
    from annotator.services.queries import tables

    tables.ensure(connections[using])
