"""Phrases aligned by the engine: the job, proposals under decisions, what is unsure."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.api.rows import JobSerializer
from annotator.models import AlignmentLayer, Corpus
from annotator.services import aligning

__all__ = ["CorpusAlignments", "LayerProposals"]

SHOWN = 100


class AlignStartSerializer(serializers.Serializer[Any]):
    parser = serializers.CharField(max_length=60, default="english")


class UnsureSerializer(serializers.Serializer[Any]):
    pair = serializers.CharField(source="pair.code")
    ref = serializers.CharField(source="pair.ref")
    layer = serializers.CharField(source="code")
    n_links = serializers.IntegerField()
    entropy = serializers.FloatField(source="meta.entropy", default=None)


class ProposalSerializer(serializers.Serializer[Any]):
    """``links``: source, target, kind, crossing, probability; ``supports``: by link,
    "source target", the links below it."""

    links = serializers.ListField(child=serializers.ListField())
    supports = serializers.DictField(child=serializers.ListField())


class CorpusAlignments(APIView):
    """The aligned pairs, the least certain first; POST aligns those that are not."""

    @extend_schema(responses=UnsureSerializer(many=True))
    def get(self, request: Request, code: str) -> Response:
        rows = aligning.uncertain(_corpus(request, code))[:SHOWN]
        return Response(UnsureSerializer(rows, many=True).data)

    @extend_schema(request=AlignStartSerializer, responses={201: JobSerializer})
    def post(self, request: Request, code: str) -> Response:
        """Align the phrases of the pairs that the engine has not aligned, as a job."""
        corpus = _corpus(request, code)
        sent = AlignStartSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        parser = sent.validated_data["parser"]
        job = aligning.start(corpus, parser, by=request.user)
        return Response(JobSerializer(job).data, status=status.HTTP_201_CREATED)


class LayerProposals(APIView):
    """What the aligner would link on this layer's trees, given all decided in it."""

    @extend_schema(responses=ProposalSerializer)
    def get(self, request: Request, code: str) -> Response:
        """409 if no alignment meets the decisions: it names those that contradict."""
        layers = AlignmentLayer.objects.visible_to(request.user)
        layer = get_object_or_404(
            layers.select_related("source_parse", "target_parse"), code=code
        )
        found = aligning.propose(layer)
        links = [
            [k.source, k.target, k.kind, k.crossing, float(k.attrs.get("prob", 1))]
            for k in found.links
        ]
        return Response({"links": links, "supports": found.supports})


def _corpus(request: Request, code: str) -> Corpus:
    return get_object_or_404(Corpus.objects.visible_to(request.user), code=code)
