"""``python -m core``: the engine without the web.

python -m core parse < sentences.txt             one bracketing a line
python -m core parse --format conllu --tokens    tokens given, blanks between
python -m core find-paraphrases corpus.txt       pairs that mean the same
python -m core evaluate parser --gold trees.mrg  and so on: see core.commands.catalogue
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from core.commands.catalogue import ENGINE, Catalogue, DefaultsFormatter, single
from core.errors import GemelError


def main(argv: Sequence[str] | None = None) -> int:
    """The exit status: 0, 1 if a sentence has no parse, 2 if nothing could be done."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    options = _options(arguments[0] if arguments else "").parse_args(arguments)
    try:
        if module := single().get(options.group):
            return int(module.run(options))
        run(ENGINE, options)
    except GemelError as error:
        print(f"gemel: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # as with ``| head``: what was asked for has been read
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def run(catalogue: Catalogue, options: argparse.Namespace) -> dict[str, Any]:
    """Run the command that the options name, print its results and return them."""
    results = catalogue.run(options.group, options.what, vars(options), _say)
    for line in results.pop("unreadable", ()):
        _say(f"left out: {line}")
    if options.json:
        print(json.dumps(results, ensure_ascii=False))
    else:
        for line in catalogue.lines(options.group, options.what, results):
            print(line)
    return results


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _options(chosen_group: str) -> argparse.ArgumentParser:
    """The commands; those of a group only when it is asked for, as they load much."""
    parser = argparse.ArgumentParser(prog="python -m core")
    groups = parser.add_subparsers(dest="group", required=True, metavar="COMMAND")
    for name, module in single().items():
        one = groups.add_parser(
            name, help=module.HELP, formatter_class=DefaultsFormatter
        )
        module.add_arguments(one)
    for group, text in ENGINE.help.items():
        one = groups.add_parser(group, help=text)
        if group == chosen_group:
            ENGINE.add_group(one, group)
    return parser


if __name__ == "__main__":
    sys.exit(main())
