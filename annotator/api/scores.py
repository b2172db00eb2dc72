"""The scorings of a corpus: which there are, and starting one."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator.api.rows import JobSerializer, corpus_of
from annotator.models import ScoreRun
from annotator.services.alignments import scores


class ScoreRunSerializer(serializers.ModelSerializer[ScoreRun]):
    class Meta:
        model = ScoreRun
        fields = [
            "code",
            "scorer",
            "label",
            "version",
            "parameters",
            "n_scored",
            "created_at",
        ]


class ScoreStartSerializer(serializers.Serializer[None]):
    scorer = serializers.ChoiceField(choices=list(scores.scorers()))


class CorpusScores(APIView):
    """The scorings of a corpus, newest first; POST starts one, as a job."""

    @extend_schema(responses=ScoreRunSerializer(many=True))
    def get(self, request: Request, corpus: str) -> Response:
        runs = corpus_of(request, corpus).score_runs.all()
        return Response(ScoreRunSerializer(runs, many=True).data)

    @extend_schema(request=ScoreStartSerializer, responses={202: JobSerializer})
    def post(self, request: Request, corpus: str) -> Response:
        sent = ScoreStartSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        row = corpus_of(request, corpus)
        job = scores.start(row, sent.validated_data["scorer"], by=request.user)
        return Response(JobSerializer(job).data, status=202)
