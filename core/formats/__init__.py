"""Codecs: text to core values and back; one module per format, grammar in its
docstring."""

from importlib import import_module
from pkgutil import walk_packages

from core.formats.records import Format


def formats() -> list[Format]:
    """Return the ``FORMAT`` of every codec, by what it holds and its title."""
    names = [one.name for one in walk_packages(__path__, f"{__name__}.")]
    found = [getattr(import_module(name), "FORMAT", None) for name in names]
    order = ("sentences", "pairs", "corpus")
    return sorted(
        (one for one in found if isinstance(one, Format)),
        key=lambda one: (order.index(one.holds), one.title),
    )
