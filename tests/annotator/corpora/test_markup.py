"""A script in any text that people can send shows as text, on every page and figure."""

import re

import pytest
from django.apps import apps
from django.db import models
from django.test import Client

from annotator.models import Issue, Job, Parse
from tests.annotator import campaigns_cast, joint_cast
from tests.annotator.reports.test_matrix import addresses

PAYLOAD = "<script>alert(1)</script><img src=x onerror=alert(2)>"
LIVE = re.compile(r"<script>alert|<img src=x|onerror=alert\(2\)>(?!&)")
# Keys and closed vocabularies: no person's text goes there.
CLOSED = {"code", "slug", "key", "digest", "slot", "sha256", "kind", "state", "origin"}
CLOSED |= {"role", "claim", "op", "password", "file", "engine", "version", "language"}


def poison() -> None:
    """Put the payload into every free text of every row."""
    for table in apps.get_app_config("annotator").get_models():
        for column in table._meta.fields:
            is_text = isinstance(column, models.TextField | models.CharField)
            if not is_text or column.choices or column.name in CLOSED:
                continue
            if table is Parse and column.name == "text":
                continue  # brackets: their words are those of the sentence
            limit = column.max_length or 10_000
            if limit < len(PAYLOAD) or column.unique:
                continue
            for row in table.objects.all():
                value = f"{getattr(row, column.name)}{PAYLOAD}"
                if len(value) <= limit:
                    table.objects.filter(pk=row.pk).update(**{column.name: value})


@pytest.fixture
def poisoned(cast):
    params = {"format": "pairs", "corpus": PAYLOAD, "dry_run": True, "uploads": []}
    job = Job.objects.create(
        project=cast.project, kind="import", title="x", by=cast.ada, params=params
    )
    Issue.objects.create(job=job, reason="r", file="f", excerpt="e", remedy="m")
    campaign = campaigns_cast.campaign(cast, n=2)
    campaigns_cast.judge(campaigns_cast.draw(campaign, cast.bob)[0])
    joint_cast.ledger(cast, domain="letters", operations="lex")
    for parse in cast.pair.source.parses.all():
        text = parse.text.replace("(NN nurse)", "(<script>alert </script>)")
        type(parse).objects.filter(pk=parse.pk).update(text=text)
    poison()
    return cast


@pytest.mark.slow
@pytest.mark.once
def test_markup_stays_text_on_every_page(poisoned) -> None:
    client = Client()
    client.force_login(poisoned.ada)
    seen, live = 0, []
    for _, address in addresses():
        answer = client.get(address)
        kind = answer.get("Content-Type", "")
        if answer.status_code != 200 or not ("html" in kind or "svg" in kind):
            continue
        body = b"".join(answer).decode()
        seen += PAYLOAD[:8] in body or "&lt;script" in body
        if LIVE.search(body):
            live.append((address, LIVE.search(body).group()))
    assert live == []
    assert seen >= 8  # the payload was really shown
