"""Whether a release is unchanged since sealing, and its parts are consistent.

Only the file is needed. Time and memory are linear in its contents: one pass over each
member for its digest, one for its lines.
"""

import hashlib
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import FormatError, GemelError
from core.formats import gemel, json_text
from core.formats.records import BadLine
from core.releases.archive import BROKEN, PIECE, lines_of, opened, strangers
from core.releases.manifest import NAME, Manifest, entries

LEDGER = "ledger.jsonl"
MOST = 100  # faults that are listed


@dataclass(frozen=True, slots=True)
class Fault:
    """``line`` from 1, 0 if the whole file is meant."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}{f', line {self.line}' if self.line else ''}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Verified:
    """``faults``: empty if the release is complete; at most 100 are listed."""

    seal: str
    manifest: Manifest
    faults: tuple[Fault, ...]


def verify(path: Path) -> Verified:
    """Check seal, digests, ledger, and that judgments and links follow from the ledger.

    Raises FormatError if it is not a release, or its manifest was changed.
    """
    with opened(path) as (archive, manifest):
        faults = [
            Fault(path.name, 0, f"holds {what}") for what in strangers(path, archive)
        ]
        for fault in _faults(archive, manifest):
            faults.append(fault)
            if len(faults) == MOST:
                break
        return Verified(manifest.seal, manifest, tuple(faults))


def _faults(archive: zipfile.ZipFile, manifest: Manifest) -> Iterator[Fault]:
    broken = list(_members(archive, manifest))
    yield from broken
    if broken:
        return  # what follows would only say the same again
    last = _Last()
    yield from _chain(archive, manifest, last)
    for name in manifest.files:
        folder, _, rest = name.partition("/")
        if folder == "corpora":
            yield from _layers(archive, name, last)
        elif rest.endswith(("/judgments.jsonl", "/decisions.jsonl")):
            yield from _answers(archive, name, last)
    yield from (Fault(LEDGER, 0, f"{what} is in no table") for what in last.left())


def _members(archive: zipfile.ZipFile, manifest: Manifest) -> Iterator[Fault]:
    names = [one.filename for one in archive.infolist()]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield Fault(name, 0, "is there twice")
    for name in sorted(set(names) - set(manifest.files) - {NAME}):
        yield Fault(name, 0, "is not in the manifest")
    for name, facts in manifest.files.items():
        if name not in names:
            yield Fault(name, 0, "is missing")
        elif archive.getinfo(name).file_size != facts.size:
            yield Fault(name, 0, "has another size than was sealed")
        elif _digest(archive, name) != facts.sha256:
            yield Fault(name, 0, "is not what was sealed")


def _digest(archive: zipfile.ZipFile, name: str) -> str:
    digest = hashlib.sha256()
    try:
        with archive.open(name) as member:
            while piece := member.read(PIECE):
                digest.update(piece)
    except BROKEN:
        return ""
    return digest.hexdigest()


class _Last:
    """What the ledger says last of every judgment, and how often a layer changed."""

    def __init__(self) -> None:
        self.answers: dict[tuple[str, str, str], Mapping[str, Any]] = {}
        self.layers: dict[tuple[str, str], int] = {}

    def take(self, act: Mapping[str, Any]) -> str:
        """The error in the act, "" if none."""
        kind = act.get("act")
        if kind in ("judgment", "decision"):
            self.answers[kind, str(act.get("campaign")), str(act.get(kind))] = act
        elif kind == "link":
            layer = str(act.get("corpus")), str(act.get("layer"))
            revision = act.get("revision")
            if revision != self.layers.get(layer, 0) + 1:
                return f"revision {revision} does not follow"
            self.layers[layer] = revision
        return ""

    def left(self) -> Iterator[str]:
        """Return the members that no table has asked for."""
        for kind, campaign, code in self.answers:
            yield f"{kind} {code} of {campaign}"
        for corpus, layer in self.layers:
            yield f"layer {layer} of {corpus}"


def _chain(
    archive: zipfile.ZipFile, manifest: Manifest, last: _Last
) -> Iterator[Fault]:
    number, head = 0, ""
    try:
        for number, act in enumerate(entries(lines_of(archive, LEDGER)), 1):
            head = act["digest"]
            if reason := last.take(act):
                yield Fault(LEDGER, number, reason)
    except KeyError:
        yield Fault(LEDGER, 0, "is missing")
    except FormatError as error:
        yield Fault(LEDGER, error.line, error.reason)
        return
    if number != manifest.ledger_length or (number and head != manifest.ledger_head):
        yield Fault(LEDGER, 0, "does not end where the manifest says")


def _layers(archive: zipfile.ZipFile, name: str, last: _Last) -> Iterator[Fault]:
    """Each layer has as many changes as the ledger has of it."""
    for item in gemel.read(lines_of(archive, name)):
        if isinstance(item, BadLine):
            yield Fault(name, item.line, item.reason)
        elif item.type == "layer":
            acts = last.layers.pop((name, item.row["id"]), 0)
            if acts != item.row["revision"]:
                reason = f"revision {item.row['revision']}, but {acts} in the ledger"
                yield Fault(name, item.line, reason)


def _answers(archive: zipfile.ZipFile, name: str, last: _Last) -> Iterator[Fault]:
    """Each judgment and each decision is what its last entry says."""
    _, campaign, table = name.split("/")
    kind = "judgment" if table.startswith("judgments") else "decision"
    for number, line in enumerate(lines_of(archive, name), 1):
        try:
            row = json_text.loads(line, line=number, unique=True)
            act = last.answers.pop((kind, campaign, row[kind]), None)
            is_equal = act is not None and act["values"] == row["values"]
        except (ValueError, KeyError, TypeError, GemelError) as error:
            yield Fault(name, number, f"cannot be read: {error}")
            continue
        if not is_equal:
            yield Fault(name, number, "is not what the ledger says last")
