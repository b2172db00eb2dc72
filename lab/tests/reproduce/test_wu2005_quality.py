"""The published figures of Wu 2005 and our own, on the real corpora.

Runs where ``GEMEL_DATA`` names a folder with ``msrpc/`` and ``rte/``; the corpora may
not be passed on, so the tests elsewhere go without.
"""

import os
from pathlib import Path

import pytest

from lab.reproduce import wu2005

DATA = os.environ.get("GEMEL_DATA", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA, reason="GEMEL_DATA names no folder of corpora"),
]


@pytest.fixture(scope="module")
def results() -> dict:
    return wu2005.run(
        {
            "data": Path(DATA),
            "replicates": 100,
            "set": [],
            "fit": None,
            "labelled": None,
        },
        print,
    )


def test_paper_figures_come_out_with_the_paper_settings(results) -> None:
    raw = results["msrpc"]["rows"]["wu2005"]
    assert raw["ap"] == pytest.approx(76.1, abs=0.7)
    by_length = results["rte1"]["rows"]["wu2005-rte"]
    assert by_length["cws_ranks"] == pytest.approx(54.97, abs=0.5)
    assert by_length["accuracy"] == pytest.approx(51.25, abs=0.5)
    stopped = results["rte1"]["rows"]["wu2005-stop"]
    assert stopped["cws_ranks"] == pytest.approx(53.61, abs=0.5)


def test_our_figures_do_not_fall(results) -> None:
    assert results["msrpc"]["overlap_ap"] == pytest.approx(87.4, abs=0.3)
    if results["thesaurus"]:
        assert results["msrpc"]["untrained_ap"] >= 88.0
        assert results["rte1"]["cws"] >= 63.0
        assert results["rte1"]["by_task"]["CD"]["cws"] >= 90.0
    if results["model"] and results["thesaurus"]:
        assert results["msrpc"]["ap"] >= 90.5
        assert results["msrpc"]["accuracy"] >= 76.0
