"""Joint parsing: starting it, its runs and results, the ledger and its verdicts."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.api.calls.queries import of_form, validated
from annotator.api.managing import RowPages
from annotator.api.rows import JobSerializer, corpus_of
from annotator.forms import ChangeFilter
from annotator.models import JointPair, JointRun, Pair, TreeChange
from annotator.models.joint import TreeChangeQuerySet
from annotator.pages.joint import results_of
from annotator.pages.ledger import record
from annotator.services.parses import joint, ledger
from core.parsing import registry


class JointStartSerializer(serializers.Serializer[Any]):
    """Omitted settings have the method's defaults. ``sets``: all paraphrases of a
    sentence are parsed together with it."""

    parser = serializers.CharField(max_length=60, default=registry.DEFAULT)
    method = serializers.ChoiceField(choices=list(joint.methods()))
    rounds = serializers.IntegerField(min_value=1, max_value=1000, required=False)
    step = serializers.FloatField(min_value=0, required=False)
    slack = serializers.FloatField(min_value=0, required=False)
    slack_kind = serializers.CharField(max_length=20, required=False)
    trust = serializers.FloatField(min_value=0, required=False)
    gate = serializers.BooleanField(required=False)
    projective = serializers.BooleanField(required=False)
    n_best = serializers.IntegerField(min_value=1, max_value=50, required=False)
    sets = serializers.BooleanField(default=False)


class JointRunSerializer(serializers.ModelSerializer[JointRun]):
    class Meta:
        model = JointRun
        fields = [
            "code",
            "engine",
            "version",
            "method",
            "label",
            "parameters",
            "n_pairs",
            "n_changes",
            "created_at",
        ]


class JointPairSerializer(serializers.ModelSerializer[JointPair]):
    """``rounds``: dual, primal, disagreements. ``before``, ``after``: c(a, b)."""

    run = serializers.CharField(source="run.code")

    class Meta:
        model = JointPair
        fields = [
            "run",
            "before",
            "after",
            "exact",
            "gap",
            "gate",
            "kept",
            "rounds",
            "links",
        ]


class ChangeSerializer(serializers.Serializer[Any]):
    """Positions count from 1, both ends included; see the ledger's files."""

    change = serializers.CharField()
    engine = serializers.CharField()
    version = serializers.CharField()
    pair = serializers.CharField()
    ref = serializers.CharField()
    domain = serializers.CharField()
    operations = serializers.ListField(child=serializers.CharField())
    side = serializers.CharField()
    kind = serializers.CharField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    words = serializers.CharField()
    before = serializers.CharField()
    after = serializers.CharField()
    label_before = serializers.CharField()
    label_after = serializers.CharField()
    prob_before = serializers.FloatField(allow_null=True)
    prob_after = serializers.FloatField(allow_null=True)
    confidence = serializers.FloatField()
    because = serializers.ListField(child=serializers.CharField())
    gold = serializers.CharField()
    verdict = serializers.CharField()
    judged_by = serializers.CharField()
    judged_at = serializers.CharField()
    revision = serializers.IntegerField()
    sentence = serializers.CharField()


class ChangePageSerializer(serializers.Serializer[Any]):
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)
    results = ChangeSerializer(many=True)


class TotalsSerializer(serializers.Serializer[Any]):
    """``cells[gold][verdict]``: counts, "" for no gold and for open. ``wrong``: by
    kind of tree, errors against gold before and after, over the whole run."""

    n = serializers.IntegerField()
    judged = serializers.IntegerField()
    cells = serializers.DictField(child=serializers.DictField())
    wrong = serializers.DictField(source="errors", child=serializers.ListField())


class VerdictSerializer(serializers.Serializer[Any]):
    """One verdict; the same ``uuid`` again is answered like the first time.

    ``seen``: the revision of the change that the person saw; ``verdict``: empty takes
    one back.
    """

    uuid = serializers.UUIDField()
    change = serializers.RegexField(r"^[0-9a-f]{16}$")
    seen = serializers.IntegerField(min_value=0, max_value=10**6)
    verdict = serializers.ChoiceField(
        choices=TreeChange.Verdict.choices, allow_blank=True
    )


class SavedSerializer(serializers.Serializer[Any]):
    change = serializers.CharField()
    revision = serializers.IntegerField()
    verdict = serializers.CharField(allow_blank=True)


class SavedVerdictSerializer(serializers.Serializer[Any]):
    saved = SavedSerializer()


class VerdictEventSerializer(serializers.Serializer[Any]):
    uuid = serializers.UUIDField()
    revision = serializers.IntegerField()
    before = serializers.CharField()
    after = serializers.CharField()
    by = serializers.CharField()
    at = serializers.DateTimeField()


FILTERS = of_form(ChangeFilter.fields())


class ChangePages(RowPages):
    def get_ordering(self, request: Request, *args: Any) -> tuple[str, ...]:
        sort = request.query_params.get("sort", "")
        return (sort, "pk") if sort in ledger.SORTS and sort else ("pk",)


class CorpusJoint(APIView):
    """The runs over a corpus, newest first; POST starts or continues one."""

    @extend_schema(responses=JointRunSerializer(many=True))
    def get(self, request: Request, code: str) -> Response:
        rows = corpus_of(request, code).joint_runs.all()
        return Response(JointRunSerializer(rows, many=True).data)

    @extend_schema(request=JointStartSerializer, responses={201: JobSerializer})
    def post(self, request: Request, code: str) -> Response:
        """Parse jointly the pairs that this run has not parsed yet, as a job."""
        corpus = corpus_of(request, code)
        options = validated(JointStartSerializer, request)
        parser, sets = options.pop("parser"), options.pop("sets")
        settings = joint.settings_of(options)
        job = joint.start(corpus, settings, parser=parser, sets=sets, by=request.user)
        return Response(JobSerializer(job).data, status=status.HTTP_201_CREATED)


class PairJoint(APIView):
    """The result of a pair in each run, the newest first."""

    @extend_schema(responses=JointPairSerializer(many=True))
    def get(self, request: Request, code: str) -> Response:
        pair = get_object_or_404(Pair.objects.visible_to(request.user), code=code)
        rows = results_of(pair)
        return Response(JointPairSerializer(rows, many=True).data)


class RunTotals(APIView):
    """A run's changes counted by gold and verdict; filters as in its changes."""

    @extend_schema(parameters=FILTERS, responses=TotalsSerializer)
    def get(self, request: Request, code: str) -> Response:
        run = _run(request, code)
        rows = _chosen(request, run)
        totals = ledger.totals(rows, run)
        return Response(TotalsSerializer(totals).data)


class RunChanges(APIView):
    """The ledger of a run, a page at a time; follow ``next``.

    Filters: verdict, gold, side, kind, label, domain, operation. ``sort``:
    ``confidence`` or ``-confidence``.
    """

    @extend_schema(
        parameters=[
            *FILTERS,
            OpenApiParameter("sort", str, enum=[one for one in ledger.SORTS if one]),
            OpenApiParameter("cursor", str, description="of the page, from next"),
            OpenApiParameter("page_size", int),
        ],
        responses=ChangePageSerializer,
    )
    def get(self, request: Request, code: str) -> Response:
        run = _run(request, code)
        rows = _chosen(request, run)
        rows = ledger.ordered(rows, run, sort=request.query_params.get("sort", ""))
        pages = ChangePages()
        page = pages.paginate_queryset(rows, request, view=self) or []
        records = [record(change, run) for change in page]
        return pages.get_paginated_response(records)


class RunVerdicts(APIView):
    """Verdicts on a run's changes."""

    @extend_schema(request=VerdictSerializer, responses=SavedVerdictSerializer)
    def post(self, request: Request, code: str) -> Response:
        """Store one. 409 ``stale_edit`` if someone judged the change meanwhile."""
        run = _run(request, code)
        data = validated(VerdictSerializer, request)
        change = ledger.find(data["change"], run=run)
        change.run = run
        verdict = ledger.Verdict(data["uuid"], data["seen"], data["verdict"])
        change = ledger.give(change, verdict, by=request.user)
        saved = {"change": change.code, "revision": change.revision}
        return Response({"saved": saved | {"verdict": change.verdict}})


class ChangeHistory(APIView):
    """All verdicts that a change ever had, the first one first."""

    @extend_schema(responses=VerdictEventSerializer(many=True))
    def get(self, request: Request, code: str) -> Response:
        seen = TreeChange.objects.visible_to(request.user)
        change = get_object_or_404(seen, code=code)
        events = change.events.select_related("by").order_by("revision")
        return Response(VerdictEventSerializer(events, many=True).data)


def _chosen(request: Request, run: JointRun) -> TreeChangeQuerySet:
    fits = ChangeFilter(queryset=ledger.rows_of(run), request=request._request)
    rows: TreeChangeQuerySet = fits.rows()
    return rows


def _run(request: Request, code: str) -> JointRun:
    rows = JointRun.objects.visible_to(request.user)
    return get_object_or_404(rows.select_related("corpus__project"), code=code)
