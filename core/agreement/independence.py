"""Is the difference between two independent samples more than chance?"""

from math import erfc, log, sqrt

from core.errors import InvalidValue


def g_test(a: int, n: int, b: int, m: int) -> tuple[float, float]:
    """Return G² and its p value: ``a`` of ``n`` against ``b`` of ``m``.

    The likelihood ratio of the two shares being one, with 1 degree of freedom (Dunning
    1993, "Accurate methods for the statistics of surprise and coincidence", CL 19(1)).
    (0, 1) if a sample is empty. Raises InvalidValue unless 0 <= a <= n, 0 <= b <= m.
    """
    if not (0 <= a <= n and 0 <= b <= m):
        raise InvalidValue(f"not parts of a whole: {a} of {n}, {b} of {m}")
    if not n or not m:
        return 0.0, 1.0
    share = (a + b) / (n + m)
    cells = (
        (a, n * share),
        (b, m * share),
        (n - a, n * (1 - share)),
        (m - b, m * (1 - share)),
    )
    g2 = max(0.0, 2 * sum(seen * log(seen / due) for seen, due in cells if seen))
    return g2, erfc(sqrt(g2 / 2))
