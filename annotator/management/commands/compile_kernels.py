"""The kernels behind parsing, aligning, joint parsing and scoring, compiled ahead."""

import os
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from core.compiled import fingerprint


def compile_all() -> None:
    import gemel  # not when the command is listed

    pair = [gemel.parse(text) for text in ("A ship sank.", "They saw a boat sink.")]
    gemel.align(*pair)
    gemel.joint(*pair)
    gemel.score(*pair)


class Command(BaseCommand):
    help = "Compile the kernels now: after an installation, the first user waits less."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        os.nice(19)  # people work meanwhile
        compile_all()
        settings.GEMEL_HOME.mkdir(parents=True, exist_ok=True)
        (settings.GEMEL_HOME / f"kernels.{fingerprint()}").touch()
