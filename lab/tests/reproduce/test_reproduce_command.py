"""The reproduce command, on small files that we write ourselves."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from core.errors import FormatError, Unavailable
from lab.__main__ import main
from lab.reproduce import pairs as labelled
from lab.reproduce import wu2005

NOUNS = ["nurse", "cook", "king", "baker", "pilot", "judge", "farmer", "singer"]
VERBS = ["opened", "painted", "sold", "repaired", "closed", "cleaned"]
THINGS = ["window", "gate", "wagon", "barn", "boat", "shop"]
TASKS = ("CD", "PP", "IE", "MT", "RC", "IR", "QA")


def sentences(n: int) -> list[tuple[bool, str, str]]:
    """n pairs, every other one a paraphrase."""
    rows = []
    for k in range(n):
        who, did, what = NOUNS[k % 8], VERBS[k % 6], THINGS[k % 5]
        first = f"The old {who} {did} the {what} on Monday ."
        if k % 2 == 0:
            second = f"On Monday , the old {who} {did} the {what} ."
        else:
            second = f"A {NOUNS[(k + 3) % 8]} saw {k} boats near the {what} ."
        rows.append((k % 2 == 0, first, second))
    return rows


def msrpc(n: int) -> str:
    head = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
    rows = enumerate(sentences(n))
    return head + "".join(
        f"{int(good)}\t{k}\t{k + 1000}\t{a}\t{b}\n" for k, (good, a, b) in rows
    )


def rte(n: int) -> str:
    rows = (
        f'<pair id="{k}" value="{"TRUE" if good else "FALSE"}" '
        f'task="{TASKS[k // 2 % 7]}"><t>{a}</t><h>{b}</h></pair>'
        for k, (good, a, b) in enumerate(sentences(n))
    )
    return f"<entailment-corpus>{''.join(rows)}</entailment-corpus>"


@pytest.fixture
def data(tmp_path: Path, monkeypatch) -> Path:
    def absent(name: str) -> None:
        raise Unavailable("no model in this test")

    monkeypatch.setattr(labelled.registry, "load", absent)
    for name, n in (("train", 40), ("val", 6), ("test", 30)):
        path = tmp_path / "msrpc" / f"msr-para-{name}.tsv"
        path.parent.mkdir(exist_ok=True)
        path.write_text(msrpc(n), encoding="utf-8-sig")
    (tmp_path / "rte").mkdir()
    for name, n in (("dev", 30), ("test", 42)):
        (tmp_path / "rte" / f"rte1_{name}.xml").write_text(rte(n))
    return tmp_path


@pytest.fixture
def reproduce(lab) -> Callable[..., str]:
    return partial(lab, "reproduce")


def refused(*args: object) -> None:
    """Run a command that must fail with status 2, in words."""
    assert main(["reproduce", *map(str, args)]) == 2


def test_wu2005_gives_every_figure_in_percent(data: Path, reproduce) -> None:
    further = data / "more.tsv"
    further.write_text(msrpc(20))
    text = reproduce(
        "wu2005", "--data", str(data), "--json", "--replicates", "50",
        "--set", f"more={further}", "--set", f"texts={data / 'rte' / 'rte1_dev.xml'}",
    )  # fmt: skip
    scores = json.loads(text)
    paraphrase = scores["msrpc"]
    for key in ("ap", "accuracy", "untrained_ap", "overlap_ap"):
        assert 0 <= paraphrase[key] <= 100
    assert paraphrase["ap"] == 100.0  # these pairs are easy
    assert set(paraphrase["rows"]) >= {"jaccard", "overlap", "edit", "wu2005", "tuned"}
    assert list(paraphrase["ingredients"]) == [
        "overlap",
        "overlap+structure",
        "overlap+structure+thesaurus",
    ]
    low, high = paraphrase["intervals"]["ap"]
    assert low <= paraphrase["ap"] <= high
    for task in TASKS:
        assert 0 <= scores["rte1"]["by_task"][task]["cws"] <= 100
    assert 0 <= scores["rte1"]["cws"] <= 100
    assert set(scores["sets"]) == {"more", "texts"}
    assert scores["sets"]["texts"]["kind"] == "entailment"
    assert {"ap", "cws", "accuracy"} <= set(scores["sets"]["more"])
    assert any("context is left out" in note for note in scores["notes"])
    table = "\n".join(wu2005.lines(scores))
    assert "as published" in table
    assert "more: n 20" in table
    assert "Wu 2005, stop list of 172" in table


def test_weights_can_be_fitted_again(data: Path, tmp_path: Path, reproduce) -> None:
    where = tmp_path / "weights"
    where.mkdir()
    text = reproduce("wu2005", "--data", str(data), "--fit", str(where))
    assert text.strip() == "written: paraphrase.json, entailment.json"
    made = json.loads((where / "paraphrase.json").read_text())
    assert made["fitted_on"] == "train"
    assert "itg_plain" in made["features"]
    assert "nurse" not in json.dumps(made)  # numbers of features, no word of a corpus


def test_missing_and_empty_files_are_named(data, tmp_path, capsys) -> None:
    (data / "rte" / "rte1_dev.xml").unlink()
    refused("wu2005", "--data", data)
    assert "rte1_dev" in capsys.readouterr().err
    empty = tmp_path / "empty.tsv"
    empty.write_text("Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n")
    with pytest.raises(FormatError, match="no labelled pair"):
        labelled.load("empty", empty)


def test_set_without_a_name_is_refused(data: Path, capsys) -> None:
    refused("wu2005", "--data", data, "--set", "just-a-file.tsv")
    assert "NAME=FILE" in capsys.readouterr().err


def links(text: str) -> dict[str, str]:
    return {"sureAlign": text, "source": "", "target": ""}


def test_coverage_counts_what_is_there_and_names_what_is_not(
    tmp_path: Path, reproduce
) -> None:
    folder = tmp_path / "edinburgh-align"
    folder.mkdir()
    rows = [links("0-0 1-1"), links("0-1 1-3 2-0 3-2"), links("")]
    (folder / "edinburgh.train.sure.json").write_text(json.dumps(rows))
    gold = tmp_path / "word-align-gold"
    gold.mkdir()
    line = {"src_words": [], "tgt_words": [], "alignment": [[0, 1], [1, 0]]}
    (gold / "en-es.golden.1.jsonl").write_text(json.dumps(line) + "\n")
    plot = tmp_path / "plot.svg"
    args = ["itg-coverage", "--data", str(tmp_path), "--replicates", "20"]
    coverage = json.loads(reproduce(*args, "--json", "--plot", str(plot)))
    first, second = coverage["sets"]
    assert (first["name"], first["pairs"], first["links"]) == ("Edinburgh++", 2, 6)
    assert first["links_covered"][0] == pytest.approx(100 * 5 / 6, abs=0.01)
    assert first["pairs_covered"][0] == 50.0
    assert first["pairs_inside_out"][0] == 50.0
    assert second["pairs_covered"][0] == 100.0
    assert "pud-en-fr/alignment.json" in coverage["missing"]
    assert "Edinburgh++" in plot.read_text()
    assert "not there: pud-en-fr" in reproduce(*args)
    with pytest.raises(SystemExit):
        reproduce(*args, "--plot", str(tmp_path / "plot.docx"))
