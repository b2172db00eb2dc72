"""What the commands about a table share."""

import argparse
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from core.data.tree import Tree
from core.errors import InvalidValue
from core.formats import ptb
from core.pivoting.language_model import TrigramModel, read_arpa

__all__ = ["Say", "add_table", "model_of", "trees_in"]

Say = Callable[[str], object]


def add_table(parser: argparse.ArgumentParser, *, model: bool = False) -> None:
    add = parser.add_argument
    add("--table", type=Path, required=True, help="made by pivot build")
    if model:
        add("--lm", type=Path, metavar="ARPA", help="for the conditions with a model")
        add("--lm-weight", type=float, default=1.0, help="beside the paraphrase's")


def model_of(options: dict[str, Any]) -> TrigramModel | None:
    return read_arpa(options["lm"]) if options["lm"] else None


def trees_in(path: Path | None, limit: int | None = None) -> list[Tree]:
    """Bracketed trees of a file, of standard input without one."""
    if path is None:
        return list(_trees(sys.stdin, limit))
    with path.open(encoding="utf-8") as lines:
        found = list(_trees(lines, limit))
    if not found:
        raise InvalidValue(f"{path}: no tree is in it")
    return found


def _trees(lines: Any, limit: int | None) -> Iterator[Tree]:
    return islice(ptb.parse(lines), limit)
