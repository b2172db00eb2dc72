"""Campaigns for programs: list, progress, items with their answers.

For managers, curators and viewers. Judges have their desk (``api.judging``) and see
nothing here.
"""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from annotator import access
from annotator.api.calls.queries import validated
from annotator.api.managing import KeepingViews, VisibleRows
from annotator.api.rows import JobSerializer
from annotator.models import (
    Campaign,
    CampaignMessage,
    Item,
    Judgment,
    MachineJudge,
)
from annotator.services.campaigns import (
    copying,
    curation,
    machines,
    messages,
    participants,
    progress,
    setting_aside,
    setup,
)

ACTIONS = {
    "open": setup.open_campaign,
    "pause": setup.pause,
    "close": setup.close,
    "accept_majority": curation.take,
}


class CampaignSerializer(serializers.ModelSerializer[Campaign]):
    project = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)

    class Meta:
        model = Campaign
        fields = [
            *("code", "project", "name", "state", "mode", "seed", "k", "overlap_k"),
            *("overlap_share", "quota", "lease_s", "check_every", "repeat_every"),
            *("is_adaptive", "guideline_number", "n_items", "n_checks", "n_training"),
            *("is_simulated", "created_at", "opened_at", "archived_at"),
        ]


class ItemSerializer(serializers.ModelSerializer[Item]):
    sentence = serializers.CharField(source="instance.sentence")
    start = serializers.IntegerField(source="instance.start")
    end = serializers.IntegerField(source="instance.end")
    phrase = serializers.CharField(source="instance.phrase")
    conditions = serializers.SerializerMethodField()
    n_done = serializers.IntegerField(source="n_answers")

    class Meta:
        model = Item
        fields = [
            *("code", "ref", "sentence", "start", "end", "phrase", "paraphrase"),
            *("conditions", "kind", "gold", "need", "n_taken", "n_done"),
            "is_withdrawn",
        ]

    def get_conditions(self, item: Item) -> list[dict[str, Any]]:
        return [
            {"condition": one.condition.name, "rank": one.rank, "score": one.score}
            for one in item.credits.all()
        ]


class ActionSerializer(serializers.Serializer[Any]):
    action = serializers.ChoiceField(sorted(ACTIONS))


class PeopleSerializer(serializers.Serializer[Any]):
    """By code of a participant: the codes of their batches."""

    batches = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField(max_length=16))
    )


class AddedSerializer(serializers.Serializer[Any]):
    """``usernames``: members of the project who may annotate."""

    usernames = serializers.ListField(
        child=serializers.CharField(max_length=150), allow_empty=False, max_length=500
    )


class AsideSerializer(serializers.Serializer[Any]):
    """``person``: code of a participant; ``judgments``: codes, all answers if left out;
    ``restore``: what was set aside together, to count again."""

    person = serializers.CharField(max_length=16)
    judgments = serializers.ListField(
        child=serializers.CharField(max_length=16), default=None, allow_null=True
    )
    restore = serializers.CharField(max_length=16, default="", allow_blank=True)


class CopySerializer(serializers.Serializer[Any]):
    """``name``: of the copy; ``items``: whether it has the items, too."""

    name = serializers.CharField(max_length=120)
    items = serializers.BooleanField(default=True)


class SentMessageSerializer(serializers.ModelSerializer[CampaignMessage]):
    """``person``: code of the participant it is for, null for everyone; ``n_read``: how
    many have read it."""

    person = serializers.CharField(source="participant.code", default=None)
    by = serializers.CharField(source="by.username", default=None)
    n_read = serializers.IntegerField()

    class Meta:
        model = CampaignMessage
        fields = ["code", "person", "by", "at", "text", "n_read"]


class SendSerializer(serializers.Serializer[Any]):
    """``person``: code of a participant; everyone if left out."""

    text = serializers.CharField(max_length=messages.MAX_TEXT)
    person = serializers.CharField(max_length=16, default="", allow_blank=True)


class FlagAnswerSerializer(serializers.Serializer[Any]):
    """``judgment``: code of the judgment with the flag; an empty ``text`` resolves or
    reopens it without a word."""

    judgment = serializers.CharField(max_length=16)
    text = serializers.CharField(
        max_length=messages.MAX_TEXT, default="", allow_blank=True
    )
    is_resolved = serializers.BooleanField()


class MachineSerializer(serializers.ModelSerializer[MachineJudge]):
    """A machine annotator. ``cost``: in the currency of its prices, null without."""

    n_judged = serializers.IntegerField(source="judgments.count")
    n_left = serializers.SerializerMethodField()

    class Meta:
        model = MachineJudge
        fields = [
            *("code", "label", "model", "seed", "guideline", "price_in", "price_out"),
            *("n_requests", "tokens_in", "tokens_out", "cost", "n_judged", "n_left"),
        ]

    def get_n_left(self, machine: MachineJudge) -> int:
        return machines.left(machine).count()


class MachineStartSerializer(serializers.Serializer[Any]):
    """``price_in, price_out``: of a million tokens."""

    model = serializers.CharField(max_length=120)
    seed = serializers.IntegerField(
        min_value=0, max_value=machines.MAX_SEED - 1, default=0
    )
    price_in = serializers.FloatField(min_value=0, default=None, allow_null=True)
    price_out = serializers.FloatField(min_value=0, default=None, allow_null=True)


class CampaignViews(KeepingViews, VisibleRows):
    """The campaigns whose results you may see."""

    serializer_class = CampaignSerializer
    queryset = Campaign.objects.none()

    def get_queryset(self) -> QuerySet[Campaign]:
        rows = Campaign.objects.visible_to(self.request.user)
        return rows.select_related("project")

    @extend_schema(responses=OpenApiTypes.OBJECT)
    @action(detail=True)
    def progress(self, request: Request, code: str) -> Response:
        """Answers given and needed, by batch and condition; by annotator for those who
        may see names: labels in a report could be matched with counts."""
        campaign = self.get_object()
        progress_now = progress.of(campaign)
        sees_names = access.may(request.user, "see_names", campaign.project)
        people = [
            {
                "name": str(row.person),
                "simulated": row.person.is_simulated,
                "state": row.person.state,
                "done": row.done,
                "skipped": row.skipped,
                "checks": row.person.n_checks,
                "checks_failed": row.person.n_checks_failed,
                "seconds": row.seconds,
            }
            for row in (progress_now.people if sees_names else ())
        ]
        return Response(
            {
                "done": progress_now.done,
                "need": progress_now.need,
                "people": people,
                "batches": _parts(progress_now.batches),
                "conditions": _parts(progress_now.conditions),
            }
        )

    @extend_schema(request=ActionSerializer, responses=CampaignSerializer)
    @action(detail=True, methods=["post"])
    def act(self, request: Request, code: str) -> Response:
        """Open, pause or close; or accept the majority where items are undecided."""
        sent = validated(ActionSerializer, request)
        campaign = self.get_object()
        ACTIONS[sent["action"]](campaign, by=request.user)
        campaign.refresh_from_db()
        return Response(CampaignSerializer(campaign).data)

    @extend_schema(request=CopySerializer, responses={201: CampaignSerializer})
    @action(detail=True, methods=["post"])
    def copy(self, request: Request, code: str) -> Response:
        """A draft with the same scales, rules and guidelines, without people and
        answers. For managers."""
        sent = validated(CopySerializer, request)
        made = copying.copy_campaign(
            self.get_object(), sent["name"], by=request.user, with_items=sent["items"]
        )
        return Response(CampaignSerializer(made).data, status=201)

    @extend_schema(request=AsideSerializer, responses=OpenApiTypes.OBJECT)
    @action(detail=True, methods=["post"])
    def aside(self, request: Request, code: str) -> Response:
        """Set answers of one annotator aside and hand their items out again, or restore
        them; what can still be restored comes back. For managers."""
        campaign, sent = self.get_object(), validated(AsideSerializer, request)
        people = campaign.participants.select_related("campaign__project", "user")
        person = get_object_or_404(people, code=sent["person"])
        if sent["restore"]:
            n = setting_aside.bring_back(person, sent["restore"], by=request.user)
        else:
            n = setting_aside.set_aside(person, sent["judgments"], by=request.user)
        left = setting_aside.listed(person)
        rows = [{"code": one.code, "n": one.n, "until": one.until} for one in left]
        return Response({"n": n, "restorable": rows})

    @extend_schema(
        methods=["GET"],
        responses=OpenApiTypes.OBJECT,
        operation_id="campaigns_people",
    )
    @extend_schema(
        methods=["PUT"],
        request=PeopleSerializer,
        responses=OpenApiTypes.OBJECT,
        operation_id="campaigns_share_batches",
    )
    @extend_schema(
        methods=["POST"],
        request=AddedSerializer,
        responses=OpenApiTypes.OBJECT,
        operation_id="campaigns_add_people",
    )
    @action(detail=True, methods=["get", "put", "post"])
    def people(self, request: Request, code: str) -> Response:
        """Who judges which batches; PUT changes the named people, POST adds members."""
        campaign = self.get_object()
        if request.method == "POST":
            access.require(request.user, "manage", campaign.project)
            members = campaign.project.memberships.select_related("user")
            added = [
                get_object_or_404(members, user__username=name).user
                for name in validated(AddedSerializer, request)["usernames"]
            ]
            participants.add_people(campaign, added, by=request.user)
        if request.method == "PUT":
            wanted = validated(PeopleSerializer, request)["batches"]
            participants.share_batches(campaign, wanted, by=request.user)
        access.require(request.user, "see_names", campaign.project)
        people = campaign.participants.select_related("user")
        return Response(
            {
                "batches": list(campaign.batches.values("code", "name", "n_items")),
                "people": [
                    {
                        "code": person.code,
                        "name": str(person),
                        "batches": [queue.batch.code for queue in person.queues.all()],
                        "all": not person.has_own_batches,
                    }
                    for person in people.prefetch_related("queues__batch")
                ],
            }
        )

    @extend_schema(methods=["GET"], responses=SentMessageSerializer(many=True))
    @extend_schema(
        methods=["POST"],
        request=SendSerializer,
        responses={201: OpenApiTypes.OBJECT},
        operation_id="campaigns_send_message",
    )
    @action(detail=True, methods=["get", "post"], pagination_class=None)
    def messages(self, request: Request, code: str) -> Response:
        """All messages, newest first; POST sends one. For managers."""
        campaign = self.get_object()
        access.require(request.user, "manage", campaign.project)
        if request.method == "POST":
            sent = validated(SendSerializer, request)
            people = campaign.participants.select_related("user")
            code = sent["person"]
            to = get_object_or_404(people, code=code) if code else None
            made = messages.send(campaign, sent["text"], by=request.user, to=to)
            return Response({"code": made.code}, status=201)
        rows = messages.all_sent(campaign)
        return Response(SentMessageSerializer(rows, many=True).data)

    @extend_schema(methods=["GET"], responses=OpenApiTypes.OBJECT)
    @extend_schema(
        methods=["POST"],
        request=FlagAnswerSerializer,
        responses=OpenApiTypes.OBJECT,
        operation_id="campaigns_answer_flag",
    )
    @action(detail=True, methods=["get", "post"])
    def flags(self, request: Request, code: str) -> Response:
        """The open flags of annotators; POST answers one. For managers."""
        campaign = self.get_object()
        access.require(request.user, "manage", campaign.project)
        rows = Judgment.objects.of(campaign)
        if request.method == "POST":
            sent = validated(FlagAnswerSerializer, request)
            judgment = get_object_or_404(
                rows.select_related("participant__campaign__project"),
                code=sent.pop("judgment"),
            )
            messages.answer_flag(judgment, by=request.user, **sent)
        flagged = messages.open_flags().filter(pk__in=rows)
        related = ("participant__user", "item")
        return Response(
            {
                "flags": [
                    {
                        "judgment": one.code,
                        "item": one.item.code,
                        "person": one.participant.code,
                        "flag": one.flag,
                    }
                    for one in flagged.select_related(*related).order_by("pk")
                ]
            }
        )

    @extend_schema(methods=["GET"], responses=MachineSerializer(many=True))
    @extend_schema(
        methods=["POST"],
        request=MachineStartSerializer,
        responses={201: JobSerializer},
        operation_id="campaigns_add_machine",
    )
    @action(detail=True, methods=["get", "post"], pagination_class=None)
    def machines(self, request: Request, code: str) -> Response:
        """The machine annotators; POST adds one and starts its job. For managers."""
        campaign = self.get_object()
        access.require(request.user, "manage", campaign.project)
        if request.method == "POST":
            sent = validated(MachineStartSerializer, request)
            model = sent.pop("model")
            job = machines.start(campaign, model, by=request.user, **sent)
            return Response(JobSerializer(job).data, status=201)
        return Response(MachineSerializer(campaign.machines.all(), many=True).data)

    @extend_schema(methods=["POST"], request=None, responses={201: JobSerializer})
    @extend_schema(
        methods=["DELETE"],
        responses={204: None},
        operation_id="campaigns_delete_machine",
    )
    @action(
        detail=True,
        methods=["post", "delete"],
        url_path="machines/(?P<machine>[0-9a-f]{16})",
    )
    def machine(self, request: Request, code: str, machine: str) -> Response:
        """POST: judge what is left, as a job. DELETE: the machine annotator and its
        judgments. For managers."""
        rows = self.get_object().machines.select_related("campaign__project")
        one = get_object_or_404(rows, code=machine)
        if request.method == "DELETE":
            machines.delete(one, by=request.user)
            return Response(status=204)
        job = machines.go_on(one, by=request.user)
        return Response(JobSerializer(job).data, status=201)


def _parts(rows: list[progress.PartRow]) -> list[dict[str, Any]]:
    names = ("name", "done", "need", "complete", "items")
    return [{name: getattr(row, name) for name in names} for row in rows]


class ItemViews(VisibleRows):
    """The items of one campaign."""

    serializer_class = ItemSerializer
    queryset = Item.objects.none()

    def get_queryset(self) -> QuerySet[Item]:
        mine = CampaignViews(request=self.request).get_queryset()
        campaign = get_object_or_404(mine, code=self.kwargs["campaign"])
        rows = Item.objects.filter(campaign=campaign).with_answers()
        rows = rows.select_related("instance")
        return rows.prefetch_related("credits__condition")
