"""Files of an archive: uploads, parallel text, sealed releases and trained models; on
wish, tables of paraphrases.

The manifest holds the SHA-256 of each file in the archive, and names each table of
paraphrases with the digests of its files, whether they are in the archive or not.
Tables are large, and can be made again out of the parallel text.
"""

import contextlib
import hashlib
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

from django.conf import settings

from annotator import disk
from annotator.errors import BadRequest
from annotator.models import Bitext, ParaphraseTable
from annotator.services.paraphrases import tables

ALWAYS = ("uploads", "releases", "models")
ROOTS = (*ALWAYS, "tables")
PARTS = ("rows", *ROOTS)
LEFT_OUT = {  # other files of an installation, and why they are not included
    "tables": "large, and made again out of parallel text; in a backup if asked for",
    "backups": "backups themselves",
    "broker": "messages, which only wake workers: the rows are the truth",
    "incoming": "requests that are being received",
    "metrics": "measurements since the last start",
    "static": "made from the program at each start",
    "secret_key": "signs sessions: a copy in a backup could forge them",
    "write.lock": "a lock",
    "up.lock": "a lock",
    "worker.lock": "a lock",
    "worker.alive": "a sign of life",
    "sample.loaded": "that the sample project was loaded; its rows are in the backup",
}
PIECE = 1 << 20


def write(archive: zipfile.ZipFile, *, with_tables: bool) -> dict[str, Any]:
    """Put the files in; what the manifest says of them: ``uploads``, how many;
    ``files``, the digest of each; ``tables``."""
    files: dict[str, str] = {}
    n_uploads = 0
    for under in ALWAYS:
        root = _root(under)
        there = sorted(one for one in root.rglob("*") if one.is_file())
        files |= _packed(archive, there, root, under)
        if under == "uploads":
            n_uploads = len(files)
    tables = [_table(one) for one in ParaphraseTable.objects.select_related("project")]
    for one in tables if with_tables else ():
        folder = disk.shared() / "tables"
        paths = [folder / one["code"] / name for name in one["files"]]
        files |= _packed(archive, paths, folder, "tables")
    return {"uploads": n_uploads, "files": files, "tables": tables}


def _root(under: str) -> Path:
    """Where the files of this part of an archive are stored here."""
    places = {"uploads": settings.MEDIA_ROOT, "models": settings.MODELS_DIR}
    return Path(places.get(under, disk.shared() / under))


def _packed(
    archive: zipfile.ZipFile, paths: list[Path], root: Path, under: str
) -> dict[str, str]:
    digests = {}
    for path in paths:
        name = f"{under}/{path.relative_to(root).as_posix()}"
        with contextlib.suppress(FileNotFoundError):  # a job has taken it away
            info = zipfile.ZipInfo.from_file(path, name)
            info.compress_type = zipfile.ZIP_DEFLATED
            with (
                path.open("rb") as source,
                archive.open(info, "w", force_zip64=True) as file,
            ):
                digests[name] = _copied(source, file)
    return digests


def _copied(source: IO[bytes], target: IO[bytes] | None = None) -> str:
    """The SHA-256 of what is read, and perhaps written."""
    hashed = hashlib.sha256()
    while piece := source.read(PIECE):
        hashed.update(piece)
        if target is not None:
            target.write(piece)
    return hashed.hexdigest()


def _table(row: ParaphraseTable) -> dict[str, Any]:
    """Name, digests by file, and sources; no files: it is being built."""
    chosen = Bitext.objects.filter(code__in=row.rules.get("bitexts", ()))
    facts: dict[str, Any] = {
        "code": row.code,
        "name": row.name,
        "project": row.project.slug,
    }
    facts |= {"bitexts": sorted(one.name for one in chosen), "rules": row.rules}
    with contextlib.suppress(FileNotFoundError):  # it is rebuilt just now
        digests = {}
        for path in tables.files_of(row):
            with path.open("rb") as file:
                digests[path.relative_to(row.folder).as_posix()] = _copied(file)
        return facts | {"files": digests}
    return facts | {"files": {}}


def check(archive: zipfile.ZipFile, manifest: dict[str, Any]) -> None:
    """Raises BadRequest unless each file is what was packed."""
    for name, digest in manifest.get("files", {}).items():
        try:
            with archive.open(name) as file:
                actual = _copied(file)
        except KeyError as error:
            raise BadRequest(f"The backup does not contain the file {name}.") from error
        if actual != digest:
            raise BadRequest(f"The file {name} differs from what was backed up.")


def unpack(archive: zipfile.ZipFile, manifest: dict[str, Any]) -> None:
    """Put all files in their places. Raises BadRequest at one that is not what was
    packed; what has been written by then is named by no row."""
    digests = manifest.get("files", {})
    for name in archive.namelist():
        top, *parts = PurePosixPath(name).parts
        if top not in ROOTS or name.endswith("/"):
            continue
        target = _root(top).joinpath(*parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(target.name + ".part")
        with archive.open(name) as source, private(partial) as file:
            actual = _copied(source, file)
        if actual != digests.get(name, actual):
            partial.unlink()
            raise BadRequest(f"The file {name} differs from what was backed up.")
        partial.replace(target)


def lacking(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """The tables of the manifest whose files are not here as they were then."""
    folder = disk.shared() / "tables"
    return [
        one
        for one in manifest.get("tables", ())
        if not all(
            _is(folder / one["code"] / name, digest)
            for name, digest in one["files"].items()
        )
    ]


def _is(path: Path, digest: str) -> bool:
    try:
        with path.open("rb") as file:
            return _copied(file) == digest
    except OSError:
        return False


def refuse_paths(archive: zipfile.ZipFile) -> None:
    """No entry may leave the folders of the files."""
    for name in archive.namelist():
        parts = PurePosixPath(name).parts
        inside = name in ("manifest.json", "data.jsonl") or parts[0] in PARTS
        if not inside or ".." in parts or name.startswith("/") or "\\" in name:
            raise BadRequest(f"The archive contains a forbidden path: {name!r}.")


@contextlib.contextmanager
def private(path: Path) -> Iterator[IO[bytes]]:
    """A new file for the owner alone; on the disk when this ends."""
    flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC
    with os.fdopen(os.open(path, flags, 0o600), "w+b") as file:
        os.fchmod(file.fileno(), 0o600)
        yield file
        file.flush()
        os.fsync(file.fileno())
