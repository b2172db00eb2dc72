"""Variants of joint parsing, by command."""

import json

from tests.annotator.commands import test_joint_command

folder = test_joint_command.folder


def test_errors_are_broken_down(lab, folder) -> None:
    gold = (folder / name for name in ("own.conllu", "lake.tree"))
    given = ("--pairs", folder / "pairs.tsv", "--gold", *gold, "--errors", "--json")
    errors = json.loads(lab("evaluate", "joint", *given))["errors"]
    assert errors["operation"].keys() == {"voice", "reorder"}
    assert sum(row["words"] for row in errors["length"].values()) == 8
