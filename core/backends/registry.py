"""Which parsers there are, and one of them by name. Nothing is imported until asked.

A parser is an entry point in the group ``gemel.parsers``: a callable without arguments
that returns a ParserBackend; or a model folder (see ``core.backends.store``) within a
folder that the caller names, known by the name of its folder. Entry points win.
"""

from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from core.errors import Unavailable
from core.protocols import ParserBackend

__all__ = ["DEFAULT", "GROUP", "load", "names"]

GROUP = "gemel.parsers"
DEFAULT = "english"
MANIFEST = "manifest.json"


def names(models: Path | None = None) -> tuple[str, ...]:
    """The names that ``load`` knows, sorted."""
    return tuple(sorted({*_registered(), *_folders(models)}))


@lru_cache(maxsize=8)
def load(name: str, models: Path | None = None) -> ParserBackend:
    """The parser ``name``; made once a process.

    Raises Unavailable if there is none of that name, or if it cannot be made: its
    model or library is missing.
    """
    point = _registered().get(name)
    if point is not None:
        return _made(name, point)
    folder = _folders(models).get(name)
    if folder is None:
        known = ", ".join(names(models)) or "none"
        raise Unavailable(f"there is no parser {name!r}; known: {known}")
    from core.backends.neural import NeuralParser  # onnxruntime: only when it is used

    return NeuralParser(folder)


def _made(name: str, point: EntryPoint) -> ParserBackend:
    try:
        made: ParserBackend = point.load()()
    except (ImportError, AttributeError, OSError) as error:
        raise Unavailable(f"parser {name!r} cannot be loaded: {error}") from error
    return made


def _registered() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _folders(models: Path | None) -> dict[str, Path]:
    if models is None or not models.is_dir():
        return {}
    return {path.parent.name: path.parent for path in models.glob(f"*/{MANIFEST}")}
