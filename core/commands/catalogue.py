"""Which commands there are: a group, what it does in it, and the module that does it.

A module offers ``HELP``, ``add_arguments(parser)`` and ``run(options, say)``: plain
values for JSON; ``say`` takes lines about progress. One with ``lines(results)``
has a table of its own. Modules are imported when their group is asked for.
"""

import argparse
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from core.commands.door import readable

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


_EVALUATION = "core.evaluation.commands"
ENGINE = Catalogue(
    help={
        "evaluate": "measure an engine against gold files",
        "train": "train a model",
        "pivot": "build and search paraphrase tables",
        "corpus": "parse or align large text",
        "release": "verify a sealed release, or write it in another form",
    },
    groups={
        "evaluate": {
            "parser": f"{_EVALUATION}.parsers",
            "words": f"{_EVALUATION}.words",
            "alignment": f"{_EVALUATION}.phrases",
            "joint": f"{_EVALUATION}.joint",
            "paraphrases": f"{_EVALUATION}.paraphrases",
            "substitution": f"{_EVALUATION}.substitution",
        },
        "train": {"pcfg": f"{_EVALUATION}.train_pcfg"},
        "pivot": {
            name: f"core.pivoting.commands.{name}"
            for name in ("build", "lookup", "substitute", "items")
        },
        "corpus": {"run": "core.pivoting.commands.corpus"},
        "release": {
            "verify": "core.releases.commands.verify",
            "hugging-face": "core.releases.commands.hugging_face",
        },
    },
)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_shown(one)}" for key, one in value.items())
    return "–" if value is None else str(value)
