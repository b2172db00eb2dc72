"""Editing of constituent and dependency trees."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.api.calls.queries import validated
from annotator.api.rows import sentence_of
from annotator.models import Corpus, Parse, TreeDraft
from annotator.services.corpora.trees import MAX_TEXT
from annotator.services.parses import arc_drafts, consequences, drafts, gold, steps
from core.trees.words import MAX_FORM


class NodeSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    mother = serializers.IntegerField(allow_null=True)
    words = serializers.ListField(child=serializers.IntegerField())
    form = serializers.CharField(allow_blank=True)


class SecondarySerializer(serializers.Serializer[Any]):
    """A secondary edge: the numbers of its two nodes, and its label."""

    node = serializers.IntegerField()
    target = serializers.IntegerField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]


class DraftSerializer(serializers.Serializer[Any]):
    """A draft: its nodes in preorder, its brackets, what undo and redo would take."""

    code = serializers.CharField()
    sentence = serializers.CharField()
    revision = serializers.IntegerField()
    text = serializers.CharField(
        allow_blank=True, help_text="Empty if a line of brackets cannot hold the tree."
    )
    nodes = NodeSerializer(many=True)
    secondary = SecondarySerializer(many=True)
    at = serializers.IntegerField(help_text="The node that the last step was about.")
    undo = serializers.CharField(allow_blank=True)
    redo = serializers.CharField(allow_blank=True)
    followed = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Nodes that came by themselves after the last step.",
    )


class BeginSerializer(serializers.Serializer[Any]):
    base = serializers.RegexField(
        r"^[0-9a-f]{16}\Z", required=False, help_text="The parse to begin as."
    )


class TwoField(serializers.ListField):
    """The fields of the two words of a split."""

    child = serializers.CharField(max_length=MAX_FORM)

    def __init__(self, **options: Any) -> None:
        super().__init__(min_length=2, max_length=2, **options)


class TreeStepSerializer(serializers.Serializer[Any]):
    """One step. ``relabel``: node, label. ``insert``: first, last (siblings), label.
    ``delete``: node. ``move``: node, parent. ``split_phrase``: node, at (which of its
    children the second phrase begins with, from 0), or that child as node alone.
    ``join_phrases``: first, last (siblings), perhaps label. ``replace``: text.
    ``retype``: token (or its node), form. ``split``: token, forms (two), perhaps tags.
    ``join``: token, with the next, perhaps form. ``edge``: node, edge (its label).
    ``add_secondary``, ``remove_secondary``: node, target, edge (its label, or none).
    ``undo``, ``redo``."""

    uuid = serializers.UUIDField()
    base_rev = serializers.IntegerField(min_value=0)
    op = serializers.ChoiceField(choices=sorted(drafts.OPS))
    node = serializers.IntegerField(min_value=0, required=False)
    first = serializers.IntegerField(min_value=0, required=False)
    last = serializers.IntegerField(min_value=0, required=False)
    mother = serializers.IntegerField(min_value=0, required=False)
    target = serializers.IntegerField(min_value=0, required=False)
    edge = serializers.CharField(required=False, allow_blank=True, max_length=60)
    at = serializers.IntegerField(min_value=0, required=False)
    token = serializers.IntegerField(min_value=0, required=False)
    form = serializers.CharField(required=False, max_length=MAX_FORM)
    forms = TwoField(required=False)
    tags = TwoField(required=False)
    label = serializers.CharField(  # type: ignore[assignment]
        required=False, allow_blank=True, max_length=60
    )
    text = serializers.CharField(required=False, max_length=MAX_TEXT)
    follow = serializers.BooleanField(
        default=False,
        help_text="What follows by the parser's forest is a second step, 'follow'; "
        "undo refuses it.",
    )


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


class NewWordsSerializer(serializers.Serializer[Any]):
    """``typed``: by former position the former word, or words, and what they are now.
    ``along``: the gold parse of the other kind that went along. ``keeping``: other
    trees, with the former words. ``layers``: those of links, where words were split or
    joined."""

    typed = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField())
    )
    along = serializers.CharField(source="along.code", default=None)
    keeping = serializers.IntegerField()
    in_text = serializers.BooleanField()
    layers = FollowedSerializer(many=True)


class SavedDraftSerializer(serializers.Serializer[Any]):
    """The parse, and the layers of links that moved to it."""

    parse = serializers.CharField(source="parse.code")
    followed = FollowedSerializer(many=True)
    done = serializers.IntegerField()
    words = NewWordsSerializer(
        allow_null=True, help_text="Words of the sentence that are others by now."
    )


class SentenceDraft(APIView):
    """Your draft of a sentence's constituent tree."""

    @extend_schema(responses=DraftSerializer)
    def get(self, request: Request, code: str) -> Response:
        sentence = sentence_of(request, code)
        kind = Parse.Kind.CONSTITUENCY
        mine = sentence.drafts.filter(author=request.user.pk, kind=kind)
        draft = get_object_or_404(mine)
        draft.sentence = sentence
        return Response(consequences.snapshot(draft))

    @extend_schema(request=BeginSerializer, responses=DraftSerializer)
    def post(self, request: Request, code: str) -> Response:
        """Begin it; asking twice is asking once."""
        base = validated(BeginSerializer, request).get("base", "")
        draft = drafts.start(sentence_of(request, code), by=request.user, base=base)
        return Response(consequences.snapshot(draft))


class DraftOps(APIView):
    """Steps on your draft."""

    @extend_schema(request=TreeStepSerializer, responses=DraftSerializer)
    def post(self, request: Request, code: str) -> Response:
        """One step; sent twice it counts once, from an older revision it is refused.

        409 `stale_edit` has the `draft` as it is now in its facts.
        """
        draft = draft_or_404(request, code, Parse.Kind.CONSTITUENCY)
        sent = validated(TreeStepSerializer, request)
        seen = steps.tree_seen(draft, sent["base_rev"])
        step = drafts.DraftStep.read(sent, seen)
        play = consequences.play if sent["follow"] else drafts.play
        play(draft, step, by=request.user)
        return Response(consequences.snapshot(draft))


class TreeEventSerializer(serializers.Serializer[Any]):
    """A step: ``done`` is the operation, ``back`` the one that takes it back."""

    revision = serializers.IntegerField()
    op = serializers.CharField()
    at = serializers.DateTimeField()
    done = serializers.DictField()
    back = serializers.DictField()


class DraftHistory(APIView):
    """The ledger of your draft."""

    @extend_schema(responses=TreeEventSerializer(many=True))
    def get(self, request: Request, code: str) -> Response:
        """Every step, the first one first: played again they give the draft."""
        events = draft_or_404(request, code).events.order_by("revision")
        return Response(TreeEventSerializer(events, many=True).data)


class DraftSave(APIView):
    """Your draft as a parse: your own, or the gold one."""

    @extend_schema(request=TreeSaveSerializer, responses=SavedDraftSerializer)
    def post(self, request: Request, code: str) -> Response:
        """Your own, or the gold one, in the place of that which you saw.

        409 `stale_edit` if another gold tree was saved meanwhile: the facts have its
        code (`gold`), it (`theirs`) and yours (`mine`). Send that code to go on.
        """
        draft = draft_or_404(request, code)
        sent = validated(TreeSaveSerializer, request)
        if sent["role"] == "mine":
            saved = gold.save(draft, by=request.user)
        else:
            seen = sent.get("gold", "")
            saved = gold.save_as_gold(draft, by=request.user, seen=seen)
        return Response(SavedDraftSerializer(saved).data)


def draft_or_404(request: Request, code: str, *kinds: Parse.Kind) -> TreeDraft:
    """Only one's own drafts, of any kind or of the given kinds; 404 for others'."""
    seen = Corpus.objects.visible_to(request.user)
    rows = TreeDraft.objects.filter(author=request.user.pk, sentence__corpus__in=seen)
    rows = rows.filter(kind__in=kinds or Parse.Kind.values)
    return get_object_or_404(
        rows.select_related("sentence__corpus__project", "base"), code=code
    )


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
        sentence = sentence_of(request, code)
        kind = Parse.Kind.DEPENDENCY
        mine = sentence.drafts.filter(author=request.user.pk, kind=kind)
        draft = get_object_or_404(mine)
        draft.sentence = sentence
        return Response(drafts.snapshot(draft))

    @extend_schema(request=BeginSerializer, responses=ArcDraftSerializer)
    def post(self, request: Request, code: str) -> Response:
        """Begin it; asking twice is asking once."""
        base = validated(BeginSerializer, request).get("base", "")
        sentence = sentence_of(request, code)
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
        sent = validated(ArcStepSerializer, request)
        seen = steps.tree_seen(draft, sent["base_rev"])
        step = arc_drafts.read_step(sent, seen)
        drafts.play(draft, step, by=request.user)
        return Response(drafts.snapshot(draft))
