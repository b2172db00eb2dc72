"""Worklists for programs."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.api.calls.bodies import validated
from annotator.api.rows import corpus_of
from annotator.models import Corpus, Worklist, WorkShare
from annotator.pages.treebanks import worklists as pages
from annotator.services.treebanks import worklists
from annotator.services.treebanks.worklists import MAX_EACH, MAX_SIZE, Wanted


class HandOutSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=80)
    query = serializers.CharField(
        max_length=1000, default="", allow_blank=True, help_text="Empty: all of it."
    )
    unit = serializers.ChoiceField(choices=Worklist.Unit.choices)
    ranking = serializers.ChoiceField(choices=Worklist.Ranking.choices)
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=0)
    size = serializers.IntegerField(min_value=1, max_value=MAX_SIZE, default=100)
    n_each = serializers.IntegerField(
        min_value=1, max_value=MAX_EACH, default=1, help_text="People for each item."
    )
    people = serializers.ListField(
        child=serializers.CharField(max_length=150), min_length=1, max_length=500
    )


class WorklistSerializer(serializers.Serializer[Any]):
    """``done``, ``wanted``: of all people, to managers; ``own_done``: your own."""

    code = serializers.CharField(source="list.code")
    name = serializers.CharField(source="list.name")
    unit = serializers.CharField(source="list.unit")
    closed_at = serializers.DateTimeField(source="list.closed_at", allow_null=True)
    done = serializers.IntegerField(required=False)
    wanted = serializers.IntegerField(required=False)
    own_done = serializers.IntegerField()
    own_skipped = serializers.IntegerField()


class ShareSerializer(serializers.Serializer[WorkShare]):
    """Your work on an item: of a tree its sentence, else its pair."""

    code = serializers.CharField()
    state = serializers.CharField()
    sentence = serializers.CharField(
        source="item.sentence.code", default=None, allow_null=True
    )
    pair = serializers.CharField(source="item.pair.code", default=None, allow_null=True)


class NextSerializer(serializers.Serializer[Any]):
    work = ShareSerializer(allow_null=True, help_text="Null: nothing is left for you.")


class FinishSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(choices=["done", "skipped"])
    note = serializers.CharField(max_length=300, default="", allow_blank=True)


class CorpusWorklists(APIView):
    """Work that is handed out over a corpus."""

    @extend_schema(responses=WorklistSerializer(many=True))
    def get(self, request: Request, code: str) -> Response:
        """Your lists; to managers all."""
        page = pages.corpus_page(corpus_of(request, code), by=request.user)
        lists = [_shown(one, all_of_it=page["may_manage"]) for one in page["lists"]]
        return Response(WorklistSerializer(lists, many=True).data)

    @extend_schema(request=HandOutSerializer, responses=WorklistSerializer)
    def post(self, request: Request, code: str) -> Response:
        """Hand out what a query finds, ranked, cut to a size."""
        corpus = corpus_of(request, code)
        sent = validated(HandOutSerializer, request)
        wanted = Wanted(**sent | {"people": tuple(sent["people"])})
        made = worklists.make(corpus, wanted, by=request.user)
        page = pages.list_page(made, by=request.user)
        return Response(WorklistSerializer(page | {"list": made}).data)


class WorkNext(APIView):
    """What you work on next."""

    @extend_schema(request=None, responses=NextSerializer)
    def post(self, request: Request, code: str) -> Response:
        """What you have under hand, else the next item that wants someone."""
        seen = Corpus.objects.visible_to(request.user)
        rows = Worklist.objects.filter(corpus__in=seen, people__user=request.user.pk)
        worklist = get_object_or_404(rows.select_related("corpus__project"), code=code)
        share = worklists.next_share(worklist, by=request.user)
        return Response(NextSerializer({"work": share}).data)


class WorkFinish(APIView):
    """An item that you are done with, or skip."""

    @extend_schema(request=FinishSerializer, responses=ShareSerializer)
    def post(self, request: Request, code: str) -> Response:
        """Your draft of the tree is saved as yours with it."""
        seen = Corpus.objects.visible_to(request.user)
        rows = WorkShare.objects.filter(
            user=request.user.pk, item__worklist__corpus__in=seen
        ).select_related("item__worklist__corpus__project", "item__sentence__corpus")
        share = get_object_or_404(rows, code=code)
        sent = validated(FinishSerializer, request)
        state, note = sent["state"], sent["note"]
        done = worklists.finish(share, state, note=note, by=request.user)
        return Response(ShareSerializer(done).data)


def _shown(summary: dict[str, Any], *, all_of_it: bool) -> dict[str, Any]:
    """Others' progress is for managers."""
    hidden = set() if all_of_it else {"done", "wanted"}
    return {name: value for name, value in summary.items() if name not in hidden}
