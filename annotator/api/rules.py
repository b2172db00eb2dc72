"""The rules of treebanks, and what breaks them."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.api.calls.bodies import validated
from annotator.api.rows import corpus_of
from annotator.models import Corpus, Sentence, TreebankRules
from annotator.pages.treebanks.rules import problem_json
from annotator.services.treebanks import rules
from annotator.services.treebanks.rules import Checked


class RulesSerializer(serializers.Serializer[Any]):
    """A rule a line; ``revision`` 0: none are declared."""

    text = serializers.CharField(allow_blank=True)
    revision = serializers.IntegerField()


class DeclareSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(allow_blank=True, max_length=20_000)
    seen = serializers.IntegerField(
        min_value=0, help_text="The revision that you saw; 0 for none."
    )


class TreeProblemSerializer(serializers.Serializer[Any]):
    rule = serializers.CharField()
    about = serializers.ChoiceField(choices=["tree", "arcs", "both"])
    text = serializers.CharField()
    remedy = serializers.CharField()
    node = serializers.IntegerField(allow_null=True)
    words = serializers.ListField(child=serializers.IntegerField())
    forms = serializers.ListField(child=serializers.CharField())


class SentenceProblemsSerializer(serializers.Serializer[Any]):
    """``parse``: the constituent tree that was looked at, if there is one."""

    sentence = serializers.CharField()
    parse = serializers.CharField(allow_null=True)
    problems = TreeProblemSerializer(many=True)


class LookSerializer(serializers.Serializer[Any]):
    looked = serializers.IntegerField(help_text="Sentences.")
    after = serializers.CharField(help_text="For the next look; empty at the end.")
    sentences = SentenceProblemsSerializer(many=True)


class CorpusRules(APIView):
    """What a corpus declares of its trees."""

    @extend_schema(responses=RulesSerializer)
    def get(self, request: Request, code: str) -> Response:
        row = TreebankRules.objects.filter(corpus=corpus_of(request, code)).first()
        return Response(RulesSerializer(row or {"text": "", "revision": 0}).data)

    @extend_schema(request=DeclareSerializer, responses=RulesSerializer)
    def put(self, request: Request, code: str) -> Response:
        """Other rules instead; refused with line and column, or if they changed."""
        corpus = corpus_of(request, code)
        sent = validated(DeclareSerializer, request)
        row = rules.keep(corpus, sent["text"], seen=sent["seen"], by=request.user)
        return Response(RulesSerializer(row).data)


class CorpusProblems(APIView):
    """The trees of a corpus that break its rules, two seconds' worth at a time."""

    @extend_schema(
        parameters=[
            OpenApiParameter("after", str, description="`after` of the look before.")
        ],
        responses=LookSerializer,
    )
    def get(self, request: Request, code: str) -> Response:
        corpus = corpus_of(request, code)
        look = rules.look(corpus, after=request.query_params.get("after", ""))
        rows = [_json(one) for one in look.checked]
        body = {"looked": look.looked, "after": look.after, "sentences": rows}
        return Response(LookSerializer(body).data)


class SentenceProblems(APIView):
    """What is wrong with the trees of one sentence."""

    @extend_schema(responses=SentenceProblemsSerializer)
    def get(self, request: Request, code: str) -> Response:
        seen = Corpus.objects.visible_to(request.user)
        rows = Sentence.objects.select_related("corpus")
        sentence = get_object_or_404(rows, code=code, corpus__in=seen)
        problems = tuple(rules.of_sentence(sentence, None))
        tree = rules.tree_of(sentence)
        checked = Checked(sentence, problems, tree)
        return Response(SentenceProblemsSerializer(_json(checked)).data)


def _json(checked: Checked) -> dict[str, Any]:
    return {
        "sentence": checked.sentence.code,
        "parse": checked.tree.code if checked.tree else None,
        "problems": [problem_json(one, checked) for one in checked.problems],
    }
