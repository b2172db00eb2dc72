"""Parse or align large parallel text in pieces."""

from annotator.management.engine import EngineCommand


class Command(EngineCommand):
    help = "Parse or align large parallel text in pieces."
    group = "corpus"
