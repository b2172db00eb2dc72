"""Bands of agreement (Landis & Koch 1977), and what an expected interval can show."""

BANDS = (
    (0.8, "almost perfect"), (0.6, "substantial"), (0.4, "moderate"), (0.2, "fair"),
    (0.0, "slight"),
)  # fmt: skip
"""Landis and Koch 1977, "The measurement of observer agreement"."""
NONE = "worse than chance"
BEYOND = 2.801585218112969 / 1.959963984540054
"""A difference found in 80 of 100 campaigns, as a multiple of half the interval:
(z_.975 + z_.8) / z_.975."""
USUAL = 0.8  # power, Cohen 1988


def band(value: float) -> str:
    """Return the name of the band that holds this value."""
    return next((word for at, word in BANDS if value >= at), NONE)


def expected_kappa(agreement: float, categories: int) -> float:
    """Return K for this raw agreement, with uniform chance over the categories."""
    return (agreement - 1 / categories) / (1 - 1 / categories)
