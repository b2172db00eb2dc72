"""Paraphrases from parallel text: build a table, look up, substitute, create items."""

from annotator.management.engine import EngineCommand


class Command(EngineCommand):
    help = "Build and search paraphrase tables."
    group = "pivot"
