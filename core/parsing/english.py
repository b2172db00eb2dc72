"""The two English parsers that come with Gemel."""

from functools import partial
from pathlib import Path

from core.parsing.neural import NeuralParser

MODEL = Path(__file__).parent / "models" / "english"
STYLED = Path(__file__).parent / "models" / "styles"


def parser() -> NeuralParser:
    """The first of the two, ``english``; its weights are read at the first sentence.

    Raises Unavailable if the model folder is missing or incomplete.
    """
    return NeuralParser(MODEL)


def styled(style: str) -> NeuralParser:
    """The parser that writes like the treebank of its caller: one model for all, the
    default among them.

    Raises Unavailable as ``parser`` does, InvalidValue for a style that there is not.
    """
    return NeuralParser(STYLED, style=style)


craft, ewt, genia, gum, ptb = (
    partial(styled, style) for style in ("craft", "ewt", "genia", "gum", "ptb")
)
