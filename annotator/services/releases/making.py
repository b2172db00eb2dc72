"""Making a release: the file is complete, verified and sealed, or absent."""

import json
import platform
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import django
from django.db import connection
from django.db.models import Q
from django.http import QueryDict

from annotator import __version__
from annotator.errors import BadRequest
from annotator.exchange import bundle
from annotator.exchange.files import safe_name
from annotator.models import (
    Adjudication,
    Campaign,
    Corpus,
    Credit,
    Item,
    Judgment,
    JudgmentEvent,
    Parse,
    Project,
    TreeEvent,
    VerdictEvent,
)
from annotator.services.jobs import in_batches
from annotator.services.releases import everything
from annotator.services.releases.everything import Pseudonyms, names, pseudonyms
from annotator.services.reports import agreement
from annotator.services.reports.agreement import ReportSource, parse
from core.formats import gemel
from core.formats.gemel import GemelItem
from core.protocols import Step
from core.releases.archive import Writer
from core.releases.dataset import datasheet
from core.releases.licences import problems
from core.releases.manifest import HashChain, Manifest
from core.releases.verifying import verify

Act = dict[str, Any]


def lines(
    corpus: Corpus, name: str, people: Pseudonyms, record: Callable[[Act], None]
) -> Iterator[str]:
    """The lines of the bundle; ``name``: of the member; ``record`` takes the acts."""
    yield from gemel.write(_items(corpus, name, people, record))
    for act in (*_trees(corpus, people), *_verdicts(corpus, people)):
        record({**act, "corpus": name})


def _items(
    corpus: Corpus, name: str, people: Pseudonyms, record: Callable[[Act], None]
) -> Iterator[GemelItem]:
    revisions: dict[str, int] = {}
    for item in bundle.items(corpus):
        row = dict(item.row)
        for member in ("author", "by"):
            if member in row:
                row[member] = people[row[member]]
        if item.type == "layer":
            revisions[row["id"]] = row["revision"]
        if item.type == "event":
            if row["revision"] > revisions[row["layer"]]:
                continue  # it was made while this was read
            record({**row, "act": "link", "corpus": name})
        yield replace(item, row=row)


def _trees(corpus: Corpus, people: Pseudonyms) -> Iterator[Act]:
    rows = TreeEvent.objects.filter(draft__sentence__corpus=corpus)
    rows = rows.select_related("draft__sentence", "by")
    for one in rows.order_by("draft_id", "revision").iterator():
        yield {
            "act": "tree", "draft": one.draft.code,
            "sentence": one.draft.sentence.key, "uuid": str(one.uuid),
            "revision": one.revision, "op": one.op, "done": one.done,
            "by": people[one.by.username], "at": one.at.isoformat(),
        }  # fmt: skip


def _verdicts(corpus: Corpus, people: Pseudonyms) -> Iterator[Act]:
    rows = VerdictEvent.objects.filter(change__run__corpus=corpus)
    order = rows.select_related("change", "by").order_by("change_id", "revision")
    for one in order.iterator():
        yield {
            "act": "verdict", "change": one.change.code, "uuid": str(one.uuid),
            "revision": one.revision, "before": one.before, "after": one.after,
            "by": people[one.by.username] if one.by else "", "at": one.at.isoformat(),
        }  # fmt: skip


CHUNK = 500


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
        for chunk in in_batches(rows, CHUNK):
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
        rows = rows.select_related("item", "participant__user")
        for chunk in in_batches(rows, CHUNK):
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
        for chunk in in_batches(rows.select_related("item", "by"), CHUNK):
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


def _name(user: Any) -> str:
    return str(user.username) if user else ""


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


_SIGNS = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class ReleaseParts:
    """What a release holds: ``corpora`` and ``campaigns`` in order of their names, and
    the ``licence`` of the campaigns' items, "" if none was named."""

    corpora: list[Corpus]
    campaigns: list[Campaign]
    licence: str = ""

    def licences(self) -> dict[str, str]:
        """The licence of each corpus, and of the items of each campaign."""
        of_items = {f"items of {one.name}": self.licence for one in self.campaigns}
        return {one.name: one.licence for one in self.corpora} | of_items

    def warnings(self) -> list[str]:
        """Licences that are not stated, or forbid a release."""
        return problems(self.licences().items())


def parts_of(
    project: Project,
    chosen: Collection[str] | None = None,
    *,
    licence: str = "",
    with_simulated: bool = False,
) -> ReleaseParts:
    """The parts with these codes; None: all, simulations only if asked for."""
    corpora, campaigns = project.corpora.all(), project.campaigns.all()
    if not with_simulated:
        campaigns = campaigns.filter(is_simulated=False)
    if chosen is not None:
        corpora = corpora.filter(code__in=chosen)
        campaigns = campaigns.filter(code__in=chosen)
    return ReleaseParts(
        list(corpora.order_by("name")),
        list(campaigns.order_by("name")),
        licence.strip()[:120],
    )


class Maker:
    """One release of a project. ``with_texts``: comments and notes go in, too.
    ``chosen``: codes of its corpora and campaigns, None for all; ``licence``: of items.

    ``is_complete``: an export for who keeps the project, with all that it holds, under
    everyone's own name (``everything``).
    """

    def __init__(
        self,
        project: Project,
        *,
        with_texts: bool = False,
        is_complete: bool = False,
        chosen: Collection[str] | None = None,
        licence: str = "",
    ) -> None:
        self.project, self.is_complete = project, is_complete
        self.with_texts = with_texts or is_complete
        self._of = parts_of(
            project, chosen, licence=licence, with_simulated=is_complete
        )
        self._chain, self._counts = HashChain(), Counter[str]()
        self._people: Pseudonyms = pseudonyms(project)
        if is_complete:
            self._people = everything.Named(names(project))

    def steps(self, path: Path) -> Generator[Step, None, Manifest]:
        """Write the release to ``path``, in steps that can be stopped between.

        Raises FileExistsError, BadRequest if the project is empty.
        """
        corpora_, campaigns = self._of.corpora, self._of.campaigns
        if not corpora_ and not campaigns and not self.is_complete:
            raise BadRequest("The project has nothing to release yet.")
        more = len(everything.ROWS) + 1 if self.is_complete else 0
        yield Step(total=len(corpora_) + len(campaigns) + more + 1)
        aside = path.with_name(path.name + ".part")
        aside.unlink(missing_ok=True)
        writer = Writer(aside)
        try:
            with TemporaryFile("w+", encoding="utf-8") as ledger:
                yield from self._write(writer, ledger)
                if self.is_complete:
                    yield from self._write_rest(writer)
                manifest = self._seal(writer, ledger)
            self._verify(aside)
            aside.replace(path)
        finally:
            writer.abandon()
            with suppress(FileNotFoundError):
                aside.unlink()
        yield Step(done=1)
        return manifest

    def _write(self, writer: Writer, ledger: IO[str]) -> Iterator[Step]:
        def record(act: dict[str, Any]) -> None:
            self._counts[f"acts: {act['act']}"] += 1
            ledger.write(self._chain.line(act))

        for corpus in self._of.corpora:
            name = _unused(writer, "corpora/", corpus.name, ".gemel")
            writer.add(name, lines(corpus, name, self._people, record))
            self._counts["sentences"] += corpus.n_sentences
            self._counts["pairs"] += corpus.n_pairs
            yield Step(done=1)
        for campaign in self._of.campaigns:
            folder = _unused(writer, "campaigns/", campaign.name, "/")[10:-1]
            part = CampaignPart(
                campaign, folder, self._people, record, with_texts=self.with_texts
            )
            for name, rows in part.members():
                writer.add(f"campaigns/{folder}/{name}", rows)
            yield Step(done=1)

    def _write_rest(self, writer: Writer) -> Iterator[Step]:
        """What only a complete export has: rows, then files, one step together."""
        writer.add("README.md", [everything.readme(self.project)])
        for name in everything.ROWS:
            writer.add(f"project/{name}.jsonl", everything.lines(self.project, name))
            yield Step(done=1)
        for name, path in everything.files(self.project):
            writer.add_file(name, path)
            yield Step()
        yield Step(done=1)

    def _seal(self, writer: Writer, ledger: IO[str]) -> Manifest:
        ledger.seek(0)
        writer.add("ledger.jsonl", ledger)
        environment = json.dumps(_environment(self.project), indent=1)
        writer.add("environment.json", [environment])
        if not self.is_complete:
            about = self._manifest(writer), self.project.description
            sheet = datasheet(*about, with_texts=self.with_texts)
            writer.add("DATASHEET.md", [sheet])
        manifest = self._manifest(writer)
        writer.seal(manifest)
        return manifest

    def _manifest(self, writer: Writer) -> Manifest:
        counts = {"corpora": len(self._of.corpora), "people": len(self._people)}
        return Manifest(
            project=self.project.slug,
            title=self.project.name,
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            files=dict(writer.files),
            counts=counts | dict(self._counts),
            licences=self._of.licences(),
            ledger_head=self._chain.head,
            ledger_length=self._chain.length,
            warnings=tuple(self._of.warnings()),
            about={
                "gemel": __version__,
                "has_texts": self.with_texts,
                "is_complete": self.is_complete,
            },
        )

    def _verify(self, path: Path) -> None:
        if faults := verify(path).faults:
            raise BadRequest(
                f"The release failed its own check: {faults[0]}. If someone was "
                "working at the "
                f"time, create it again; otherwise tell the operator of this server."
            )


def _unused(writer: Writer, folder: str, name: str, ending: str) -> str:
    plain = _SIGNS.sub("-", safe_name(name)).strip("-.") or "unnamed"
    made, n = f"{folder}{plain}{ending}", 1
    while any(one.startswith(made) for one in writer.files):
        n += 1
        made = f"{folder}{plain}-{n}{ending}"
    return made


def _environment(project: Project) -> dict[str, Any]:
    parses = Parse.objects.filter(sentence__corpus__project=project).exclude(engine="")
    engines = parses.order_by().values_list("engine", "version").distinct()
    packages = {one.name: one.version for one in metadata.distributions()}
    return {
        "gemel": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "database": f"{connection.vendor}, Django {django.__version__}",
        "engines": sorted(" ".join(one).strip() for one in engines),
        "packages": dict(sorted(packages.items(), key=lambda one: one[0].casefold())),
    }
