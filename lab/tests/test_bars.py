"""The bars of a study as a picture."""

from lab.bars import Bar, draw_bars


def test_bars_say_their_numbers_and_their_group() -> None:
    text = draw_bars(
        [Bar("first", 97.5, 96.0, 99.0, 0), Bar("second", 92.0, 90.0, 95.0, 1)],
        ("one language", "two languages"),
        title="Covered",
        start=80.0,
    )
    assert "first: 97.5 % (96.0 to 99.0)" in text
    assert "two languages" in text
    assert text.count("<circle") == 2  # the bar's, and the legend's
