"""Small things templates say often."""

from django import template

register = template.Library()


@register.filter
def percent(share: float | None) -> str:
    """0.478 as "48 %"; nothing for None."""
    return "" if share is None else f"{100 * share:.0f} %"
