"""What README and the docs say is true: settings, commands, formats, files."""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.core.management import get_commands, load_command_class

from annotator.pages.site.documents import slug
from core.commands.catalogue import ENGINE
from tools import tables

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(DOCS.glob("*.md")),
]
OURS = sorted(name for name, app in get_commands().items() if app == "annotator")


def variables() -> set[str]:
    """The environment variables that the program reads."""
    names = (
        "annotator/settings.py",
        "annotator/env.py",
        "core/parsing/registry.py",
        "core/pivoting/commands/build.py",
    )
    files = [ROOT / name for name in names]
    text = "\n".join(path.read_text() for path in files)
    return set(re.findall(r'"((?:GEMEL_|DATABASE_|CELERY_BROKER_URL)[A-Z_]*)"', text))


def test_every_setting_is_described_and_every_described_one_is_read() -> None:
    settings = (DOCS / "reference.md").read_text()
    described = set(re.findall(r"^\| `([A-Z_]+)`", settings, re.MULTILINE))
    assert described == variables()


@pytest.mark.parametrize("name", OURS)
def test_every_command_is_named(name: str) -> None:
    assert any(f"{name}" in path.read_text() for path in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_file_it_points_to_is_there(page: Path) -> None:
    links = re.findall(r"\]\(((?!http)[^)#]+)\)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_picture_of_a_screen_is_shown() -> None:
    shown = "\n".join(page.read_text() for page in PAGES)
    pictures = [path.name for path in (DOCS / "img" / "screens").iterdir()]
    assert [name for name in pictures if f"img/screens/{name}" not in shown] == []


def test_every_page_is_in_the_index() -> None:
    index = (DOCS / "README.md").read_text()
    pages = {path.name for path in DOCS.glob("*.md")} - {"README.md"}
    assert {name for name in pages if f"({name})" not in index} == set()


WANTED = {  # where a reader of the index wants to go: the words in front of a link
    *("judge", "import", "correct a tree", "search", "run a campaign"),
    *("read a report", "release", "deploy, back up, watch"),
    *("add a format", "add a parser"),
}


def links_of(page: Path) -> Iterator[tuple[str, Path, str]]:
    """The text of each link of a page, the file it leads to and the place in it."""
    for text, target in re.findall(r"(?<!!)\[([^\]]+)\]\(([^)]+)\)", page.read_text()):
        if not target.startswith("http"):
            file, _, anchor = target.partition("#")
            yield text, (page.parent / file if file else page), anchor


def headings(page: Path) -> list[str]:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    return re.findall(r"^#+ (.+)$", text, re.MULTILINE)


def test_the_index_leads_to_every_task_in_one_click() -> None:
    index = DOCS / "README.md"
    rows = re.findall(r"^\| ([^|]+) \| \[", index.read_text(), re.MULTILINE)
    assert set(rows) >= WANTED
    assert "docs/README.md" in README  # the first of two clicks from the front page


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_place_it_points_to_is_there(page: Path) -> None:
    missing = [
        (text, file.name, anchor)
        for text, file, anchor in links_of(page)
        if anchor and anchor not in map(slug, headings(file))
    ]
    assert missing == []


def test_every_page_opens_with_what_the_reader_can_do() -> None:
    for page in DOCS.glob("*.md"):
        first = page.read_text().split("\n\n")[1]
        assert first.startswith(("After this page you", "From this page you")), page


@pytest.mark.parametrize(("page", "table"), list(tables.tables()))
def test_tables_are_what_the_program_says(page: str, table: str) -> None:
    """``python -m tools.tables`` writes them again."""
    assert table in (DOCS / page).read_text()


def test_readme_takes_two_screens_at_most() -> None:
    assert README.count("\n") <= 100


def test_the_commands_it_shows_are_understood() -> None:
    text = "\n".join(path.read_text() for path in PAGES)
    shown = set(re.findall(r"manage\.py (\w+)", text)) - {"help", "check", "X"}
    assert shown <= set(OURS), shown - set(OURS)


def test_the_engine_parses_without_a_web() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "core", "parse"],
        input="The nurse opened the window .\n",
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin"},
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("(")


def test_make_knows_the_two_commands() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"run", "test", "install"} <= set(targets)


def options() -> Iterator[tuple[str, argparse.Action]]:
    """Every option and argument of every command of the product, with its command."""
    for group in ENGINE.groups:
        parser = argparse.ArgumentParser()
        ENGINE.add_group(parser, group)
        (commands,) = (one for one in parser._actions if one.dest == "what")
        for name, one in dict(commands.choices or {}).items():
            yield from ((f"{group} {name}", action) for action in one._actions)
    for name in OURS:
        one = load_command_class("annotator", name).create_parser("manage.py", name)
        yield from ((name, action) for action in one._actions)


def test_every_option_of_every_command_is_explained() -> None:
    without = [
        f"{name} {action.dest}"
        for name, action in options()
        if not action.help and not isinstance(action, argparse._SubParsersAction)
    ]
    assert without == []


ODD = re.compile(  # nobody says so today; docs, screens and help do without them
    r"\b(anew|nought|whoever|somebody|nobody|mend|mends|mended"
    r"|(?:take|takes|taken|took|taking) back|at hand|as (?:it|they) stands?"
    r"|what (?:it|they) (?:is|are) worth|to begin with|by (?:itself|themselves)"
    r"|astride|under hand|rehears(?:e|al|als)|spent or has|lets in)\b",
    re.IGNORECASE,
)
LONGEST = 35  # words


def prose(page: Path) -> str:
    """The sentences of a page: no code, no quotations, no tables."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    text = re.sub(r"`[^`]*`", "it", text)
    text = re.sub(r"[“\"][^”\"\n]*[”\"]", "it", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)
    return re.sub(r"^\s*(?:[-*]|\d+\.|#+) ", "\n\n", text, flags=re.MULTILINE)


def syllables(word: str) -> int:
    """Return an estimate: groups of vowels, without a silent e at the end."""
    silent = word.endswith("e") and not word.endswith(("le", "ee"))
    return max(1, len(re.findall(r"[aeiouy]+", word)) - silent)


def reading_ease(page: Path) -> float:
    """Return the Flesch reading ease (1948) of a page; 60 to 70 is plain English."""
    parts = re.split(r"[.!?](?=\s)|\n\s*\n", prose(page))
    said = [re.findall(r"[a-z]+(?:['’][a-z]+)?", part.lower()) for part in parts]
    words = [word for one in said for word in one]
    per_word = sum(map(syllables, words)) / len(words)
    return 206.835 - 1.015 * len(words) / sum(map(bool, said)) - 84.6 * per_word


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_page_is_easy_to_read(page: Path) -> None:
    assert reading_ease(page) >= 50


def messages() -> Iterator[str]:
    for path in (ROOT / "annotator" / "locale" / "de").rglob("*.po"):
        with path.open("rb") as file:
            for message in read_po(file):
                ids = message.id if isinstance(message.id, tuple) else (message.id,)
                yield from (re.sub(r"<[^>]+>|%\(\w+\)s", "it", one) for one in ids)


def sentences(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        yield from re.split(r"(?<=[.!?:;])\s+", " ".join(paragraph.split()))


def test_screens_docs_and_help_are_in_plain_english() -> None:
    helps = {f"{name} {action.dest}": str(action.help) for name, action in options()}
    texts = {page.name: prose(page) for page in PAGES} | helps
    texts |= {text: text for text in messages()}
    odd = [
        (name, ODD.findall(text)) for name, text in texts.items() if ODD.search(text)
    ]
    assert odd == []
    long = [
        (name, one)
        for name, text in texts.items()
        for one in sentences(text)
        if len(one.split()) > LONGEST
    ]
    assert long == []
