"""Projects, corpora, pairs and jobs: what programs read."""

from typing import Any

from django.db.models import F, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from annotator.api.calls.queries import of_form, validated
from annotator.api.managing import KeepingViews, RowPages, VisibleRows
from annotator.errors import BadRequest
from annotator.forms import PairFilter, ScoreForm
from annotator.models import Corpus, Job, Pair, Project, RatingSet, Sentence
from annotator.models.projects import SEE_OTHERS, id_of
from annotator.services import jobs
from annotator.services.alignments import scores
from annotator.services.projects import members


def corpus_of(request: Request, code: str) -> Corpus:
    """The corpus, its project with it; Http404 if this person may not see it."""
    rows = Corpus.objects.visible_to(request.user).select_related("project")
    return get_object_or_404(rows, code=code)


def sentence_of(request: Request, code: str) -> Sentence:
    """The sentence, its corpus and project with it; Http404 as ``corpus_of``."""
    seen = Corpus.objects.visible_to(request.user)
    rows = Sentence.objects.filter(corpus__in=seen).select_related("corpus__project")
    return get_object_or_404(rows, code=code)


class ProjectSerializer(serializers.ModelSerializer[Project]):
    class Meta:
        model = Project
        fields = [
            *("code", "slug", "name", "description", "is_sample", "created_at"),
            "archived_at",
        ]
        read_only_fields = ["slug", "is_sample", "created_at", "archived_at"]


class CorpusSerializer(serializers.ModelSerializer[Corpus]):
    project = serializers.SlugRelatedField[Project](slug_field="slug", read_only=True)

    class Meta:
        model = Corpus
        fields = [
            "code",
            "project",
            "name",
            "licence",
            "provenance",
            "source_language",
            "target_language",
            "n_pairs",
            "n_sentences",
            "created_at",
            "archived_at",
        ]


class PairSerializer(serializers.ModelSerializer[Pair]):
    source = serializers.CharField(  # type: ignore[assignment]
        source="source_text", read_only=True
    )
    target = serializers.CharField(source="target_text", read_only=True)
    source_code = serializers.CharField(read_only=True)
    target_code = serializers.CharField(read_only=True)
    score = serializers.FloatField(read_only=True, allow_null=True, default=None)
    n_inverted = serializers.IntegerField(read_only=True, allow_null=True, default=None)

    class Meta:
        model = Pair
        fields = [
            "code",
            "ref",
            "source",
            "target",
            "source_code",
            "target_code",
            "label",
            "state",
            "has_parse",
            "n_source",
            "n_target",
            "score",
            "n_inverted",
        ]


class JobSerializer(serializers.ModelSerializer[Job]):
    project = serializers.SlugRelatedField[Project](slug_field="slug", read_only=True)
    note = serializers.SerializerMethodField()

    def get_note(self, job: Job) -> str:
        return job.note_for(is_managed=getattr(job, "is_managed", False))

    class Meta:
        model = Job
        fields = [
            "code",
            "project",
            "kind",
            "title",
            "state",
            "total",
            "done",
            "failed",
            "note",
            "result",
            "cancel_asked",
            "created_at",
            "started_at",
            "ended_at",
        ]


class ProjectViews(KeepingViews, VisibleRows):
    """The projects you are in; a new one makes you its manager."""

    serializer_class = ProjectSerializer
    lookup_field = "slug"
    lookup_value_regex = "[-a-z0-9_]+"
    queryset = Project.objects.none()

    def get_queryset(self) -> QuerySet[Project]:
        return Project.objects.visible_to(self.request.user)

    @extend_schema(request=ProjectSerializer, responses={201: ProjectSerializer})
    def create(self, request: Request) -> Response:
        sent = validated(ProjectSerializer, request)
        made = members.create(**sent, by=request.user)
        return Response(ProjectSerializer(made).data, status=201)


class CorpusViews(KeepingViews, VisibleRows):
    """The corpora of your projects."""

    serializer_class = CorpusSerializer
    queryset = Corpus.objects.none()

    def get_queryset(self) -> QuerySet[Corpus]:
        rows = Corpus.objects.visible_to(self.request.user)
        return rows.select_related("project")


class ScoredPages(RowPages):
    """The same, in the order of ``sort`` where it is asked for and there are scores."""

    def get_ordering(
        self, request: Request, queryset: QuerySet[Any], view: object
    ) -> tuple[str, ...]:
        sort = request.query_params.get("sort", "")
        is_scored = "score" in queryset.query.annotations
        return (sort, "pk") if is_scored and sort in ("score", "-score") else ("pk",)


@extend_schema_view(
    list=extend_schema(parameters=of_form(PairFilter.fields() | ScoreForm.base_fields))
)
class PairViews(VisibleRows):
    """The pairs of one corpus: ``/api/corpora/<code>/pairs/``; ``source_code`` and
    ``target_code`` are those of the sentences.

    ``scores``: the code of a scoring, by default the newest; ``sort``: ``score`` or
    ``-score``; ``min_score``, ``max_score``.
    """

    serializer_class = PairSerializer
    pagination_class = ScoredPages
    queryset = Pair.objects.none()

    def get_queryset(self) -> QuerySet[Pair]:
        rows = Pair.objects.visible_to(self.request.user).for_list()
        rows = rows.filter(corpus__code=self.kwargs["corpus"]).annotate(
            source_code=F("source__code"), target_code=F("target__code")
        )
        fits = PairFilter(queryset=rows, request=self.request._request).rows()
        corpus = Corpus.objects.visible_to(self.request.user).filter(
            code=self.kwargs["corpus"]
        )
        order = ScoreForm(self.request.query_params).arguments()
        if not (row := corpus.first()):
            return fits
        return scores.with_scores(fits, row, **order)[0]


class JobViews(VisibleRows):
    """Long work and how far it is."""

    serializer_class = JobSerializer
    queryset = Job.objects.none()

    def get_queryset(self) -> QuerySet[Job]:
        rows = Job.objects.visible_to(self.request.user)
        return rows.for_list(self.request.user)

    @extend_schema(request=None, responses=JobSerializer)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, code: str) -> Response:
        """Ask the job to stop; asking twice is asking once. Nothing is sent."""
        is_json = "json" in (request.content_type or "")
        if request.data if is_json else request._request.POST:
            raise BadRequest("This call takes no body.", field="body")
        job = jobs.cancel(self.get_object(), by=request.user)
        return Response(JobSerializer(job).data)


class RatingSetSerializer(serializers.ModelSerializer[RatingSet]):
    project = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)

    class Meta:
        model = RatingSet
        fields = [
            *("code", "project", "name", "format", "n_items", "n_annotators"),
            *("n_ratings", "created_at", "archived_at"),
        ]


class RatingViews(KeepingViews, VisibleRows):
    """The sets of ratings whose reports you may see."""

    serializer_class = RatingSetSerializer
    queryset = RatingSet.objects.none()

    def get_queryset(self) -> QuerySet[RatingSet]:
        return RatingSet.objects.filter(
            project__memberships__user_id=id_of(self.request.user),
            project__memberships__role__in=SEE_OTHERS,
        ).select_related("project")
