"""Alignment layers and the operations on them."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.api.calls.queries import validated
from annotator.models import AlignmentLayer, Pair
from annotator.pages import canvas
from annotator.services.alignments import layers, operations
from annotator.services.alignments.links import play
from annotator.services.alignments.operations import OPS, LayerStep
from annotator.services.corpora import trees
from annotator.timing import phase


class OpSerializer(serializers.Serializer[Any]):
    """One operation; ``s`` and ``t`` are nodes, several with spaces between: refs (w3,
    n5), or spans of tokens (0:2 is the highest node over just the tokens 0 and 1)."""

    uuid = serializers.UUIDField()
    base_rev = serializers.IntegerField(min_value=0)
    op = serializers.ChoiceField(choices=sorted(OPS))
    s = serializers.CharField(required=False, allow_blank=True, max_length=4000)
    t = serializers.CharField(required=False, allow_blank=True, max_length=4000)
    kind = serializers.ChoiceField(choices=["sure", "possible"], required=False)
    crossing = serializers.BooleanField(required=False)
    links = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField(max_length=11)),
        required=False,
        max_length=500,
        help_text="For accept: [source, target, kind] each, or with a fourth, "
        '"crossing".',
    )
    key = serializers.CharField(required=False, max_length=500)
    note = serializers.CharField(required=False, max_length=500, allow_blank=True)
    layer = serializers.CharField(required=False, max_length=16)
    side = serializers.ChoiceField(choices=["s", "t"], required=False)
    parse = serializers.CharField(required=False, max_length=16)

    def validate_links(self, rows: list[list[str]]) -> list[tuple[Any, ...]]:
        for row in rows:
            if len(row) not in (3, 4) or row[2] not in ("sure", "possible"):
                raise serializers.ValidationError("Write [source, target, kind].")
            if row[3:] not in ([], ["crossing"]):
                raise serializers.ValidationError("The fourth value must be crossing.")
        return [(*row[:3], len(row) == 4) for row in rows]

    def to_step(self, layer: AlignmentLayer) -> LayerStep:
        return LayerStep.read(operations.by_refs(layer, self.validated_data))


class ProblemSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    rule = serializers.CharField()
    reason = serializers.CharField()
    source = serializers.ListField(child=serializers.CharField())  # type: ignore[assignment]
    target = serializers.ListField(child=serializers.CharField())


class SnapshotSerializer(serializers.Serializer[Any]):
    """A layer: what is decided, what is parked, what is wrong, what can be undone."""

    code = serializers.CharField()
    revision = serializers.IntegerField()
    state = serializers.ChoiceField(choices=AlignmentLayer.State.choices)
    links = serializers.ListField(child=serializers.ListField())
    null_source = serializers.ListField(child=serializers.CharField())
    null_target = serializers.ListField(child=serializers.CharField())
    parked = serializers.ListField(child=serializers.DictField())
    ignored = serializers.DictField(child=serializers.CharField())
    rejected = serializers.DictField(child=serializers.CharField(allow_blank=True))
    brackets = serializers.DictField(child=serializers.CharField())
    source_parse = serializers.CharField(allow_blank=True)
    target_parse = serializers.CharField(allow_blank=True)
    undo = serializers.CharField(allow_blank=True)
    redo = serializers.CharField(allow_blank=True)
    problems = ProblemSerializer(many=True)


class EventSerializer(serializers.Serializer[Any]):
    uuid = serializers.UUIDField()
    revision = serializers.IntegerField()
    op = serializers.CharField()
    by = serializers.CharField(allow_blank=True)
    at = serializers.DateTimeField()
    before = serializers.DictField()
    after = serializers.DictField()
    undoes = serializers.IntegerField(allow_null=True)


class LayerRowSerializer(serializers.ModelSerializer[AlignmentLayer]):
    made_by = serializers.CharField(read_only=True)

    class Meta:
        model = AlignmentLayer
        fields = [
            "code",
            "origin",
            "made_by",
            "name",
            "n_links",
            "revision",
            "state",
            "updated_at",
        ]


class StateSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(choices=AlignmentLayer.State.choices)


class TreeRowSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    side = serializers.ChoiceField(choices=["s", "t"])
    name = serializers.CharField()
    score = serializers.FloatField(allow_null=True)
    only_here = serializers.ListField(child=serializers.CharField())
    not_here = serializers.ListField(child=serializers.CharField())
    fits = serializers.BooleanField()


class PastedSerializer(serializers.Serializer[Any]):
    side = serializers.ChoiceField(choices=["s", "t"])
    text = serializers.CharField(max_length=trees.MAX_TEXT)


class ComparedSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    letter = serializers.CharField()
    name = serializers.CharField()
    links = serializers.ListField(child=serializers.ListField())
    null_source = serializers.ListField(child=serializers.CharField())
    null_target = serializers.ListField(child=serializers.CharField())
    missing = serializers.IntegerField()


def get_pair(request: Request, code: str) -> Pair:
    rows = Pair.objects.visible_to(request.user).select_related(
        "corpus__project", "source", "target"
    )
    return get_object_or_404(rows, code=code)


def get_layer(request: Request, code: str) -> AlignmentLayer:
    """The layer, if the person may see it: then also its pair and its trees."""
    rows = AlignmentLayer.objects.visible_to(request.user).select_related(
        "pair__corpus__project",
        "pair__source",
        "pair__target",
        "source_parse",
        "target_parse",
        "author",
    )
    return get_object_or_404(rows, code=code)


class PairLayers(APIView):
    """The layers of a pair that you may see; your own is started by POST."""

    @extend_schema(responses=LayerRowSerializer(many=True))
    def get(self, request: Request, code: str) -> Response:
        pair = get_pair(request, code)
        rows = AlignmentLayer.objects.visible_to(request.user).filter(pair=pair)
        rows = rows.select_related("author")
        return Response(LayerRowSerializer(rows, many=True).data)

    @extend_schema(request=None, responses=SnapshotSerializer)
    def post(self, request: Request, code: str) -> Response:
        """Start your own layer; asking twice is asking once."""
        layer = layers.start(get_pair(request, code), by=request.user)
        return Response(layers.snapshot(layer, request.user))


class PairTrees(APIView):
    """All trees of both sentences with their scores and how their spans differ."""

    @extend_schema(responses=TreeRowSerializer(many=True))
    def get(self, request: Request, code: str) -> Response:
        shown = canvas.load(get_pair(request, code), None, user=request.user)
        return Response(canvas.trees_of(shown))

    @extend_schema(request=PastedSerializer, responses=TreeRowSerializer(many=True))
    def post(self, request: Request, code: str) -> Response:
        """Add a tree of your own, in brackets; adding it twice is adding it once."""
        pair = get_pair(request, code)
        trees.paste(pair, **validated(PastedSerializer, request), by=request.user)
        return Response(canvas.trees_of(canvas.load(pair, None, user=request.user)))


class LayerView(APIView):
    """One layer as it is now."""

    @extend_schema(responses=SnapshotSerializer)
    def get(self, request: Request, code: str) -> Response:
        return Response(layers.snapshot(get_layer(request, code), request.user))


class LayerOps(APIView):
    """Operations on a layer. Sending one twice (same uuid) does it once; one made from
    an older revision gets 409 with what others did since, and the layer as it is."""

    @extend_schema(request=OpSerializer, responses=SnapshotSerializer)
    def post(self, request: Request, code: str) -> Response:
        layer = get_layer(request, code)
        sent = OpSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        with phase("write"):
            play(layer, sent.to_step(layer), by=request.user)
        with phase("snapshot"):
            return Response(layers.snapshot(get_layer(request, code), request.user))


class LayerHistory(APIView):
    """The last two hundred operations on a layer, newest first."""

    @extend_schema(responses=EventSerializer(many=True))
    def get(self, request: Request, code: str) -> Response:
        return Response(layers.history(get_layer(request, code)))


class LayerState(APIView):
    """Close a layer, or open it again."""

    @extend_schema(request=StateSerializer, responses=SnapshotSerializer)
    def post(self, request: Request, code: str) -> Response:
        layer = get_layer(request, code)
        state = validated(StateSerializer, request)["state"]
        layer = layers.set_state(layer, state, by=request.user)
        return Response(layers.snapshot(layer, request.user))


class LayerCompare(APIView):
    """Up to three other layers mapped to the trees of this one."""

    @extend_schema(
        parameters=[OpenApiParameter("with", str, description="Codes, with commas.")],
        responses=ComparedSerializer(many=True),
    )
    def get(self, request: Request, code: str) -> Response:
        layer = get_layer(request, code)
        codes = request.query_params.get("with", "").split(",")
        shown = canvas.load(layer.pair, layer, user=request.user)
        return Response(canvas.compared(shown, codes))
