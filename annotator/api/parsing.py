"""Parsers, parses, and constituency trees being edited."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator import access
from annotator.api.calls.queries import validated
from annotator.api.rows import JobSerializer, corpus_of, sentence_of
from annotator.errors import BadRequest
from annotator.models import Parse
from annotator.services.parses import (
    accuracy,
    linking_corpora,
    offered,
    parsers,
    substitution,
    training,
)
from core.parsing import registry


class ParseStartSerializer(serializers.Serializer[Any]):
    engine = serializers.CharField(max_length=60)
    n = serializers.IntegerField(
        min_value=1, max_value=parsers.MAX_TREES, default=1, help_text="Trees kept."
    )


class TrainSerializer(serializers.Serializer[Any]):
    """Nothing is chosen."""


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


class OfferSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    owner = serializers.CharField(help_text="The project that trained it, or empty.")
    f1 = serializers.FloatField(
        allow_null=True, help_text="Percent, cross-validated on its own treebank."
    )
    gives_arcs = serializers.BooleanField()


class Parsers(APIView):
    """The names of the parsers that every project may use."""

    @extend_schema(responses=serializers.ListSerializer(child=serializers.CharField()))
    def get(self, request: Request) -> Response:
        return Response(list(registry.names(settings.MODELS_DIR)))


class ProjectParsers(APIView):
    """The parsers that a project may use: everyone's and those it trained itself."""

    @extend_schema(responses=OfferSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_or_404(request.user, slug)
        rows = offered.of_project(project)
        return Response(OfferSerializer(rows, many=True).data)


class CorpusTraining(APIView):
    """A parser of the project's own, trained on a corpus's gold trees."""

    @extend_schema(request=TrainSerializer, responses={201: JobSerializer})
    def post(self, request: Request, code: str) -> Response:
        """Cross-validate and train, as a job; managers alone."""
        validated(TrainSerializer, request)
        job = training.start(corpus_of(request, code), by=request.user)
        return Response(JobSerializer(job).data, status=status.HTTP_201_CREATED)


class CorpusParses(APIView):
    """The parsers that parsed a corpus, with scores against its gold; POST starts a
    parser."""

    @extend_schema(responses=EngineSerializer(many=True))
    def get(self, request: Request, code: str) -> Response:
        rows = accuracy.engines_of(corpus_of(request, code))
        return Response(EngineSerializer(rows, many=True).data)

    @extend_schema(request=ParseStartSerializer, responses={201: JobSerializer})
    def post(self, request: Request, code: str) -> Response:
        """Parse what this engine has not parsed yet, as a job."""
        corpus = corpus_of(request, code)
        sent = validated(ParseStartSerializer, request)
        job = parsers.start(corpus, sent["engine"], n=sent["n"], by=request.user)
        return Response(JobSerializer(job).data, status=status.HTTP_201_CREATED)


class SentenceParses(APIView):
    """The parses of a sentence that you may see, gold first, engines by rank."""

    @extend_schema(responses=ParseSerializer(many=True))
    def get(self, request: Request, code: str) -> Response:
        sentence = sentence_of(request, code)
        rows = accuracy.readable(sentence, request.user)
        return Response(ParseSerializer(rows, many=True).data)


class LinkingSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    tokens = serializers.IntegerField()
    kinds = serializers.IntegerField(help_text="Different forms.")
    digest = serializers.CharField(help_text="SHA-256 of the text.")
    licence = serializers.CharField()
    sources = serializers.ListField(child=serializers.CharField())


class LinkingStartSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=20)
    corpora = serializers.ListField(
        child=serializers.CharField(max_length=16),
        min_length=1,
        max_length=1000,
        help_text="Codes of corpora of the project, whose sentences are counted.",
    )
    licence = serializers.CharField(max_length=200, default="", allow_blank=True)


class HelpedStartSerializer(serializers.Serializer[Any]):
    parser = serializers.CharField(max_length=60)
    linking = serializers.CharField(max_length=20)
    method = serializers.ChoiceField(choices=list(substitution.METHODS), default="tell")
    n = serializers.IntegerField(
        min_value=1, max_value=parsers.MAX_TREES, default=1, help_text="Trees kept."
    )


class ProjectLinking(APIView):
    """Plain text counted for substitution; POST counts more."""

    @extend_schema(responses=LinkingSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_or_404(request.user, slug)
        rows = linking_corpora.of_project(project)
        return Response(LinkingSerializer(rows, many=True).data)

    @extend_schema(request=LinkingStartSerializer, responses={201: JobSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Count sentences of corpora, as a job; managers alone."""
        project = access.project_or_404(request.user, slug)
        sent = validated(LinkingStartSerializer, request)
        codes = set(sent.pop("corpora"))
        corpora = list(project.corpora.filter(code__in=codes))
        if len(corpora) != len(codes):
            raise BadRequest("There is no such corpus here.", field="corpora")
        job = linking_corpora.start(
            project,
            sent["name"],
            corpora=corpora,
            licence=sent["licence"],
            by=request.user,
        )
        return Response(JobSerializer(job).data, status=status.HTTP_201_CREATED)


class CorpusHelped(APIView):
    """Parsing a corpus without substitution and with it."""

    @extend_schema(request=HelpedStartSerializer, responses={201: JobSerializer})
    def post(self, request: Request, code: str) -> Response:
        """Start the job; what it makes is then a parser of the project."""
        corpus = corpus_of(request, code)
        sent = validated(HelpedStartSerializer, request)
        job = substitution.start(
            corpus,
            sent["parser"],
            sent["linking"],
            method=sent["method"],
            n=sent["n"],
            by=request.user,
        )
        return Response(JobSerializer(job).data, status=status.HTTP_201_CREATED)
