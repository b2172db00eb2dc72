"""Parsers, and the parses of a corpus."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.api.rows import JobSerializer
from annotator.models import Corpus, Parse, Sentence
from annotator.services import parse_scores, parsing

__all__ = ["CorpusParses", "Parsers", "SentenceParses"]


class ParseStartSerializer(serializers.Serializer[Any]):
    engine = serializers.CharField(max_length=60)
    n = serializers.IntegerField(
        min_value=1, max_value=parsing.MAX_TREES, default=1, help_text="Trees kept."
    )


class EngineSerializer(serializers.Serializer[Any]):
    engine = serializers.CharField(source="name")
    version = serializers.CharField()
    sentences = serializers.IntegerField(source="n_sentences")
    scores = serializers.DictField()


class ParseSerializer(serializers.ModelSerializer[Parse]):
    class Meta:
        model = Parse
        fields = [
            "code",
            "kind",
            "origin",
            "engine",
            "version",
            "rank",
            "score",
            "text",
            "created_at",
        ]


class Parsers(APIView):
    """The names of the parsers that are installed."""

    @extend_schema(responses=serializers.ListSerializer(child=serializers.CharField()))
    def get(self, request: Request) -> Response:
        return Response(list(parsing.engines()))


class CorpusParses(APIView):
    """Who has parsed a corpus, with scores against its gold; POST starts a parser."""

    @extend_schema(responses=EngineSerializer(many=True))
    def get(self, request: Request, code: str) -> Response:
        rows = parse_scores.engines_of(_corpus(request, code))
        return Response(EngineSerializer(rows, many=True).data)

    @extend_schema(request=ParseStartSerializer, responses={201: JobSerializer})
    def post(self, request: Request, code: str) -> Response:
        """Parse what this engine has not parsed yet, as a job."""
        corpus = _corpus(request, code)
        sent = ParseStartSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        asked = sent.validated_data
        job = parsing.start(corpus, asked["engine"], n=asked["n"], by=request.user)
        return Response(JobSerializer(job).data, status=status.HTTP_201_CREATED)


class SentenceParses(APIView):
    """All parses of a sentence, gold first, engines by rank."""

    @extend_schema(responses=ParseSerializer(many=True))
    def get(self, request: Request, code: str) -> Response:
        seen = Corpus.objects.visible_to(request.user)
        sentence = get_object_or_404(Sentence, code=code, corpus__in=seen)
        rows = sentence.parses.order_by("-origin", "engine", "version", "kind", "rank")
        return Response(ParseSerializer(rows, many=True).data)


def _corpus(request: Request, code: str) -> Corpus:
    rows = Corpus.objects.visible_to(request.user).select_related("project")
    return get_object_or_404(rows, code=code)
