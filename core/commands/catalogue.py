"""The catalogue of commands: group, name and module of each.

A module offers ``HELP``, ``add_arguments(parser)`` and ``run(options, say)``, which
returns plain values for JSON; ``say`` receives lines about progress. A module with
``lines(results)`` has its own table. Modules are imported when their group is
requested.

Readers raise our errors where they know what is wrong. What comes from below them (the
system, a codec, a decompressor, DuckDB) is caught here, for all commands at once, and
says which file it was and, of text, where in it.
"""

import argparse
import json
import mmap
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from core.errors import FormatError, GemelError
from core.formats.standard_input import SAVE_AS_UTF8, not_utf8

MAX_FILES = 10_000  # of a folder, looked through for the one that cannot be read


@contextmanager
def readable(options: Mapping[str, Any]) -> Iterator[None]:
    """Raise FormatError, naming file and place, for what keeps a file from being read.

    ``options``: those of the command; the paths among them are its files.
    """
    try:
        yield
    except BrokenPipeError:
        raise  # of standard output: no one reads on, and nothing is wrong
    except UnicodeDecodeError as error:
        raise _not_utf8(error, options) from error
    except json.JSONDecodeError as error:
        file = next((str(one) for one in _files(options) if _is(one, error.doc)), "")
        raise FormatError(
            f"not JSON: {error.msg}", file=file, line=error.lineno, column=error.colno
        ) from error
    except (zlib.error, zipfile.BadZipFile, EOFError) as error:
        raise FormatError(
            f"the compressed data is damaged: {error}",
            file=_only(options),
            remedy="download the file again",
        ) from error
    except FormatError as error:
        if error.line and not error.file:
            error.file = _only(options)
        raise
    except OSError as error:
        raise _system(error, options) from error
    except Exception as error:
        if not _is_of_duckdb(error):
            raise
        raise FormatError(
            f"not a readable Parquet file: {str(error).splitlines()[0]}",
            remedy="give a Parquet file",
        ) from error


def _not_utf8(error: UnicodeDecodeError, options: Mapping[str, Any]) -> FormatError:
    """Where it is, found by the bytes that could not be decoded."""
    reason = not_utf8(error)
    for file in _files(options):
        at = _position(file, error.object)
        if at < 0:
            continue
        with file.open("rb") as stream:
            before = stream.read(at + error.start)
        line = before[before.rfind(b"\n") + 1 :]
        return FormatError(
            reason,
            file=str(file),
            line=before.count(b"\n") + 1,
            column=len(line.decode(errors="replace")) + 1,
            remedy=SAVE_AS_UTF8,
        )
    return FormatError(reason, file=_only(options), remedy=SAVE_AS_UTF8)


def _position(file: Path, content: bytes) -> int:
    """Where the bytes are in the file, -1 if it does not hold them."""
    if not content or file.stat().st_size < len(content):
        return -1
    with file.open("rb") as stream, _mapped(stream.fileno()) as mapped:
        return mapped.find(content)


def _mapped(descriptor: int) -> mmap.mmap:
    return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)


def _is(file: Path, text: str) -> bool:
    """Whether the file holds this text, or a line of it does."""
    return _position(file, text.strip().encode(errors="replace")) >= 0


def _system(error: OSError, options: Mapping[str, Any]) -> GemelError:
    file = str(error.filename or "") or _only(options)
    reason = error.strerror or str(error) or type(error).__name__
    return FormatError(
        reason[:1].lower() + reason[1:],
        file=file,
        remedy="check that the path is right and may be read or written",
    )


def _is_of_duckdb(error: Exception) -> bool:
    duckdb = sys.modules.get("duckdb")  # large: not loaded for the question
    return duckdb is not None and isinstance(error, duckdb.Error)


def _only(options: Mapping[str, Any]) -> str:
    """The file that it must have been, "" if there are several."""
    files = [str(one) for one in _paths(options) if one.exists()]
    return files[0] if len(files) == 1 else ""


def _files(options: Mapping[str, Any]) -> Iterator[Path]:
    """Each file that the options name, directly or by its folder."""
    n_files = 0
    for path in _paths(options):
        inside = path.rglob("*") if path.is_dir() else [path]
        siblings = path.parent.glob(f"{path.name}.*") if not path.exists() else ()
        for file in (*inside, *siblings):
            n_files += 1
            if n_files > MAX_FILES:
                return
            if file.is_file():
                yield file


def _paths(options: Mapping[str, Any]) -> Iterator[Path]:
    for value in options.values():
        for one in value if isinstance(value, list | tuple) else [value]:
            if isinstance(one, Path):
                yield one


Extend = Callable[[ModuleType, argparse.ArgumentParser], None]


class DefaultsFormatter(argparse.HelpFormatter):
    """Adds the default of an option to its help, where there is one to show."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        text, default = action.help or "", action.default
        is_shown = default not in (None, argparse.SUPPRESS, True, False, [], "")
        if not (text and action.option_strings and is_shown) or "default" in text:
            return action.help
        return f"{text} (default: %(default)s)"


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Groups of commands: what each group does, and the module of each command."""

    help: Mapping[str, str]
    groups: Mapping[str, Mapping[str, str]]

    def module_of(self, group: str, name: str) -> ModuleType:
        """Return the module of one command; KeyError if there is none."""
        return import_module(self.groups[group][name])

    def add_group(
        self,
        parser: argparse.ArgumentParser,
        group: str,
        *,
        extend: Extend | None = None,
    ) -> None:
        """Add the commands of a group, under ``what``; each can answer in JSON.

        ``extend`` may add arguments to each, given its module and parser.
        """
        commands = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
        for name in self.groups[group]:
            module = self.module_of(group, name)
            one = commands.add_parser(
                name,
                help=module.HELP,
                description=f"{module.HELP[0].upper()}{module.HELP[1:]}.",
                formatter_class=DefaultsFormatter,
            )
            one.add_argument(
                "--json", action="store_true", help="print JSON instead of a table"
            )
            module.add_arguments(one)
            if extend:
                extend(module, one)

    def run(
        self, group: str, name: str, options: dict[str, Any], say: Callable[[str], Any]
    ) -> dict[str, Any]:
        """Return the results of one command.

        Raises GemelError: FormatError also for what the system, a codec or a database
        finds wrong with the files.
        """
        module = self.module_of(group, name)
        with readable(options):
            results: dict[str, Any] = module.run(options, say)
        return results

    def lines(self, group: str, name: str, results: dict[str, Any]) -> Iterable[str]:
        """Return the results as text: the command's own table, else a line a figure."""
        module = self.module_of(group, name)
        if hasattr(module, "lines"):
            table: Iterable[str] = module.lines(results)
            return table
        return (f"{key:22} {_shown(value)}" for key, value in results.items())


_EVALUATION = "core.evaluation"
ENGINE = Catalogue(
    help={
        "evaluate": "measure an engine against gold files",
        "train": "train a model",
        "pivot": "build and search paraphrase tables",
        "release": "verify a sealed release, or write it in another form",
    },
    groups={
        "evaluate": {
            "parser": f"{_EVALUATION}.parsers",
            "alignment": f"{_EVALUATION}.phrase_alignment",
            "joint": f"{_EVALUATION}.joint_parsing",
            "substitution": f"{_EVALUATION}.substitution",
        },
        "train": {"pcfg": f"{_EVALUATION}.train_pcfg"},
        "pivot": {
            name: f"core.pivoting.commands.{name}"
            for name in ("parse", "build", "lookup", "substitute", "items")
        },
        "release": {
            "verify": "core.releases.commands.verify",
            "hugging-face": "core.releases.commands.hugging_face",
        },
    },
)


_SINGLE = {
    "parse": "core.commands.parse",
    "find-paraphrases": "core.commands.find_paraphrases",
}


def single() -> dict[str, ModuleType]:
    """Return the commands of no group: their ``run`` takes options and returns an exit
    status."""
    return {name: import_module(module) for name, module in _SINGLE.items()}


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_shown(one)}" for key, one in value.items())
    return "–" if value is None else str(value)
