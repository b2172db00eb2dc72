"""Which commands there are: a group, what it does in it, and the module that does it.

A module offers ``HELP``, ``add_arguments(parser)`` and ``run(options, say)``: plain
values for JSON; ``say`` takes lines about progress. One with ``lines(results)``
has a table of its own. Modules are imported when their group is asked for.
"""

import argparse
from collections.abc import Callable, Iterable
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["GROUPS", "HELP", "add_group", "lines", "module_of"]

Extend = Callable[[ModuleType, argparse.ArgumentParser], None]
HELP = {
    "evaluate": "measure an engine against gold files",
    "reproduce": "measure a published result again: the paper's figures beside ours",
    "fit": "fit weights on references",
    "train": "train a model",
    "pivot": "paraphrases out of parallel text",
    "corpus": "parse or align large text",
    "release": "check a sealed release, or write it in another form",
}
_EVALUATION = "core.evaluation.commands"
GROUPS: dict[str, dict[str, str]] = {
    "evaluate": {
        "parser": f"{_EVALUATION}.parsers",
        "corrections": f"{_EVALUATION}.corrections",
        "worklists": f"{_EVALUATION}.worklists",
        "learning-curve": f"{_EVALUATION}.learning_curve",
        "contamination": f"{_EVALUATION}.contamination",
        "alignment": f"{_EVALUATION}.phrases",
        "words": f"{_EVALUATION}.words",
        "bitext": f"{_EVALUATION}.bitext",
        "joint": f"{_EVALUATION}.joint",
        "substitution": f"{_EVALUATION}.substitution",
        "substitutes": f"{_EVALUATION}.substitutes",
        "paraphrases": f"{_EVALUATION}.paraphrases",
        "paraphrase-grammar": f"{_EVALUATION}.paraphrase_grammar",
    },
    "reproduce": {
        "callison-burch2008": "core.reproduce.callison_burch2008",
        "arase2017": "core.reproduce.arase2017",
        "caplan": "core.reproduce.caplan",
        "choe2015": "core.reproduce.choe2015",
        "wu2005": "core.reproduce.wu2005",
        "itg-coverage": "core.reproduce.itg_coverage",
    },
    "fit": {
        "joint": f"{_EVALUATION}.fit_joint",
        "phrases": f"{_EVALUATION}.fit_phrases",
        "words": f"{_EVALUATION}.fit_words",
    },
    "pivot": {
        name: f"core.pivoting.commands.{name}"
        for name in ("build", "lookup", "substitute", "items")
    },
    "corpus": {"run": "core.stages.commands.run"},
    "release": {
        "verify": "core.releases.commands.verify",
        "hugging-face": "core.releases.commands.hugging_face",
    },
    "train": {
        "pcfg": f"{_EVALUATION}.train_pcfg",
        "phrases": f"{_EVALUATION}.train_phrases",
        "substitution": f"{_EVALUATION}.train_substitution",
    },
}


def module_of(group: str, name: str) -> ModuleType:
    """The module of one command; KeyError if there is none."""
    return import_module(GROUPS[group][name])


def add_group(
    parser: argparse.ArgumentParser, group: str, *, extend: Extend | None = None
) -> None:
    """The commands of a group, under ``what``; each can answer in JSON.

    ``extend`` may add arguments to each, given its module and parser.
    """
    commands = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    for name in GROUPS[group]:
        module = module_of(group, name)
        one = commands.add_parser(name, help=module.HELP, description=module.HELP)
        one.add_argument("--json", action="store_true", help="JSON, no table")
        module.add_arguments(one)
        if extend:
            extend(module, one)


def lines(group: str, name: str, results: dict[str, Any]) -> Iterable[str]:
    """The results as text: the command's own table, else a line a figure."""
    module = module_of(group, name)
    if hasattr(module, "lines"):
        table: Iterable[str] = module.lines(results)
        return table
    return (f"{key:22} {_shown(value)}" for key, value in results.items())


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_shown(one)}" for key, one in value.items())
    return "–" if value is None else str(value)
