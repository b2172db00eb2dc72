"""A report as plain values, and what leaves it for a paper."""

import csv
import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.agreement.judgments import paper
from core.agreement.judgments.dataset import Dataset, Question, Selection
from core.agreement.judgments.report import ReportOptions, build
from core.data.ratings import Scale

QUESTIONS = (
    Question(Scale.span("meaning", 1, 5), "Meaning", 3.0),
    Question(Scale.span("grammar", 1, 5), "Grammar", 4.0),
)


def data(n: int = 60, people: int = 3, *, same: bool = False) -> Dataset:
    rng = np.random.default_rng(2)
    item = np.repeat(np.arange(n, dtype=np.int32), 2)
    annotator = ((item + np.tile([0, 1], n)) % people).astype(np.int32)
    values = rng.integers(0, 5, (2 * n, 2)).astype(np.int32)
    if same:
        values[:] = 4
    half = np.arange(n, dtype=np.int32) // 2
    credit = [(i % 2, i, 1) for i in range(n)] + [(1, i, 1) for i in range(0, n, 6)]
    return Dataset.of(
        QUESTIONS,
        [f"i{i}" for i in range(n)],
        [f"A{a + 1}" for a in range(people)],
        item,
        annotator,
        values,
        cluster=half // 2,
        instance=half,
        conditions=("base", "50% & more_"),
        credit=np.array(credit, np.int32),
        active_ms=np.full(2 * n, 5000, np.int32),
    )


@pytest.fixture(scope="module")
def body() -> dict[str, Any]:
    return build(data(), ReportOptions(replicates=100))


def test_a_report_is_plain_json(body: dict[str, Any]) -> None:
    assert json.loads(json.dumps(body, allow_nan=False)) == body


def test_the_strip_holds_the_table_of_its_own_thresholds(body: dict[str, Any]) -> None:
    table = body["conditions"]
    chosen = next(r for r in table["strip"]["rows"] if r["at"] == table["thresholds"])
    both = [row["cells"][-1]["figure"]["value"] for row in table["rows"]]
    assert chosen["all"] == pytest.approx(both, abs=1e-4)
    assert len(table["strip"]["rows"]) == 25


def test_confusion_counts_every_pair_of_judgments(body: dict[str, Any]) -> None:
    for scale in body["scales"]:
        assert sum(map(sum, scale["confusion"]["counts"])) == 60


def test_scales_with_many_points_are_shown_in_bins() -> None:
    scale = Scale.span("score", 0, 100)
    rows = np.array([[0], [100], [55], [57]], np.int32)
    wide = Dataset.of(
        [Question(scale, "Score")],
        ["i", "j"],
        ["A1", "A2"],
        np.array([0, 0, 1, 1], np.int32),
        np.array([0, 1, 0, 1], np.int32),
        rows,
    )
    table = build(wide, ReportOptions(replicates=0))["scales"][0]["confusion"]
    assert len(table["labels"]) == 10
    assert table["labels"][0] == "0 to 9"
    assert table["asked"][-1].endswith("..100")
    assert table["counts"][0][9] == 1
    assert table["counts"][5][5] == 1


def test_drift_and_time_are_per_judge(body: dict[str, Any]) -> None:
    for judge in body["scales"][0]["judges"]:
        assert judge["mean_s"] == 5.0
        assert sum(n for n, _ in judge["drift"]) == judge["n"]


def test_a_new_guideline_stands_where_each_judge_began_to_use_it() -> None:
    given = data()
    hours = np.arange(120)[::-1].astype(np.float64)  # judged from the last row back
    version = np.where(hours < 60, 1, 2).astype(np.int32)
    body = build(
        replace(given, at=hours, guideline=version, active_ms=given.active_ms),
        ReportOptions(replicates=20),
    )
    for judge in body["scales"][0]["judges"]:
        assert judge["guidelines"] == [[2, 0.5]]


def test_one_category_and_no_data_give_reasons_and_no_nan() -> None:
    one = build(data(same=True), ReportOptions(replicates=20))
    figures = {row["key"]: row["figure"] for row in one["scales"][0]["headline"]}
    assert "every value is 5" in figures["cohen"]["undefined"]
    assert figures["raw"]["value"] == 1
    empty = build(data().select(Selection(since=1e12)), ReportOptions(replicates=20))
    json.dumps([one, empty], allow_nan=False)
    assert empty["facts"]["judgments"] == 0
    assert empty["conditions"]["rows"][0]["judged"] == 0


def test_few_items_are_flagged() -> None:
    assert build(data(29), ReportOptions(replicates=0))["scales"][0]["few"]
    assert not build(data(30), ReportOptions(replicates=0))["scales"][0]["few"]


def test_methods_say_the_numbers_of_the_report(body: dict[str, Any]) -> None:
    text = "\n".join(paper.methods(body))
    assert "120 judgments of 60 items by 3 annotators" in text
    raw = body["scales"][0]["headline"][0]["figure"]["value"]
    assert f"the same value in {raw:.0%}" in text
    assert "chance 1/5" in text
    assert "chance 1/2" in text
    assert "meaning at 3 or more, grammar at 4 or more" in text
    assert "Holm" in text


def test_simulated_judges_are_named_in_the_methods(body: dict[str, Any]) -> None:
    facts = body["facts"] | {"simulated": ["A2"]}
    text = "\n".join(paper.methods(body | {"facts": facts}))
    assert "Annotators A2 are simulated" in text


def test_latex_escapes_and_has_a_row_for_each_condition(body: dict[str, Any]) -> None:
    text = paper.latex(body)
    assert r"50\% \& more\_ & ." in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 2
    assert "correct meaning & correct grammar & both & coverage" in text
    assert paper.escape("a\\b{c}") == r"a\textbackslash{}b\{c\}"


def test_csv_holds_every_figure_once(body: dict[str, Any]) -> None:
    rows = list(csv.DictReader(io.StringIO(paper.to_csv(paper.table_rows(body)))))
    keys = [
        tuple(row[k] for k in ("section", "scale", "name", "a", "b")) for row in rows
    ]
    assert len(set(keys)) == len(keys)
    assert {row["section"] for row in rows} == {
        "agreement",
        "threshold",
        "pair",
        "judge",
        "condition",
        "difference",
    }
    assert all(row["value"] or row["undefined"] for row in rows)


def test_a_spreadsheet_runs_nothing_of_the_csv() -> None:
    row = dict.fromkeys(paper.HEADER, "") | {"a": "=1+1", "value": -0.5}
    text = paper.to_csv(iter([row]))
    assert "'=1+1" in text
    assert ",-0.5," in text
