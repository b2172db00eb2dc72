"""Expected widths of intervals in words: what a campaign can tell apart, and what not.

Bands of agreement are those of the report (Landis & Koch 1977).
"""

BANDS = (
    (0.8, "almost perfect"), (0.6, "substantial"), (0.4, "moderate"), (0.2, "fair"),
    (0.0, "slight"),
)  # fmt: skip
"""Landis and Koch 1977, "The measurement of observer agreement"."""
NONE = "worse than chance"
WORDS = (NONE, *(word for _, word in reversed(BANDS)))
BEYOND = 2.801585218112969 / 1.959963984540054
"""By how much a difference seen in 80 of 100 campaigns is beyond half the interval:
(z_.975 + z_.8) / z_.975."""
USUAL = 0.8  # power, Cohen 1988


def of_kappa(width: float | None, *, agreement: float, categories: int) -> str:
    """The bands in which K may lie when it comes out as expected.

    ``width``: of its 95 % interval, None without overlap; ``agreement``: raw, expected.
    """
    if width is None:
        return "Agreement cannot be measured: let two people judge some of the items."
    expected = (agreement - 1 / categories) / (1 - 1 / categories)
    low, high = expected - width / 2, expected + width / 2
    reach = f"With ±{_number(width / 2)} around {_number(expected)}"
    first, last = _band(low), _band(high)
    words = WORDS[first : last + 1]
    if first == last:
        return f"{reach} you can tell that agreement is {words[0]}."
    if len(words) == 2:
        return f"{reach} agreement may be {words[0]} or {words[1]}; {_apart(first)}."
    return f"{reach} agreement may be anything from {words[0]} to {words[-1]}."


def of_difference(width: float | None) -> str:
    """What shows of a difference of two shares, ``width`` that of its interval."""
    if width is None:
        return "Nothing can be compared: two items at least are needed."
    half = 100 * width / 2
    return (
        f"With ±{half:.1f} percentage points a difference below {half:.1f} cannot be"
        f" told from none; one of {BEYOND * half:.1f} is found in 80 of 100 campaigns."
    )


def of_power(power: float | None) -> str:
    """Whether a chance to find a difference is enough to start with."""
    if power is None:
        return "There is nothing to test."
    if power < 0.5:
        return "More likely missed than found: judge more, or look for a larger one."
    if power < USUAL:
        return f"Missed in {100 * (1 - power):.0f} of 100 campaigns; 80 % is usual."
    return "Enough: 80 % is usual."


def _band(value: float) -> int:
    """The place of a value's band in ``WORDS``."""
    return sum(value >= at for at, _ in BANDS)


def _apart(first: int) -> str:
    """What two neighbouring bands, from ``first`` on, can be told from."""
    words = [WORDS[at] for at in (first - 1, first + 2) if 0 <= at < len(WORDS)]
    return f"you can tell it from {' and from '.join(words)}, not more"


def _number(value: float) -> str:
    """Two digits without the zero before the point, as the field writes them."""
    return f"{round(value, 2) + 0.0:.2f}".replace("0.", ".", 1)
