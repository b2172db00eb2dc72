"""Judging: the current items, and the answers to them.

One request stores an answer and brings the next items. Everything here is for the
person whose desk it is; others get 404.
"""

from functools import cache
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotator.pages.site.documents import rendered
from annotator.services.campaigns import checks, judging, preferences
from annotator.services.campaigns.answers import VERBS, Answer, take
from annotator.services.campaigns.messages import mark_read

MAX_HELD = 200


class MessageSerializer(serializers.Serializer[Any]):
    """What a judge did with one item, and how many more items to send.

    The same ``uuid`` sent again is answered like the first time and stored once.
    """

    uuid = serializers.UUIDField()
    judgment = serializers.RegexField(r"^[0-9a-f]{16}$")
    verb = serializers.ChoiceField(sorted(VERBS), default="save")
    seen = serializers.IntegerField(min_value=0, max_value=10**6)
    values = serializers.DictField(default=dict)
    note = serializers.CharField(default="", allow_blank=True, max_length=2000)
    comment = serializers.CharField(default="", allow_blank=True, max_length=2000)
    active_ms = serializers.IntegerField(default=0, min_value=0, max_value=2**31 - 1)
    want = serializers.IntegerField(default=0, min_value=0, max_value=50)
    held = serializers.ListField(
        child=serializers.CharField(max_length=16), default=list, max_length=MAX_HELD
    )


class WishSerializer(serializers.Serializer[Any]):
    """How many items to send, in addition to those held (by code).

    ``since``: when the person's day began; their answers from then on are counted.
    """

    want = serializers.IntegerField(default=4, min_value=0, max_value=50)
    held = serializers.ListField(
        child=serializers.CharField(max_length=16), default=list, max_length=MAX_HELD
    )
    skipped = serializers.BooleanField(default=False)
    since = serializers.DateTimeField(default=None, allow_null=True)


class SeenSerializer(serializers.Serializer[Any]):
    """``number``: the version of the guidelines that the person has read."""

    number = serializers.IntegerField(min_value=0, max_value=10**6)


class ReadSerializer(serializers.Serializer[Any]):
    """``message``: the code of the newest message that the person has read."""

    message = serializers.RegexField(r"^[0-9a-f]{16}$")


class PreferenceSerializer(serializers.Serializer[Any]):
    keys = serializers.DictField(child=serializers.CharField(), default=dict)
    has_single_keys = serializers.BooleanField(default=True)
    auto_advance = serializers.BooleanField(default=False)
    daily_goal = serializers.IntegerField(default=0, min_value=0, max_value=5000)


@extend_schema(methods=["GET"], responses=OpenApiTypes.OBJECT, operation_id="desk_show")
@extend_schema(
    methods=["POST"],
    request=WishSerializer,
    responses=OpenApiTypes.OBJECT,
    operation_id="desk_next",
)
@api_view(["GET", "POST"])
def show(request: Request, code: str) -> Response:
    """GET: the desk as it opens. POST: more items."""
    person = judging.participant_of(code, request.user)
    if request.method == "GET":
        desk = judging.of(person)
        desk["guideline"]["html"] = rendered(desk["guideline"]["text"])
        return Response(desk)
    wish = _valid(WishSerializer, request)
    if wish["skipped"]:
        return Response({"next": judging.skipped(person)})
    given = judging.give(person.pk, want=wish["want"], held=wish["held"])
    status = judging.status(person, is_empty=not given)
    if wish["since"]:
        status["today"] = judging.answered_since(wish["since"], request.user)
    return Response({"next": given, "status": status})


@extend_schema(request=MessageSerializer, responses=OpenApiTypes.OBJECT)
@api_view(["POST"])
def answers(request: Request, code: str) -> Response:
    """Store one answer (or skip, or flag) and bring the next items."""
    message = _valid(MessageSerializer, request)
    answer = Answer(
        uuid=message["uuid"],
        seen=message["seen"],
        values=message["values"],
        note=message["note"],
        comment=message["comment"],
        active_ms=message["active_ms"],
    )
    judgment = take(
        message["judgment"], message["verb"], answer, campaign=code, by=request.user
    )
    body: dict[str, Any] = {
        "saved": {
            "judgment": judgment.code,
            "revision": judgment.revision,
            "at": judgment.saved_at,
            "late": judgment.is_late,
            "withdrawn": judgment.item.is_withdrawn,
        },
        "next": [],
    }
    if (feedback := checks.feedback(judgment)) and message["verb"] == "save":
        body["feedback"] = feedback
        body["training"] = judging.training(judgment.participant)
    if message["want"]:
        person = judgment.participant
        body["next"] = judging.give(
            person.pk, want=message["want"], held=message["held"]
        )
        if not body["next"]:
            is_empty = not set(message["held"]) - {judgment.code}
            body["status"] = judging.status(person, is_empty=is_empty)
    return Response(body)


@extend_schema(request=SeenSerializer, responses={204: None})
@api_view(["POST"])
def guideline(request: Request, code: str) -> Response:
    """The guidelines were read, up to the version given."""
    person = judging.participant_of(code, request.user)
    judging.saw_guideline(person, _valid(SeenSerializer, request)["number"])
    return Response(status=204)


@extend_schema(methods=["GET"], responses=OpenApiTypes.OBJECT)
@extend_schema(methods=["POST"], request=ReadSerializer, responses={204: None})
@api_view(["GET", "POST"])
def messages(request: Request, code: str) -> Response:
    """GET: the messages that the person has not read. POST: one, and those before it,
    were read."""
    person = judging.participant_of(code, request.user)
    if request.method == "GET":
        return Response({"messages": judging.unread(person)})
    mark_read(person, _valid(ReadSerializer, request)["message"])
    return Response(status=204)


@extend_schema(request=PreferenceSerializer, responses=PreferenceSerializer)
@api_view(["GET", "PUT"])
def preference(request: Request) -> Response:
    """A person's keys, pace and daily goal."""
    if request.method == "PUT":
        wish = _valid(PreferenceSerializer, request)
        preferences.set_preference(request.user, **wish)
    return Response(judging.preference(request.user))


def _valid(kind: Any, request: Request) -> dict[str, Any]:
    return dict(_reader(kind).run_validation(request.data))


@cache
def _reader(kind: Any) -> Any:
    """One serializer for all requests: it keeps nothing of what it reads."""
    return kind()
