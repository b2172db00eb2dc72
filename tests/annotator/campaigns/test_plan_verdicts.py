"""What an expected width of an interval shows, as sentences."""

import pytest

from annotator.pages.campaigns.plan import of_difference, of_kappa, of_power
from core.agreement.judgments import sample_size


@pytest.mark.parametrize(
    ("width", "agreement", "text"),
    [
        (None, 0.5, "Agreement cannot be measured. Let two people judge some"),
        (0.08, 0.6, "Expected: 0.50 ± 0.04, moderate."),
        (0.24, 0.47, "Expected: 0.34 ± 0.12, from fair to moderate."),
        (0.9, 0.6, "Expected: 0.50 ± 0.45, from slight to almost perfect."),
        (0.2, 0.2, "Expected: 0.00 ± 0.10, from worse than chance to slight."),
        (0.1, 0.1, "Expected: −0.12 ± 0.05, worse than chance."),
    ],
)
def test_kappa_reads_as_a_sentence(
    width: float | None, agreement: float, text: str
) -> None:
    assert of_kappa(width, agreement, 5).startswith(text)


def test_the_difference_named_is_found_in_eighty_of_a_hundred_campaigns() -> None:
    alone = sample_size.of_shares(0.5, within=1.0)
    plan = sample_size.JudgingPlan(k=1, is_paired=False)
    text = of_difference(sample_size.width(500, alone, alone, plan))
    assert text.startswith("Differences below 6.2 percentage points")
    wanted = float(text.split("A difference of ")[1].split()[0]) / 100
    found = sample_size.DetectableDifference(wanted)
    at = sample_size.power_at(500, found, alone, alone, plan)
    assert at == pytest.approx(0.8, abs=0.01)
    assert "At least two items" in of_difference(None)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "no difference"),
        (0.3, "More likely"),
        (0.7, "30 of 100"),
        (0.8, "Enough: 80 % power"),
    ],
)
def test_power_reads_as_a_sentence(value: float | None, text: str) -> None:
    assert text in of_power(value)
