"""The sample's parallel text: the same sentences in three languages, line by line."""

from pathlib import Path

FOLDER = Path(__file__).with_name("bitext")
SOURCE = "english"
TARGETS = {"german": "de", "spanish": "es"}
TEXTS = (SOURCE, *TARGETS)
LICENCE = "CC0 1.0"
PROVENANCE = "Three hundred sentences written for Gemel, in all three languages."


def path_of(name: str) -> Path:
    """The file of one of ``TEXTS``."""
    return FOLDER / f"{name}.txt"
