"""The agreement of a campaign in one line, for pages that show many things."""

from typing import Any

from django.utils.translation import get_language

from annotator.models import Campaign
from annotator.pages.agreement.summary import drift_in_words, has_drifted, within
from annotator.services.reports import agreement, recent

LOW = 0.2
"""Below it agreement is slight (Landis & Koch 1977)."""
CERTAIN = 0.4  # and its interval ends below fair


def agreement_line(campaign: Campaign) -> dict[str, Any]:
    """``scales``: title, alpha and its interval each, or why there is none; ``is_low``
    where it is slight at best, certainly; ``drifting``: sentences about people whose
    ratings move.

    ``is_large``: too many judgments to look at while someone waits.
    """
    source = agreement.ReportSource(campaign.project, "campaign", campaign)
    if agreement.is_large(source):
        return {"campaign": campaign, "is_large": True, "scales": []}
    key = ("line", campaign.code, campaign.revision, get_language())
    scales = recent.of_moment(key, lambda: _scales(source))
    return {"campaign": campaign, "is_large": False, "scales": scales}


def _scales(source: agreement.ReportSource) -> list[dict[str, Any]]:
    from core.agreement.figures import as_json
    from core.agreement.judgments.dataset import Selection
    from core.agreement.judgments.report import moves
    from core.agreement.measures import measure_all

    # The same items, replicates and seed as in the report, so the same figures.
    read, spec = source.read(), agreement.ReportSpec(Selection())
    data = spec.of(read.data).in_order()
    scales = []
    for place, question in enumerate(data.questions):
        ratings = data.ratings(place)
        name = "alpha_ordinal" if question.scale.is_ordered else "alpha_nominal"
        measured = measure_all(
            ratings, replicates=spec.replicates, seed=spec.seed, pairs=False
        )
        drifting = [
            drift_in_words(read.names.get(label, label), within(question.title), means)
            for label, (means, move) in moves(data, place).items()
            if has_drifted(means, as_json(move))
        ]
        scale = _scale(question.title, as_json(measured.figures[name]))
        scales.append(scale | {"drifting": drifting})
    return scales


def _scale(title: str, figure: dict[str, Any]) -> dict[str, Any]:
    value, high = figure.get("value"), figure.get("high")
    is_low = value is not None and value < LOW and (high or 0) < CERTAIN
    return {"title": title, "is_low": is_low, **figure}
