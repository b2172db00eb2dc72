"""What an expected width means, in words."""

import pytest

from core.agreement.judgments.design import difference_width, power
from core.agreement.judgments.verdicts import of_difference, of_kappa, of_power


@pytest.mark.parametrize(
    ("width", "agreement", "told"),
    [
        (None, 0.5, "Agreement cannot be measured: let two people judge some of the"),
        (
            0.08,
            0.6,
            "With ±.04 around .50 you can tell that agreement is moderate.",
        ),
        (
            0.24,
            0.47,
            "With ±.12 around .34 agreement may be fair or moderate; you can tell it"
            " from slight and from substantial, not more.",
        ),
        (0.9, 0.6, "With ±.45 around .50 agreement may be anything from slight to"),
        (
            0.2,
            0.2,
            "With ±.10 around .00 agreement may be worse than chance or slight; you"
            " can tell it from fair, not more.",
        ),
        (0.1, 0.1, "With ±.05 around -.12 you can tell that agreement is worse than"),
    ],
)
def test_kappa_in_words(width: float | None, agreement: float, told: str) -> None:
    assert of_kappa(width, agreement=agreement, categories=5).startswith(told)


def test_the_difference_named_is_found_in_eighty_of_a_hundred_campaigns() -> None:
    text = of_difference(difference_width(500, p=0.5, q=0.5))
    assert text.startswith("With ±6.2 percentage points a difference below 6.2")
    difference = float(text.split("one of ")[1].split()[0]) / 100
    assert power(500, p=0.5, q=0.5 + difference) == pytest.approx(0.8, abs=0.01)
    assert "two items at least" in of_difference(None)


@pytest.mark.parametrize(
    ("value", "told"),
    [(None, "nothing"), (0.3, "More likely"), (0.7, "30 of 100"), (0.8, "Enough")],
)
def test_power_in_words(value: float | None, told: str) -> None:
    assert told in of_power(value)
