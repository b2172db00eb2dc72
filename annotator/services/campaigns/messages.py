"""Messages from managers to the people who judge, and answers to their flags.

An annotator reads the messages to them and to everyone, never those to others.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.http import Http404
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest
from annotator.models import Campaign, CampaignMessage, Judgment, Participant
from annotator.models.projects import Anybody
from annotator.services.projects import log

MAX_TEXT = 2000


@dataclass(frozen=True, slots=True)
class FlagThread:
    """The answers to a flag, oldest first."""

    answers: list[CampaignMessage]

    @property
    def is_resolved(self) -> bool:
        return bool(self.answers) and self.answers[-1].is_resolved


@transaction.atomic
def send(
    campaign: Campaign, text: str, *, by: Anybody, to: Participant | None = None
) -> CampaignMessage:
    """Write to one participant, or to everyone in the campaign.

    Raises NotAllowed, and BadRequest if there is no text or too much.
    """
    access.require(by, "manage", campaign.project)
    if not (text := _checked(text)):
        raise BadRequest(_("Enter a message."), field="text")
    log.note(campaign.project, by, "wrote to", "people", str(to or ""), campaign.name)
    return CampaignMessage.objects.create(
        campaign=campaign, participant=to, text=text, by_id=by.pk
    )


@transaction.atomic
def answer_flag(
    judgment: Judgment, text: str, *, by: Anybody, is_resolved: bool
) -> CampaignMessage:
    """Answer the flag of a judgment; it is resolved then, or open.

    Raises NotAllowed, and BadRequest if it has no flag, or if nothing would change.
    """
    person = judgment.participant
    access.require(by, "manage", person.campaign.project)
    text = _checked(text)
    if not judgment.flag:
        raise BadRequest(_("The annotator removed this flag."), field="judgment")
    if not text and threads([judgment])[judgment.pk].is_resolved == is_resolved:
        raise BadRequest(_("Enter an answer."), field="text")
    return CampaignMessage.objects.create(
        campaign=person.campaign,
        participant=person,
        judgment=judgment,
        flag=judgment.flag,
        is_resolved=is_resolved,
        text=text,
        by_id=by.pk,
    )


def _checked(text: str) -> str:
    text = text.replace("\r\n", "\n").strip()
    if len(text) > MAX_TEXT:
        problem = _("A message has %(n)s characters at most.") % {"n": MAX_TEXT}
        raise BadRequest(problem, field="text")
    return text


def threads(judgments: Iterable[Judgment]) -> dict[int, FlagThread]:
    """The answers to the present flag of each of these judgments, by its key."""
    flags = {one.pk: one.flag for one in judgments}
    rows = CampaignMessage.objects.filter(judgment__in=flags).select_related("by")
    found: dict[int, list[CampaignMessage]] = defaultdict(list)
    for row in rows.order_by("at", "pk"):
        if row.judgment_id and row.flag == flags[row.judgment_id]:
            found[row.judgment_id].append(row)
    return {pk: FlagThread(found[pk]) for pk in flags}


def open_flags() -> QuerySet[Judgment]:
    """Flagged judgments, but for those whose flag is resolved."""
    rows = CampaignMessage.objects.filter(judgment=OuterRef("pk"))
    rows = rows.filter(flag=OuterRef("flag")).order_by("-at", "-pk")
    last = Coalesce(Subquery(rows.values("is_resolved")[:1]), Value(value=False))
    return Judgment.objects.exclude(flag="").alias(end=last).filter(end=False)


def of(user: Anybody, campaign: Campaign | None = None) -> QuerySet[CampaignMessage]:
    """The messages to this person, in one campaign or in all, newest first; each with
    ``is_unread``."""
    rows = CampaignMessage.objects.shown_to(user)
    if campaign is not None:
        rows = rows.filter(campaign=campaign)
    may = {
        "campaign__project__memberships__user_id": user.pk,
        "campaign__project__memberships__role__in": access.VERBS["annotate"],
    }
    related = ("campaign__project", "judgment__item__instance", "by")
    return rows.filter(**may).select_related(*related)


def mark_read(person: Participant, code: str) -> None:
    """This message and all before it were read. Raises Http404 if it is no message to
    this person."""
    assert person.user is not None
    row = of(person.user, person.campaign).filter(code=code).first()
    if row is None:
        raise Http404(_("There is no such message."))
    mine = Participant.objects.filter(pk=person.pk)
    mine.filter(Q(messages_read_at=None) | Q(messages_read_at__lt=row.at)).update(
        messages_read_at=row.at
    )


def sent(campaign: Campaign, to: Participant | None = None) -> list[CampaignMessage]:
    """Messages to everyone, or to one person, as ``all_sent``."""
    return list(all_sent(campaign).filter(participant=to))


def all_sent(campaign: Campaign) -> QuerySet[CampaignMessage]:
    """All messages, newest first; ``n_read`` of each: how many people have read it."""
    reader = "campaign__participants"
    is_read = Q(**{f"{reader}__messages_read_at__gte": F("at")})
    is_read &= Q(**{f"{reader}__created_at__lte": F("at")})
    is_read &= Q(participant=None) | Q(participant=F(reader))
    rows = campaign.messages.exclude(text="", is_resolved=False)
    counted = rows.annotate(n_read=Count(reader, filter=is_read, distinct=True))
    related = ("participant", "by", "judgment__item__instance")
    return counted.select_related(*related).order_by("-at", "-pk")
