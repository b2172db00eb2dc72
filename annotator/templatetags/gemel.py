"""Small things templates say often."""

from collections.abc import Mapping
from typing import Any

from django import template

register = template.Library()


@register.filter
def percent(share: float | None) -> str:
    """0.478 as "48 %"; nothing for None."""
    return "" if share is None else f"{100 * share:.0f} %"


@register.filter
def point_line(point: Mapping[str, Any]) -> str:
    """A point of a scale as people write it: "value | anchor", with a label between
    if it is another than the value."""
    value, label = str(point["value"]), str(point["label"])
    named = [value] if label == value else [value, label]
    return " | ".join([*named, str(point["anchor"])])
