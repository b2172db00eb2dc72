"""A campaign's part of a release: lines of JSON, and the acts of its ledger.

Judgments are read first, then their entries up to the revision that was read: what is
judged meanwhile is in both or in neither.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from django.db.models import Q, QuerySet
from django.http import QueryDict

from annotator.models import (
    Adjudication,
    Campaign,
    Credit,
    Item,
    Judgment,
    JudgmentEvent,
)
from annotator.services.releases.people import Pseudonyms
from annotator.services.reports import agreement
from annotator.services.reports.agreement import ReportSource
from annotator.services.reports.query import parse

CHUNK = 500
Act = dict[str, Any]


class CampaignPart:
    """``record``: takes each act, in its order. ``with_texts``: what judges and
    curators wrote goes in, too."""

    def __init__(
        self,
        campaign: Campaign,
        folder: str,
        people: Pseudonyms,
        record: Callable[[Act], None],
        *,
        with_texts: bool,
    ) -> None:
        self.campaign, self.folder, self.people = campaign, folder, people
        self._record, self._with_texts = record, with_texts

    def members(self) -> Iterator[tuple[str, Iterator[str]]]:
        """Names and lines, each to be read before the next."""
        yield "campaign.json", iter([_text(self._about())])
        yield "items.jsonl", map(_line, self._items())
        yield "judgments.jsonl", map(_line, self._judgments())
        yield "decisions.jsonl", map(_line, self._decisions())
        if report := self._report():
            yield "report.json", iter([_text(report)])

    def _about(self) -> dict[str, Any]:
        scales = [
            {
                "name": one.name, "title": one.title, "question": one.question,
                "kind": one.kind, "points": one.points, "low": one.low,
                "high": one.high, "threshold": one.threshold,
            }
            for one in self.campaign.scales.all()
        ]  # fmt: skip
        guidelines = [
            {"number": one.number, "at": one.at.isoformat(), "text": one.text}
            for one in self.campaign.guidelines.order_by("number")
        ]
        return {
            "name": self.campaign.name,
            "mode": self.campaign.mode,
            "scales": scales,
            "guidelines": guidelines,
            "conditions": list(self.campaign.conditions.values_list("name", flat=True)),
        }

    def _items(self) -> Iterator[dict[str, Any]]:
        rows = self.campaign.items.select_related("instance")
        for chunk in _chunks(rows):
            credits: dict[int, list[dict[str, Any]]] = defaultdict(list)
            of_items = Credit.objects.filter(item__in=chunk).select_related("condition")
            for one in of_items.order_by("item_id", "condition__position"):
                row = {"condition": one.condition.name, "rank": one.rank}
                credits[one.item_id].append(row | {"score": one.score})
            for item in chunk:
                yield _item(item) | {"credits": credits[item.pk]}

    def _judgments(self) -> Iterator[dict[str, Any]]:
        rows = Judgment.objects.of(self.campaign).filter(
            Q(revision__gt=0) | Q(state__in=["done", "skipped"])
        )
        for chunk in _chunks(rows.select_related("item", "participant__user")):
            events: dict[int, list[JudgmentEvent]] = defaultdict(list)
            of_judgments = JudgmentEvent.objects.filter(judgment__in=chunk)
            for event in of_judgments.select_related("by").order_by(
                "judgment_id", "pk"
            ):
                events[event.judgment_id].append(event)
            for one in chunk:
                for event in events[one.pk]:
                    if event.revision <= one.revision:
                        self._record(self._act(one, event))
                yield self._judgment(one)

    def _judgment(self, one: Judgment) -> dict[str, Any]:
        row = {
            "judgment": one.code, "item": one.item.code,
            "annotator": one.participant.label,
            "person": self.people[_name(one.participant.user)],
            "simulated": one.participant.is_simulated, "round": one.round,
            "state": one.state, "values": one.values, "counted": one.fills,
            "late": one.is_late, "revision": one.revision, "mode": one.mode,
            "guideline": one.guideline, "active_ms": one.active_ms,
            "saved_at": one.saved_at and one.saved_at.isoformat(),
            "skip_reason": one.skip_reason,
        }  # fmt: skip
        texts = {"comment": one.comment, "flag": one.flag}
        return row | texts if self._with_texts else row

    def _act(self, one: Judgment, event: JudgmentEvent) -> Act:
        act = {
            "act": "judgment", "campaign": self.folder, "judgment": one.code,
            "verb": event.verb, "uuid": str(event.uuid), "revision": event.revision,
            "by": self.people[_name(event.by)], "at": event.at.isoformat(),
            "values": event.values, "guideline": event.guideline, "mode": event.mode,
            "active_ms": event.active_ms,
        }  # fmt: skip
        return act | {"note": event.note} if self._with_texts else act

    def _decisions(self) -> Iterator[dict[str, Any]]:
        rows = Adjudication.objects.filter(item__campaign=self.campaign)
        for chunk in _chunks(rows.select_related("item", "by")):
            for one in chunk:
                row = {
                    "decision": one.code, "item": one.item.code, "number": one.number,
                    "values": one.values, "accepts": one.accepts, "reason": one.reason,
                    "confidence": one.confidence, "by": self.people[_name(one.by)],
                    "at": one.at.isoformat(),
                }  # fmt: skip
                if self._with_texts:
                    row["note"] = one.note
                self._record({"act": "decision", "campaign": self.folder, **row})
                yield row

    def _report(self) -> dict[str, Any] | None:
        """The report without names; None where nothing was judged."""
        if not Judgment.objects.of(self.campaign).counted().exists():
            return None
        source = ReportSource(self.campaign.project, "campaign", self.campaign)
        return agreement.report(source, parse(QueryDict("")))[0]


def _item(item: Item) -> dict[str, Any]:
    at = item.instance
    return {
        "item": item.code, "kind": item.kind, "ref": item.ref, "sentence": at.sentence,
        "start": at.start, "end": at.end, "phrase": at.phrase,
        "paraphrase": item.paraphrase, "gold": item.gold, "why": item.why,
        "withdrawn": item.is_withdrawn,
    }  # fmt: skip


def _chunks(rows: QuerySet[Any]) -> Iterator[list[Any]]:
    last = 0
    while chunk := list(rows.order_by("pk").filter(pk__gt=last)[:CHUNK]):
        yield chunk
        last = chunk[-1].pk


def _name(user: Any) -> str:
    return str(user.username) if user else ""


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
