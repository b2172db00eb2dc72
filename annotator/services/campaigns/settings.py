"""The numbers that a manager may set in a campaign, and between which values."""

import math
from typing import Any

from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.models import Campaign

SETTINGS: dict[str, tuple[float, float]] = {
    "k": (1, 50),
    "overlap_k": (1, 50),
    "overlap_share": (0, 1),
    "quota": (1, 1_000_000),
    "lease_s": (30, 7 * 86_400),
    "prefetch": (1, 20),
    "check_every": (0, 500),
    "check_tolerance": (0, 100),
    "check_min": (1, 100),
    "check_fail_share": (0, 1),
    "training_pass_share": (0, 1),
    "training_tries": (1, 20),
    "repeat_every": (0, 500),
    "repeat_gap_h": (0, 24 * 60),
    "adaptive_gap": (0, 100),
    "seconds_per_item": (1, 3600),
    "cost_per_hour": (0, 10_000),
}


def number_of(name: str, value: Any) -> float | int | None:
    """The value as the column wants it; raises BadRequest."""
    if name == "quota" and value in ("", None):
        return None
    low, high = SETTINGS[name]
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not low <= number <= high:
        limits = {"name": name, "low": f"{low:g}", "high": f"{high:g}"}
        problem = _("%(name)s: enter a value from %(low)s to %(high)s.") % limits
        raise BadRequest(problem, field=name)
    field = Campaign._meta.get_field(name)
    return number if field.get_internal_type() == "FloatField" else int(number)
