"""For those who run a project: properties, deletions, the log, plans."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator import access
from annotator.api.calls.queries import validated
from annotator.errors import BadRequest
from annotator.models import Campaign, LogEntry, Project, Removal
from annotator.pages.campaigns import plan
from annotator.pages.site import settings
from annotator.services.campaigns import needed
from annotator.services.projects import keeping, removals


class RowPages(CursorPagination):
    """Pages of equal cost anywhere; follow ``next``."""

    page_size = 50
    max_page_size = 500
    page_size_query_param = "page_size"
    ordering = "pk"


class Newest(RowPages):
    """The newest first."""

    ordering = "-pk"


class VisibleRows(viewsets.ReadOnlyModelViewSet[Any]):
    """Rows the person may see, by code."""

    lookup_field = "code"
    lookup_value_regex = "[0-9a-f]{16}"
    pagination_class: type[RowPages] = RowPages


class PropertiesSerializer(serializers.Serializer[Any]):
    """Settings that a manager may change; omitted ones stay. ``description``: of
    projects; ``licence``, ``provenance``: of corpora. ``archived``: hide from the
    lists, or show."""

    name = serializers.CharField(required=False, max_length=120)
    description = serializers.CharField(
        required=False, allow_blank=True, max_length=2000
    )
    licence = serializers.CharField(required=False, allow_blank=True, max_length=200)
    provenance = serializers.CharField(
        required=False, allow_blank=True, max_length=4000
    )
    archived = serializers.BooleanField(required=False)


class RemovalSerializer(serializers.ModelSerializer[Removal]):
    """``project``: where it came from, null for a project; ``until``: when it goes for
    good."""

    project = serializers.SlugRelatedField[Any](
        slug_field="slug", read_only=True, allow_null=True
    )
    by = serializers.CharField(source="by.username", default="", read_only=True)
    until = serializers.SerializerMethodField()

    class Meta:
        model = Removal
        fields = ["code", "kind", "name", "project", "by", "at", "until"]

    def get_until(self, removal: Removal) -> str:
        return removals.gone_after(removal).isoformat()


class HeldSerializer(serializers.Serializer[Any]):
    """A number of judgments, pairs, and so on."""

    n = serializers.IntegerField()
    what = serializers.CharField()


class RemovedSerializer(RemovalSerializer):
    """``holds``: what went with it."""

    holds = HeldSerializer(many=True, read_only=True)

    class Meta(RemovalSerializer.Meta):
        fields = [*RemovalSerializer.Meta.fields, "holds"]


class RestoredSerializer(serializers.Serializer[Any]):
    """``code``: of what is back; ``name``: another one, if its own was taken."""

    kind = serializers.CharField()
    code = serializers.CharField()
    project = serializers.CharField(help_text="its slug")
    name = serializers.CharField()


class LogSerializer(serializers.ModelSerializer[LogEntry]):
    """Activity log: "ada / renamed / campaign / Onions / was Test"."""

    by = serializers.CharField(source="by.username", default="", read_only=True)

    class Meta:
        model = LogEntry
        fields = ["at", "by", "act", "kind", "name", "detail"]


class KeepingViews(viewsets.GenericViewSet[Any]):
    """PATCH and DELETE of what a manager may rename, archive and delete."""

    @extend_schema(request=PropertiesSerializer)
    def partial_update(self, request: Request, **_: str) -> Response:
        """Rename, describe, archive (`"archived": true`) or undo. For managers."""
        sent = validated(PropertiesSerializer, request)
        thing = self.get_object()
        archived = sent.pop("archived", None)
        known = {"name", *keeping.ABOUT.get(type(thing), {})}
        if strange := sorted(set(sent) - known):
            raise BadRequest(f"This has no {strange[0]}.", field=strange[0])
        keeping.change(thing, sent, archived=archived, by=request.user)
        return Response(self.get_serializer(self.get_object()).data)

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "confirm",
                OpenApiTypes.STR,
                description="its name; asked for where people's work goes with it",
            )
        ],
        responses={200: RemovedSerializer},
    )
    def destroy(self, request: Request, **_: str) -> Response:
        """Delete it, so that it can be restored for 30 days. For managers.

        If people's work would be deleted, `confirm` must be the name: otherwise the
        call is refused, and `facts.holds` lists what would be deleted.
        """
        thing = self.get_object()
        project = thing if isinstance(thing, Project) else thing.project
        access.require(request.user, "manage", project)
        typed = request.query_params.get("confirm", "")
        holds = settings.held(settings.require_confirmed(thing, typed))
        made = removals.remove(thing, by=request.user)
        return Response({**RemovalSerializer(made).data, "holds": holds})


class RemovalViews(VisibleRows):
    """Deleted objects that you can still restore."""

    serializer_class = RemovalSerializer
    pagination_class = Newest
    queryset = Removal.objects.none()

    def get_queryset(self) -> QuerySet[Removal]:
        return removals.restorable_by(self.request.user)

    @extend_schema(request=None, responses=RestoredSerializer)
    @action(detail=True, methods=["post"])
    def restore(self, request: Request, code: str) -> Response:
        """Undo the deletion, with all that was in it. Nothing is sent."""
        removal = self.get_object()
        kind = removal.kind
        thing = removals.restore(removal, by=request.user)
        project = thing if isinstance(thing, Project) else thing.project
        back = {"kind": kind, "code": thing.code, "project": project.slug}
        return Response({**back, "name": thing.name})


class LogViews(viewsets.GenericViewSet[LogEntry]):
    """Activity log to a project."""

    serializer_class = LogSerializer
    pagination_class = Newest
    queryset = LogEntry.objects.none()

    @extend_schema(
        parameters=[
            OpenApiParameter("who", str, description="acts of this person alone")
        ]
    )
    def list(self, request: Request, slug: str) -> Response:
        """The log, the newest first. For managers."""
        project = access.project_or_404(request.user, slug, "manage")
        rows = LogEntry.objects.filter(project=project).select_related("by")
        if who := request.query_params.get("who"):
            rows = rows.filter(by__username=who)
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(self.get_serializer(page, many=True).data)


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
    """The cost of a campaign, what it can detect, and what a difference needs."""

    @extend_schema(parameters=QUERY, responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, code: str) -> Response:
        """Expected widths with what they mean; items and judgments that are needed."""
        mine = Campaign.objects.visible_to(request.user).select_related("project")
        campaign = get_object_or_404(mine, code=code)
        return Response(plan.as_json(campaign, request.query_params.dict()))
