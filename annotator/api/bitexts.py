"""Parallel text for programs: uploaded, read, linked and parsed by jobs."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator import access
from annotator.api.calls.queries import validated
from annotator.api.rows import JobSerializer
from annotator.exchange import bitexts as exchange
from annotator.exchange.files import ENCODINGS
from annotator.models import Bitext
from annotator.services.paraphrases import bitext_links, bitext_parses, bitexts

ABOUT = ("licence", "provenance", "source_language", "target_language")


class BitextSerializer(serializers.ModelSerializer[Bitext]):
    """``aligner``, ``parser``: who linked the words and parsed, "" while no one has."""

    class Meta:
        model = Bitext
        fields = [
            "code",
            "name",
            "source_language",
            "target_language",
            "licence",
            "provenance",
            "files",
            "n_pairs",
            "n_gaps",
            "n_sentences",
            "n_source_tokens",
            "n_target_tokens",
            "n_links",
            "n_parsed",
            "aligner",
            "parser",
            "created_at",
        ]


class BitextImportSerializer(serializers.Serializer[Any]):
    """Files and what they are; for Moses: source text, counterpart, perhaps links."""

    files = serializers.ListField(
        child=serializers.FileField(allow_empty_file=True), min_length=1, max_length=3
    )
    format = serializers.ChoiceField(choices=list(exchange.FORMATS))
    name = serializers.CharField(max_length=120)
    source_language = serializers.CharField(max_length=35, default="en")
    target_language = serializers.CharField(max_length=35)
    raw = serializers.BooleanField(default=False)
    linked = serializers.BooleanField(default=False)
    escaped = serializers.BooleanField(default=False)
    licence = serializers.CharField(max_length=200, default="", allow_blank=True)
    provenance = serializers.CharField(max_length=2000, default="", allow_blank=True)
    encoding = serializers.ChoiceField(choices=ENCODINGS, default="")
    dry_run = serializers.BooleanField(default=True)
    partial = serializers.BooleanField(default=False)  # type: ignore[assignment]


class LinkSerializer(serializers.Serializer[Any]):
    engine = serializers.ChoiceField(choices=["hmm", "eflomal"], default="hmm")
    symmetrise = serializers.ChoiceField(
        choices=bitext_links.SYMMETRISATIONS, default=bitext_links.SYMMETRISATIONS[0]
    )


class ParserSerializer(serializers.Serializer[Any]):
    engine = serializers.CharField(max_length=60)


class Bitexts(APIView):
    """The parallel text of a project; POST sends files, which a job checks and,
    unless it is a dry run, brings in."""

    parser_classes = [MultiPartParser]

    @extend_schema(responses=BitextSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_or_404(request.user, slug)
        return Response(BitextSerializer(project.bitexts.all(), many=True).data)

    @extend_schema(request=BitextImportSerializer, responses={201: JobSerializer})
    def post(self, request: Request, slug: str) -> Response:
        project = access.project_or_404(request.user, slug, "import")
        row = validated(BitextImportSerializer, request)
        uploads = bitexts.keep(project, row["files"], by=request.user)
        reading = {name: row[name] for name in exchange.BitextReading.__slots__}
        job = bitexts.start(
            project,
            uploads,
            name=row["name"],
            reading=exchange.BitextReading(**reading),
            by=request.user,
            about={name: row[name] for name in ABOUT},
            encoding=row["encoding"],
            dry_run=row["dry_run"],
            partial=row["partial"],
        )
        return Response(JobSerializer(job).data, status=201)


class BitextView(APIView):
    """One bitext: where it is from, what it holds, who linked and parsed it."""

    @extend_schema(responses=BitextSerializer)
    def get(self, request: Request, code: str) -> Response:
        return Response(BitextSerializer(_bitext(request, code)).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, code: str) -> Response:
        bitexts.delete(_bitext(request, code), by=request.user)
        return Response(status=204)


class BitextLinking(APIView):
    """Link the words of every pair, as a job."""

    @extend_schema(request=LinkSerializer, responses={201: JobSerializer})
    def post(self, request: Request, code: str) -> Response:
        sent = validated(LinkSerializer, request)
        row = _bitext(request, code)
        job = bitext_links.start(row, by=request.user, **sent)
        return Response(JobSerializer(job).data, status=201)


class BitextParses(APIView):
    """Parse the English side, each distinct sentence once, as a job."""

    @extend_schema(request=ParserSerializer, responses={201: JobSerializer})
    def post(self, request: Request, code: str) -> Response:
        engine = validated(ParserSerializer, request)["engine"]
        job = bitext_parses.start(_bitext(request, code), engine, by=request.user)
        return Response(JobSerializer(job).data, status=201)


def _bitext(request: Request, code: str) -> Bitext:
    rows = Bitext.objects.visible_to(request.user).select_related("project")
    return get_object_or_404(rows, code=code)
