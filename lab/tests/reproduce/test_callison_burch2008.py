"""Callison-Burch's counts next to the paper's, on a small table."""

import gzip
import json
from pathlib import Path

import pytest

from core.__main__ import main as engine
from core.pivoting.language_model import train, write_arpa
from core.pivoting.substitution import ALL_CONDITIONS
from lab.__main__ import main
from lab.reproduce import callison_burch2008
from lab.reproduce.callison_burch2008 import PAPER, table_6
from tests.core.pivoting import small_bitext


def lab_table(pairs: list[Path], parses: Path, out: Path) -> None:
    given = ["--bitext", *pairs, "--parses", parses, "--out", out, "--buckets", 1]
    assert engine([str(word) for word in ["pivot", "build", *given]]) == 0


def test_the_papers_counts_stand_beside_ours(tmp_path: Path, lab) -> None:
    pairs = [source.pairs for source in small_bitext.sources(tmp_path)]
    table, parses = tmp_path / "table", tmp_path / "parses.parquet"
    lab_table(pairs, parses, table)
    news = tmp_path / "wmt-newstest" / "newstest2008.en.gz"
    news.parent.mkdir()
    with gzip.open(news, "wt", encoding="utf-8") as file:
        file.write("The old sea is calm.\nWe like the old boat.\n")
    given = ["reproduce", "callison-burch2008", "--data", tmp_path, "--table", table]
    counts = json.loads(lab(*given, "--json"))
    ours = counts["ours"]
    assert counts["paper"] == json.loads(json.dumps(PAPER))
    assert ours["places"] >= ours["covered"]["baseline"] > 0
    assert ours["paraphrasable"]["baseline"] >= ours["paraphrasable"]["ccg"] > 0
    shown = lab(*given)
    assert "3,700,000" in shown
    assert "table 6 as published" in shown


@pytest.fixture
def judging(tmp_path: Path, lab) -> list[object]:
    """The command, over the table of the small bitext and a model of its English."""
    pairs = [source.pairs for source in small_bitext.sources(tmp_path)]
    lab_table(pairs, tmp_path / "parses.parquet", tmp_path / "table")
    news = tmp_path / "wmt-newstest" / "newstest2008.en.gz"
    news.parent.mkdir()
    with gzip.open(news, "wt", encoding="utf-8") as file:
        file.write("The old sea is calm .\nWe like the old boat .\n" * 2)
    english = [small_bitext.english(at).lower() for at in range(6)]
    write_arpa(train(english), tmp_path / "en.arpa")
    words = ["reproduce", "callison-burch2008", "--data", tmp_path, "--places", 3]
    words += ["--table", tmp_path / "table", "--items", tmp_path / "items"]
    return [*words, "--lm", tmp_path / "en.arpa"]


def answered(folder: Path, who: str, values: dict[str, tuple[int, int]]) -> Path:
    """The file of a judge who answers 5 and 5, but for some items."""
    header, *rows = (folder / "items.tsv").read_text().splitlines()
    told = [header]
    for row in rows:
        number, *texts = row.split("\t")[:3]
        meaning, grammar = values.get(number, (5, 5))
        told.append("\t".join([number, *texts, str(meaning), str(grammar)]))
    path = folder.parent / f"{who}.tsv"
    path.write_text("\n".join(told) + "\n")
    return path


def test_items_are_blind_and_every_condition_covers_each_place(
    judging: list[object], tmp_path: Path, lab
) -> None:
    facts = json.loads(lab(*judging, "--json"))["items"]
    text = (tmp_path / "items" / "items.tsv").read_text()
    key = json.loads((tmp_path / "items" / "key.json").read_text())
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    assert len(rows) == facts["items"] == len(key["credits"])
    assert facts["places"] == len({place for place, _ in key["credits"]}) > 0
    assert not any(name in text for name in ALL_CONDITIONS)
    for at in range(facts["places"]):
        names = [name for place, some in key["credits"] if place == at for name in some]
        assert sorted(names) == sorted(ALL_CONDITIONS)
    for _, before, after, *empty in rows:
        assert before.split("[")[0] == after.split("[")[0]
        assert before.split("]")[1] == after.split("]")[1]
        assert empty == ["", ""]


def test_two_judges_make_table_6_with_kappa(
    judging: list[object], tmp_path: Path, lab
) -> None:
    lab(*judging)
    folder = tmp_path / "items"
    credits = json.loads((folder / "key.json").read_text())["credits"]
    bad = {str(n) for n, (_, names) in enumerate(credits, 1) if "baseline" in names}
    ann = answered(folder, "ann", dict.fromkeys(bad, (2, 5)))
    bob = answered(folder, "bob", {})
    told = json.loads(lab(*judging, "--ratings", ann, bob, "--json"))["table 6"]
    assert told["judges"] == ["ann", "bob"]
    assert told["each"]["ann"]["baseline"]["both"]["value"] == 0
    assert told["each"]["bob"]["baseline"]["both"]["value"] == 1
    assert told["all"]["baseline"]["meaning"]["value"] == 0.5
    assert told["all"]["baseline"]["grammar"]["value"] == 1
    same = 1 - len(bad) / len(credits)
    assert told["agreement"]["meaning"]["raw"]["value"] == pytest.approx(same)
    kappa = (same - 0.2) / 0.8
    assert told["agreement"]["meaning"]["k_uniform"]["value"] == pytest.approx(kappa)
    shown = lab(*judging, "--ratings", ann, bob)
    assert "0.56 0.35 0.30" in shown
    assert "grammar >= 4" in shown


def test_a_judge_who_left_an_item_out_is_named(
    judging: list[object], tmp_path: Path, lab, capsys: pytest.CaptureFixture[str]
) -> None:
    lab(*judging)
    path = answered(tmp_path / "items", "ann", {"1": (6, 1)})
    assert main([str(word) for word in (*judging, "--ratings", path)]) == 2
    assert "ann.tsv: answers are whole numbers from 1 to 5" in capsys.readouterr().err


def test_the_marks_that_the_notes_hold_make_their_table() -> None:
    notes = Path(callison_burch2008.__file__).parents[1] / "notes"
    marks = sorted((notes / "readings").glob("reader-*.tsv"))
    rows = table_6(notes / "readings", marks)["all"]
    text = (notes / "pivoting.md").read_text(encoding="utf-8")
    for name, row in rows.items():
        cells = [
            "{value:.2f} ({low:.2f} to {high:.2f})".format(**row[column])
            for column in ("meaning", "grammar", "both")
        ]
        shown = " | ".join(cells).replace("0.", ".")
        assert f"| {name} | {shown} |" in text
