"""Every command that a document shows is one that the program takes.

Read are the blocks of shell and what stands between backticks. Words in capitals (FILE,
N), ellipses and brackets stand for what the reader puts there: such a word is taken for
any value, and where a line leaves something out, what is required may be missing. Names
of commands, of options and of choices must be right.
"""

import argparse
import ast
import importlib.util
import itertools
import re
import runpy
import shlex
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from django.core.management import get_commands, load_command_class

from annotator.__main__ import SINGLE, command_of
from annotator.management import sentences
from lab.__main__ import SCRIPTS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "lab" / "notes").glob("*.md")),
]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
OURS = re.compile(
    r"(gemel|manage\.py|\./manage\.py|python3?|make|pip|npm|uv|gunicorn) "
)
MEANT = re.compile(r" X$|^python manage\.py$|^gemel help$")  # how a line is written
PLACE = re.compile(r"[A-Z][A-Z0-9_]*")
LEFT_OUT = ("…", "...")
OTHERS = (  # what is not ours, and stands at the beginning of a line of a block
    *("cd", "for", "echo", "done", "export", "docker", "useradd", "install"),
    *("do", "systemctl", "journalctl"),
)


class ShownCommand(NamedTuple):
    page: str
    line: str
    inline: bool  # between backticks, where it may be named without its arguments

    def __str__(self) -> str:
        return f"{self.page}: {self.line}"


def shown_in(page: Path) -> Iterator[ShownCommand]:
    text = page.read_text()
    for language, block in FENCE.findall(text):
        if language in ("", "sh"):
            for line in block.replace("\\\n", " ").splitlines():
                for one in re.split(r"&&|;", re.sub(r"(^|\s)#.*", "", line)):
                    if one.strip():
                        yield ShownCommand(page.name, one.strip(), inline=False)
    for words in re.findall(r"`([^`]+)`", FENCE.sub("", text)):
        one = " ".join(words.split())
        if OURS.match(one) and not MEANT.search(one):
            for part in one.split("&&"):
                yield ShownCommand(page.name, part.strip(), inline=True)


SHOWN = sorted({one for page in PAGES for one in shown_in(page)})


class Understood(Exception):
    """The parser took the line: its program need not go on."""


def loosen(parser: argparse.ArgumentParser, *, complete: bool) -> None:
    """Let it take words that stand for others, and lack what is required unless the
    line is ``complete``."""
    for action in parser._actions:
        action.required = action.required and complete
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                loosen(one, complete=complete)
            continue
        action.type = _kind(action.type)
        if action.choices is not None:
            action.choices = _Choices(action.choices)
    for group in parser._mutually_exclusive_groups:
        group.required = group.required and complete


def _kind(kind: object) -> Callable[[str], object]:
    def taken(text: str) -> object:
        number = kind in (int, float) and not PLACE.fullmatch(text)
        return kind(text) if number else text

    return taken


class _Choices(list):
    def __init__(self, choices: object) -> None:
        super().__init__(str(one) for one in choices)

    def __contains__(self, word: object) -> bool:
        return bool(PLACE.fullmatch(str(word))) or super().__contains__(str(word))


def variants(line: str) -> Iterator[tuple[list[str], bool]]:
    """The words of a line, for each alternative (``a|b``); whether all are there."""
    line = re.sub(r"\s[<>].*", "", line)
    line = re.sub(r"\[([^\][]*)\]", r" \1 ", line) if "gemel[" not in line else line
    words = shlex.split(line)
    complete = not any(word.endswith(LEFT_OUT) for word in words)
    words = [
        "VALUE" if word in LEFT_OUT and before.startswith("--") else word
        for before, word in itertools.pairwise(["", *words])
    ]
    choices = [
        word.split("|") if re.fullmatch(r"[\w…-]+(\|[\w…-]+)+", word) else [word]
        for word in words
    ]
    for chosen in itertools.product(*choices):
        left_out = [word for word in chosen if word not in LEFT_OUT]
        yield left_out, complete and len(left_out) == len(chosen)


def check(words: list[str], *, complete: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Raises SystemExit, AssertionError or KeyError if it is not understood."""
    program, *rest = words
    if program.endswith("pip"):
        check_extra(rest)
    elif program == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)
        assert {word for word in rest if "=" not in word} <= set(targets)
    elif program == "npm":
        scripts = (ROOT / "package.json").read_text()
        assert rest[0] != "run" or f'"{rest[1]}":' in scripts
    elif program == "gunicorn":
        check_gunicorn(rest)
    elif program == "uv":
        files = [word for word in rest if word.endswith((".toml", ".lock"))]
        assert all((ROOT / name).exists() for name in files)
    elif program.startswith("python") and rest[0] == "-m":
        check_module(rest[1], rest[2:], complete=complete, monkeypatch=monkeypatch)
    elif program == "python" and rest[0] != "manage.py":
        assert any(ROOT.glob(rest[0].replace("…", "*")))
    elif program in ("gemel", "manage.py", "./manage.py") or rest[0] == "manage.py":
        named = rest[1:] if rest[0] == "manage.py" else rest
        check_command(named[0], named[1:], complete=complete)
    else:
        raise AssertionError(f"what is {program}?")


def check_command(name: str, rest: list[str], *, complete: bool) -> None:
    if name in SINGLE:
        parser = sentences.options(name)
        loosen(parser, complete=complete)
        parser.parse_args(rest)
        return
    name = command_of(name)
    command = load_command_class(get_commands()[name], name)
    command._called_from_command_line = True
    parser = command.create_parser("gemel", name)
    loosen(parser, complete=complete)
    parser.parse_args(rest)


def check_module(
    name: str, rest: list[str], *, complete: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "pytest":
        chosen = rest[rest.index("-k") + 1]
        tests = "".join(path.read_text() for path in ROOT.glob("**/tests/**/*.py"))
        assert f"def {chosen}(" in tests
        return
    if name == "venv":
        return
    if name == "lab" and rest and (package := SCRIPTS.get(rest[0])):
        # A script of the laboratory reads its own arguments.
        named = package == "lab.bench" and rest[1:] and not PLACE.fullmatch(rest[1])
        name = f"{package}.{rest[1]}" if named else package
        rest = rest[2:] if named else rest[1:]
        if name == "lab.bench":
            return
    spec = importlib.util.find_spec(name)
    assert spec is not None, name
    if spec.submodule_search_locations:
        spec = importlib.util.find_spec(f"{name}.__main__")
    assert spec is not None, name
    assert spec.origin is not None, name
    source = Path(spec.origin).read_text()
    if "import torch" in source or "settings.configure(" in source:
        # Not to be imported here: torch is there only where people train.
        check_text(source, rest)
    elif "argparse" in source:
        check_program(name, rest, complete=complete, monkeypatch=monkeypatch)
    else:
        assert '__name__ == "__main__"' in source, f"{name} is no program"
        assert not [word for word in rest if word.startswith("--")]


def check_program(
    name: str, rest: list[str], *, complete: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As far as its parser; nothing of it is run."""
    real = argparse.ArgumentParser.parse_args

    def parse_args(
        parser: argparse.ArgumentParser, given: list[str] | None = None
    ) -> None:
        loosen(parser, complete=complete)
        real(parser, given)
        raise Understood

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse_args)
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "argv", [name, *rest])
    with pytest.raises(Understood):
        runpy.run_module(name, run_name="__main__")


def check_text(source: str, rest: list[str]) -> None:
    """Each of its words that is a command or an option stands in the source."""
    words = {
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant)
    }
    asked = [word for word in rest if word.startswith("--")]
    assert [word for word in [*rest[:1], *asked] if word not in words] == []


def check_extra(rest: list[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for word in rest:
        if match := re.fullmatch(r"gemel(?:\[([\w,]+)\])?", word):
            extras = set((match[1] or "").split(",")) - {""}
            assert extras <= set(project["optional-dependencies"])


def check_gunicorn(rest: list[str]) -> None:
    """What it is told is what ``up`` tells it."""
    from annotator.management.commands.up import web_command

    given = {word.partition("=")[0] for word in web_command("127.0.0.1", 1, 2)}
    assert {word.partition("=")[0] for word in rest} <= given


@pytest.mark.parametrize("one", SHOWN, ids=str)
def test_a_command_that_is_shown_is_understood(
    one: ShownCommand,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = one.line
    if line.startswith("docker compose exec web "):
        line = line.removeprefix("docker compose exec web ")
    elif line.split()[0] in OTHERS:
        return
    for words, complete in variants(line):
        try:
            check(words, complete=complete and not one.inline, monkeypatch=monkeypatch)
        except SystemExit:
            pytest.fail(f"{' '.join(words)}: {capsys.readouterr().err}")


def test_what_a_shell_sets_is_a_setting() -> None:
    settings = (ROOT / "docs" / "reference.md").read_text()
    named = {
        name
        for one in SHOWN
        if one.line.startswith("export ")
        for name in re.findall(r"([A-Z_]+)=", one.line)
    }
    assert named
    assert {name for name in named if f"| `{name}` |" not in settings} == set()


@pytest.mark.parametrize(
    "line",
    [
        "manage.py evaluate parsers --gold FILE …",
        "manage.py evaluate parser --golden FILE …",
        "manage.py release make PROJECT",
        "python -m core pivot parse --in FILE --out DIR --shape round",
        "python -m lab bench workers --sentences many",
        "python -m lab bench no_such",
        "python -m lab train-parser train --leftover FILE",
        "gemel up --only cook",
        "make tea",
        "pip install 'gemel[tea]'",
    ],
)
def test_what_is_wrong_is_seen(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (words, complete) = next(variants(line))
    with pytest.raises((SystemExit, AssertionError, KeyError)):
        check(words, complete=complete, monkeypatch=monkeypatch)
