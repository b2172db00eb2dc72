"""Searches of trees, arcs and links."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator import access
from annotator.api.rows import corpus_of
from annotator.forms import number
from annotator.services.queries import grouping, running
from annotator.services.queries.contexts import ConcordanceLine, Half, lines
from annotator.services.queries.labels import UnknownLabel


class HalfSerializer(serializers.Serializer[Half]):
    sentence = serializers.CharField(source="sentence.code")
    label = serializers.CharField()  # type: ignore[assignment]
    before = serializers.CharField()
    match = serializers.CharField(help_text="Its words; … where some are left out.")
    after = serializers.CharField()


class MatchSerializer(serializers.Serializer[ConcordanceLine]):
    corpus = serializers.CharField(source="match_of.corpus.code")
    sentence = serializers.CharField(source="code")
    ref = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    before = serializers.CharField()
    match = serializers.CharField(help_text="Its words; … where some are left out.")
    after = serializers.CharField()
    pair = serializers.CharField(source="pair.code", allow_null=True)
    layer = serializers.CharField(source="layer.code", allow_null=True)
    other = HalfSerializer(allow_null=True)


class UnknownLabelSerializer(serializers.Serializer[UnknownLabel]):
    label = serializers.CharField()  # type: ignore[assignment]
    similar = serializers.ListField(child=serializers.CharField())


class MatchesSerializer(serializers.Serializer[Any]):
    matches = MatchSerializer(many=True)
    after = serializers.CharField(help_text="For the next page; empty at the end.")
    waiting = serializers.IntegerField(help_text="Trees and layers not indexed yet.")
    unknown = UnknownLabelSerializer(
        many=True, help_text="Labels that no tree has; on the first page."
    )


class GroupSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    matches = serializers.IntegerField()


class GroupsSerializer(serializers.Serializer[Any]):
    by = serializers.CharField()
    matches = serializers.IntegerField()
    is_whole = serializers.BooleanField(help_text="False: the least there are.")
    groups = GroupSerializer(many=True)


class TreeQuery(APIView):
    """The results of a query over trees, arcs and links in a corpus, or in all of a
    project."""

    @extend_schema(
        parameters=[
            OpenApiParameter("q", str, required=True, description="The query."),
            OpenApiParameter("after", str, description="`after` of the page before."),
            OpenApiParameter("page_size", int, description="1 to 500, else 50."),
        ],
        responses=MatchesSerializer,
    )
    def get(self, request: Request, **place: str) -> Response:
        query = request.query_params
        problem = "page_size is a whole number from 1 to 500."
        size = number(
            query.get("page_size", "50"), 1, 500, field="page_size", problem=problem
        )
        search = _search(request, **place)
        after = query.get("after", "")
        page = search.page(after, size=size)
        unknown = [] if after else search.unknown(is_found=bool(page.matches))
        body = {"matches": lines(page.matches), "after": page.after}
        more = {"waiting": page.waiting, "unknown": unknown}
        return Response(MatchesSerializer({**body, **more}).data)


class TreeQueryGroups(APIView):
    """The matches of a query in a corpus, or in all of a project, counted by groups."""

    @extend_schema(
        parameters=[
            OpenApiParameter("q", str, required=True, description="The query."),
            OpenApiParameter("by", str, required=True, enum=list(grouping.GROUPINGS)),
        ],
        responses=GroupsSerializer,
    )
    def get(self, request: Request, **place: str) -> Response:
        search = _search(request, **place)
        made = grouping.grouped(search, request.query_params.get("by", ""))
        rows = [{"name": name, "matches": n} for name, n in made.rows]
        body = {"by": made.by, "matches": made.total, "is_whole": made.is_whole}
        return Response(GroupsSerializer({**body, "groups": rows}).data)


def _search(request: Request, *, code: str = "", slug: str = "") -> running.Search:
    if code:
        corpora = [corpus_of(request, code)]
    else:
        corpora = list(access.project_or_404(request.user, slug).corpora.all())
    return running.search(request.query_params.get("q", ""), corpora, request.user)
