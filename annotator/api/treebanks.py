"""Work on whole treebanks: relabelling by query."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator import access
from annotator.api.calls.bodies import validated
from annotator.api.rows import corpus_of
from annotator.models import BatchTree, Corpus, Job, TreeBatch
from annotator.services.treebanks import batches
from annotator.services.treebanks.relabelling import Order, Plan, planned


class RelabelSerializer(serializers.Serializer[Any]):
    query = serializers.CharField(max_length=1000)
    label = serializers.CharField(max_length=60)  # type: ignore[assignment]
    node = serializers.CharField(
        max_length=40,
        required=False,
        default="",
        allow_blank=True,
        help_text="The name of the query's node that is meant; empty: the first.",
    )
    keeps_functions = serializers.BooleanField(
        default=False, help_text="NP-SBJ becomes NX-SBJ."
    )
    with_parsed = serializers.BooleanField(
        default=False, help_text="A parser's trees become gold where there is none."
    )
    seen = serializers.RegexField(
        r"^[0-9a-f]{32}\Z",
        required=False,
        help_text="The digest of the plan. With it the plan is carried out.",
    )


class LabelPairSerializer(serializers.Serializer[Any]):
    before = serializers.CharField(allow_blank=True)
    after = serializers.CharField()
    nodes = serializers.IntegerField()


class PlannedTreeSerializer(serializers.Serializer[Any]):
    """``labels``: number of the node and its new label, a list each."""

    parse = serializers.CharField(source="parse.code")
    sentence = serializers.CharField(source="parse.sentence.code")
    labels = serializers.ListField(child=serializers.ListField())


class BatchSerializer(serializers.Serializer[Any]):
    """``counts``: sentences by state; ``job``: does what is left, or null."""

    code = serializers.CharField()
    query = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    by = serializers.CharField()
    at = serializers.DateTimeField()
    undone_at = serializers.DateTimeField(allow_null=True)
    counts = serializers.DictField(child=serializers.IntegerField())
    job = serializers.CharField(allow_null=True)
    noted = serializers.ListField(
        child=serializers.DictField(child=serializers.CharField()),
        help_text="Sentences that were left, or not undone, and why.",
    )


class PlanSerializer(serializers.Serializer[Any]):
    """What would change: no more than 500 trees are listed. ``batch``: what was done,
    if ``seen`` was sent."""

    digest = serializers.CharField()
    nodes = serializers.IntegerField()
    sentences = serializers.IntegerField()
    pairs = LabelPairSerializer(many=True)
    left = serializers.DictField(child=serializers.IntegerField())
    trees = PlannedTreeSerializer(many=True)
    batch = BatchSerializer(allow_null=True)


class CorpusRelabel(APIView):
    """Nodes that a query names, given another label in one step."""

    @extend_schema(request=RelabelSerializer, responses=PlanSerializer)
    def post(self, request: Request, code: str) -> Response:
        """The plan; with the digest of the plan as `seen` it is carried out."""
        corpus = corpus_of(request, code)
        sent = validated(RelabelSerializer, request)
        seen = sent.pop("seen", "")
        order = Order(**sent)
        plan = planned(corpus, order, by=request.user)
        batch = None
        if seen:
            made, job = batches.apply(corpus, order, seen=seen, by=request.user)
            batch = _batch(made, job)
        return Response(PlanSerializer(_plan(plan) | {"batch": batch}).data)


class BatchView(APIView):
    """What became of a batch of relabelled trees."""

    @extend_schema(responses=BatchSerializer)
    def get(self, request: Request, code: str) -> Response:
        return Response(
            BatchSerializer(_batch(_batch_or_404(request, code), None)).data
        )


class BatchUndo(APIView):
    """A whole batch undone."""

    @extend_schema(request=None, responses=BatchSerializer)
    def post(self, request: Request, code: str) -> Response:
        """Trees that were saved again since then stay, and are in `noted`."""
        batch = _batch_or_404(request, code)
        job = batches.undo(batch, by=request.user)
        batch.refresh_from_db()
        return Response(BatchSerializer(_batch(batch, job)).data)


def _batch_or_404(request: Request, code: str) -> TreeBatch:
    """A batch of a project that this person manages. Raises NotAllowed, Http404."""
    seen = Corpus.objects.visible_to(request.user)
    rows = TreeBatch.objects.filter(corpus__in=seen)
    batch = get_object_or_404(rows.select_related("corpus__project", "by"), code=code)
    access.require(request.user, "manage", batch.corpus.project)
    return batch


def _plan(plan: Plan) -> dict[str, Any]:
    pairs = [
        {"before": before, "after": after, "nodes": n}
        for (before, after), n in plan.pairs.most_common()
    ]
    return {
        "digest": plan.digest,
        "nodes": plan.n_nodes,
        "sentences": len(plan.changes),
        "pairs": pairs,
        "left": plan.left,
        "trees": plan.changes[:500],
    }


def _batch(batch: TreeBatch, job: Job | None) -> dict[str, Any]:
    states = [BatchTree.State.LEFT, BatchTree.State.KEPT]
    noted = batch.trees.filter(state__in=states).select_related("sentence")[:500]
    return {
        "code": batch.code,
        "query": batch.query,
        "label": batch.label,
        "by": str(batch.by),
        "at": batch.at,
        "undone_at": batch.undone_at,
        "counts": batches.counts(batch),
        "job": job.code if job else None,
        "noted": [{"sentence": r.sentence.code, "why": r.note} for r in noted],
    }
