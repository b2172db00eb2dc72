"""One-to-one links of the greatest total: the assignment problem."""

import numpy as np

from core.data.check import Floats
from core.errors import InvalidScores
from core.forests.kernels.assignment import best_assignment


def assign(gains: Floats) -> list[tuple[int, int]]:
    """The cells of the best one-to-one matching of rows and columns, sorted.

    ``gains`` float64 ``(n, m)``: what a link wins; a cell that wins nothing (zero or
    less) is never linked, so rows and columns may stay alone. Raises InvalidScores on
    NaN or an infinity. O(min(n, m)^2 max(n, m)); Jonker & Volgenant 1987.
    """
    if gains.ndim != 2 or not np.isfinite(gains).all():
        raise InvalidScores("a table of finite gains wanted")
    if not gains.size:
        return []
    wide = gains if gains.shape[0] <= gains.shape[1] else gains.T
    won = np.ascontiguousarray(np.maximum(wide, 0.0), dtype=np.float64)
    columns = best_assignment(won)[1].tolist()
    cells = [(i, j) for i, j in enumerate(columns) if wide[i, j] > 0]
    return cells if wide is gains else sorted((j, i) for i, j in cells)
