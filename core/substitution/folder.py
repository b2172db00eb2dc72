"""A parser with its linking corpus as a model folder, usable by every screen and job.

manifest.json   kind "substitution", the parser's name or path, options
linking.npz     the counts of the linking corpus
"""

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from core.data.tokens import Sentence
from core.errors import FormatError, InvalidValue, Unavailable
from core.parsing import registry
from core.parsing.store import open_folder, write_manifest
from core.protocols import Analysis, BackendInfo, Capability
from core.substitution import linking
from core.substitution.linking import LinkingCounts
from core.substitution.options import Options
from core.substitution.substituting import Substituting

KIND = "substitution"
FILES = ("linking.npz",)


class LinkedParser:
    """``Substituting`` out of a model folder; counts are read by the first sentence.

    A parser that is named, not given by a path, is looked for among the folder's
    neighbours too.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = open_folder(folder, needed=FILES)
        facts = self._folder.manifest
        try:
            self.options = _options(facts["options"])
            inner = str(facts["parser"])
        except (KeyError, TypeError, InvalidValue) as error:
            raise Unavailable(f"{folder}: bad manifest: {error}") from error
        if inner == folder.name:
            raise Unavailable(f"{folder}: it names itself as the parser it helps")
        self.parser = registry.chosen(inner, folder.parent)
        self.info: BackendInfo = replace(
            self.parser.info,
            name=folder.name,
            version=f"{facts['version']}+{self.parser.info.version}",
            note=f"{self.parser.info.name} with substitution: {self.options.method}",
        )

    @cached_property
    def substituting(self) -> Substituting:
        """Raises Unavailable if the counts cannot be read, or the parser is unfit."""
        try:
            counts = linking.load(self._folder.file(FILES[0]))
        except FormatError as error:
            raise Unavailable(str(error)) from error
        return Substituting(self.parser, counts, self.options)

    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list[Analysis | Exception]:
        """As ``Substituting.analyse``."""
        return self.substituting.analyse(sentences, want=want) if sentences else []


def write(out: Path, parser: str, counts: LinkingCounts, options: Options) -> None:
    """Make the folder; ``parser`` as ``registry.chosen`` knows it.

    Raises Unavailable if there is no such parser, or substitution cannot help it.
    """
    inner = registry.chosen(parser, out.parent)
    Substituting(inner, counts, options)
    out.mkdir(parents=True, exist_ok=True)
    linking.save(counts, out / FILES[0])
    facts: dict[str, Any] = {
        "kind": KIND,
        "name": out.name,
        "version": counts.digest[:8] or "empty",
        "parser": str(Path(parser).resolve()) if "/" in parser else parser,
        "licence": counts.licence,
        "data": list(counts.sources),
        "options": asdict(options),
    }
    write_manifest(out, facts, files=FILES)


def _options(given: Mapping[str, Any]) -> Options:
    known = {field.name for field in fields(Options)}
    unknown = sorted(given.keys() - known)
    if unknown:
        raise InvalidValue(f"unknown options: {', '.join(unknown)}")
    return Options(**given)
