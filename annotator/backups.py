"""The stored backups in ``GEMEL_HOME/backups``, and their state.

``gemel-000012.zip`` has its facts in ``gemel-000012.json``. They are files, not rows,
so that they outlive the database that they are for. The number says which is newer,
since clocks step backward. ``services.installation.backing_up`` makes and tries them.
"""

import contextlib
import fcntl
import json
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings

from annotator.errors import Conflict

FIRST = timedelta(minutes=10)  # after the start of a new installation
RETRY = timedelta(hours=1)  # after one that could not be made
MAX_TRIALS = 3  # of one backup: trying it may be what kills us
NAME = re.compile(r"gemel-\d{6,}")
ALL = "make"  # asked for: another backup; any other word is the name of one to verify


@dataclass(frozen=True, slots=True)
class Backup:
    """One archive. ``fault``: why it cannot be restored; empty: nothing is known."""

    name: str
    made_at: datetime
    size: int = 0  # bytes
    rows: int = 0
    trials: int = 0  # verifications that were begun since the last that ended
    verified_at: datetime | None = None
    fault: str = ""

    @property
    def is_good(self) -> bool:
        return self.verified_at is not None and not self.fault


@dataclass(frozen=True, slots=True)
class BackupState:
    """The state of backups, for the operator."""

    kept: list[Backup]
    hours: int  # between two; 0: none are made automatically
    is_late: bool  # the last good one is older than twice that
    is_at_work: bool
    is_requested: bool
    fault: str  # why the last one could not be made
    fault_at: datetime | None


def state(now: datetime | None = None) -> BackupState:
    now = now or datetime.now(UTC)
    fault, at = _fault()
    return BackupState(
        kept=kept(),
        hours=settings.BACKUP_HOURS,
        is_late=_is_late(now),
        is_at_work=_is_held(),
        is_requested=bool(requests()),
        fault=fault,
        fault_at=at,
    )


def kept() -> list[Backup]:
    """Newest first: by number, whatever the clock said."""
    names = [path.stem for path in folder().glob("*.zip") if NAME.fullmatch(path.stem)]
    names.sort(key=_number, reverse=True)
    files = [find(name) for name in names]
    return [one for one in files if one is not None]


def find(name: str) -> Backup | None:
    """The backup of this name; None if there is none, or the name is not of a
    backup."""
    path = path_of(name)
    if not NAME.fullmatch(name) or not path.exists():
        return None
    facts = _read(path.with_suffix(".json"))
    stat = path.stat()
    made = _time(facts.get("made_at")) or datetime.fromtimestamp(stat.st_mtime, UTC)
    return Backup(
        name=name,
        made_at=made,
        size=stat.st_size,
        rows=int(facts.get("rows", 0)),
        trials=int(facts.get("trials", 0)),
        verified_at=_time(facts.get("verified_at")),
        fault=str(facts.get("fault", "")),
    )


def note(backup: Backup) -> None:
    """Write down what is known of it."""
    path = path_of(backup.name).with_suffix(".json")
    _write(path, json.dumps(asdict(backup), default=str))


def note_fault(fault: str, now: datetime | None = None) -> None:
    """Why no backup could be made now; empty: one was made."""
    at = (now or datetime.now(UTC)).isoformat()
    _write(folder() / "fault.json", json.dumps({"fault": fault, "at": at}))


def next_name() -> str:
    return f"gemel-{max((_number(one.name) for one in kept()), default=0) + 1:06}"


def path_of(name: str) -> Path:
    return folder() / f"{name}.zip"


def request(word: str) -> None:
    """Ask for another backup (``ALL``), or that this one is tried again. The worker
    sees it within seconds."""
    _write(folder() / f"{word}.asked", "")


def requests() -> list[str]:
    return sorted(path.stem for path in folder().glob("*.asked"))


def answered(word: str) -> None:
    (folder() / f"{word}.asked").unlink(missing_ok=True)


def is_wanted(now: datetime | None = None) -> bool:
    """Whether there is anything to do: one is asked for, due, or not tried yet."""
    if _is_held():
        return False
    untried = any(not one.verified_at and not one.fault for one in kept())
    return bool(requests()) or untried or is_due(now)


def is_due(now: datetime | None = None) -> bool:
    """Whether the last good one is older than the period, and none has just failed.

    A time in the future is ignored: the clock was set back.
    """
    if not settings.BACKUP_HOURS:
        return False
    now = now or datetime.now(UTC)
    known = kept()
    period = timedelta(hours=settings.BACKUP_HOURS)
    fault, at = _fault()
    tried = [one.made_at for one in known] + ([at] if fault and at else [])
    recent = any(_is_within(RETRY, one, now) for one in tried)
    good = any(one.is_good and _is_within(period, one.made_at, now) for one in known)
    young = not tried and _is_within(FIRST, _since(), now)
    return not (good or recent or young)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """The right to write here. Raises Conflict if another process has it; a process
    that is killed loses it."""
    with _lock().open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Conflict("A backup is already being made or verified.") from error
        yield


def folder() -> Path:
    place = Path(settings.GEMEL_HOME) / "backups"
    place.mkdir(mode=0o700, exist_ok=True)
    return place


def _is_held() -> bool:
    with _lock().open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def _lock() -> Path:
    path = folder() / "lock"
    if not path.exists():
        path.touch(mode=0o600)
    return path


def _since() -> datetime:
    """When someone first looked for backups here."""
    return datetime.fromtimestamp(_lock().stat().st_mtime, UTC)


def _is_late(now: datetime) -> bool:
    twice = timedelta(hours=2 * settings.BACKUP_HOURS)
    times = [one.made_at for one in kept() if one.is_good] or [_since()]
    return bool(twice) and now - max(times) > twice


def _is_within(span: timedelta, then: datetime, now: datetime) -> bool:
    return timedelta(0) <= now - then < span


def _fault() -> tuple[str, datetime | None]:
    facts = _read(folder() / "fault.json")
    return str(facts.get("fault", "")), _time(facts.get("at"))


def _number(name: str) -> int:
    return int(name.partition("-")[2])


def _time(text: object) -> datetime | None:
    return datetime.fromisoformat(text) if isinstance(text, str) and text else None


def _read(path: Path) -> dict[str, Any]:
    """The facts; none if there are none, or a power cut has spoilt them."""
    try:
        facts = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _write(path: Path, text: str) -> None:
    partial = path.with_name(f"{path.name}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with os.fdopen(os.open(partial, flags, 0o600), "w") as file:
        file.write(text)
    partial.replace(path)
