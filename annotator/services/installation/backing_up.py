"""Backups that are made automatically: when they are due, never two at once.

A separate process does it (``manage.py backup --automatic``), which the worker starts,
so that no long job delays it. If it is killed, the next one continues.
"""

import shutil
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection

from annotator import backups, disk
from annotator.errors import Refusal
from annotator.services import archives
from annotator.services.projects import keeping

STRAY_S = 24 * 3600  # a scratch folder of this age is abandoned


def work(now: datetime | None = None) -> None:
    """Make what is due or asked for, try what is not tried yet, keep the newest.

    Then what was deleted a month ago goes for good: a backup has held it until now.

    Errors are recorded for the page. Raises Conflict if another process is at work.
    """
    with backups.held():
        _sweep()
        words = backups.requests()
        if backups.ALL in words or backups.is_due(now):
            _make(now or datetime.now(UTC))
        for one in backups.kept():
            if one.name in words or not (one.verified_at or one.fault):
                _verify(one)
        for word in words:
            backups.answered(word)
        _prune()
    keeping.purge(now)


def _make(now: datetime) -> None:
    name = backups.next_name()
    try:
        disk.require(_needed())
        rows = sum(archives.backup(backups.path_of(name)).values())
    except (Refusal, OSError, DatabaseError) as error:
        backups.note_fault(str(error), now)
        return
    backups.note(replace(_backup_of(name), made_at=now, rows=rows))
    backups.note_fault("", now)


def _verify(backup: backups.Backup) -> None:
    """Restore it into a scratch database, and write down what came of it."""
    if backup.trials >= backups.MAX_TRIALS:
        fault = f"Trying it was stopped {backup.trials} times. Is there enough memory?"
        backups.note(replace(backup, fault=fault, trials=0))
        return
    backups.note(replace(backup, trials=backup.trials + 1))
    try:
        archives.verify(backups.path_of(backup.name))
    except Refusal as error:
        backups.note(replace(backup, fault=str(error), verified_at=_now(), trials=0))
    except (OSError, DatabaseError) as error:  # of the machine, not of the backup
        backups.note_fault(f"{backup.name} could not be tried: {error}")
    else:
        backups.note(replace(backup, fault="", verified_at=_now(), trials=0))


def _prune() -> None:
    """Keep this many of the newest, and always the newest good one."""
    known = backups.kept()
    good = next((one.name for one in known if one.is_good), "")
    for one in known[max(1, settings.BACKUPS_KEPT) :]:
        if one.name != good:
            path = backups.path_of(one.name)
            path.with_suffix(".json").unlink(missing_ok=True)
            path.unlink()


def _sweep() -> None:
    """What was left by one that was killed."""
    for path in backups.folder().glob("*.part"):
        path.unlink()
    for path in Path(settings.GEMEL_HOME).glob("scratch-*"):
        if time.time() - path.stat().st_mtime > STRAY_S:
            shutil.rmtree(path, ignore_errors=True)


def _needed() -> int:
    """Bytes, at most: the archive, and the scratch database that it is tried in."""
    uploads = Path(settings.MEDIA_ROOT).rglob("*")
    files = sum(one.stat().st_size for one in uploads if one.is_file())
    sql = "SELECT pg_database_size(current_database())"
    if connection.vendor == "sqlite":
        sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    with connection.cursor() as cursor:
        cursor.execute(sql)
        (rows,) = cursor.fetchone()
    return int(files + 2 * rows)


def _backup_of(name: str) -> backups.Backup:
    backup = backups.find(name)
    assert backup is not None
    return backup


def _now() -> datetime:
    return datetime.now(UTC)
