"""Notices by mail, to anyone who wants them: what is new among the things that need a
manager, once a day at most, and messages to annotators at once. English, as no one's
language is stored."""

import logging
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import send_mail
from django.urls import reverse
from django.utils import timezone

from annotator.models import MailNotices
from annotator.pages.site.needs import Need, needs
from annotator.pages.site.quality import of_agreement
from annotator.services.campaigns import messages

log = logging.getLogger("annotator.mail")

DAY = timedelta(days=1)


def send_due(now: datetime | None = None) -> int:
    """Write to everyone with an unread message, and to those who have not been written
    to for a day and have something new; how many mails went out. A mail that cannot be
    sent is tried again at the next call."""
    if not settings.EMAIL_HOST:
        return 0
    now = now or timezone.now()
    rows = MailNotices.objects.filter(user__is_active=True)
    return sum(
        _send(one, now) for one in rows.exclude(user__email="").select_related("user")
    )


def _send(one: MailNotices, now: datetime) -> bool:
    is_rested = one.sent_at is None or one.sent_at <= now - DAY
    lines = _messages(one.user)
    lines += [*needs(one.user), *of_agreement(one.user)] if is_rested else []
    keys = {_key(need): need for need in lines}
    new = [need for key, need in keys.items() if key not in one.told]
    told = list(keys) if is_rested else list({*one.told, *keys})
    mine = MailNotices.objects.filter(pk=one.pk, sent_at=one.sent_at)
    if not new:
        mine.update(told=told)
        return False
    if not mine.update(sent_at=now, told=told):
        return False  # another worker has just written
    try:
        send_mail(_subject(new), _text(new), None, [one.user.email])
    except (OSError, SMTPException) as error:
        MailNotices.objects.filter(pk=one.pk).update(sent_at=one.sent_at, told=one.told)
        log.warning("a notice could not be sent: %s", error)
        return False
    return True


def _messages(user: User) -> list[Need]:
    """The messages of managers that the person has not read."""
    return [
        Need(
            row.code,
            "",
            f"Message from {row.by or 'a manager'}: {row.text or 'flag resolved'}",
            f"{row.campaign.project}, {row.campaign}",
            reverse(
                "judge_messages", args=[row.campaign.project.slug, row.campaign.code]
            ),
            "",
        )
        for row in messages.of(user)
        if row.is_unread
    ]


def _key(need: Need) -> str:
    """What makes a thing another one; figures in its text may change."""
    return need.text if need.tone == "bad" else f"{need.chip} {need.url}"


def _subject(new: list[Need]) -> str:
    return f"Gemel: {len(new)} new thing{'' if len(new) == 1 else 's'} to look at"


def _text(new: list[Need]) -> str:
    parts = [f"{one.project}: {one.text}\n{settings.SITE_URL}{one.url}" for one in new]
    end = f"To get no such mails: {settings.SITE_URL}{reverse('account')}"
    return "\n\n".join([*parts, end]) + "\n"
