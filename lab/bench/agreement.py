"""Time every measure with 2,000 clustered replicates, next to one figure elsewhere.

    python lab/bench/agreement.py [--items 1391] [--runs 5]
    python lab/bench/agreement.py --report [--items 5000] [--people 20]

The set is simulated: two judges, five points, items in clusters of three. The other
libraries compute a single figure without an interval; the first call of each is not
counted. Prints the median in milliseconds. ``--report``: a whole report instead, two
judges for every item, eight conditions, as a page computes it (1,000 replicates).
"""

import argparse
import statistics
import time
import warnings
from collections.abc import Callable

import numpy as np

from core.agreement.judgments.dataset import Dataset, Question
from core.agreement.judgments.report import ReportOptions, build
from core.agreement.measures import measure_all
from core.data.ratings import Ratings, Scale


def simulated(n_items: int, people: int = 2) -> np.ndarray:
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, n_items)
    noise = rng.choice([-1, 0, 1], (people, n_items), p=[0.27, 0.46, 0.27])
    return np.clip(truth + noise, 1, 5)


def ratings_of(table: np.ndarray, per_cluster: int = 3) -> Ratings:
    people, n = table.shape
    return Ratings.from_codes(
        Scale.span("meaning", 1, 5),
        [f"i{i}" for i in range(n)],
        [f"a{a}" for a in range(people)],
        np.tile(np.arange(n, dtype=np.int32), people),
        np.repeat(np.arange(people, dtype=np.int32), n),
        (table - 1).astype(np.int32).ravel(),
        (np.arange(n) // per_cluster).astype(np.int32),
    )


def others(table: np.ndarray) -> dict[str, Callable[[], object]]:
    import krippendorff
    from nltk.metrics.agreement import AnnotationTask
    from sklearn.metrics import cohen_kappa_score

    def by_nltk() -> object:
        rows = [
            (f"a{a}", f"i{i}", int(table[a, i]))
            for a in range(len(table))
            for i in range(table.shape[1])
        ]
        return AnnotationTask(rows).kappa()

    return {
        "nltk: one kappa": by_nltk,
        "scikit-learn: one weighted kappa": lambda: cohen_kappa_score(
            table[0], table[1], weights="quadratic"
        ),
        "krippendorff: one ordinal alpha": lambda: krippendorff.alpha(
            reliability_data=table, level_of_measurement="ordinal"
        ),
    }


def dataset(n_items: int, people: int) -> Dataset:
    """Return ratings: two scales, two judges, eight conditions, seven items each."""
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, (n_items, 2))
    item = np.repeat(np.arange(n_items, dtype=np.int32), 2)
    pairs = [rng.choice(people, 2, replace=False) for _ in range(n_items)]
    values = np.clip(truth[item] + rng.integers(-1, 2, (len(item), 2)), 1, 5) - 1
    made = [(int(rng.integers(8)), i, 1) for i in range(n_items)]
    instance = (np.arange(n_items) // 7).astype(np.int32)
    scales = (("meaning", 3.0), ("grammar", 4.0))
    return Dataset.of(
        [Question(Scale.span(name, 1, 5), name, at) for name, at in scales],
        [f"i{i}" for i in range(n_items)],
        [f"A{a}" for a in range(people)],
        item,
        np.concatenate(pairs).astype(np.int32),
        values.astype(np.int32),
        cluster=instance,
        instance=instance,
        conditions=tuple(f"condition {c}" for c in range(8)),
        credit=np.array(made, np.int32),
    )


def median_ms(call: Callable[[], object], runs: int) -> float:
    call()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1391)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--people", type=int, default=20)
    options = parser.parse_args()
    if options.report:
        data = dataset(options.items, options.people)
        took = median_ms(lambda: build(data, ReportOptions()), options.runs)
        print(f"{took:10.1f} ms  report over {data.n} judgments by {options.people}")
        return
    warnings.simplefilter("ignore")
    table = simulated(options.items)
    clustered, single = ratings_of(table), ratings_of(table, per_cluster=1)
    report = {
        "all measures, 2,000 replicates, clusters of 3": lambda: measure_all(clustered),
        "all measures, 2,000 replicates, item by item": lambda: measure_all(single),
        "all measures, no replicates": lambda: measure_all(clustered, replicates=0),
        **others(table),
    }
    print(f"{options.items} items, 2 judges, median of {options.runs} runs, ms")
    for name, call in report.items():
        print(f"{median_ms(call, options.runs):10.1f}  {name}")


if __name__ == "__main__":
    main()
