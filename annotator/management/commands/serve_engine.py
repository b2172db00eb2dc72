"""The engine process: started by ``up`` when a page first needs a parser or aligner."""

import argparse
import signal
import socket
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.core.wsgi import get_wsgi_application

from annotator.services.alignments import proposals
from annotator.serving import memory
from annotator.serving.engine import EngineServer


class Command(BaseCommand):
    help = "Answer the pages that need a model. Started by up; not for people."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("socket", type=int, help="a listening socket, inherited")

    def handle(self, *args: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit())
        memory.keep_below(settings.ENGINE_MEMORY_MB)
        engine = EngineServer(get_wsgi_application(), proposals.warm)
        began_mb = memory.taken_mb()
        with socket.socket(fileno=options["socket"]) as listening:
            engine.serve(
                listening,
                idle_s=settings.ENGINE_IDLE_S,
                is_worn=lambda: memory.is_worn(began_mb, settings.ENGINE_MEMORY_MB),
            )
