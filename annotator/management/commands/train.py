"""Train a model."""

from annotator.management.engine import EngineCommand


class Command(EngineCommand):
    help = "Train a model on treebanks or text."
    group = "train"
