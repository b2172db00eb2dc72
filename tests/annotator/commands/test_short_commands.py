"""``gemel parse``, ``gemel import``, ``gemel export``: what a person types first."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands

from annotator.__main__ import SHORT, command_of, main

ROOT = Path(__file__).resolve().parents[3]


def gemel(monkeypatch: pytest.MonkeyPatch, *words: str, said: str = "") -> None:
    monkeypatch.setattr(sys, "argv", ["gemel", *words])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(said.encode())))
    main()


def test_sentences_become_trees_by_a_parser_of_the_installation(
    small_parser: str, monkeypatch, capsys
) -> None:
    with pytest.raises(SystemExit) as end:
        gemel(monkeypatch, "parse", "--engine", small_parser, said="the dog met John\n")
    assert not end.value.code
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("(")
    assert "met" in line


def test_an_unknown_parser_is_named(small_parser: str, monkeypatch, capsys) -> None:
    with pytest.raises(SystemExit) as end:
        gemel(monkeypatch, "parse", "--engine", "nobodys", said="the dog\n")
    assert end.value.code == 2
    assert "nobodys" in capsys.readouterr().err


@pytest.mark.parametrize("word", sorted(SHORT))
def test_a_short_name_is_a_command_s(word: str) -> None:
    assert get_commands()[command_of(word)] == "annotator"


def test_hyphens_are_as_good() -> None:
    assert command_of("sign-in-link") == command_of("sign_in_link") == "sign_in_link"


@pytest.mark.parametrize("command", ["migrate", "help", "import"])
def test_a_wrong_setting_is_named_in_one_line(command: str) -> None:
    ended = subprocess.run(
        [sys.executable, "manage.py", command],
        cwd=ROOT,
        env=os.environ | {"GEMEL_API_RATE": "often"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr == "gemel: GEMEL_API_RATE='often': write a whole number\n"
