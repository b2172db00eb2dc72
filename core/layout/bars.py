"""What a picture of shares shows: a bar a row, with its interval."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bar:
    """``share``, ``low`` and ``high`` in percent; ``group`` picks colour and dash."""

    label: str
    share: float
    low: float
    high: float
    group: int = 0


@dataclass(frozen=True, slots=True)
class BarChart:
    """Bars in groups; the axis goes from ``start`` to 100 percent."""

    bars: tuple[Bar, ...]
    groups: tuple[str, ...]
    title: str
    desc: str = ""
    start: float = 0.0
