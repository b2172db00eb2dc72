"""Options shared by the commands about tables."""

import argparse
import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from core.data.tree import Tree
from core.errors import FormatError, InvalidValue
from core.formats import ptb
from core.formats.standard_input import input_lines
from core.parsing import registry
from core.pivoting.language_model import TrigramModel, read_arpa
from core.pivoting.weighting import Weights
from core.protocols import ParserBackend

Say = Callable[[str], object]


def add_table(parser: argparse.ArgumentParser, *, model: bool = False) -> None:
    add = parser.add_argument
    add("--table", type=Path, required=True, help="table built by pivot build")
    add("--weights", type=Path, metavar="JSON", help="weights of the ninth condition")
    if model:
        add(
            "--lm",
            type=Path,
            metavar="ARPA",
            help="language model of the conditions that use one",
        )
        add(
            "--lm-weight",
            type=float,
            default=1.0,
            help="weight of the language model next to the paraphrase's 1",
        )


def model_of(options: dict[str, Any]) -> TrigramModel | None:
    return read_arpa(options["lm"]) if options["lm"] else None


def weights_of(options: dict[str, Any]) -> Weights | None:
    """Raises InvalidValue if the file holds no weights."""
    path = options["weights"]
    if path is None:
        return None
    try:
        return Weights.of_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, InvalidValue) as error:
        raise InvalidValue(f"{path}: {error}") from error


def vectors_of(weights: Weights | None) -> ParserBackend | None:
    """The parser whose vectors the ninth condition compares, where requested."""
    return registry.load(weights.parser) if weights else None


def trees_in(path: Path | None, limit: int | None = None) -> list[Tree]:
    """Bracketed trees of a file, of standard input without one."""
    if path is None:
        return list(_trees(input_lines(), limit))
    try:
        with path.open(encoding="utf-8") as lines:
            trees = list(_trees(lines, limit))
    except FormatError as error:
        error.file = str(path)
        raise
    if not trees:
        raise InvalidValue(f"{path}: it has no trees")
    return trees


def _trees(lines: Any, limit: int | None) -> Iterator[Tree]:
    return islice(ptb.parse(lines), limit)
