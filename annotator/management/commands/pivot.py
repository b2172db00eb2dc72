"""Paraphrases out of parallel text: build a table, look up, substitute, make items."""

from annotator.management.engine import EngineCommand


class Command(EngineCommand):
    help = "Build and search paraphrase tables."
    group = "pivot"
