"""Measure an engine against gold files, as a table or as JSON."""

from annotator.management.engine import EngineCommand


class Command(EngineCommand):
    help = "Measure an engine against gold files, given their tokens."
    group = "evaluate"
