"""The parser that comes with Gemel: English, one small model, no download."""

from pathlib import Path

from core.parsing.neural import NeuralParser

__all__ = ["MODEL", "parser"]

MODEL = Path(__file__).parent / "models" / "english"


def parser() -> NeuralParser:
    """The shipped parser; its weights are read at the first sentence.

    Raises Unavailable if the model folder is missing or incomplete.
    """
    return NeuralParser(MODEL)
