"""Measures equal the libraries, the published examples, and themselves relabelled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agreement import alpha, chance
from core.agreement.chance import pair_reason
from core.agreement.figures import Estimate, Undefined, as_json
from core.agreement.measures import MEASURES, Agreement, measure_all
from core.data.ratings import Ratings, Scale
from core.errors import InvalidValue

krippendorff = pytest.importorskip("krippendorff")
sklearn_metrics = pytest.importorskip("sklearn.metrics")
inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")

FIVE = Scale.span("meaning", 1, 5)
GAP = 0


def test_each_measure_has_its_own_key_and_name() -> None:
    records = (*chance._ALL, *alpha._ALL)
    assert len({one.key for one in records}) == len(records) == len(MEASURES)
    assert len({one.name for one in records}) == len(records)


def ratings_of(table: np.ndarray, scale: Scale = FIVE) -> Ratings:
    """Ratings of ``(annotators, items)`` numbers; 0 is a gap."""
    rows = [
        (f"i{i}", f"a{a}", str(int(table[a, i])))
        for i in range(table.shape[1])
        for a in range(len(table))
        if table[a, i] != GAP
    ]
    return Ratings.of(rows, scale=scale)


def measured(table: np.ndarray, scale: Scale = FIVE) -> Agreement:
    return measure_all(ratings_of(table, scale), replicates=0)


def value(agreement: Agreement, name: str) -> float:
    figure = agreement.figures[name]
    assert isinstance(figure, Estimate), (name, figure)
    return figure.value


def full_table(people: int, items: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, items)
    return np.clip(truth + rng.integers(-1, 2, (people, items)), 1, 5)


def with_gaps(table: np.ndarray, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.where(rng.random(table.shape) < 0.3, GAP, table)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("name", "weights"),
    [("cohen", None), ("cohen_linear", "linear"), ("cohen_quadratic", "quadratic")],
)
def test_cohen_equals_scikit_learn(seed: int, name: str, weights: str | None) -> None:
    table = full_table(2, 60, seed)
    theirs = sklearn_metrics.cohen_kappa_score(
        *table, labels=[1, 2, 3, 4, 5], weights=weights
    )
    assert value(measured(table), name) == pytest.approx(theirs, abs=1e-9)


def test_points_that_nobody_used_keep_their_distance() -> None:
    """Of 1 2 5, the step from 2 to 5 is three times that from 1 to 2."""
    table = np.array([1, 2, 5])[full_table(2, 60, 4) % 3]
    assert set(table.ravel()) == {1, 2, 5}
    for name in ("linear", "quadratic"):
        theirs = sklearn_metrics.cohen_kappa_score(
            *table, labels=[1, 2, 3, 4, 5], weights=name
        )
        mine = value(measured(table), f"cohen_{name}")
        assert mine == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_cohen_and_its_weights_equal_statsmodels(seed: int) -> None:
    table = full_table(2, 60, seed)
    cells = np.zeros((5, 5))
    np.add.at(cells, (table[0] - 1, table[1] - 1), 1)
    for name, wt in (
        ("cohen", None),
        ("cohen_linear", "linear"),
        ("cohen_quadratic", "quadratic"),
    ):
        theirs = inter_rater.cohens_kappa(cells, wt=wt, return_results=False)
        assert value(measured(table), name) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("people", [2, 3, 7])
def test_fleiss_and_uniform_chance_equal_statsmodels(people: int) -> None:
    table = full_table(people, 80, people)
    counts = np.stack([(table == c).sum(0) for c in range(1, 6)], axis=1)
    mine = measured(table)
    fleiss = inter_rater.fleiss_kappa(counts, method="fleiss")
    uniform = inter_rater.fleiss_kappa(counts, method="uniform")
    assert value(mine, "fleiss") == pytest.approx(fleiss, abs=1e-9)
    assert value(mine, "k_uniform") == pytest.approx(uniform, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_equals_the_krippendorff_library(seed: int, level: str) -> None:
    table = with_gaps(full_table(4, 50, seed), seed)
    data = np.where(table == GAP, np.nan, table.astype(float))
    theirs = krippendorff.alpha(
        reliability_data=data, level_of_measurement=level, value_domain=[1, 2, 3, 4, 5]
    )
    mine = value(measured(table), f"alpha_{level}")
    assert mine == pytest.approx(theirs, abs=1e-9)


KRIPPENDORFF = np.array(
    [  # Krippendorff 2011, "Computing alpha-reliability", example D: four observers
        [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
        [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
    ]
)


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("alpha_nominal", 0.743),
        ("alpha_ordinal", 0.815),
        ("alpha_interval", 0.849),
        ("ac1", 0.775),  # Gwet 2014, the same data
        ("fleiss", 0.761),
        ("raw_pooled", 0.818),
    ],
)
def test_krippendorffs_and_gwets_worked_example(name: str, published: float) -> None:
    assert value(measured(KRIPPENDORFF), name) == pytest.approx(published, abs=6e-4)


def test_the_worked_example_of_artstein_and_poesio() -> None:
    # Artstein & Poesio 2008, section 2: 100 utterances, statement or request.
    cells = {("s", "s"): 20, ("s", "r"): 20, ("r", "s"): 10, ("r", "r"): 50}
    rows = []
    for (a, b), n in cells.items():
        for i in range(n):
            rows += [(f"{a}{b}{i}", "A", a), (f"{a}{b}{i}", "B", b)]
    declared = Scale("act", ("s", "r"))
    mine = measure_all(Ratings.of(rows, scale=declared), replicates=0)
    assert value(mine, "raw") == pytest.approx(0.7)
    assert value(mine, "k_uniform") == pytest.approx(0.4)  # their S
    assert value(mine, "scott") == pytest.approx(0.341, abs=5e-4)
    assert value(mine, "cohen") == pytest.approx(0.348, abs=5e-4)


def test_k_uniform_counts_the_points_of_the_scale_not_those_seen() -> None:
    table = np.array([[4, 4, 5, 5], [4, 5, 5, 5]])
    assert value(measured(table), "k_uniform") == pytest.approx((0.75 - 0.2) / 0.8)


def test_a_threshold_makes_a_two_point_scale_with_chance_one_half() -> None:
    table = np.array([[1, 2, 3, 4, 5, 2], [2, 1, 4, 5, 3, 3]])
    cut = measure_all(ratings_of(table).at_least(3), replicates=0)
    assert value(cut, "raw") == pytest.approx(5 / 6)
    assert value(cut, "k_uniform") == pytest.approx((5 / 6 - 0.5) / 0.5)


def test_pairwise_figures_are_the_mean_over_pairs_and_the_pairs_are_kept() -> None:
    table = full_table(3, 40, 9)
    mine = measured(table)
    theirs = [
        sklearn_metrics.cohen_kappa_score(table[a], table[b], labels=[1, 2, 3, 4, 5])
        for a, b in ((0, 1), (0, 2), (1, 2))
    ]
    pairs = [pair.figures["cohen"] for pair in mine.pairs]
    kept = [p.value for p in pairs if isinstance(p, Estimate)]
    assert kept == pytest.approx(theirs)
    assert value(mine, "cohen") == pytest.approx(np.mean(theirs))


def test_a_second_rating_by_the_same_judge_is_a_repeat_and_counts_once() -> None:
    rows = [("i", "a", "3"), ("i", "b", "3"), ("i", "a", "5"), ("j", "a", "1")]
    ratings = Ratings.of([*rows, ("j", "b", "1")], scale=FIVE)
    assert value(measure_all(ratings, replicates=0), "raw") == 1
    assert ratings.n == 4
    assert ratings.repeats.tolist() == [[0, 0, 2, 4]]


def test_one_category_is_explained_in_words() -> None:
    mine = measured(np.full((3, 8), 5))
    kappa = mine.figures["cohen_quadratic"]
    assert isinstance(kappa, Undefined)
    assert "every value is 5" in kappa.reason
    assert isinstance(mine.figures["alpha_ordinal"], Undefined)
    assert value(mine, "raw") == 1
    assert value(mine, "ac1") == 1


def test_no_overlap_and_one_annotator_are_explained() -> None:
    apart = measured(np.array([[1, 2, 0, 0], [0, 0, 3, 4]]))
    alone = measured(np.array([[1, 2, 3, 4]]))
    nothing = measure_all(Ratings.of([]), replicates=10)
    for name in MEASURES:
        assert apart.figures[name] == Undefined("0 of 4 items have two judges", 0)
        assert alone.figures[name] == Undefined("one annotator only", 0)
        assert nothing.figures[name] == Undefined("nothing was judged", 0)


def test_labels_without_order_have_no_weighted_measures() -> None:
    rows = [
        (str(i), a, "xyz"[(i + (a == "b") * (i == 2)) % 3])
        for i in range(9)
        for a in "ab"
    ]
    mine = measure_all(Ratings.of(rows), replicates=20)
    for name in ("cohen_linear", "alpha_ordinal", "ac2"):
        figure = mine.figures[name]
        assert isinstance(figure, Undefined)
        assert "no order" in figure.reason
    assert value(mine, "alpha_nominal") > 0.5


def test_uniform_chance_needs_to_know_how_many_points_there_are() -> None:
    rows = [(str(i), a, f"{i % 3 + 2}") for i in range(9) for a in "ab"]  # 2 to 4
    mine = measure_all(Ratings.of(rows), replicates=20)
    assert value(mine, "cohen") == pytest.approx(1)
    figure = mine.figures["k_uniform"]
    assert isinstance(figure, Undefined)
    assert figure.reason.startswith("scale value is not declared")
    scale = Scale.span("value", 1, 5)
    declared = measure_all(Ratings.of(rows, scale=scale), replicates=20)
    assert value(declared, "k_uniform") == pytest.approx(1)


@given(st.integers(0, 10_000), st.integers(2, 5))
def test_the_order_of_rows_and_the_names_change_nothing(seed: int, people: int) -> None:
    table = with_gaps(full_table(people, 15, seed), seed)
    rng = np.random.default_rng(seed)
    mixed = table[rng.permutation(people)][:, rng.permutation(15)]
    assert_same(measured(table), measured(mixed), MEASURES)


@given(st.integers(0, 10_000))
def test_every_pair_reads_the_same_in_rows_of_any_order(seed: int) -> None:
    table = with_gaps(full_table(4, 15, seed), seed)
    rows = [
        (f"i{i}", f"a{a}", str(int(table[a, i])))
        for a, i in zip(*np.nonzero(table), strict=True)
    ]
    mixed = np.random.default_rng(seed).permutation(len(rows))
    one, two = (
        {
            frozenset((made.annotators[p.first], made.annotators[p.second])): p
            for p in measure_all(made, replicates=0).pairs
        }
        for made in (Ratings.of(rows), Ratings.of([rows[at] for at in mixed]))
    )
    assert one.keys() == two.keys()
    for who, pair in one.items():
        assert (pair.n, pair.figures["raw"]) == (two[who].n, two[who].figures["raw"])


@given(st.integers(0, 10_000))
def test_nominal_measures_do_not_care_which_label_is_which(seed: int) -> None:
    table = with_gaps(full_table(3, 15, seed), seed)
    names = np.r_[0, np.random.default_rng(seed).permutation(5) + 1]
    nominal = ("raw", "k_uniform", "cohen", "scott", "fleiss", "alpha_nominal", "ac1")
    assert_same(measured(table), measured(names[table]), nominal)


@given(st.integers(0, 10_000))
def test_ordered_measures_do_not_care_for_the_direction(seed: int) -> None:
    table = with_gaps(full_table(3, 15, seed), seed)
    mirror = np.where(table == GAP, GAP, 6 - table)
    assert_same(measured(table), measured(mirror), MEASURES)


def assert_same(a: Agreement, b: Agreement, names: tuple[str, ...]) -> None:
    for name in names:
        one, two = a.figures[name], b.figures[name]
        assert type(one) is type(two)
        if isinstance(one, Estimate) and isinstance(two, Estimate):
            assert one.value == pytest.approx(two.value, abs=1e-9)


def test_a_figure_says_as_json_what_it_holds() -> None:
    assert as_json(Undefined("one annotator only", 3)) == {
        "undefined": "one annotator only",
        "n": 3,
    }
    assert as_json(Estimate(0.5, 0.4, 0.6, 7)) == {
        "value": 0.5,
        "low": 0.4,
        "high": 0.6,
        "n": 7,
    }


def test_a_value_off_the_scale_is_refused_by_name() -> None:
    with pytest.raises(InvalidValue, match="'6' is not on scale meaning"):
        Ratings.of([("i", "a", "6")], scale=FIVE)


@pytest.mark.parametrize(
    ("measure", "codes", "scale", "words"),
    [
        ("cohen", [], FIVE, "no item was judged by both"),
        ("k_uniform", [0], Scale("s", ("a", "b"), closed=False), "s is not declared"),
        ("k_uniform", [0], Scale("s", ("a",)), "s has a single point"),
        ("cohen", [0], Scale("s", ("a",)), "every value is a"),
        ("k_uniform", [2], FIVE, "every value is 3"),
        (
            "cohen_linear",
            [0],
            Scale("s", ("a", "b")),
            "labels of scale s have no order",
        ),
        ("cohen_linear", [4], FIVE, "every value is 5"),
    ],
)
def test_what_has_no_value_says_why(
    measure: str, codes: list[int], scale: Scale, words: str
) -> None:
    both = np.array(codes, dtype=np.int32)
    assert words in pair_reason(measure, both, scale)
