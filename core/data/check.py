"""Argument checks shared by public functions; each names its argument."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import InvalidScores

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


def nats(**arrays: NDArray[Any]) -> None:
    """Check that each array is float64 without NaN or +inf (-inf forbids; NaN would
    compare wrongly)."""
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray) or array.dtype != np.float64:
            raise InvalidScores(f"{name}: expected a float64 array, got {_kind(array)}")
        if not (array < np.inf).all():  # one pass: a NaN is not below either
            raise InvalidScores(f"{name}: holds NaN or +inf")


def square_nats(**arrays: NDArray[Any]) -> None:
    """Check that each array is a square float64 matrix of nats."""
    nats(**arrays)
    for name, array in arrays.items():
        if array.ndim != 2 or array.shape[0] != array.shape[1] or not len(array):
            raise InvalidScores(f"{name}: expected a square matrix, got {array.shape}")


def arc_nats(**arrays: NDArray[Any]) -> None:
    """Check arc arrays: float64 ``(n + 1, n + 1)``, ``[head, modifier]``, 0 = ROOT."""
    square_nats(**arrays)
    for name, array in arrays.items():
        if len(array) < 2:
            raise InvalidScores(f"{name}: expected at least one token besides ROOT")


def _kind(array: object) -> str:
    return str(getattr(array, "dtype", type(array).__name__))
