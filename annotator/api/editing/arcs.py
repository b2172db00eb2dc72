"""Dependency trees edited by programs: drafts of arcs, step by step."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.api.editing.trees import (
    BeginSerializer,
    TwoField,
    draft_or_404,
    sentence_or_404,
)
from annotator.models import Parse
from annotator.services.corpora.trees import MAX_TEXT
from annotator.services.parses import arc_drafts, drafts, steps
from core.trees.words import MAX_FORM


class DraftArcSerializer(serializers.Serializer[Any]):
    """``head``: a position, or -1 for the root."""

    token = serializers.IntegerField()
    form = serializers.CharField()
    head = serializers.IntegerField()
    relation = serializers.CharField(allow_blank=True)


class ArcDraftSerializer(serializers.Serializer[Any]):
    """A draft of arcs: its token lines, its arcs, what undo and redo would take."""

    code = serializers.CharField()
    sentence = serializers.CharField()
    revision = serializers.IntegerField()
    text = serializers.CharField(help_text="CoNLL-U token lines.")
    arcs = DraftArcSerializer(many=True)
    at = serializers.IntegerField(help_text="The word that the last step was about.")
    undo = serializers.CharField(allow_blank=True)
    redo = serializers.CharField(allow_blank=True)


class ArcStepSerializer(serializers.Serializer[Any]):
    """One step. ``attach``: token, head (-1: root), perhaps relation. ``relation``:
    token, relation. ``replace``: text. ``retype``: token, form.
    ``split``: token, forms (two), perhaps relation of the second to the first.
    ``join``: token, with the next, perhaps form. ``undo``, ``redo``."""

    uuid = serializers.UUIDField()
    base_rev = serializers.IntegerField(min_value=0)
    op = serializers.ChoiceField(choices=sorted(arc_drafts.OPS))
    token = serializers.IntegerField(min_value=0, required=False)
    head = serializers.IntegerField(min_value=-1, required=False)
    relation = serializers.CharField(required=False, max_length=60)
    form = serializers.CharField(required=False, max_length=MAX_FORM)
    forms = TwoField(required=False)
    text = serializers.CharField(required=False, max_length=MAX_TEXT)


class SentenceArcDraft(APIView):
    """Your draft of a sentence's arcs."""

    @extend_schema(responses=ArcDraftSerializer)
    def get(self, request: Request, code: str) -> Response:
        sentence = sentence_or_404(request, code)
        kind = Parse.Kind.DEPENDENCY
        mine = sentence.drafts.filter(author=request.user.pk, kind=kind)
        draft = get_object_or_404(mine)
        draft.sentence = sentence
        return Response(drafts.snapshot(draft))

    @extend_schema(request=BeginSerializer, responses=ArcDraftSerializer)
    def post(self, request: Request, code: str) -> Response:
        """Begin it; asking twice is asking once."""
        sent = BeginSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        base = sent.validated_data.get("base", "")
        sentence = sentence_or_404(request, code)
        draft = arc_drafts.start(sentence, by=request.user, base=base)
        return Response(drafts.snapshot(draft))


class ArcDraftOps(APIView):
    """Steps on your draft of arcs."""

    @extend_schema(request=ArcStepSerializer, responses=ArcDraftSerializer)
    def post(self, request: Request, code: str) -> Response:
        """One step; sent twice it counts once, from an older revision it is refused.

        409 `stale_edit` and the way on are as with constituents.
        """
        draft = draft_or_404(request, code, Parse.Kind.DEPENDENCY)
        sent = ArcStepSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        seen = steps.tree_seen(draft, sent.validated_data["base_rev"])
        step = arc_drafts.read_step(sent.validated_data, seen)
        drafts.play(draft, step, by=request.user)
        return Response(drafts.snapshot(draft))
