"""``reproduce choe2015`` on sentences of our own."""

from pathlib import Path
from typing import Any

import pytest

from core.errors import InvalidValue
from core.evaluation.joint_parsing import read_cases
from core.joint_parsing.parser import JointParser
from core.parsing import registry
from core.parsing.registry import backend_of
from lab.evaluation.joint_fitting import Bench
from lab.reproduce import choe2015
from lab.reproduce.choe2015_data import statistics

CONLLU = """# sent_id = own-1
1\tShe\tshe\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\treads\tread\tVERB\tVBZ\t_\t0\troot\t_\t_
3\told\told\tADJ\tJJ\t_\t4\tamod\t_\t_
4\tbooks\tbook\tNOUN\tNNS\t_\t2\tobj\t_\t_
5\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""
TREE = "(S (NP (DT The) (JJ old) (NN lake)) (VP (VBZ is) (ADJP (JJ deep))) (. .))\n"
PAIRS = """corpus\tsent_id\tsource\tparaphrase\toperations
EWT\town-1\tShe reads old books .\tOld books are read by her .\tvoice
LAKE\tlake:1\tThe old lake is deep .\tDeep is the old lake .\treorder
EWT\tgone\tNobody knows .\tNo one knows .\tlex
"""


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    data: Path = tmp_path_factory.mktemp("data")
    for name in choe2015.GOLD:
        place = data / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.suffix:
            place.write_text(CONLLU)
        else:
            place.mkdir()
            (place / "lake.tree").write_text(TREE)
    (data / "paraphrases").mkdir()
    (data / "paraphrases" / "dev.tsv").write_text(PAIRS)
    return {"data": data, "engine": registry.DEFAULT, "models": None, "sample": 0}


@pytest.fixture(scope="module")
def results(options: dict[str, Any]) -> dict[str, Any]:
    return choe2015.run(options, lambda _: None)


def test_every_table_has_both_figures_for_each_corpus(results: dict[str, Any]) -> None:
    assert (results["pairs"], results["without_gold"]) == (2, 1)
    assert results["corpora"]["ours"] == ("EWT", "LAKE")
    assert list(results["tables"]) == ["4", "5", "6", "7"]
    for table in results["tables"].values():
        assert all(len(row) == 5 for row in table["paper"].values())
        assert all(len(row) == 3 for row in table["ours"].values())
    text = "\n".join(choe2015.lines(results))
    for title in (
        "Table 3",
        "Table 4",
        "Table 5",
        "Table 6",
        "Table 7",
        "p of + S-Dual",
    ):
        assert title in text


def test_table_3_counts_pairs_tokens_and_lengths(results: dict[str, Any]) -> None:
    row = results["data"]["all"]
    assert (row["pairs"], row["tokens"], row["of para."]) == (2, 11, 13)
    assert row["a source"] == 5.5
    assert 0 < row["aligned"] <= 5.5
    assert row["6-25"] == 1
    assert results["data"]["LAKE"]["6-25"] == 1
    assert results["data"]["EWT"]["6-25"] == 0


def test_table_3_tells_what_a_parser_never_saw(options: dict[str, Any]) -> None:
    parser = backend_of(options)
    pairs, gold = options["data"] / "paraphrases" / "dev.tsv", choe2015.GOLD
    places = [options["data"] / name for name in gold]
    cases, _, _ = read_cases(pairs, places, parser, lambda _: None)
    bench = Bench.of(cases, JointParser.load())
    rows = statistics(bench, {"The", "old", "lake", "is", "deep"}.__contains__)
    assert (rows["LAKE"]["OOV"], rows["LAKE"]["OOV par."]) == (16.7, 50)
    assert (rows["EWT"]["OOV"], rows["EWT"]["OOV par."]) == (80, 100)
    assert statistics(bench)["all"]["OOV"] is None


def test_table_5_cuts_the_source_alone_and_both(results: dict[str, Any]) -> None:
    rows = results["tables"]["5"]["ours"]
    assert list(rows) == [
        *(f"n = {n}" for n in choe2015.N_BEST),
        *(f"n = m = {n}" for n in choe2015.N_BEST[1:-1]),
    ]
    assert all(row[1] is None for row in rows.values())  # no gold tree in EWT
    assert all(0 <= row[2] <= 100 for row in rows.values())


def test_table_7_has_labels_where_gold_has_and_significance(
    results: dict[str, Any],
) -> None:
    rows = results["tables"]["7"]["ours"]
    methods = ("parser", "+ S-Dual", "+ Logit", "our default")
    assert list(rows) == [f"{m}{kind}" for m in methods for kind in ("", ", LAS")]
    for method in methods:
        _, ewt, lake = rows[f"{method}, LAS"]
        assert ewt is not None
        assert lake is None  # a tree has no labels
        assert ewt <= rows[method][1]
    for p in results["p"].values():
        assert 0 < p["uas"] <= 1
        assert 0 < p["las"] <= 1


def test_only_sources_of_the_lengths_wanted_are_taken(
    options: dict[str, Any],
) -> None:
    with pytest.raises(InvalidValue, match="--words 20 25"):
        choe2015.run(options | {"words": [20, 25]}, lambda _: None)
