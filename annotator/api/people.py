"""Projects' people over the API: members and invitations."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotator import access
from annotator.api.calls.queries import validated
from annotator.models import Membership, Role
from annotator.services.projects import invitations, members


class MemberSerializer(serializers.Serializer[Any]):
    """Someone's role in the project."""

    username = serializers.CharField(source="user.username", read_only=True)
    role = serializers.ChoiceField(choices=Role.choices)
    since = serializers.DateTimeField(source="created_at", read_only=True)


class InvitationSerializer(serializers.Serializer[Any]):
    """An invitation; ``link`` is shown in the answer to its making only."""

    role = serializers.ChoiceField(choices=Role.choices)
    note = serializers.CharField(max_length=120, required=False, allow_blank=True)
    link = serializers.CharField(read_only=True)
    expires_at = serializers.DateTimeField(read_only=True)


class Members(APIView):
    """The members of the project."""

    @extend_schema(responses=MemberSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_or_404(request.user, slug)
        rows = project.memberships.select_related("user").order_by("user__username")
        return Response(MemberSerializer(rows, many=True).data)


class Member(APIView):
    """One member: give another role, or let go. Their annotations stay."""

    @extend_schema(request=MemberSerializer, responses=MemberSerializer)
    def patch(self, request: Request, slug: str, username: str) -> Response:
        sent = validated(MemberSerializer, request)
        member = self._member(request, slug, username)
        members.set_role(member, sent["role"], by=request.user)
        member.refresh_from_db()
        return Response(MemberSerializer(member).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, username: str) -> Response:
        members.remove_member(self._member(request, slug, username), by=request.user)
        return Response(status=204)

    def _member(self, request: Request, slug: str, username: str) -> Membership:
        project = access.project_or_404(request.user, slug)
        rows = project.memberships.select_related("user", "project")
        return get_object_or_404(rows, user__username=username)


class Invitations(APIView):
    """Make a link that lets one person in, once."""

    @extend_schema(request=InvitationSerializer, responses={201: InvitationSerializer})
    def post(self, request: Request, slug: str) -> Response:
        sent = validated(InvitationSerializer, request)
        made, token = invitations.invite(
            access.project_or_404(request.user, slug),
            role=sent["role"],
            note=sent.get("note", ""),
            by=request.user,
        )
        link = request.build_absolute_uri(reverse("join", args=[token]))
        answer = {"role": made.role, "note": made.note, "expires_at": made.expires_at}
        return Response(InvitationSerializer(answer | {"link": link}).data, status=201)
