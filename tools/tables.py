"""Write the tables of docs/ that the program itself knows: ``python -m tools.tables``.

Commands, formats and measures of agreement: their rows come from the commands' help
and from the records in ``core.formats`` and ``core.agreement``, so that docs and
program cannot differ. ``--print`` shows the tables and writes nothing.
"""

import argparse
import os
import re
from collections.abc import Callable, Iterable, Iterator

import django
from django.core.management import get_commands, load_command_class

from tools.floors import ROOT

Row = tuple[str, ...]


def tables() -> Iterator[tuple[str, str]]:
    """Yield the page in docs/ and the Markdown of each table."""
    for page, heads, rows in TABLES:
        lines = map(_line, (heads, ("---",) * len(heads), *rows()))
        yield page, "".join(lines)


def written(text: str, table: str) -> str:
    """Return the text of a page with the table of the same head put in its place."""
    head = table[: table.index("\n") + 1]
    pattern = re.escape(head) + r"(?:\|.*\n)*"
    assert len(re.findall(pattern, text)) == 1, f"a page has one table {head}"
    return re.sub(pattern, lambda _match: table, text)


def commands() -> Iterator[Row]:
    """Yield each command of the product as people type it, with its help."""
    from core.commands.catalogue import single

    rows = [(name, _sentence(module.HELP)) for name, module in single().items()]
    for name, app in get_commands().items():
        if app == "annotator":
            command = load_command_class(app, name)
            parser = command.create_parser("gemel", name)
            rows += _subcommands(name, parser) or [(name, _sentence(command.help))]
    yield from ((f"`{name}`", text) for name, text in sorted(rows))


def formats() -> Iterator[Row]:
    """Yield name, title and losses of each format."""
    from core.formats import formats

    for one in formats():
        losses = "; ".join(loss.removesuffix(".") for loss in one.losses)
        yield f"`{one.name}`", one.title, losses


def measures() -> Iterator[Row]:
    """Yield the terms of each measure with its key, its meaning and its source."""
    from core.agreement.measures import MEASURES

    for one in MEASURES.values():
        first, *rest = one.terms
        names = ", ".join([f"{first} (`{one.key}`)", *rest])
        yield names, one.meaning, one.source or "-"


TABLES: tuple[tuple[str, Row, Callable[[], Iterable[Row]]], ...] = (
    ("reference.md", ("command", "what it does"), commands),
    ("formats.md", ("format", "what it holds", "what is not kept"), formats),
    ("glossary.md", ("measure of agreement", "meaning", "from"), measures),
)


def _line(cells: Row) -> str:
    if set(cells) == {"---"}:
        return "|" + "---|" * len(cells) + "\n"
    return f"| {' | '.join(cells)} |\n"


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
    parser = argparse.ArgumentParser(prog="python -m tools.tables")
    parser.add_argument("--print", action="store_true", help="write nothing")
    is_shown = parser.parse_args().print
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")
    django.setup()
    for page, table in tables():
        path = ROOT / "docs" / page
        if is_shown:
            print(f"{page}\n{table}")
        else:
            path.write_text(written(path.read_text(), table))


if __name__ == "__main__":
    main()
