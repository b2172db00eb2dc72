"""Parsers, parses, and constituent trees under somebody's hands."""

from typing import Any

from django.conf import settings
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator import access
from annotator.api.bodies import asked
from annotator.api.rows import JobSerializer, corpus_of
from annotator.errors import BadRequest
from annotator.models import Corpus, Parse, Sentence, TreeDraft
from annotator.services.corpora.trees import MAX_TEXT
from annotator.services.parses import (
    accuracy,
    drafts,
    gold,
    linking,
    offered,
    parsers,
    substitution,
    training,
)
from core.parsing import registry

__all__ = [
    "CorpusHelped",
    "CorpusParses",
    "CorpusTraining",
    "DraftOps",
    "DraftSave",
    "Parsers",
    "ProjectLinking",
    "ProjectParsers",
    "SentenceDraft",
    "SentenceParses",
]


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
    """The parsers that a project may use: everybody's and those it trained itself."""

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
        asked(TrainSerializer, request)
        job = training.start(corpus_of(request, code), by=request.user)
        return Response(JobSerializer(job).data, status=status.HTTP_201_CREATED)


class CorpusParses(APIView):
    """Who has parsed a corpus, with scores against its gold; POST starts a parser."""

    @extend_schema(responses=EngineSerializer(many=True))
    def get(self, request: Request, code: str) -> Response:
        rows = accuracy.engines_of(corpus_of(request, code))
        return Response(EngineSerializer(rows, many=True).data)

    @extend_schema(request=ParseStartSerializer, responses={201: JobSerializer})
    def post(self, request: Request, code: str) -> Response:
        """Parse what this engine has not parsed yet, as a job."""
        corpus = corpus_of(request, code)
        sent = asked(ParseStartSerializer, request)
        job = parsers.start(corpus, sent["engine"], n=sent["n"], by=request.user)
        return Response(JobSerializer(job).data, status=status.HTTP_201_CREATED)


class SentenceParses(APIView):
    """The parses of a sentence that you may see, gold first, engines by rank."""

    @extend_schema(responses=ParseSerializer(many=True))
    def get(self, request: Request, code: str) -> Response:
        seen = Corpus.objects.visible_to(request.user)
        sentence = get_object_or_404(Sentence, code=code, corpus__in=seen)
        rows = accuracy.readable(sentence, request.user)
        return Response(ParseSerializer(rows, many=True).data)


class NodeSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    mother = serializers.IntegerField(allow_null=True)
    words = serializers.ListField(child=serializers.IntegerField())
    form = serializers.CharField(allow_blank=True)


class DraftSerializer(serializers.Serializer[Any]):
    """A draft: its nodes in preorder, its brackets, what undo and redo would take."""

    code = serializers.CharField()
    sentence = serializers.CharField()
    revision = serializers.IntegerField()
    text = serializers.CharField(
        allow_blank=True, help_text="Empty if a line of brackets cannot hold the tree."
    )
    nodes = NodeSerializer(many=True)
    at = serializers.IntegerField(help_text="The node that the last step was about.")
    undo = serializers.CharField(allow_blank=True)
    redo = serializers.CharField(allow_blank=True)


class BeginSerializer(serializers.Serializer[Any]):
    base = serializers.RegexField(
        r"^[0-9a-f]{16}\Z", required=False, help_text="The parse to begin as."
    )


class TreeStepSerializer(serializers.Serializer[Any]):
    """One step. ``relabel``: node, label. ``insert``: first, last (sisters), label.
    ``delete``: node. ``move``: node, mother. ``replace``: text. ``undo``, ``redo``."""

    uuid = serializers.UUIDField()
    base_rev = serializers.IntegerField(min_value=0)
    op = serializers.ChoiceField(choices=sorted(drafts.OPS))
    node = serializers.IntegerField(min_value=0, required=False)
    first = serializers.IntegerField(min_value=0, required=False)
    last = serializers.IntegerField(min_value=0, required=False)
    mother = serializers.IntegerField(min_value=0, required=False)
    at = serializers.IntegerField(min_value=0, required=False)
    label = serializers.CharField(  # type: ignore[assignment]
        required=False, allow_blank=True, max_length=60
    )
    text = serializers.CharField(required=False, max_length=MAX_TEXT)


class TreeSaveSerializer(serializers.Serializer[Any]):
    role = serializers.ChoiceField(choices=["mine", "gold"])
    gold = serializers.RegexField(
        r"^[0-9a-f]{16}\Z",
        required=False,
        help_text="For gold: the gold parse you saw, if there was one.",
    )


class FollowedSerializer(serializers.Serializer[Any]):
    pair = serializers.CharField()
    kept = serializers.IntegerField()
    parked = serializers.IntegerField()


class SavedDraftSerializer(serializers.Serializer[Any]):
    """The parse, and the layers of links that moved to it."""

    parse = serializers.CharField(source="parse.code")
    followed = FollowedSerializer(many=True)
    done = serializers.IntegerField()


class SentenceDraft(APIView):
    """Your draft of a sentence's constituent tree."""

    @extend_schema(responses=DraftSerializer)
    def get(self, request: Request, code: str) -> Response:
        sentence = _sentence(request, code)
        draft = get_object_or_404(sentence.drafts, author=request.user.pk)
        draft.sentence = sentence
        return Response(drafts.snapshot(draft))

    @extend_schema(request=BeginSerializer, responses=DraftSerializer)
    def post(self, request: Request, code: str) -> Response:
        """Begin it; asking twice is asking once."""
        sent = BeginSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        base = sent.validated_data.get("base", "")
        draft = drafts.start(_sentence(request, code), by=request.user, base=base)
        return Response(drafts.snapshot(draft))


class DraftOps(APIView):
    """Steps on your draft."""

    @extend_schema(request=TreeStepSerializer, responses=DraftSerializer)
    def post(self, request: Request, code: str) -> Response:
        """One step; sent twice it counts once, from an older revision it is refused."""
        draft = _draft(request, code)
        sent = TreeStepSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        step = drafts.DraftStep.read(sent.validated_data, draft.to_tree())
        drafts.play(draft, step, by=request.user)
        return Response(drafts.snapshot(draft))


class DraftSave(APIView):
    """Your draft as a parse: your own, or the gold one."""

    @extend_schema(request=TreeSaveSerializer, responses=SavedDraftSerializer)
    def post(self, request: Request, code: str) -> Response:
        draft = _draft(request, code)
        sent = TreeSaveSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        if sent.validated_data["role"] == "mine":
            saved = gold.save(draft, by=request.user)
        else:
            seen = sent.validated_data.get("gold", "")
            saved = gold.save_as_gold(draft, by=request.user, seen=seen)
        return Response(SavedDraftSerializer(saved).data)


def _sentence(request: Request, code: str) -> Sentence:
    seen = Corpus.objects.visible_to(request.user)
    rows = Sentence.objects.filter(corpus__in=seen).select_related("corpus__project")
    return get_object_or_404(rows, code=code)


def _draft(request: Request, code: str) -> TreeDraft:
    """One's own alone: others' drafts are nobody's business."""
    seen = Corpus.objects.visible_to(request.user)
    rows = TreeDraft.objects.filter(author=request.user.pk, sentence__corpus__in=seen)
    return get_object_or_404(
        rows.select_related("sentence__corpus__project", "base"), code=code
    )


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
        rows = linking.of_project(project)
        return Response(LinkingSerializer(rows, many=True).data)

    @extend_schema(request=LinkingStartSerializer, responses={201: JobSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Count sentences of corpora, as a job; managers alone."""
        project = access.project_or_404(request.user, slug)
        sent = asked(LinkingStartSerializer, request)
        codes = set(sent.pop("corpora"))
        corpora = list(project.corpora.filter(code__in=codes))
        if len(corpora) != len(codes):
            raise BadRequest("There is no such corpus here.", field="corpora")
        job = linking.start(
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
        seen = Corpus.objects.visible_to(request.user).select_related("project")
        corpus = get_object_or_404(seen, code=code)
        sent = asked(HelpedStartSerializer, request)
        job = substitution.start(
            corpus,
            sent["parser"],
            sent["linking"],
            method=sent["method"],
            n=sent["n"],
            by=request.user,
        )
        return Response(JobSerializer(job).data, status=status.HTTP_201_CREATED)
