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
from annotator.models import Corpus
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


_QUERY = extend_schema(
    parameters=[
        OpenApiParameter("q", str, required=True, description="The query."),
        OpenApiParameter("after", str, description="`after` of the page before."),
        OpenApiParameter("page_size", int, description="1 to 500, else 50."),
    ],
    responses=MatchesSerializer,
)


class CorpusQuery(APIView):
    """The results of a query over trees, arcs and links in a corpus."""

    @_QUERY
    def get(self, request: Request, code: str) -> Response:
        return _page(request, [corpus_of(request, code)])


class ProjectQuery(APIView):
    """The results of a query over trees, arcs and links in all corpora of a project."""

    @_QUERY
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_or_404(request.user, slug)
        return _page(request, list(project.corpora.all()))


class GroupSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    matches = serializers.IntegerField()


class GroupsSerializer(serializers.Serializer[Any]):
    by = serializers.CharField()
    matches = serializers.IntegerField()
    is_whole = serializers.BooleanField(help_text="False: the least there are.")
    groups = GroupSerializer(many=True)


_GROUPS = extend_schema(
    parameters=[
        OpenApiParameter("q", str, required=True, description="The query."),
        OpenApiParameter("by", str, required=True, enum=list(grouping.GROUPINGS)),
    ],
    responses=GroupsSerializer,
)


class CorpusQueryGroups(APIView):
    """The matches of a query in a corpus, counted by groups."""

    @_GROUPS
    def get(self, request: Request, code: str) -> Response:
        return _grouped(request, [corpus_of(request, code)])


class ProjectQueryGroups(APIView):
    """The matches of a query in all corpora of a project, counted by groups."""

    @_GROUPS
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_or_404(request.user, slug)
        return _grouped(request, list(project.corpora.all()))


def _grouped(request: Request, corpora: list[Corpus]) -> Response:
    query = request.query_params
    search = running.search(query.get("q", ""), corpora, request.user)
    made = grouping.grouped(search, query.get("by", ""))
    rows = [{"name": name, "matches": n} for name, n in made.rows]
    body = {"by": made.by, "matches": made.total, "is_whole": made.is_whole}
    return Response(GroupsSerializer({**body, "groups": rows}).data)


def _page(request: Request, corpora: list[Corpus]) -> Response:
    query = request.query_params
    problem = "page_size is a whole number from 1 to 500."
    size = number(
        query.get("page_size", "50"), 1, 500, field="page_size", problem=problem
    )
    search = running.search(query.get("q", ""), corpora, request.user)
    after = query.get("after", "")
    page = search.page(after, size=size)
    unknown = [] if after else search.unknown(is_found=bool(page.matches))
    body = {"matches": lines(page.matches), "after": page.after}
    more = {"waiting": page.waiting, "unknown": unknown}
    return Response(MatchesSerializer({**body, **more}).data)
