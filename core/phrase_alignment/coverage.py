"""Gains of phrases from word links alone: any two languages, nothing to train."""

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats

__all__ = ["coverage_gains"]

STEEP, EVEN, FREE = 8.0, 0.8, 0.3


def coverage_gains(
    source: NDArray[np.bool_],
    target: NDArray[np.bool_],
    links: NDArray[np.bool_],
) -> Floats:
    """``(n_s, n_t)`` nats; ``source`` (n_s, T), ``target`` (n_t, V): whose words.

    ``links`` (T, V), many to many. Of the linked words of both phrases, the share that
    has a link into the other, less 0.8, times 8; and 0.3 log(1 + n) less for n
    words without any link on either side. The numbers are plain guesses, rounded.
    """
    a, b, w = (x.astype(np.float64) for x in (source, target, links))
    linked_s, linked_t = a @ (w.sum(1) > 0), b @ (w.sum(0) > 0)
    into = a @ ((w @ b.T) > 0)
    back = ((a @ w) > 0).astype(np.float64) @ b.T
    share = (into + back) / np.maximum(linked_s[:, None] + linked_t, 1.0)
    free_s, free_t = a.sum(1) - linked_s, b.sum(1) - linked_t
    free = np.log1p(free_s)[:, None] + np.log1p(free_t)
    return np.ascontiguousarray(STEEP * (share - EVEN) - FREE * free)
