"""The eight conditions, test sets for people, scores of given pairs, the commands."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.__main__ import main
from core.errors import InvalidValue
from core.formats import ptb
from core.pivoting.building.engines import DuckEngine
from core.pivoting.conditions import rank
from core.pivoting.items import draw_places, items_of, phrases_in
from core.pivoting.substitution import ALL_CONDITIONS, substitutes
from core.pivoting.table import Head, Table
from tests.core.pivoting import small_bitext
from tests.core.pivoting.test_table import built

OLD_SEA = ptb.parse_one(small_bitext.TREES[0])


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return built(tmp_path_factory.mktemp("substitution"), best=100)


class Shorter:
    """A model that likes short sentences, and nothing else."""

    def scores(self, sentences: list[list[str]]) -> tuple[np.ndarray, np.ndarray]:
        lengths = np.array([-10.0 * len(words) for words in sentences])
        return lengths, np.zeros(len(sentences), dtype=np.int64)


class CountedReads:
    """An engine that counts what is read through it."""

    def __init__(self, engine: DuckEngine) -> None:
        self.engine, self.read = engine, 0

    def rows(self, sql: str, values: list[object]) -> list[tuple[object, ...]]:
        self.read += 1
        return self.engine.rows(sql, values)


def test_all_conditions_together_read_a_phrase_once(table: Table) -> None:
    other = Table(table.folder, table.facts)
    counting = other.__dict__["engine"] = CountedReads(table.engine)
    ranked = substitutes(other, OLD_SEA, (1, 2), model=Shorter())
    assert ranked == substitutes(table, OLD_SEA, (1, 2), model=Shorter())
    assert {one.condition for one in ranked} == set(ALL_CONDITIONS)
    assert counting.read == 2  # its paraphrases, and what is known of them by label
    assert other.lookup("sea") == table.lookup("sea") != []
    assert other.lookup("old") == table.lookup("old") != []
    assert counting.read == 6


class Crossed(Table):
    """Another thread asks about another phrase as soon as this one has begun."""

    crossing = True

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == "_recent" and value[0] == "sea" and self.crossing:
            super().__setattr__("crossing", False)
            self.lookup("old")


def test_two_who_ask_at_once_do_not_get_each_others_paraphrases(table: Table) -> None:
    other = Crossed(table.folder, table.facts)
    assert other.lookup("sea") == table.lookup("sea") != []
    assert not other.crossing
    assert other.lookup("old") == table.lookup("old") != []


HEADS = {s: Head(s, 3, 1.0, 0.0, 0.0, 1) for s in ("", "NP", "S/VP", "VP")}
ROWS = [
    ("", "x", 0.6, 1),
    ("", "y", 0.3, 1),
    ("NP", "y", 0.5, 1),
    ("NP", "z", 0.1, 1),
    ("S/VP", "z", 0.7, 1),
    ("VP", "w", 0.9, 1),
]


@pytest.mark.parametrize(
    ("condition", "best"),
    [
        ("baseline", [("x", 0.6), ("y", 0.3)]),
        ("extraction", [("w", 0.9), ("z", 0.7), ("y", 0.5)]),
        ("constituents", [("w", 0.9), ("y", 0.5), ("z", 0.1)]),
        ("substitution", [("z", 0.7), ("y", 0.5)]),
        ("averaged", [("z", 0.4), ("y", 0.25)]),
    ],
)
def test_conditions_are_equations_5_and_8_to_10(
    condition: str, best: list[tuple[str, float]]
) -> None:
    ranked = rank(ROWS, condition, ["NP", "S/VP"], HEADS)  # type: ignore[arg-type]
    assert [(row[0], pytest.approx(row[2])) for row in ranked] == best


def test_a_label_without_paraphrases_counts_in_the_mean() -> None:
    ranked = rank(ROWS, "averaged", ["NP", "PP"], HEADS)
    assert [(row[0], row[2]) for row in ranked] == [("y", 0.25), ("z", 0.05)]


def test_labels_of_the_sentence_choose_the_paraphrases(table: Table) -> None:
    ranked = substitutes(table, OLD_SEA, (1, 2), k=9)
    assert {one.condition for one in ranked} == {
        "baseline",
        "extraction",
        "substitution",
        "averaged",
    }
    assert {one.paraphrase.text for one in ranked if one.condition == "baseline"} > {
        "ancient"
    }
    constrained = [one for one in ranked if one.condition == "substitution"]
    assert {one.paraphrase.text for one in constrained} == {"ancient"}
    assert " ".join(constrained[0].tokens) == "The ancient sea is calm ."


def test_without_a_tree_nothing_matches_its_labels(table: Table) -> None:
    ranked = substitutes(table, OLD_SEA.words, (1, 2))
    assert {one.condition for one in ranked} == {"baseline", "extraction"}


def test_the_language_model_can_turn_the_order(table: Table) -> None:
    model = Shorter()
    ranked = substitutes(table, OLD_SEA, (0, 2), model=model, k=9)
    assert {one.condition for one in ranked} == set(ALL_CONDITIONS)
    lengths = [len(one.tokens) for one in ranked if one.condition == "baseline+lm"]
    assert lengths == sorted(lengths)
    unweighted = substitutes(
        table, OLD_SEA, (0, 2), condition="baseline+lm", model=model, lm_weight=0.0, k=9
    )
    plain = substitutes(table, OLD_SEA, (0, 2), condition="baseline", k=9)
    assert [one.tokens for one in unweighted] == [one.tokens for one in plain]


def test_other_conditions_and_spans_are_refused(table: Table) -> None:
    with pytest.raises(InvalidValue, match="conditions are"):
        substitutes(table, OLD_SEA, (0, 2), condition="best")
    with pytest.raises(InvalidValue, match="span"):
        substitutes(table, OLD_SEA, (4, 9))


def test_test_phrases_are_balanced_and_have_content() -> None:
    trees = [ptb.parse_one(text) for text in small_bitext.TREES] * 4
    places = draw_places(trees, 8, np.random.default_rng(0), lengths=(1, 3))
    kinds = {(p.end - p.start, p.is_constituent, p.phrase) for p in places}
    for n, whole, wanted in ((1, True, 2), (3, True, 2), (3, False, 2)):
        assert sum(k[:2] == (n, whole) for k in kinds) == wanted
    for phrase in {p.phrase for p in places}:
        assert 1 <= sum(p.phrase == phrase for p in places) <= 6
        assert phrase not in {"the", "a", "we", "is", "."}


def test_one_string_of_several_conditions_is_one_item(table: Table) -> None:
    trees = [OLD_SEA]
    places = [
        place
        for place in draw_places(trees, 20, np.random.default_rng(1))
        if place.phrase == "old"
    ]
    items = list(items_of(table, trees, places))
    assert [item.paraphrase for item in items] == ["ancient"]
    assert [name for name, _ in items[0].credits] == [
        "baseline",
        "extraction",
        "substitution",
        "averaged",
    ]


def told(arguments: list[object], capsys: pytest.CaptureFixture[str]) -> dict:
    assert main([str(one) for one in arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_commands_build_look_up_substitute_and_make_items(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pairs = [source.pairs for source in small_bitext.sources(tmp_path)]
    out = tmp_path / "table"
    build = ["pivot", "build", "--json", "--out", out, "--buckets", 1, "--bitext"]
    made = told([*build, *pairs, "--parses", tmp_path / "parses.parquet"], capsys)
    assert made["phrases"] > 10
    answer = told(
        ["pivot", "lookup", "calm", "--json", "--table", out, "--why", "quiet"], capsys
    )
    assert [one["text"] for one in answer["paraphrases"]] == ["quiet"]
    assert {pivot["foreign"] for pivot in answer["why"]} == {"ruhig", "calme"}
    tree = io.BytesIO(small_bitext.TREES[0].encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(tree))
    answer = told(["pivot", "substitute", "old", "--json", "--table", out], capsys)
    assert answer["substitutes"][0]["sentence"] == "The ancient sea is calm ."
    trees = tmp_path / "trees.mrg"
    trees.write_text("\n".join(small_bitext.TREES), encoding="utf-8")
    asked = ["pivot", "items", "--json", "--table", out, "--trees", trees, "--out"]
    answer = told([*asked, tmp_path / "items.tsv"], capsys)
    lines = (tmp_path / "items.tsv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == answer["items"] + 1


def test_a_missing_table_is_told(tmp_path: Path) -> None:
    assert main(["pivot", "lookup", "calm", "--table", str(tmp_path)]) == 2


def test_phrases_known_together_are_those_known_one_by_one(table: Table) -> None:
    phrases = phrases_in([ptb.parse_one(text) for text in small_bitext.TREES])
    known = table.known(phrases)
    assert known == {phrase for phrase in phrases if "" in table.heads(phrase)}
    assert set() < known < phrases
    assert table.known([]) == set()
