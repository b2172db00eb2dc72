"""``manage.py agreement``: a file in, every measure out, or the place of the fault."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core.agreement.measures import MEASURES
from tests.annotator.peers.brought import FILES

HEADER = "item\tannotator\tscale\tvalue\tsource\n"


def written(folder: Path, text: str, name: str = "ratings.tsv") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def agreement(path: Path, *options: str, form: str = "long") -> dict[str, Any]:
    out = StringIO()
    call_command(
        "agreement", str(path), "--format", form, "--json", *options, stdout=out
    )
    return json.loads(out.getvalue())


def sample() -> str:
    rows = [
        f"i{i}\t{who}\tmeaning\t{1 + (i + shift * (i % 3 == 0)) % 5}\ts{i // 2}\n"
        for i in range(20)
        for who, shift in (("ann", 0), ("ben", 1), ("cat", 0))
    ]
    return HEADER + "".join(rows) + "i0\tann\tgrammar\t4\ts0\n"


def test_every_measure_of_every_scale_comes_out(tmp_path: Path) -> None:
    report = agreement(written(tmp_path, sample()))
    assert (report["items"], report["annotators"], report["ratings"]) == (20, 3, 61)
    meaning = report["scales"]["meaning"]
    for name in MEASURES:
        assert set(meaning[name]) >= {"value", "low", "high", "n"}
        assert meaning[name]["low"] <= meaning[name]["value"] <= meaning[name]["high"]
    assert [pair["annotators"] for pair in meaning["pairs"]] == [
        ["ann", "ben"],
        ["ann", "cat"],
        ["ben", "cat"],
    ]
    kappas = [pair["cohen"]["value"] for pair in meaning["pairs"]]
    assert meaning["cohen"]["value"] == pytest.approx(sum(kappas) / 3)
    assert report["scales"]["grammar"]["cohen"]["undefined"] == "one annotator only"
    assert meaning["threshold"]["at"] == 3
    assert meaning["threshold"]["points"] == ["below", "reached"]


def test_one_scale_can_be_asked_for(tmp_path: Path) -> None:
    report = agreement(written(tmp_path, sample()), "--scale", "grammar")
    assert list(report["scales"]) == ["grammar"]
    assert report["ratings"] == 1


def test_thresholds_and_a_declared_range(tmp_path: Path) -> None:
    text = (
        HEADER + "i\ta\tease\t2\t\ni\tb\tease\t3\t\nj\ta\tease\t3\t\nj\tb\tease\t3\t\n"
    )
    options = ("--scale", "ease", "--range", "0:9", "--threshold", "3")
    body = agreement(written(tmp_path, text), *options)["scales"]["ease"]
    assert body["k_uniform"]["value"] == pytest.approx((0.5 - 0.1) / 0.9)
    assert body["threshold"]["k_uniform"]["value"] == pytest.approx(0)


@pytest.mark.parametrize(
    ("text", "options", "told"),
    [
        (HEADER + "i\ta\n", [], "ratings.tsv:2:1: 2 cells"),
        (HEADER + "i\ta\tease\t7\t\n", ["--scale", "ease", "--range", "1:5"], "'7' is"),
        (HEADER + "i\ta\tease\t7\t\n", ["--scale", "joy"], "no scale 'joy'"),
        (HEADER + "i\ta\tease\tnan\t\n", [], "not a finite number"),
    ],
)
def test_faults_are_told_with_their_place(
    tmp_path: Path, text: str, options: list[str], told: str
) -> None:
    with pytest.raises(CommandError, match=told):
        agreement(written(tmp_path, text), *options)


def test_a_folder_without_the_file_says_what_is_wanted(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"one file candidates\.tsv"):
        agreement(tmp_path, form="parabank")


def test_gold_is_measured_apart(tmp_path: Path) -> None:
    rows = ["worker\trte1_test_pair_id\tresponse\tgold\n"]
    rows += [
        f"w{w}\t{i}\t{(i + (w == 2)) % 2}\t{i % 2}\n" for i in range(6) for w in (1, 2)
    ]
    folder = written(tmp_path, "".join(rows), "rte1_crowd_labels.tsv")
    body = agreement(folder, form="rte1-crowd")["scales"]["entailment"]
    assert [row["raw"]["value"] for row in body["gold"]] == [1, 0]
    assert body["raw"]["value"] == 0


def test_aligned_pairs_become_cells(tmp_path: Path) -> None:
    text = "# sentence pair 1\nThe grey cat\n"
    for who, links in (("A", "2 3"), ("B", "3"), ("M", "3")):
        written(tmp_path, f"{text}cat ({{ {links} / / }})\n", f"X_{who}.align.txt")
    report = agreement(tmp_path, form="msr-rte2")
    assert (report["items"], report["annotators"], report["ratings"]) == (1, 2, 2)
    assert report["scales"]["link"]["raw"]["value"] == pytest.approx(2 / 3)
    assert report["alignment"]["link_f1"][0]["sure"]["value"] == pytest.approx(2 / 3)
    assert "needs three annotators" in report["alignment"]["human_recall"]["undefined"]


def test_an_export_of_another_tool_is_measured_and_says_what_is_not_taken() -> None:
    report = agreement(FILES / "label-studio.json", form="label-studio")
    assert (report["items"], report["annotators"], report["ratings"]) == (4, 2, 14)
    assert report["export"]["held"]["annotations"] == 9
    assert report["scales"]["meaning"]["points"] == ["1", "2", "3", "4", "5"]
    out = StringIO()
    call_command(
        *("agreement", str(FILES / "label-studio.json"), "--format", "label-studio"),
        stdout=out,
    )
    assert "Label Studio export (JSON), 5 tasks, 3 annotators" in out.getvalue()
    assert "not taken: 2 annotations: cancelled" in out.getvalue()


@pytest.mark.parametrize(
    ("name", "form", "n"), [("doccano", "doccano", 5), ("brat", "brat", 9)]
)
def test_a_folder_is_read_as_its_archive_is(name: str, form: str, n: int) -> None:
    assert agreement(FILES / name, form=form)["ratings"] == n


def test_a_bad_place_of_an_export_is_named(tmp_path: Path) -> None:
    path = tmp_path / "ls.json"
    path.write_text('[{"data": {}, "annotations": 3}]', encoding="utf-8")
    with pytest.raises(CommandError, match=r"ls\.json:1:1: task 1 is not a task"):
        agreement(path, form="label-studio")
    with pytest.raises(CommandError, match="no such file"):
        agreement(tmp_path / "none.json", form="label-studio")
