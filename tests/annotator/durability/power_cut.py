"""Links made over HTTP, and what a power cut right after each answer would leave.

Run by test_durability in an installation of its own: the database must be a file.
"""

import json
import os
import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path
from uuid import uuid4

from django.conf import settings
from django.db import connection
from django.test import Client

from tests.cast import Cast

QUERY = "SELECT uuid FROM annotator_linkevent ORDER BY revision"


def main() -> None:
    """Prints as JSON: statuses, links kept after each, the answer when it fails."""
    settings.ALLOWED_HOSTS.append("testserver")
    cast, client = Cast(), Client(raise_request_exception=False)
    client.force_login(cast.bob)
    folder = Path(tempfile.mkdtemp(dir=settings.GEMEL_HOME))
    real, kept = os.fdatasync, folder / "db-wal"

    def noted(fd: int) -> None:
        shutil.copyfile(f"/proc/self/fd/{fd}", kept)
        real(fd)

    def fails(fd: int) -> None:
        raise OSError(28, "No space left on device")

    os.fdatasync = noted
    statuses, left = [], []
    for n in range(4):
        statuses.append(link(cast, client, n).status_code)
        left.append(len(after_power_cut(folder)))
    os.fdatasync = fails
    refused = link(cast, client, 4)
    told = [statuses, left, refused.status_code, refused.json()]
    sys.stdout.write(json.dumps(told))


def link(cast: Cast, client: Client, n: int):
    body = {"uuid": str(uuid4()), "base_rev": n, "op": "link", "s": "w0", "t": f"w{n}"}
    address = f"/api/layers/{cast.layer.code}/ops/"
    return client.post(address, json.dumps(body), "application/json")


def after_power_cut(folder: Path) -> list[tuple]:
    """The rows of a database of which only what was synced is left."""
    shutil.copyfile(connection.settings_dict["NAME"], folder / "db")
    there = sqlite3.connect(folder / "db")
    try:
        return there.execute(QUERY).fetchall()
    finally:
        there.close()
