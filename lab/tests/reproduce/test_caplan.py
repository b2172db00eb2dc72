"""The tables of Caplan et al., over a small treebank and a small parser of our own."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.data.tokens import Sentence
from core.errors import InvalidValue
from core.parsing import registry
from core.protocols import Analysis, BackendInfo, Capability, ParserBackend
from lab.reproduce import caplan
from tests import small_pcfg

TREES = """\
( (S (NP (DT the) (NN weaver)) (VP (VBD slept)) (. .)) )
( (S (NP (NNP Mary)) (VP (VBD saw) (NP (DT a) (NN weaver))) (. .)) )
( (S (NP (PRP she)) (VP (VBD saw) (NP (DT a) (NN cat))) (. .)) )
"""
TEXT = (
    "the old woman slept .\nMary saw a cat .\nthe old weaver slept .\nshe saw a dog .\n"
)
NAMES = ["LS", "LS + CR", "in doubt", "told", "summed"]


class Silent:
    """The small parser, without its list of words and its ear for advice."""

    def __init__(self, parser: ParserBackend) -> None:
        self.info: BackendInfo = parser.info
        self._parser = parser

    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list[Analysis | Exception]:
        return self._parser.analyse(sentences, want=want)


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    for name, text in (
        ("general-text/gutenberg/weavers.txt", TEXT * 40),
        ("gentle/const/looms.ptb", TREES),
        ("masc-trees/looms.mrg", TREES),
        ("own/small.ptb", "\n".join(small_pcfg.bracketings())),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    engine = small_pcfg.written(tmp_path / "models" / "small")
    nothing = dict.fromkeys(
        ("models", "cache", "trained_on", "variant", "keep", "grid", "alpha", "f_lc")
    )
    return nothing | {
        "data": tmp_path,
        "engine": [str(engine)],
        "max_tokens": 40,
        "sample": 0,
        "oracle": False,
        "grid_sample": 3,
        "grid_only": False,
        "coarse": False,
        "jobs": 1,
    }


def test_every_variant_has_a_row_of_every_set_that_is_there(options) -> None:
    results = caplan.run(options, lambda line: None)
    assert "WSJ 0161-0199" in results["missing"]
    (sets,) = results["engines"].values()
    assert list(sets) == ["MASC (tuning)", "GENTLE"]
    for where, rows in sets.items():
        assert list(rows) == NAMES
        for row in rows.values():
            assert row["sentences"] == 3
            assert 0 <= row["p"] <= 1
            assert ("p_holm" in row) is (where == "GENTLE")  # never the tuning set
    text = "\n".join(caplan.lines(results))
    assert "BROWN tune     2078  83.9  84.5" in text  # the paper's next to ours
    assert text.count("GENTLE") == len(NAMES)


def test_the_oracle_is_never_below_the_parser(options) -> None:
    results = caplan.run(options | {"oracle": True}, lambda line: None)
    (sets,) = results["engines"].values()
    for row in sets.values():
        assert row["oracle"] >= row["before"]
    assert "GENTLE" in "\n".join(caplan.lines(results))


def test_a_parser_that_tells_nothing_needs_its_treebanks(
    options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = Silent(registry.at(Path(options["engine"][0])))
    monkeypatch.setattr(registry, "chosen", lambda *_: silent)
    with pytest.raises(InvalidValue, match="no tagged word"):
        caplan.run(options, lambda line: None)
    told: list[str] = []
    trained = options | {"trained_on": [tmp_path / "own"]}
    results = caplan.run(trained, told.append)
    (sets,) = results["engines"].values()
    assert list(sets["GENTLE"]) == [name for name in NAMES if name != "told"]
    assert any("does not accept tags, so not told" in line for line in told)


def test_data_without_a_text_is_refused(options, tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match="holds none of"):
        caplan.run(options | {"data": tmp_path / "own"}, lambda line: None)


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_four_parameters_are_searched_and_the_best_measured(
    options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setattr(caplan, "ALPHAS", (1e-3, 1.0))
    monkeypatch.setattr(caplan, "F_LC", (1, 12))
    searching = options | {"grid": tmp_path / "grid.jsonl", "jobs": jobs}
    searching["variant"] = ["LS + CR"]
    results = caplan.run(searching, lambda line: None)
    rows = [json.loads(line) for line in (tmp_path / "grid.jsonl").open()]
    # Nine pairs of f_q <= f_c, with two values of alpha and of f_LC, reranked or not.
    assert len(rows) == results["grid"]["settings"] == 9 * 2 * 2 * 2
    (sets,) = results["engines"].values()
    assert list(sets["GENTLE"]) == ["LS + CR", "LS tuned", "LS + CR tuned"]
    (best,) = results["grid"]["best"].values()
    for name, reranks in caplan.TUNED.items():
        several = [row["f1"]["after"] for row in rows if row["rerank"] is reranks]
        assert best[name]["f1"]["after"] == max(several)
        assert sets[caplan.TUNING][name]["f1"] == best[name]["f1"]
    assert "settings on 3 sentences" in "\n".join(caplan.lines(results))


def test_a_search_that_was_broken_off_goes_on_where_it_was(
    options, tmp_path: Path
) -> None:
    path = tmp_path / "grid.jsonl"
    part = {"alpha": [1e-3, 1.0], "f_lc": [1]}
    searching = options | part | {"grid": path, "grid_only": True}
    whole = caplan.run(searching, lambda line: None)["grid"]
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:18]) + lines[18][:20])  # one block, and a kill
    told: list[str] = []
    assert caplan.run(searching, told.append)["grid"] == whole
    assert path.read_text() == "".join(lines)
    assert sum("settings" in line for line in told) == 1


def test_a_whole_search_continues_a_coarse_one(options, tmp_path: Path) -> None:
    path = tmp_path / "grid.jsonl"
    part = {"alpha": [1.0], "f_lc": [1], "grid": path, "grid_only": True}
    coarse = caplan.run(options | part | {"coarse": True}, print)["grid"]
    whole = caplan.run(options | part, print)["grid"]
    assert (coarse["settings"], whole["settings"]) == (6, 18)
    with pytest.raises(InvalidValue, match="a search on 3 sentences, not 2"):
        caplan.run(options | part | {"grid_sample": 2}, print)


def test_words_at_random_are_the_control_of_the_oracle(options) -> None:
    (sets,) = caplan.run(options | {"oracle": True}, print)["engines"].values()
    for row in sets.values():
        assert row["before"] <= row["random"]
