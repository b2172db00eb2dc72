"""``python -m core``: the engine without the web.

python -m core parse < sentences.txt             one bracketing a line
python -m core parse --format conllu --tokens    tokens given, blanks between
python -m core evaluate parser --gold trees.mrg  and so on: see core.commands.catalogue
"""

import argparse
import json
import sys
from collections.abc import Sequence

from core.commands import catalogue, parse
from core.errors import GemelError

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """The exit status: 0, 1 if a sentence has no parse, 2 if nothing could be done."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    options = _options(arguments[0] if arguments else "").parse_args(arguments)
    try:
        if options.group == "parse":
            return parse.run(options)
        _run(options)
    except GemelError as error:
        print(f"gemel: {error}", file=sys.stderr)
        return 2
    return 0


def _run(options: argparse.Namespace) -> None:
    module = catalogue.module_of(options.group, options.what)
    results = module.run(vars(options), _say)
    if options.json:
        print(json.dumps(results, ensure_ascii=False))
        return
    for line in catalogue.lines(options.group, options.what, results):
        print(line)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _options(chosen_group: str) -> argparse.ArgumentParser:
    """The commands; those of a group only when it is asked for, as they load much."""
    parser = argparse.ArgumentParser(prog="python -m core")
    groups = parser.add_subparsers(dest="group", required=True, metavar="COMMAND")
    parse.add_arguments(groups.add_parser("parse", help=parse.HELP))
    for group, text in catalogue.HELP.items():
        one = groups.add_parser(group, help=text)
        if group == chosen_group:
            catalogue.add_group(one, group)
    return parser


if __name__ == "__main__":
    sys.exit(main())
