"""The Django app."""

from django.apps import AppConfig


class AnnotatorConfig(AppConfig):
    """People, rows and requests around the engine in ``core``."""

    name = "annotator"
    verbose_name = "Gemel"

    def ready(self) -> None:
        from annotator import checks, jobkinds  # noqa: F401 - they register
