"""``reproduce choe2015`` on sentences of our own."""

from pathlib import Path
from typing import Any

import pytest

from core.agreement.trees.attachment import Attachment
from core.data.deps import DepTree
from core.data.tokens import Sentence
from core.evaluation.golds import Gold
from core.evaluation.joint_parsing import GoldPair, JointCase, PairRow, read_cases
from core.joint_parsing.parser import JointParser
from core.parsing import registry
from core.parsing.registry import backend_of
from core.protocols import Analysis
from lab.evaluation.joint_fitting import Bench
from lab.reproduce import choe2015
from lab.reproduce.choe2015 import Found
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


def test_table_3_counts_pairs_and_tokens(results: dict[str, Any]) -> None:
    row = results["data"]["all"]
    assert (row["pairs"], row["tokens"], row["of para."]) == (2, 11, 13)
    assert row["a source"] == 5.5
    assert 0 < row["aligned"] <= 5.5


@pytest.fixture(scope="module")
def bench(options: dict[str, Any]) -> Bench:
    pairs = options["data"] / "paraphrases" / "dev.tsv"
    places = [options["data"] / name for name in choe2015.GOLD]
    cases, _, _ = read_cases(pairs, places, backend_of(options), lambda _: None)
    return Bench.of(cases, JointParser.load())


def test_table_3_tells_what_a_parser_never_saw(bench: Bench) -> None:
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


def of_length(k: int, source: Sentence, target: Sentence, gained: int) -> Found:
    """A pair of corpus ``k % 2`` that pair-finding changes."""
    row = PairRow(f"corpus {k % 2}", f"{k}", source, target, ())
    old, new = (DepTree((-1, 0, head), ("a",) * 3) for head in (0, 1))
    case = JointCase(
        GoldPair(row, Gold(source, deps=new)), Analysis(source), Analysis(target), None
    )
    heads = {choe2015.OWN: 1, choe2015.PAIR: 1 + gained}
    counts = {cut: Attachment(3, right, right) for cut, right in heads.items()}
    return Found(case, (), counts, (old, new))


def test_half_of_each_corpus_is_tested_and_always_the_same() -> None:
    words = Sentence.of(["a", "b", "c"])
    cases = [of_length(k, words, words, 1).case for k in range(40)]
    tested = choe2015.tested_of(cases)
    assert tested == choe2015.tested_of(cases[::-1])
    assert len(tested) == 20
    assert sum(int(one) % 2 for one in tested) == 10


def test_a_gate_over_pairs_puts_back_what_it_has_learned_to_distrust() -> None:
    pytest.importorskip("sklearn")
    short, long = (Sentence.of(text.split()) for text in ("a b c", "d e f g"))
    found = [
        of_length(k, short, long if k % 3 else short, 1 if k % 3 else -1)
        for k in range(60)
    ]
    counts, gate = choe2015.gated(found, range(40), range(40, 60))
    assert gate is not None
    assert [one.heads for one in counts] == [2 if k % 3 else 1 for k in range(40, 60)]


def test_rows_of_a_back_end_are_those_of_its_trees(
    options: dict[str, Any], bench: Bench
) -> None:
    tested = choe2015.tested_of(bench.cases)
    parser = backend_of(options)
    rows, p, tuned = choe2015.bllip_rows(bench, parser, tested, lambda _: None)
    alone, both = (rows["5"][f"BLLIP, n = {n}"] for n in (1, 2))
    for table in "67":
        assert rows[table]["BLLIP"] == alone
        assert rows[table]["+ Pair"] == rows[table]["+ Pair, Logit"] == both
        assert p[f"+ Pair, Table {table}"]["uas"] == 1
    assert tuned == "1 pairs, 1 tested; no gate"
