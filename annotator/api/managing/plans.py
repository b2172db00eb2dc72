"""The plan of a campaign over the API: what it costs, shows and needs."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.models import Campaign
from annotator.pages.campaigns import plan
from annotator.services.campaigns import needed

WORDS: dict[str, dict[str, Any]] = {
    "unit": {
        "enum": list(needed.UNITS),
        "description": "what the difference is in: percentage points of correct"
        " substitutions (share), or points of a scale",
    },
    "paired": {
        "enum": ["yes", "no"],
        "description": "whether both conditions are judged on the same phrases",
    },
    "pilot": {
        "description": "campaign code and scale name, as in 0123456789abcdef:meaning,"
        " whose judgments say how items, annotators and judgments differ",
    },
}
NUMBERS = {
    "agreement": "raw agreement that is expected, 0 to 1",
    "p": "share of one condition that is correct",
    "q": "share of the other",
    "correlation": "of their outcomes on one item",
    "rho": "intraclass correlation within a phrase",
    "people": "annotators; 0 = those of the campaign",
    "difference": "that is to be seen",
    "target": "power that is wanted, 0.8 if nothing is sent",
    "k": "judges of an item",
    "share": "share of the items judged by more",
    "more": "judges of those",
    "conditions": "number of conditions",
    "likeness": "correlation of the true values of two items of one instance",
    "item": "standard deviation between items, in points",
    "annotator": "standard deviation between annotators, in points",
    "residual": "standard deviation of a single judgment, in points",
    "base": "share of one condition that is correct",
    "within": "correlation of two judgments of one item",
}
QUERY = [
    *(
        OpenApiParameter(name, type=float, description=text)
        for name, text in NUMBERS.items()
    ),
    *(OpenApiParameter(name, type=str, **more) for name, more in WORDS.items()),
]


class CampaignPlan(APIView):
    """What a campaign costs and can show, and what a difference needs."""

    @extend_schema(parameters=QUERY, responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, code: str) -> Response:
        """Expected widths with what they mean; items and judgments that are needed."""
        mine = Campaign.objects.visible_to(request.user).select_related("project")
        campaign = get_object_or_404(mine, code=code)
        return Response(plan.as_json(campaign, request.query_params.dict()))
