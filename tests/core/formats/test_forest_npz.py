import io
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

from core.data.check import Floats
from core.data.forest import EMPTY_FOREST, Forest
from core.errors import FormatError
from core.forests.packing import span_forest
from core.formats import forest_npz
from tests.oracles import strategies


@given(strategies.forests())
def test_a_forest_comes_back_as_it_was(weighted: tuple[Forest, Floats]) -> None:
    forest, weights = weighted
    stored = forest_npz.load(forest_npz.dump(forest, weights))
    assert stored.forest.names == forest.names
    for name in ("labels", "starts", "ends", "first_edge", "first_tail", "tails"):
        again = getattr(stored.forest, name)
        assert again.tolist() == getattr(forest, name).tolist()
    assert stored.weights.tolist() == weights.tolist()
    assert stored.arcs is None


def test_arcs_travel_with_it_to_seven_digits() -> None:
    arcs = np.random.default_rng(0).normal(size=(4, 4))
    arcs[0, 0] = -np.inf
    data = forest_npz.dump(EMPTY_FOREST, np.empty(0), arcs=arcs)
    assert forest_npz.load(data).arcs == pytest.approx(arcs, rel=1e-6)


def test_it_is_small() -> None:
    scores = np.random.default_rng(0).normal(size=(26, 26, 9)) * 2
    forest, weights = span_forest(scores, ("", *"ABCDEFGH"), margin=6)
    assert len(forest_npz.dump(forest, weights)) < 12 * forest.n_edges + 2500


def _archive(**arrays: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [b"", b"no archive", _archive(names=np.zeros(1)), _archive(a=np.array([{}]))],
)
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(FormatError, match="not a stored forest"):
        forest_npz.load(data)


def _forest_arrays(**changed: np.ndarray) -> bytes:
    forest, weights = span_forest(np.zeros((3, 3, 2)), ("", "A"), margin=9)
    names = ("labels", "starts", "ends", "first_edge", "first_tail", "tails")
    arrays = {name: getattr(forest, name) for name in names}
    arrays["names"] = np.frombuffer(b'["", "A"]', dtype=np.uint8)
    out = io.BytesIO()
    np.savez_compressed(out, **(arrays | {"weights": weights} | changed))
    return out.getvalue()


@pytest.mark.parametrize(
    "changed",
    [
        lambda: {"weights": np.zeros(40_000_000)},
        lambda: {"first_edge": np.array([0, 2**31 - 1], np.int32)},
        lambda: {"first_tail": np.array([0, 2**31 - 1], np.int32)},
        lambda: {f"a{k}": np.zeros(1) for k in range(20)},
    ],
)
def test_a_few_bytes_never_take_much_memory(
    changed: Callable[[], dict[str, np.ndarray]],
) -> None:
    data = _forest_arrays(**changed())
    assert len(data) < 500_000
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="not a stored forest"):
            forest_npz.load(data)
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()
