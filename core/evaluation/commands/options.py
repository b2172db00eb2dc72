"""Options that commands share: which parser, and where its models are."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.errors import Unavailable
from core.parsing import registry
from core.protocols import DecodesTogether, ParserBackend

__all__ = ["Say", "add_parser_options", "add_together", "backend_of"]

Say = Callable[[str], object]


def add_parser_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--engine",
        default=registry.DEFAULT,
        help="a parser or a model folder, by default %(default)s",
    )
    add("--models", type=Path, metavar="DIR", help="has folders of further parsers")


def add_together(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--together",
        action="store_true",
        help="decode arcs and brackets together, so that they fit each other",
    )


def backend_of(options: dict[str, Any]) -> ParserBackend:
    """The parser that the options name, or the model folder; raises Unavailable."""
    parser = registry.chosen(options["engine"], options.get("models"))
    if not options.get("together"):
        return parser
    if not isinstance(parser, DecodesTogether):
        raise Unavailable(f"parser {parser.info.name!r} cannot decode together")
    return parser.decoding_together()
