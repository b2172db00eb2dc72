"""The disagreement of an item, against a sum over its pairs of judgments."""

from itertools import permutations
from random import Random

import pytest

from core.agreement.judgments.items import disagreement
from core.data.ratings import Ratings, Scale


@pytest.mark.parametrize("labels", ["1 2 3 4 5", "a b c"])
def test_the_disagreement_of_an_item_is_summed_over_all_its_pairs(labels: str) -> None:
    random = Random(labels)
    points = tuple(map(float, labels.split())) if labels[0] == "1" else ()
    made = Scale("s", tuple(labels.split()), points)
    values = [[random.randrange(made.size) for _ in range(n)] for n in (3, 2, 1, 4, 2)]
    rows = [
        (f"i{i}", f"A{j}", made.labels[v])
        for i, row in enumerate(values)
        for j, v in enumerate(row)
    ]
    ratings = Ratings.of(rows, scale=made)
    unit = made.unit_points() if points else None

    def gap(a: int, b: int) -> float:
        return (unit[a] - unit[b]) ** 2 if unit is not None else float(a != b)

    plain = [
        sum(gap(a, b) for a, b in permutations(row, 2)) / max(len(row) - 1, 1)
        for row in values
    ]
    assert disagreement(ratings) == pytest.approx(plain)
