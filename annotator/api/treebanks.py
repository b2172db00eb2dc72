"""Work on whole treebanks: rules and problems, worklists, relabelling by query."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator import access
from annotator.api.calls.queries import validated
from annotator.api.rows import corpus_of, sentence_of
from annotator.models import (
    BatchTree,
    Corpus,
    Job,
    TreebankRules,
    TreeBatch,
    Worklist,
    WorkShare,
)
from annotator.pages import treebanks as pages
from annotator.pages.treebanks import problem_json
from annotator.services.treebanks import relabelling, rules, worklists
from annotator.services.treebanks.relabelling import Order, Plan, planned
from annotator.services.treebanks.rules import Checked
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
    """``done``, ``wanted``: over all people, for managers; ``own_done``: your own."""

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
    """Your next item."""

    @extend_schema(request=None, responses=NextSerializer)
    def post(self, request: Request, code: str) -> Response:
        """Your current item, otherwise the next that needs someone."""
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


class RuleReportSerializer(serializers.Serializer[Any]):
    looked = serializers.IntegerField(help_text="Sentences.")
    after = serializers.CharField(help_text="For the next look; empty at the end.")
    sentences = SentenceProblemsSerializer(many=True)


class CorpusRules(APIView):
    """The rules that a corpus declares."""

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
        responses=RuleReportSerializer,
    )
    def get(self, request: Request, code: str) -> Response:
        corpus = corpus_of(request, code)
        report = rules.check(corpus, after=request.query_params.get("after", ""))
        rows = [_json(one) for one in report.checked]
        body = {"looked": report.looked, "after": report.after, "sentences": rows}
        return Response(RuleReportSerializer(body).data)


class SentenceProblems(APIView):
    """Problems in the trees of one sentence."""

    @extend_schema(responses=SentenceProblemsSerializer)
    def get(self, request: Request, code: str) -> Response:
        sentence = sentence_of(request, code)
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


class RelabelSerializer(serializers.Serializer[Any]):
    query = serializers.CharField(max_length=1000)
    label = serializers.CharField(  # type: ignore[assignment]
        max_length=500,
        help_text="The new label, or commands: relabel x NP; delete x; insert NP x y; "
        "move x under y; trace x *T*.",
    )
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
    as_drafts = serializers.BooleanField(
        default=False, help_text="Only your drafts change, no gold tree."
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
    """``labels``: number of the node and its new label or the commands, a list each."""

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
    """The planned changes: at most 500 trees are listed. ``batch``: the applied
    changes, if ``seen`` was sent."""

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
            made, job = relabelling.apply(corpus, order, seen=seen, by=request.user)
            batch = _batch(made, job)
        return Response(PlanSerializer(_plan(plan) | {"batch": batch}).data)


class BatchView(APIView):
    """The result of a batch of relabelled trees."""

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
        job = relabelling.undo(batch, by=request.user)
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
        "counts": relabelling.counts(batch),
        "job": job.code if job else None,
        "noted": [{"sentence": r.sentence.code, "why": r.note} for r in noted],
    }
