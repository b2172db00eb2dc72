"""Tables of paraphrases for programs: made, searched, put into sentences, judged."""

from dataclasses import asdict
from typing import Any, cast

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator import access
from annotator.api.calls.queries import validated
from annotator.api.rows import JobSerializer
from annotator.errors import BadRequest
from annotator.models import (
    Bitext,
    Corpus,
    Job,
    ParaphraseTable,
    ParaphraseWeights,
)
from annotator.pages.paraphrases import search, substitution
from annotator.services.paraphrases import tables, test_sets, weights


class TableSerializer(serializers.ModelSerializer[ParaphraseTable]):
    """``rules``: how it was asked for; ``made_at``: null while it is being made."""

    class Meta:
        model = ParaphraseTable
        fields = ["code", "name", "rules", "facts", "made_at", "created_at"]


class TableStartSerializer(serializers.Serializer[Any]):
    """``bitexts``: by code; ``prepare``: link and parse first where needed.
    ``corpora``: by code, those whose linked pairs are used as well."""

    name = serializers.CharField(max_length=120)
    bitexts = serializers.ListField(
        child=serializers.CharField(max_length=16), default=list, max_length=200
    )
    corpora = serializers.ListField(
        child=serializers.CharField(max_length=16), default=list, max_length=200
    )
    max_length = serializers.ChoiceField(
        choices=tables.LENGTHS, default=tables.LENGTHS[0]
    )
    prepare = serializers.BooleanField(default=False)


class LookupSerializer(serializers.Serializer[Any]):
    phrase = serializers.CharField(max_length=200)
    label = serializers.CharField(  # type: ignore[assignment]
        max_length=200, default="", allow_blank=True
    )
    condition = serializers.ChoiceField(
        choices=[name for name, _ in (*search.CONDITIONS, search.WEIGHTED)],
        default="baseline",
    )
    k = serializers.IntegerField(min_value=1, max_value=100, default=10)


class WhySerializer(serializers.Serializer[Any]):
    phrase = serializers.CharField(max_length=200)
    paraphrase = serializers.CharField(max_length=200)
    label = serializers.CharField(  # type: ignore[assignment]
        max_length=200, default="", allow_blank=True
    )


class SubstituteSerializer(serializers.Serializer[Any]):
    sentence = serializers.CharField(max_length=1000)
    phrase = serializers.CharField(max_length=200)


class ItemsSerializer(serializers.Serializer[Any]):
    """Of a corpus with trees, or of the parsed English of a bitext, by code."""

    name = serializers.CharField(max_length=120)
    corpus = serializers.CharField(max_length=16, default="")
    bitext = serializers.CharField(max_length=16, default="")
    phrases = serializers.IntegerField(
        min_value=1, max_value=test_sets.MOST, default=100
    )
    known = serializers.BooleanField(default=True)
    weighted = serializers.BooleanField(default=False)
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=2008)


class WeightsSerializer(serializers.ModelSerializer[ParaphraseWeights]):
    """``facts``: what they were fitted on, and the gain over the best component, of
    phrases that the fit never saw. ``weights``: of each component, standardised.
    ``model``: the whole, as ``manage.py pivot … --weights FILE`` reads it."""

    facts = serializers.JSONField(source="model.facts")
    weights = serializers.SerializerMethodField()

    class Meta:
        model = ParaphraseWeights
        fields = ["number", "campaign_name", "facts", "weights", "model", "at"]

    def get_weights(self, row: ParaphraseWeights) -> dict[str, float]:
        fitted = row.model["placed"]
        return dict(zip(fitted["names"], fitted["weights"], strict=True))


class FitSerializer(serializers.Serializer[Any]):
    """``campaign``: by code; one that people have judged in."""

    campaign = serializers.CharField(max_length=16)


class Tables(APIView):
    """The tables of a project; POST makes one, as a job."""

    @extend_schema(responses=TableSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_or_404(request.user, slug)
        rows = ParaphraseTable.objects.visible_to(request.user)
        rows = rows.filter(project=project)
        return Response(TableSerializer(rows, many=True).data)

    @extend_schema(request=TableStartSerializer, responses={201: JobSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """If the name exists, the table is rebuilt."""
        project = access.project_or_404(request.user, slug)
        sent = validated(TableStartSerializer, request)
        made = tables.start(project, by=request.user, **sent)
        return Response(JobSerializer(cast(Job, made.job)).data, status=201)


class TableView(APIView):
    """One table and its settings."""

    @extend_schema(responses=TableSerializer)
    def get(self, request: Request, code: str) -> Response:
        return Response(TableSerializer(_table(request, code)).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, code: str) -> Response:
        tables.remove(_table(request, code), by=request.user)
        return Response(status=204)


class TableLookup(APIView):
    """The most probable paraphrases of a phrase, its labels, and where it occurs."""

    @extend_schema(parameters=[LookupSerializer], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, code: str) -> Response:
        params = validated(LookupSerializer, request)
        phrase, row = params["phrase"], _table(request, code)
        how = params["label"], params["condition"], params["k"]
        with tables.opened(row) as files:
            ranked = search.paraphrases_of(row, files.table, phrase, *how)
            body = {
                "phrase": files.table.key(phrase),
                "labels": files.table.labels(phrase),
                "paraphrases": [asdict(one) for one in ranked],
                "examples": [asdict(one) for one in files.table.examples(phrase)],
            }
        return Response(body)


class TableWhy(APIView):
    """The foreign phrases behind a paraphrase, the weightiest first."""

    @extend_schema(parameters=[WhySerializer], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, code: str) -> Response:
        params = validated(WhySerializer, request)
        table = _table(request, code)
        pair = params["phrase"], params["paraphrase"]
        explained = search.why(table, *pair, label=params["label"])
        rows = [asdict(pivot) | {"share": share} for pivot, share in explained.pivots]
        return Response({"pivots": rows, "left_out": explained.left_out})


class TableSubstitute(APIView):
    """A sentence, parsed at once, rewritten under each of the conditions."""

    @extend_schema(parameters=[SubstituteSerializer], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, code: str) -> Response:
        params = validated(SubstituteSerializer, request)
        table = _table(request, code)
        substitutes = substitution.substitution(
            table, params["sentence"], params["phrase"]
        )
        rows = [asdict(one) for column in substitutes.columns for one in column.rows]
        return Response({"labels": substitutes.labels, "substitutes": rows})


class TableWeights(APIView):
    """The versions of the ninth condition, newest first; POST fits one more."""

    @extend_schema(responses=WeightsSerializer(many=True))
    def get(self, request: Request, code: str) -> Response:
        rows = _table(request, code).weights.all()
        return Response(WeightsSerializer(rows, many=True).data)

    @extend_schema(request=FitSerializer, responses={201: JobSerializer})
    def post(self, request: Request, code: str) -> Response:
        table = _table(request, code)
        sent = validated(FitSerializer, request)
        campaigns = table.project.campaigns.all()
        campaign = get_object_or_404(campaigns, code=sent["campaign"])
        job = weights.start(table, campaign, by=request.user)
        return Response(JobSerializer(job).data, status=201)


class TableItems(APIView):
    """A test set as a campaign: phrases drawn, filled in under each condition."""

    @extend_schema(
        request=ItemsSerializer,
        responses={201: JobSerializer},
        parameters=[
            OpenApiParameter("code", str, "path", description="of the table"),
        ],
    )
    def post(self, request: Request, code: str) -> Response:
        table = _table(request, code)
        data = validated(ItemsSerializer, request)
        _, job = test_sets.start(
            table,
            _text(table, data["corpus"], data["bitext"]),
            data["name"],
            n_phrases=data["phrases"],
            by=request.user,
            known=data["known"],
            weighted=data["weighted"],
            seed=data["seed"],
        )
        return Response(JobSerializer(job).data, status=201)


def _text(table: ParaphraseTable, corpus: str, bitext: str) -> Corpus | Bitext:
    if bool(corpus) == bool(bitext):
        raise BadRequest("Give a corpus or a bitext, not both.", field="corpus")
    if bitext:
        return get_object_or_404(table.project.bitexts, code=bitext)
    return get_object_or_404(table.project.corpora, code=corpus)


def _table(request: Request, code: str) -> ParaphraseTable:
    rows = ParaphraseTable.objects.visible_to(request.user).select_related("project")
    return get_object_or_404(rows, code=code)
