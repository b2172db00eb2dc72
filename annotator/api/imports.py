"""Imports and exports for programs: the same services as the pages."""

from functools import partial
from typing import Any

from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator import access
from annotator.api.calls.queries import JsonParser, validated
from annotator.api.managing import RowPages
from annotator.api.rows import JobSerializer
from annotator.exchange import registry
from annotator.exchange.download import attachment
from annotator.exchange.files import ENCODINGS
from annotator.models import Corpus, Issue, Job
from annotator.services.corpora import exports, imports, storing

EXACT = "tables byte for byte; without it, cells that spreadsheets run are quoted"


class ImportSerializer(serializers.Serializer[Any]):
    """Files and their format; for Pharaoh: links, source text, target text. A zip
    archive is replaced by its files."""

    files = serializers.ListField(
        child=serializers.FileField(allow_empty_file=True), min_length=1, max_length=500
    )
    format = serializers.ChoiceField(choices=list(registry.FORMATS))
    corpus = serializers.CharField(max_length=120)
    licence = serializers.CharField(max_length=200, required=False, allow_blank=True)
    provenance = serializers.CharField(required=False, allow_blank=True)
    source_language = serializers.CharField(max_length=35, required=False)
    target_language = serializers.CharField(max_length=35, required=False)
    encoding = serializers.ChoiceField(choices=ENCODINGS, required=False)
    dry_run = serializers.BooleanField(default=True)
    partial = serializers.BooleanField(default=False)  # type: ignore[assignment]
    tokenised = serializers.BooleanField(
        default=False, help_text="Raw text has spaces between its tokens."
    )


class GoOnSerializer(serializers.Serializer[Any]):
    """``partial``: the good rows go in even if others are bad. ``align``: the pairs are
    then parsed and aligned, by a job that the import's ``result.align`` names."""

    partial = serializers.BooleanField(default=False)  # type: ignore[assignment]
    align = serializers.BooleanField(default=False)


class FormatSerializer(serializers.Serializer[Any]):
    """A format, and what is lost when a corpus goes out in it."""

    name = serializers.CharField()
    title = serializers.CharField()
    holds = serializers.CharField()
    suffixes = serializers.ListField(child=serializers.CharField())
    needs = serializers.CharField()
    losses = serializers.ListField(child=serializers.CharField())


class IssueSerializer(serializers.ModelSerializer[Issue]):
    class Meta:
        model = Issue
        fields = ["file", "line", "column", "reason", "remedy", "excerpt"]


class Formats(APIView):
    """The formats a corpus can come in and go out as."""

    @extend_schema(responses=FormatSerializer(many=True))
    def get(self, request: Request) -> Response:
        return Response(FormatSerializer(registry.FORMATS.values(), many=True).data)


class Imports(APIView):
    """Send files; a job checks them and, unless it is a dry run, brings them in.

    The same files sent again while their job is at work give the same job.
    """

    parser_classes = [MultiPartParser]

    @extend_schema(request=ImportSerializer, responses={201: JobSerializer})
    def post(self, request: Request, slug: str) -> Response:
        project = access.project_or_404(request.user, slug, "import")
        row = validated(ImportSerializer, request)
        uploads = [
            storing.keep(project, name, content, by=request.user)
            for name, content in storing.files_in(row["files"])
        ]
        about = ("licence", "provenance", "source_language", "target_language")
        job = imports.start(
            project,
            uploads,
            kind=row["format"],
            corpus=row["corpus"],
            by=request.user,
            about={name: row[name] for name in about if name in row},
            encoding=row.get("encoding", ""),
            dry_run=row["dry_run"],
            partial=row["partial"],
            tokenised=row["tokenised"],
        )
        return Response(JobSerializer(job).data, status=201)


class ImportGoOn(APIView):
    """Bring in what a dry run has checked."""

    parser_classes = [JsonParser]

    @extend_schema(request=GoOnSerializer, responses={201: JobSerializer})
    def post(self, request: Request, code: str) -> Response:
        jobs = Job.objects.visible_to(request.user).select_related("project")
        job = get_object_or_404(jobs, code=code, kind="import")
        sent = validated(GoOnSerializer, request)
        made = imports.go_on(job, by=request.user, **sent)
        return Response(JobSerializer(made).data, status=201)


class JobIssues(generics.ListAPIView[Issue]):
    """What a job could not do, row by row; for managers, since it quotes the files."""

    serializer_class = IssueSerializer
    pagination_class = RowPages
    queryset = Issue.objects.none()

    def get_queryset(self) -> Any:
        jobs = Job.objects.visible_to(self.request.user).select_related("project")
        job = get_object_or_404(jobs, code=self.kwargs["code"])
        access.require(self.request.user, "manage", job.project)
        return job.issues.all()


class CorpusExport(APIView):
    """The corpus as a download: one file, or a zip if the format takes several."""

    @extend_schema(
        parameters=[
            OpenApiParameter("author", str, description="whose links (a user name)"),
            OpenApiParameter("split", str, enum=["yes"], description="file by file"),
            OpenApiParameter("exact", str, enum=["yes"], description=EXACT),
        ],
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, code: str, kind: str) -> HttpResponseBase:
        corpora = Corpus.objects.visible_to(request.user).select_related("project")
        corpus = get_object_or_404(corpora, code=code)
        make = partial(
            exports.parts,
            corpus,
            kind,
            by=request.user,
            author=request.query_params.get("author", ""),
            split=request.query_params.get("split") == "yes",
            exact=request.query_params.get("exact") == "yes",
        )
        return attachment(make, f"{corpus.name}.{kind}.zip")
