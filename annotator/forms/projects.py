"""Forms for managers of projects and campaigns."""

from collections.abc import Iterable
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from annotator.forms import number
from annotator.models import Participant

SCALE = ("name", "title", "question", "kind", "low", "high", "threshold")


def invitation(sent: QueryDict) -> dict[str, Any]:
    """The requested link, in the form that ``invitations.invite`` takes; raises
    BadRequest."""
    uses, days = (
        number(sent.get(name, "") or default, 0, 10**6, field=name, problem=why)
        for name, default, why in (
            ("max_uses", "1", _("Enter a whole number of people.")),
            ("days", "14", _("Enter a whole number of days.")),
        )
    )
    role, note = sent.get("role", ""), sent.get("note", "")
    names = (
        *("provider", "consent", "completion_code", "rejection_code"),
        *("screening", "screening_code"),
    )
    platform = {name: sent.get(name, "") for name in names}
    wanted = {"role": role, "note": note, "max_uses": uses, "days": days}
    return wanted | {"platform": platform}


def batches_of(sent: QueryDict, people: Iterable[Participant]) -> dict[str, list[str]]:
    """The batches ticked for each participant whom the form showed, by code."""
    shown = [one.code for one in people if f"seen-{one.code}" in sent]
    return {code: sent.getlist(f"of-{code}") for code in shown}


def scales_of(sent: QueryDict) -> list[dict[str, Any]]:
    """The scales of a campaign: one line a point, ``value | label | anchor``."""
    numbers = [n for n in sent.getlist("scale") if n.isdigit()]
    kept = [_scale(sent, n) for n in numbers if not sent.get(f"drop-{n}")]
    return [scale for scale in kept if scale["title"].strip()]


def _scale(sent: QueryDict, n: str) -> dict[str, Any]:
    lines = sent.get(f"points-{n}", "").splitlines()
    points = [_point(line) for line in lines if line.strip()]
    return {name: sent.get(f"{name}-{n}", "") for name in SCALE} | {"points": points}


def _point(line: str) -> dict[str, str]:
    """``value | anchor``, or ``value | label | anchor``."""
    value, *words = (cell.strip() for cell in line.split("|", 2))
    label = words[0] if len(words) == 2 else value
    return {"value": value, "label": label, "anchor": words[-1] if words else ""}
