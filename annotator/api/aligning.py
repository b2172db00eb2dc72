"""Phrase alignment by the engine: the job, proposals under decisions, uncertain
links."""

from types import SimpleNamespace
from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator import access
from annotator.api.calls.queries import validated
from annotator.api.layers import get_layer
from annotator.api.rows import JobSerializer, corpus_of
from annotator.errors import BadRequest
from annotator.models import Origin, Pair, Parse, ScoreRun
from annotator.services.alignments import (
    finding,
    layers,
    phrases,
    proposals,
    scores,
)
from annotator.services.alignments.words import METHODS, start_by
from annotator.throughput.prepared import Select, Slot, several
from core.parsing import registry


class ScoreRunSerializer(serializers.ModelSerializer[ScoreRun]):
    class Meta:
        model = ScoreRun
        fields = [
            "code",
            "scorer",
            "label",
            "version",
            "parameters",
            "n_scored",
            "created_at",
        ]


class ScoreStartSerializer(serializers.Serializer[None]):
    scorer = serializers.ChoiceField(choices=list(scores.scorers()))


class CorpusScores(APIView):
    """The scorings of a corpus, newest first; POST starts one, as a job."""

    @extend_schema(responses=ScoreRunSerializer(many=True))
    def get(self, request: Request, corpus: str) -> Response:
        runs = corpus_of(request, corpus).score_runs.all()
        return Response(ScoreRunSerializer(runs, many=True).data)

    @extend_schema(request=ScoreStartSerializer, responses={202: JobSerializer})
    def post(self, request: Request, corpus: str) -> Response:
        sent = validated(ScoreStartSerializer, request)
        row = corpus_of(request, corpus)
        job = scores.start(row, sent["scorer"], by=request.user)
        return Response(JobSerializer(job).data, status=202)


class FoundPartSerializer(serializers.Serializer[Any]):
    """Found pairs of scores ``low`` to ``high``: ``size``, and of those ``judged`` how
    many are ``right``."""

    low = serializers.FloatField()
    high = serializers.FloatField()
    size = serializers.IntegerField(source="stratum.size")
    judged = serializers.IntegerField(source="stratum.judged")
    right = serializers.IntegerField(source="stratum.right")


class PrecisionSerializer(serializers.Serializer[Any]):
    """The estimated share of paraphrases, with its 95 % interval; ``n``: judged."""

    value = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    n = serializers.IntegerField()


class FindSerializer(serializers.Serializer[Any]):
    """A search for paraphrases. ``corpus``: that got them; ``campaign``: in which a
    sample is judged; null if deleted. ``precision``: null while a part has no judgment.
    """

    job = serializers.CharField(source="job.code")
    corpus = serializers.CharField(source="corpus.code", default=None)
    campaign = serializers.CharField(source="campaign.code", default=None)
    state = serializers.CharField(source="job.state")
    found = serializers.IntegerField(source="job.result.found", default=None)
    parts = FoundPartSerializer(many=True)
    precision = PrecisionSerializer(allow_null=True)


class FindStartSerializer(serializers.Serializer[None]):
    """``name``: of the corpus that gets the pairs; ``other``: a corpus to compare with;
    ``least``: the lowest score; ``sample``: pairs to judge, 0 for none."""

    name = serializers.CharField(max_length=120)
    other = serializers.CharField(required=False)
    least = serializers.FloatField(min_value=0, max_value=1, default=finding.LEAST)
    sample = serializers.IntegerField(
        min_value=0, max_value=finding.MOST_SAMPLED, default=finding.SAMPLE
    )


class CorpusFinds(APIView):
    """The searches for paraphrases in a corpus, newest first; POST starts one, as a
    job."""

    @extend_schema(responses=FindSerializer(many=True))
    def get(self, request: Request, corpus: str) -> Response:
        row = corpus_of(request, corpus)
        access.require(request.user, "run", row.project)
        return Response(FindSerializer(finding.finds_of(row), many=True).data)

    @extend_schema(request=FindStartSerializer, responses={202: JobSerializer})
    def post(self, request: Request, corpus: str) -> Response:
        sent = validated(FindStartSerializer, request)
        row = corpus_of(request, corpus)
        if code := sent.pop("other", ""):
            sent["other"] = get_object_or_404(row.project.corpora, code=code)
        job = finding.start(row, by=request.user, **sent)
        return Response(JobSerializer(job).data, status=202)


_ASKING: Any = SimpleNamespace(pk=Slot("user"))
_PAIR = Select(
    lambda: (
        Pair.objects.visible_to(_ASKING)
        .select_related("corpus__project", "source", "target")
        .filter(code=Slot("code"))
    )
)
_PARSES = Select(
    lambda: Parse.objects.select_related("sentence").filter(
        code__in=several("codes", 2)
    )
)
SHOWN = 100
MOST = 2_000  # decisions


class AlignStartSerializer(serializers.Serializer[Any]):
    method = serializers.ChoiceField(
        choices=list(METHODS),
        default="phrases",
        help_text="Phrases over trees; words one to one, or many to many.",
    )
    parser = serializers.CharField(
        max_length=60,
        default=registry.DEFAULT,
        allow_blank=True,
        help_text="Of words it gives vectors and tags; empty: forms and WordNet alone.",
    )


class UnsureSerializer(serializers.Serializer[Any]):
    pair = serializers.CharField(source="pair.code")
    ref = serializers.CharField(source="pair.ref")
    layer = serializers.CharField(source="code")
    state = serializers.ChoiceField(source="pair.state", choices=Pair.State.choices)
    n_links = serializers.IntegerField()
    doubt = serializers.FloatField(
        allow_null=True, help_text="Wrong links and nulls, to be expected."
    )


class PlaceField(serializers.RegexField):
    """``3-5``: the words 3 and 4, counted from 0."""

    def __init__(self, **options: Any) -> None:
        super().__init__(r"^[0-9]{1,4}-[0-9]{1,4}$", **options)


class BracketSerializer(serializers.Serializer[Any]):
    side = serializers.ChoiceField(choices=["s", "t"])
    words = PlaceField()
    rule = serializers.ChoiceField(choices=["must-bracket", "cannot-bracket"])


class DecidedSerializer(serializers.Serializer[Any]):
    """Two trees, and what a person has decided: nodes as refs, words as places."""

    source_parse = serializers.CharField(max_length=16)
    target_parse = serializers.CharField(max_length=16)
    links = serializers.ListField(
        child=serializers.ListField(
            child=serializers.CharField(max_length=10), min_length=2, max_length=2
        ),
        default=list,
        max_length=MOST,
    )
    null_source = serializers.ListField(
        child=serializers.CharField(max_length=10), default=list, max_length=MOST
    )
    null_target = serializers.ListField(
        child=serializers.CharField(max_length=10), default=list, max_length=MOST
    )
    rejected = serializers.ListField(
        child=serializers.ListField(child=PlaceField(), min_length=2, max_length=2),
        default=list,
        max_length=MOST,
    )
    brackets = BracketSerializer(many=True, default=list)
    take = serializers.ChoiceField(
        choices=["s", "t"],
        allow_blank=True,
        default="",
        help_text="For better trees alone.",
    )


class ProposalSerializer(serializers.Serializer[Any]):
    """``links``: source, target, kind, crossing, probability; ``supports``: by link,
    "source target", the links below it; ``grounds``: why two words are linked;
    ``said``: decisions that exclude each other, in sentences."""

    links = serializers.ListField(child=serializers.ListField())
    supports = serializers.DictField(child=serializers.ListField())
    grounds = serializers.DictField(child=serializers.CharField())
    said = serializers.ListField(child=serializers.CharField())


class PreferredSerializer(serializers.Serializer[Any]):
    side = serializers.ChoiceField(choices=["s", "t"])
    nats = serializers.FloatField(allow_null=True)
    only_here = serializers.ListField(child=serializers.CharField())
    not_here = serializers.ListField(child=serializers.CharField())
    parse = serializers.CharField(allow_blank=True)


class CorpusAlignments(APIView):
    """The aligned pairs, the least certain first; POST aligns those that are not."""

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "state", str, description="Of the pairs; open: all that are not done."
            )
        ],
        responses=UnsureSerializer(many=True),
    )
    def get(self, request: Request, code: str) -> Response:
        state = request.query_params.get("state", "")
        rows = phrases.uncertain(corpus_of(request, code), state=state)[:SHOWN]
        return Response(UnsureSerializer(rows, many=True).data)

    @extend_schema(request=AlignStartSerializer, responses={201: JobSerializer})
    def post(self, request: Request, code: str) -> Response:
        """Align the phrases or words of all pairs that are not aligned, as a job."""
        corpus = corpus_of(request, code)
        sent = validated(AlignStartSerializer, request)
        job = start_by(corpus, **sent, by=request.user)
        return Response(JobSerializer(job).data, status=status.HTTP_201_CREATED)


class PairProposals(APIView):
    """The aligner's proposals on two trees of a pair, given decisions."""

    @extend_schema(request=DecidedSerializer, responses=ProposalSerializer)
    def post(self, request: Request, code: str) -> Response:
        """Nothing is stored. 503 if the engine cannot answer now; nothing depends on
        it."""
        pair, parses, decided, _ = _read(request, code)
        return _proposal(proposals.propose(pair, parses, decided))


class PairBetterTrees(APIView):
    """Other trees of the parser's forests that go better with what is decided."""

    @extend_schema(request=DecidedSerializer, responses=PreferredSerializer(many=True))
    def post(self, request: Request, code: str) -> Response:
        """With ``take``, the tree of that side is stored, and named by ``parse``."""
        pair, parses, decided, take = _read(request, code)
        preferred = proposals.prefer(pair, parses, decided, by=request.user, take=take)
        return Response(PreferredSerializer(preferred, many=True).data)


class LayerProposals(APIView):
    """The aligner's proposals on a layer's trees, given all its decisions."""

    @extend_schema(responses=ProposalSerializer)
    def get(self, request: Request, code: str) -> Response:
        layer = get_layer(request, code)
        if layer.source_parse is None or layer.target_parse is None:
            raise BadRequest("Links of phrases need a tree on both sides.")
        decided = proposals.decided_in(layers.draft_of(layer))
        parses = layer.source_parse, layer.target_parse
        return _proposal(proposals.propose(layer.pair, parses, decided))


def _read(
    request: Request, code: str
) -> tuple[Pair, proposals.Parses, proposals.Decided, str]:
    matches = _PAIR.models(code=code, user=request.user.pk)
    if not matches:
        raise Http404
    (pair,) = matches
    data = validated(DecidedSerializer, request)
    codes = data["source_parse"], data["target_parse"]
    sentences = pair.source_id, pair.target_id
    matches = _PARSES.models(codes=codes)
    rows = {row.code: row for row in matches if row.sentence_id in sentences}
    others = [
        row
        for row in rows.values()
        if row.origin == Origin.ANNOTATOR and row.author_id != request.user.pk
    ]
    if others and not access.may(request.user, "see_others", pair.corpus.project):
        raise Http404
    if not rows.keys() >= set(codes):
        raise Http404
    place = proposals.place_of
    decided = proposals.Decided(
        tuple((s, t) for s, t in data["links"]),
        tuple(data["null_source"]),
        tuple(data["null_target"]),
        tuple((place(s), place(t)) for s, t in data["rejected"]),
        tuple((b["side"], place(b["words"]), b["rule"]) for b in data["brackets"]),
    )
    return pair, (rows[codes[0]], rows[codes[1]]), decided, data["take"]


def _proposal(proposal: proposals.Proposal) -> Response:
    links = [
        [k.source, k.target, k.kind, k.crossing, float(k.attrs.get("prob", 1))]
        for k in proposal.links
    ]
    rest = {
        "supports": proposal.supports,
        "grounds": proposal.grounds,
        "said": proposal.conflicts,
    }
    return Response({"links": links, **rest})
