"""A Gemel bundle into the database."""

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotator.exchange.bundle import check
from annotator.exchange.rows import RAW
from annotator.models import (
    AlignmentLayer,
    Corpus,
    Job,
    LinkEvent,
    PackedForest,
    Pair,
    Parse,
    Sentence,
)
from annotator.models.authorship import AUTHOR, IMPORTED
from annotator.services.corpora.batches import BATCH, UploadCounts
from core.data.alignment import Alignment
from core.errors import FormatError
from core.formats import tigerxml, treetext
from core.formats.gemel import GemelItem
from core.formats.records import BadLine, bad

ORDER = ("corpus", "sentence", "parse", "forest", "pair", "layer", "event")


class BundleLoader:
    """Takes items in their order; things that are there already are left alone."""

    def __init__(self, corpus: Corpus, job: Job, file: str, *, write: bool) -> None:
        self.counts = UploadCounts()
        self.files: list[dict[str, Any]] = []
        self._corpus, self._job, self._write = corpus, job, write
        self._ids: dict[str, dict[str, int]] = {}  # type -> id in the bundle -> pk
        self._sizes: dict[str, tuple[int, str]] = {}  # sentence -> tokens, text
        self._held: dict[str, list[GemelItem]] = {kind: [] for kind in ORDER}
        self._nth: dict[str, int] = {}
        self._authors = _Authors(job, file)

    @property
    def is_full(self) -> bool:
        return sum(map(len, self._held.values())) >= BATCH

    def take(self, index: int, item: GemelItem) -> Iterator[BadLine]:
        """Keep the item; items of one type go to the database together."""
        try:
            check(item)
        except FormatError as error:
            yield bad(error, line=item.line)
        else:
            self._held[item.type].append(item)

    def flush(self) -> Iterator[BadLine]:
        """Write what is held, what is named before what names it."""
        held, self._held = self._held, {kind: [] for kind in ORDER}
        with transaction.atomic():
            for kind, rows in held.items():
                self._count(kind, rows)
                if self._write and rows:
                    save: Callable[[list[GemelItem]], None] = getattr(
                        self, f"_save_{kind}"
                    )
                    save(rows)
        yield from ()

    def _count(self, kind: str, held: list[GemelItem]) -> None:
        name = f"{kind}s"
        if hasattr(self.counts, name):
            setattr(self.counts, name, getattr(self.counts, name) + len(held))
        if kind == "layer":
            self.counts.links += sum(
                len(item.row["links"].get("links", ())) for item in held
            )

    def _save_corpus(self, held: list[GemelItem]) -> None:
        """What the bundle says of its corpus, where the corpus says nothing yet."""
        row = held[-1].row
        corpus = Corpus.objects.select_for_update().get(pk=self._corpus.pk)
        if corpus.n_sentences:
            return
        for name in ("licence", "provenance", "source_language", "target_language"):
            setattr(corpus, name, row[name])
        corpus.meta = {**row["meta"], **corpus.meta}
        corpus.save()

    def _save_sentence(self, held: list[GemelItem]) -> None:
        n = self._save(held, [self._sentence(one.row) for one in held], "corpus", "key")
        Corpus.objects.filter(pk=self._corpus.pk).update(
            n_sentences=F("n_sentences") + n
        )

    def _sentence(self, row: Mapping[str, Any]) -> Sentence:
        tokens = Sentence.join(row["tokens"])
        text = row["text"] or " ".join(row["tokens"])
        self._sizes[row["id"]] = len(row["tokens"]), text
        return Sentence(
            corpus=self._corpus, ref=row["ref"], text=text, tokens=tokens,
            n_tokens=len(row["tokens"]), language=row["language"],
            columns=row["columns"],
            key=row["key"] or self._key("s", row["ref"], tokens),
        )  # fmt: skip

    def _save_parse(self, held: list[GemelItem]) -> None:
        made = [self._parse(one.row) for one in held]
        identity = ("sentence_id", "kind", "origin", "engine", "version", "rank",
                    "digest")  # fmt: skip
        self._save(held, made, "sentence", *identity)

    def _parse(self, row: Mapping[str, Any]) -> Parse:
        author, notes = self._authors.of(row)
        came = notes.get(RAW) or notes.get(tigerxml.SOURCE, "")
        meta = tigerxml.lifted(notes, str(came))
        parts = treetext.parts(row["text"], meta)
        return Parse(
            sentence_id=self._ids["sentence"][row["sentence"]], kind=row["kind"],
            origin=row["origin"], author=author, engine=row["engine"],
            version=row["version"], rank=row["rank"], score=row["score"],
            text=row["text"], digest=Sentence.key_of(*parts), meta=meta,
            created_at=_time(row["created_at"]),
        )  # fmt: skip

    def _save_forest(self, held: list[GemelItem]) -> None:
        made = [
            PackedForest(
                sentence_id=self._ids["sentence"][row["sentence"]],
                engine=row["engine"], version=row["version"],
                data=base64.b64decode(row["data"]),
            )
            for row in (one.row for one in held)
        ]  # fmt: skip
        self._save(held, made, "sentence", "sentence_id", "engine", "version")

    def _save_pair(self, held: list[GemelItem]) -> None:
        n = self._save(held, [self._pair(one.row) for one in held], "corpus", "key")
        Corpus.objects.filter(pk=self._corpus.pk).update(n_pairs=F("n_pairs") + n)

    def _pair(self, row: Mapping[str, Any]) -> Pair:
        (n_source, source), (n_target, target) = (
            self._sizes[row[side]] for side in ("source", "target")
        )
        text = "\n".join(" ".join(side.split()) for side in (source, target))
        return Pair(
            corpus=self._corpus, ref=row["ref"], text=text,
            source_id=self._ids["sentence"][row["source"]],
            target_id=self._ids["sentence"][row["target"]],
            label=row["label"], meta=row["meta"], state=row["state"],
            n_source=n_source, n_target=n_target,
            key=row["key"] or self._key("pair", row["ref"], text),
        )  # fmt: skip

    def _save_layer(self, held: list[GemelItem]) -> None:
        made = [self._layer(one.row) for one in held]
        _know_again(made)
        self._save(held, made, "pair", "pair_id", "slot")

    def _layer(self, row: Mapping[str, Any]) -> AlignmentLayer:
        author, meta = self._authors.of(row)
        links = Alignment.from_json(row["links"]).to_json()
        created, parses = _time(row["created_at"]), self._ids.get("parse", {})
        slot = AlignmentLayer.slot_of(
            row["origin"], author_id=author.pk if author else None,
            engine=row["engine"], version=row["version"], name=row["name"],
            imported=meta.get(AUTHOR, ""),
        )  # fmt: skip
        return AlignmentLayer(
            slot=slot, pair_id=self._ids["pair"][row["pair"]], origin=row["origin"],
            author=author, engine=row["engine"], version=row["version"],
            name=row["name"], options=row["options"], links=links,
            source_parse_id=parses.get(row["source_parse"]),
            target_parse_id=parses.get(row["target_parse"]),
            n_links=len(links["links"]), parked=row["parked"],
            revision=row["revision"], state=row["state"], meta=meta,
            created_at=created, updated_at=_time(row["updated_at"], created),
        )  # fmt: skip

    def _save_event(self, held: list[GemelItem]) -> None:
        """The ledger of layers that have none of their own for these revisions."""
        layers = self._own({self._ids["layer"][item.row["layer"]] for item in held})
        held = [one for one in held if self._ids["layer"][one.row["layer"]] in layers]
        there = {
            (one.layer_id, one.revision): one.pk
            for one in LinkEvent.objects.filter(layer__in=layers).only(
                "layer", "revision"
            )
        }
        made = []
        for item in held:
            row = item.row
            place = self._ids["layer"][row["layer"]], row["revision"]
            if place not in there:
                made.append((item, _event(row, place[0], self._authors)))
        for _, one in made:
            one.job = self._job
        LinkEvent.objects.bulk_create(one for _, one in made)
        there |= {(one.layer_id, one.revision): one.pk for _, one in made}
        undone = []
        for item, one in made:
            if item.row["undoes"] is not None:
                one.undoes_id = there.get((one.layer_id, item.row["undoes"]))
                undone.append(one)
        LinkEvent.objects.bulk_update(undone, ["undoes"])

    def _own(self, layers: set[int]) -> set[int]:
        """Those that this import made: no file tells the history of others."""
        rows = AlignmentLayer.objects.filter(pk__in=layers).values_list("pk", "meta")
        return {pk for pk, meta in rows if self._authors.is_ours(meta)}

    def _save(
        self, held: list[GemelItem], made: Sequence[Any], of: str, *identity: str
    ) -> int:
        """Create the rows that are not there; remember the pk of all. ``of``: the row
        within which ``identity`` is unique."""
        kind, rows = held[0].type, type(made[0])._default_manager

        def name(one: Any) -> tuple[Any, ...]:
            return tuple(getattr(one, field) for field in identity)

        within = {f"{of}__in": {getattr(one, f"{of}_id") for one in made}}
        if identity == ("key",):
            within["key__in"] = {one.key for one in made}
        query = rows.filter(**within).only("pk", *identity)
        ids = {name(one): one.pk for one in query}
        new = {name(one): one for one in made if name(one) not in ids}
        for one in new.values():
            one.job = self._job
        rows.bulk_create(new.values())
        ids |= {key: one.pk for key, one in new.items()}
        known = self._ids.setdefault(kind, {})
        for item, one in zip(held, made, strict=True):
            if "id" in item.row:
                known[item.row["id"]] = ids[name(one)]
        self.counts.add_new(f"{kind}s", len(new))
        return len(new)

    def _key(self, *parts: str) -> str:
        short = Sentence.key_of(*parts)
        nth = self._nth[short] = self._nth.get(short, -1) + 1
        return Sentence.key_of("g", *parts, str(nth))


class _Authors:
    """Names in a bundle, which have no account here: a file cannot create or
    impersonate anyone.

    Only a bundle of our own making, the sample's, names members.
    """

    def __init__(self, job: Job, file: str) -> None:
        by, at = str(job.by or "Gemel"), job.created_at.isoformat()
        self._provenance = {"file": file, "by": by, "at": at}
        self._is_trusted = bool(job.params.get("is_ours"))
        members = User.objects.filter(memberships__project=job.project_id)
        self._members = {str(m): m for m in members} if self._is_trusted else {}

    def find(self, name: str) -> User | None:
        return self._members.get(name)

    def is_ours(self, meta: Mapping[str, Any]) -> bool:
        """Whether a row with this ``meta`` came with this very import."""
        return self._is_trusted or meta.get(IMPORTED) == self._provenance

    def of(self, row: Mapping[str, Any]) -> tuple[User | None, dict[str, Any]]:
        """The account, and ``meta`` with what is known of where the row is from."""
        meta = {k: v for k, v in row["meta"].items() if k not in (AUTHOR, IMPORTED)}
        author = self.find(row["author"])
        if author is None:
            meta[IMPORTED] = self._provenance
            meta |= {AUTHOR: row["author"]} if row["author"] else {}
        return author, meta


def _know_again(made: list[AlignmentLayer]) -> None:
    """A layer that is here already, link for link, is the one of anyone who made it."""
    names = {str(one.meta.get(AUTHOR, "")) for one in made} - {""}
    there = AlignmentLayer.objects.filter(
        pair__in=[one.pair_id for one in made], author__username__in=names
    ).select_related("author")
    known = {(one.pair_id, str(one.author), one.name): one for one in there}
    for one in made:
        same = known.get((one.pair_id, str(one.meta.get(AUTHOR, "")), one.name))
        if same is not None and same.revision == one.revision:
            one.slot = same.slot if same.to_core().to_json() == one.links else one.slot


def _time(text: str, default: datetime | None = None) -> datetime:
    return parse_datetime(text) or default or timezone.now()


def _event(row: Mapping[str, Any], layer: int, authors: _Authors) -> LinkEvent:
    by = authors.find(row["by"])
    return LinkEvent(
        layer_id=layer, uuid=UUID(row["uuid"]), revision=row["revision"],
        op=row["op"], by=by, imported_by="" if by else row["by"], at=_time(row["at"]),
        before=row["before"], after=row["after"],
    )  # fmt: skip
