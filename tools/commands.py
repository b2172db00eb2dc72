"""Write the table of commands in docs/reference.md: ``python -m tools.commands``.

The rows come from the commands' own help, so that the two cannot differ. ``--print``
shows the table and writes nothing.
"""

import argparse
import os
import re
from collections.abc import Iterator

import django
from django.core.management import get_commands, load_command_class

from tools.floors import ROOT

PAGE = ROOT / "docs" / "reference.md"
HEAD = "| command | what it does |\n|---|---|\n"
_TABLE = re.compile(re.escape(HEAD) + r"(?:\|.*\n)*")


def table() -> str:
    """Return the table of all commands, in Markdown, sorted by name."""
    rows = [f"| `{name}` | {text} |\n" for name, text in sorted(commands())]
    return HEAD + "".join(rows)


def commands() -> Iterator[tuple[str, str]]:
    """Yield each command of the product as people type it, with its help."""
    from core.commands.catalogue import single

    yield from ((name, _sentence(module.HELP)) for name, module in single().items())
    for name, app in get_commands().items():
        if app != "annotator":
            continue
        command = load_command_class(app, name)
        parser = command.create_parser("gemel", name)
        yield from _subcommands(name, parser) or [(name, _sentence(command.help))]


def _subcommands(name: str, parser: argparse.ArgumentParser) -> list[tuple[str, str]]:
    return [
        (f"{name} {choice.dest}", _sentence(choice.help or ""))
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for choice in action._choices_actions
    ]


def _sentence(text: str) -> str:
    """Return the help as a sentence that fits into a cell."""
    text = " ".join(text.split()).replace("|", "\\|").removesuffix(".")
    return f"{text[:1].upper()}{text[1:]}."


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.commands")
    parser.add_argument("--print", action="store_true", help="write nothing")
    is_shown = parser.parse_args().print
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")
    django.setup()
    if is_shown:
        print(table())
        return
    text, n = _TABLE.subn(lambda _match: table(), PAGE.read_text())
    assert n == 1, "docs/reference.md has one table of commands"
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
