"""The registry of parsers by name. Nothing is imported until requested.

A parser is an entry point in the group ``gemel.parsers``: a callable without arguments
that returns a ParserBackend; or a model folder within a folder that the caller names,
known by the name of its folder: one with a manifest (see ``core.parsing.store``), whose
"kind" says what runs it, or one of BLLIP's; or a table of the file that
``GEMEL_PARSERS`` names (``core.parsing.external``). Entry points win, then tables. The
styles of the parser that writes like its caller's treebank are there without either.

Options that commands share: which parser, and where its models are.
"""

import argparse
import json
import os
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from core.errors import Unavailable
from core.protocols import DecodesTogether, ParserBackend

GROUP = "gemel.parsers"
DEFAULT = "english-gum"
MANIFEST = "manifest.json"
PCFG = "pcfg"
BLLIP_SIGN = "pSgT.txt"
GONE = {
    "nltk-chart": "was a toy grammar and is no longer part of Gemel; the trees that it "
    "made stay. Train a parser on gold trees instead",
}
"""Parsers of before, which rows and scripts may still name; an installation that was
not rebuilt may even still have their entry points."""
STYLES = ("craft", "ewt", "genia", "gum", "ptb")
SHIPPED = {
    f"english-{style}": EntryPoint(
        f"english-{style}", f"core.parsing.english:{style}", GROUP
    )
    for style in STYLES
}
"""The styles of the model that comes with Gemel; an installation's list of entry
points is written when it is made, and may be older than they are."""
KINDS = {"substitution": "core.substitution.folder:LinkedParser"}
"""What runs a model folder of that kind, where a folder on a floor above does."""
SIGNS = (BLLIP_SIGN, MANIFEST)


def names(models: Path | None = None) -> tuple[str, ...]:
    """The names that ``load`` knows, sorted."""
    return tuple(sorted({*_registered(), *_external(), *_folders(models)}))


@lru_cache(maxsize=8)
def load(name: str, models: Path | None = None) -> ParserBackend:
    """The parser ``name``; made once a process.

    Raises Unavailable if there is none of that name, or if it cannot be made: its
    model or library is missing.
    """
    point = _registered().get(name)
    if point is not None:
        return _made(name, point)
    if name in (tables := _external()):
        from core.parsing import external

        return external.made(name, tables[name])
    folder = _folders(models).get(name)
    if folder is None and name in GONE:
        raise Unavailable(f"parser {name!r} {GONE[name]}")
    if folder is None:
        known = ", ".join(names(models)) or "none"
        raise Unavailable(f"there is no parser {name!r}; known: {known}")
    return at(folder)


def chosen(engine: str, models: Path | None = None) -> ParserBackend:
    """``load``, where ``engine`` may also be the path of a model folder, with a "/".

    For command lines: who types a path there may read it anyway.
    """
    return at(Path(engine)) if "/" in engine else load(engine, models)


def at(folder: Path) -> ParserBackend:
    """The parser of a model folder; raises Unavailable if it is none.

    Its runtime is imported only now: onnxruntime, compiled kernels.
    """
    if not (folder / MANIFEST).is_file() and (folder / BLLIP_SIGN).is_file():
        from core.parsing.bllip import BllipParser

        return BllipParser(folder)
    kind = str(facts_of(folder).get("kind", ""))
    if kind == PCFG:
        from core.parsing.pcfg.parser import PcfgParser

        return PcfgParser(folder)
    if kind in KINDS:
        module, _, name = KINDS[kind].partition(":")
        made: ParserBackend = getattr(import_module(module), name)(folder)
        return made
    from core.parsing.neural import NeuralParser

    return NeuralParser(folder)


def facts_of(folder: Path) -> dict[str, Any]:
    """The manifest of a model folder; {} if it cannot be read."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # who opens the folder will say what is wrong
    return manifest if isinstance(manifest, dict) else {}


def check_external() -> None:
    """Raise Unavailable where the file of ``GEMEL_PARSERS`` or a table in it is bad."""
    for name, facts in _external().items():
        from core.parsing import external

        external.made(name, facts)


def _made(name: str, point: EntryPoint) -> ParserBackend:
    try:
        made: ParserBackend = point.load()()
    except (ImportError, AttributeError, OSError) as error:
        raise Unavailable(f"parser {name!r} cannot be loaded: {error}") from error
    return made


def _registered() -> dict[str, EntryPoint]:
    points = (p for p in entry_points(group=GROUP) if p.name not in GONE)
    return SHIPPED | {point.name: point for point in points}


def _external() -> dict[str, dict[str, Any]]:
    """The tables of the operator's own parsers; most installations have none."""
    file = os.environ.get("GEMEL_PARSERS", "")
    if not file:
        return {}
    from core.parsing import external

    return external.named(Path(file))


def _folders(models: Path | None) -> dict[str, Path]:
    if models is None or not models.is_dir():
        return {}
    signs = (path for sign in SIGNS for path in models.glob(f"*/{sign}"))
    return {path.parent.name: path.parent for path in signs}


Say = Callable[[str], object]


def add_parser_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--engine",
        default=DEFAULT,
        help="name of a parser, or a model folder",
    )
    add(
        "--models",
        type=Path,
        metavar="DIR",
        help="folder that holds further parser folders",
    )


def add_together(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--together",
        action="store_true",
        help="decode both trees together, so that they agree",
    )


def backend_of(options: dict[str, Any]) -> ParserBackend:
    """The parser that the options name, or the model folder; raises Unavailable."""
    parser = chosen(options["engine"], options.get("models"))
    if not options.get("together"):
        return parser
    if not isinstance(parser, DecodesTogether):
        raise Unavailable(
            f"parser {parser.info.name!r} cannot decode two sentences together"
        )
    return parser.decoding_together()
