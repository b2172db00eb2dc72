"""A campaign's table of conditions beside Table 6 as it was published."""

import pytest

from core.agreement.judgments.paper import TABLE_6, published_row, with_published


def report(**changed) -> dict:
    cells = [{"figure": {"value": v}} for v in (0.9, 0.8)] + [{"figure": {}}]
    rows = [
        {"condition": "averaged+lm", "cells": cells, "covered": 3},
        {"condition": "our own", "cells": cells, "covered": 4},
    ]
    table = {"names": ["grammar", "meaning"], "thresholds": [4, 3]}
    return table | {"rows": rows, "instances": 4} | changed


def test_a_row_stands_beside_the_papers_whatever_the_order_of_the_scales() -> None:
    (row,) = with_published(report())
    assert row["cells"] == [(0.61, 0.8), (0.68, 0.9), (0.55, None)]
    assert row["share"] == 0.75
    assert row["paper_share"] == pytest.approx(876 / 1195)


def test_other_thresholds_are_not_compared() -> None:
    assert with_published(report(thresholds=[4, 2])) == []
    assert with_published(report(names=["grammar", "fluency"])) == []


@pytest.mark.parametrize(
    ("name", "known"),
    [("subst-avg-lm", "averaged+lm"), ("Extract", "extraction"), ("oracle", None)],
)
def test_short_names_are_known(name: str, known: str | None) -> None:
    assert published_row(name) == (TABLE_6[known] if known else None)


def test_the_rows_say_what_the_paper_concludes() -> None:
    assert TABLE_6["averaged+lm"].grammar - TABLE_6["baseline"].grammar > 0.3
    assert max(TABLE_6, key=lambda name: TABLE_6[name].both) == "averaged+lm"
