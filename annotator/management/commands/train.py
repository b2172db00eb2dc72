"""Train a model."""

from annotator.management.engine import EngineCommand


class Command(EngineCommand):
    help = "Train a model from treebanks or from text."
    group = "train"
