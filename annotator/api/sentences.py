"""Sentences and their trees: what programs read."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.api.calls.queries import validated
from annotator.api.editing import SecondarySerializer
from annotator.api.managing import VisibleRows
from annotator.api.rows import sentence_of
from annotator.models import Corpus, Origin, Parse, Sentence
from annotator.pages import sentence_records
from annotator.services.treebanks import comparing


class SentenceSerializer(serializers.ModelSerializer[Sentence]):
    tokens = serializers.ListField(
        source="forms", child=serializers.CharField(), read_only=True
    )

    class Meta:
        model = Sentence
        fields = ["code", "ref", "text", "language", "tokens"]


class TreeNodeSerializer(serializers.Serializer[Any]):
    """``ref``: what a layer calls the node; ``words``: positions of its tokens;
    ``span``: the half-open hull around them, wider if the phrase has gaps."""

    id = serializers.IntegerField()
    ref = serializers.CharField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    edge = serializers.CharField(allow_blank=True)
    mother = serializers.IntegerField(allow_null=True)
    span = serializers.ListField(child=serializers.IntegerField())
    words = serializers.ListField(child=serializers.IntegerField())
    form = serializers.CharField(allow_blank=True)


class ArcSerializer(serializers.Serializer[Any]):
    """``head``: a position, or -1 for the root."""

    token = serializers.IntegerField()
    head = serializers.IntegerField()
    relation = serializers.CharField(allow_blank=True)


class AnalysisSerializer(serializers.Serializer[Any]):
    """``text``: brackets or CoNLL-U lines; ``nodes`` of constituents in preorder, the
    root first; ``arcs`` of dependencies by token. ``score`` in nats."""

    code = serializers.CharField()
    kind = serializers.ChoiceField(choices=Parse.Kind.choices)
    origin = serializers.ChoiceField(choices=Origin.choices)
    made_by = serializers.CharField()
    engine = serializers.CharField(allow_blank=True)
    version = serializers.CharField(allow_blank=True)
    rank = serializers.IntegerField()
    score = serializers.FloatField(allow_null=True)
    text = serializers.CharField()
    nodes = TreeNodeSerializer(many=True)
    secondary = SecondarySerializer(many=True)
    arcs = ArcSerializer(many=True)


class SentenceRecordSerializer(serializers.Serializer[Any]):
    """A sentence with every parse of it that you may see, gold first."""

    code = serializers.CharField()
    corpus = serializers.CharField()
    ref = serializers.CharField(allow_blank=True)
    text = serializers.CharField()
    language = serializers.CharField()
    tokens = serializers.ListField(child=serializers.CharField())
    parses = AnalysisSerializer(many=True)


class EdgeSerializer(serializers.Serializer[Any]):
    """One way to make ``node`` of ``parts``, none for a word; ``weight`` in nats."""

    node = serializers.IntegerField()
    parts = serializers.ListField(child=serializers.IntegerField())
    weight = serializers.FloatField()


class PhraseSerializer(serializers.Serializer[Any]):
    """``p``: in how much of the trees, by weight, the phrase is; ``span`` half-open."""

    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    span = serializers.ListField(child=serializers.IntegerField())
    p = serializers.FloatField()


class ForestSerializer(serializers.Serializer[Any]):
    """``nodes``: label, start, end, parts before wholes, the root last; "S+VP" is a
    chain of single children, "" a node that binarisation made."""

    engine = serializers.CharField()
    version = serializers.CharField(allow_blank=True)
    nodes = serializers.ListField(child=serializers.ListField())
    edges = EdgeSerializer(many=True)
    phrases = PhraseSerializer(many=True)


class KindSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(
        choices=Parse.Kind.choices, default=Parse.Kind.CONSTITUENCY
    )


class LikenessSerializer(serializers.Serializer[Any]):
    """Two parses and their similarity, in percent; null: not of this kind, or not
    comparable."""

    a = serializers.CharField(source="a.code")
    b = serializers.CharField(source="b.code")
    f1 = serializers.FloatField(allow_null=True)
    uas = serializers.FloatField(allow_null=True)
    las = serializers.FloatField(allow_null=True)


class CorpusSentences(VisibleRows):
    """The sentences of one corpus: ``/api/corpora/<code>/sentences/``."""

    serializer_class = SentenceSerializer
    queryset = Sentence.objects.none()

    def get_queryset(self) -> QuerySet[Sentence]:
        seen = Corpus.objects.visible_to(self.request.user)
        rows = Sentence.objects.filter(corpus__in=seen)
        return rows.filter(corpus__code=self.kwargs["corpus"]).order_by("pk")


class SentenceView(APIView):
    """One sentence: its tokens, and every parse that you may see, nodes and arcs."""

    @extend_schema(responses=SentenceRecordSerializer)
    def get(self, request: Request, code: str) -> Response:
        sentence = sentence_of(request, code)
        return Response(sentence_records.record(sentence, request.user))


class SentenceForests(APIView):
    """The packed forest of each parser: all trees it thinks possible."""

    @extend_schema(responses=ForestSerializer(many=True))
    def get(self, request: Request, code: str) -> Response:
        sentence = sentence_of(request, code)
        return Response(sentence_records.forests(sentence))


class SentenceLikenesses(APIView):
    """The similarity of the trees of a sentence that you may see."""

    @extend_schema(parameters=[KindSerializer], responses=LikenessSerializer(many=True))
    def get(self, request: Request, code: str) -> Response:
        """Gold, each person's last and each parser's first tree: all pairs of them, the
        least similar first."""
        kind = validated(KindSerializer, request)["kind"]
        sentence = sentence_of(request, code)
        made = comparing.made_of(sentence, kind, request.user)
        likenesses = comparing.likenesses(made)
        return Response(LikenessSerializer(likenesses, many=True).data)
