"""``python -m core`` as a user runs it: another process, no settings, no database."""

import json
import os
import subprocess
import sys

import pytest

from tests import small_pcfg


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of a model folder."""
    return str(small_pcfg.written(tmp_path_factory.mktemp("models") / "small"))


def _run(text: str, *options: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("DJANGO", "DATA"))}
    return subprocess.run(
        [sys.executable, "-m", "core", "parse", *options],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        env=env,
    )


def test_a_sentence_a_line_gives_a_bracketing_a_line(small: str) -> None:
    done = _run("Mary saw the dog.\n\nShe slept\n", "--engine", small)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "(S (NP (NNP Mary)) (VP (VBD saw) (NP (DT the) (NN dog))) (. .))",
        "(S (NP (PRP She)) (VP (VBD slept)))",
    ]


def test_no_parse_is_named_and_the_rest_parsed(small: str) -> None:
    done = _run("xyzzy\nshe slept\n", "--engine", small)
    assert done.returncode == 1
    assert "line 1: no parse" in done.stderr
    assert done.stdout == "\n(S (NP (PRP she)) (VP (VBD slept)))\n"


def test_json_has_trees_with_their_log_probability(small: str) -> None:
    options = ("--engine", small, "--format", "json", "--nbest", "5", "--tokens")
    answer = json.loads(_run("she saw a man with it", *options).stdout)
    assert answer["tokens"] == ["she", "saw", "a", "man", "with", "it"]
    scores = [row["logprob"] for row in answer["trees"]]
    assert len(scores) == 2
    assert scores == sorted(scores, reverse=True)


@pytest.mark.slow
def test_the_shipped_parser_writes_conllu() -> None:
    done = _run("The old dog slept.", "--format", "conllu")
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines() if line[:1].isdigit()]
    assert [row[1] for row in rows] == ["The", "old", "dog", "slept", "."]
    assert [row[6] for row in rows] == ["3", "3", "4", "0", "4"]


@pytest.mark.slow
def test_arcs_decoded_together_are_the_same_whatever_is_written() -> None:
    text = "Much more quickly than others did he finish what was left .\n"
    options = ("--tokens", "--together", "--format")
    joined = json.loads(_run(text, *options, "json").stdout)
    lines = _run(text, *options, "conllu").stdout.splitlines()
    heads = [int(line.split("\t")[6]) for line in lines if line[:1].isdigit()]
    assert heads == joined["heads"]


def test_a_parser_without_arcs_says_that_it_cannot_decode_together(small: str) -> None:
    done = _run("she slept\n", "--engine", small, "--together")
    assert done.returncode == 2
    assert "cannot decode two sentences together" in done.stderr


def test_an_unknown_engine_is_said_in_one_line() -> None:
    done = _run("a\n", "--engine", "klingon")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "klingon" in done.stderr
