"""The sample items are like those of Callison-Burch 2008; their judges are noisy."""

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np

from annotator.exchange.items import ItemRecord, read
from annotator.exchange.tables import rows_of
from annotator.sample.items import ITEMS, JUDGES, answers, truths

with ITEMS.open(encoding="utf-8") as file:
    ROWS = [row for row in read(rows_of(file)) if isinstance(row, ItemRecord)]
MAIN = [row for row in ROWS if row.kind == "main"]
CONDITIONS = (
    "baseline",
    "baseline-lm",
    "extract",
    "extract-lm",
    "subst",
    "subst-lm",
    "subst-avg",
    "subst-avg-lm",
)


def key(row: ItemRecord) -> tuple[str, int, int, str]:
    return row.sentence, row.start, row.end, row.paraphrase


def test_every_row_is_read() -> None:
    with ITEMS.open(encoding="utf-8") as file:
        assert len(ROWS) == sum(1 for _ in file) - 1


def test_items_of_eight_conditions_four_or_more_for_each_phrase() -> None:
    paraphrases = defaultdict(set)
    for row in MAIN:
        paraphrases[row.sentence, row.start].add(row.paraphrase)
    assert len(paraphrases) >= 32
    assert min(map(len, paraphrases.values())) >= 4
    assert sum(map(len, paraphrases.values())) >= 128
    assert {name for row in MAIN for name in row.conditions} == set(CONDITIONS)


def test_conditions_share_renderings_and_differ_in_coverage() -> None:
    shared = sum(len(row.conditions) > 1 for row in MAIN)
    assert shared >= 40
    covers = Counter(name for row in MAIN if row.rank == 1 for name in row.conditions)
    n = len({(row.sentence, row.start) for row in MAIN})
    assert covers["baseline"] == covers["baseline-lm"] == n
    assert n > covers["extract"] > covers["subst"]
    assert covers["subst"] == covers["subst-avg-lm"]


def test_ranks_of_a_condition_count_from_one() -> None:
    ranks = defaultdict(list)
    for row in MAIN:
        for name in row.conditions:
            ranks[row.sentence, row.start, name].append(row.rank)
    assert all(sorted(r) == list(range(1, len(r) + 1)) for r in ranks.values())


def test_the_constraints_help_and_the_language_model_helps_grammar() -> None:
    both, grammar = {}, {}
    truth = truths()
    for name in CONDITIONS:
        best = [row for row in MAIN if row.rank == 1 and name in row.conditions]
        values = [truth[key(row)] for row in best]
        grammar[name] = np.mean([v["grammar"] >= 4 for v in values])
        both[name] = np.mean([v["meaning"] >= 3 and v["grammar"] >= 4 for v in values])
    assert both["baseline"] < both["baseline-lm"] < both["extract-lm"]
    assert both["baseline"] < both["extract"] < both["subst"]
    for name in CONDITIONS[::2]:
        assert grammar[name] < grammar[f"{name}-lm"]


def test_gold_attention_and_training_items_say_what_is_expected() -> None:
    kinds = Counter(row.kind for row in ROWS)
    assert kinds["gold"] + kinds["attention"] >= 10
    assert kinds["training"] >= 3
    for row in ROWS:
        if row.kind != "main":
            expected = {
                scale: str(value) for scale, value in truths()[key(row)].items()
            }
            assert row.gold == expected
            assert row.why


def test_invented_judges_agree_about_as_well_as_people() -> None:
    # Callison-Burch 2008, section 4.4: same score 47%, same side of the threshold 80%.
    rng = np.random.default_rng(1)
    truth = [truths()[key(row)] for row in MAIN]
    given = {j.name: [answers(j, value, rng) for value in truth] for j in JUDGES}
    for scale, threshold in (("meaning", 3), ("grammar", 4)):
        by_judge = {
            name: np.array([values[scale] for values in rows])
            for name, rows in given.items()
        }
        for a, b in combinations(by_judge.values(), 2):
            assert 0.35 < np.mean(a == b) < 0.75
            assert 0.7 < np.mean((a >= threshold) == (b >= threshold)) < 0.97
