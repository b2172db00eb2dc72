"""Options that commands share: which parser, and where its models are."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.parsing import registry
from core.protocols import ParserBackend

__all__ = ["Say", "add_parser_options", "backend_of"]

Say = Callable[[str], object]


def add_parser_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--engine",
        default=registry.DEFAULT,
        help="a parser or a model folder, by default %(default)s",
    )
    add("--models", type=Path, metavar="DIR", help="has folders of further parsers")


def backend_of(options: dict[str, Any]) -> ParserBackend:
    """The parser that the options name, or the model folder; raises Unavailable."""
    return registry.chosen(options["engine"], options.get("models"))
