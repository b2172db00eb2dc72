"""Compile the words of other languages while Gemel is built or installed."""

from pathlib import Path
from typing import Any
from uuid import uuid4

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CATALOGUES = "annotator/locale/*/LC_MESSAGES/*.po"


def compile_catalogues(root: Path) -> None:
    """Write the ``.mo`` next to each ``.po`` of ``root`` that is newer."""
    for path in root.glob(CATALOGUES):
        made = path.with_suffix(".mo")
        if made.exists() and made.stat().st_mtime >= path.stat().st_mtime:
            continue
        part = made.with_suffix(f".{uuid4().hex}")  # another process may do the same
        with path.open("rb") as file, part.open("wb") as out:
            write_mo(out, read_po(file, locale=path.parent.parent.name))
        part.replace(made)


class Catalogues(BuildHookInterface[Any]):
    """Git keeps no ``.mo``; a wheel and an installed clone have them."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        compile_catalogues(Path(self.root))
        build_data["artifacts"].append("annotator/locale/**/*.mo")
