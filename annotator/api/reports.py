"""Agreement reports, frozen reports and curators' decisions, for programs."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotator import access
from annotator.api.calls.queries import validated
from annotator.models import (
    Adjudication,
    Campaign,
    Corpus,
    Item,
    Project,
    RatingSet,
    Report,
)
from annotator.models.projects import Anybody
from annotator.services.campaigns import answers, curation
from annotator.services.reports import agreement, layers
from annotator.services.reports.agreement import ReportSource


class TitleSerializer(serializers.Serializer[Any]):
    """``title``: what the frozen report is called."""

    title = serializers.CharField(max_length=160)


class ReportSerializer(serializers.ModelSerializer[Report]):
    class Meta:
        model = Report
        fields = ["code", "title", "query", "body", "digest", "version", "created_at"]


class DecisionSerializer(serializers.Serializer[Any]):
    """A decision about an item. ``seen``: the number of the last one, 0 = none."""

    values = serializers.DictField(default=dict)
    reason = serializers.ChoiceField(Adjudication.Reason.choices)
    confidence = serializers.ChoiceField(Adjudication.Confidence.choices)
    note = serializers.CharField(default="", allow_blank=True, max_length=2000)
    accepts = serializers.CharField(default="", allow_blank=True, max_length=40)
    seen = serializers.IntegerField(default=0, min_value=0)


class AdjudicationSerializer(serializers.ModelSerializer[Adjudication]):
    by = serializers.CharField(source="by.username", read_only=True)

    class Meta:
        model = Adjudication
        fields = [
            "code",
            "number",
            "values",
            "accepts",
            "reason",
            "confidence",
            "note",
            "by",
            "at",
        ]


def _filter(name: str, kind: Any = str, *, many: bool = False, about: str = "") -> Any:
    return OpenApiParameter(name, kind, description=about, many=many)


_YES = {"type": "string", "enum": ["1"]}
FILTERS = [
    _filter("annotator", many=True, about="a label; several: any of them"),
    _filter("condition", many=True, about="several: any of them"),
    _filter("since", OpenApiTypes.DATE),
    _filter("until", OpenApiTypes.DATE, about="with that day"),
    _filter("guideline", int, about="its number"),
    _filter("checks", _YES, about="with items whose answer is known"),
    _filter("rank", int, about="up to which paraphrase of a phrase; 1 by default"),
    _filter(
        "threshold", many=True, about="name:value of a scale, from where it is met"
    ),
    _filter("baseline", about="the condition that others are held against"),
    _filter("adjudicated", _YES, about="with what curators decided"),
    _filter("machines", _YES, about="with what machine annotators said"),
    _filter("seed", int, about="of the bootstrap"),
]


def _report(name: str, parameters: Sequence[Any] = ()) -> Callable[[Any], Any]:
    """A call that shows a report by GET and freezes it by POST."""

    def called(view: Any) -> Any:
        view = api_view(["GET", "POST"])(view)
        view = extend_schema(
            methods=["POST"],
            parameters=parameters,
            request=TitleSerializer,
            responses={201: ReportSerializer},
            operation_id=f"{name}_freeze",
        )(view)
        shown: Any = {"parameters": parameters, "responses": OpenApiTypes.OBJECT}
        return extend_schema(methods=["GET"], operation_id=name, **shown)(view)

    return called


@_report("campaign_agreement", FILTERS)
def campaign(request: Request, code: str) -> Response:
    """GET: every figure over the campaign, annotators by label. POST: freeze it.

    The filters are those of the page's address.
    """
    rows = Campaign.objects.visible_to(request.user).select_related("project")
    row = get_object_or_404(rows, code=code)
    return _answer(request, ReportSource(row.project, "campaign", row))


@_report("ratings_agreement", FILTERS)
def rating_set(request: Request, code: str) -> Response:
    """The same over a set of ratings that were collected elsewhere."""
    projects = Project.objects.visible_to(request.user)
    rows = RatingSet.objects.filter(project__in=projects).select_related("project")
    row = get_object_or_404(rows, code=code)
    return _answer(request, ReportSource(row.project, "ratings", row))


@_report("corpus_agreement")
def corpus(request: Request, code: str) -> Response:
    """GET: agreement of the alignment layers of a corpus, annotators by label.
    POST: freeze it."""
    rows = Corpus.objects.visible_to(request.user).select_related("project")
    row = get_object_or_404(rows, code=code)
    access.require(request.user, "report", row.project)
    if request.method == "GET":
        return Response(layers.report(row).body)
    sent = validated(TitleSerializer, request)
    title = sent["title"]
    kept = layers.freeze(row, title=title, by=request.user)
    return Response(ReportSerializer(kept).data, status=201)


@extend_schema(responses=ReportSerializer)
@api_view(["GET"])
def frozen(request: Request, code: str) -> Response:
    """A report as it was frozen."""
    rows = Report.objects.visible_to(request.user).select_related("project")
    row = get_object_or_404(rows, code=code)
    access.require(request.user, "report", row.project)
    return Response(ReportSerializer(row).data)


@extend_schema(methods=["GET"], responses=AdjudicationSerializer(many=True))
@extend_schema(
    methods=["POST"],
    request=DecisionSerializer,
    responses={201: AdjudicationSerializer},
    operation_id="item_decide",
)
@api_view(["GET", "POST"])
def decisions(request: Request, code: str) -> Response:
    """GET: every decision on the item, the newest first. POST: add one.

    Judgments never change. Without ``values`` the last decision is withdrawn.
    """
    item = _item(request.user, code)
    if request.method == "GET":
        rows = curation.history(item)
        return Response(AdjudicationSerializer(rows, many=True).data)
    sent = validated(DecisionSerializer, request)
    made = curation.decide(item, curation.Decision(**sent), by=request.user)
    return Response(AdjudicationSerializer(made).data, status=201)


@extend_schema(request=None, responses=OpenApiTypes.OBJECT)
@api_view(["POST"])
def reopen(request: Request, code: str, judge: str) -> Response:
    """Give a judge, by label, the item back; the answer stays until they change it."""
    item = _item(request.user, code)
    rows = item.judgments.select_related("participant__campaign__project")
    judgments = rows.filter(participant__label=judge, state="done").order_by("-round")
    judgment = judgments.first()
    if judgment is None:
        raise Http404(f"{judge} has not answered this item.")
    judgment = answers.reopen(judgment, by=request.user, uuid=uuid4())
    return Response({"item": code, "judge": judge, "revision": judgment.revision})


def _answer(request: Request, source: ReportSource) -> Response:
    access.require(request.user, "report", source.project)
    spec = agreement.parse(request.query_params)
    agreement.check(spec, source.read().data)
    if request.method == "GET":
        body, _ = agreement.report(source, spec)
        return Response(body)
    sent = validated(TitleSerializer, request)
    kept = agreement.freeze(
        source,
        spec,
        query=agreement.filters_of(request.query_params),
        title=sent["title"],
        by=request.user,
    )
    return Response(ReportSerializer(kept).data, status=201)


def _item(user: Anybody, code: str) -> Item:
    """The item, for a curator of its project; others see none."""
    campaigns = Campaign.objects.visible_to(user)
    rows = Item.objects.filter(campaign__in=campaigns)
    rows = rows.select_related("campaign__project")
    item = get_object_or_404(rows, code=code)
    access.require(user, "curate", item.campaign.project)
    return item
