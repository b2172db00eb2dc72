"""Paraphrases out of parallel text: build a table, look up, substitute, make items."""

from annotator.management.engine import EngineCommand


class Command(EngineCommand):
    help = "Make a table of paraphrases out of parallel text, and use it."
    group = "pivot"
