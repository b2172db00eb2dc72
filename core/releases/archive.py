"""The zip archive of a release: members written with their digests, and read safely."""

import errno
import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import FormatError
from core.releases.manifest import NAME, FileFacts, Manifest

MAX_MANIFEST = 50_000_000  # bytes
MAX_LINE = 50_000_000
_LATER = 1980  # zip knows no earlier year; every member has the same time
PIECE = 1 << 20
BROKEN = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, struct.error,
    NotImplementedError, RuntimeError, UnicodeDecodeError,  # flags, names
)  # fmt: skip
_LOCAL = struct.Struct("<4s5H3I2H")  # the header before a member's bytes
_END = 22  # bytes of the record that ends a zip without a comment


class Writer:
    """Members one after the other; ``close`` seals them with the manifest."""

    def __init__(self, path: Path) -> None:
        self._zip = zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED)
        self.files: dict[str, FileFacts] = {}

    def add(self, name: str, lines: Iterable[str]) -> None:
        """A member in UTF-8. Raises ValueError if there is one by this name."""
        self._add(name, (line.encode() for line in lines))

    def add_file(self, name: str, path: Path) -> None:
        """A member with the bytes of a file. Raises as ``add``, and OSError."""
        with path.open("rb") as file:
            self._add(name, iter(lambda: file.read(PIECE), b""))

    def _add(self, name: str, pieces: Iterable[bytes]) -> None:
        if name in self.files or name == NAME:
            raise ValueError(f"{name} already exists")
        digest, size = hashlib.sha256(), 0
        with self._zip.open(_member(name), "w", force_zip64=True) as member:
            for data in pieces:
                digest.update(data)
                size += len(data)
                member.write(data)
        self.files[name] = FileFacts(digest.hexdigest(), size)

    def seal(self, manifest: Manifest) -> None:
        """Add the manifest, whose ``files`` are those of this writer, and close."""
        self._zip.writestr(_member(NAME), manifest.dump())
        self._zip.close()

    def abandon(self) -> None:
        self._zip.close()


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, (_LATER, 1, 1, 0, 0, 0))
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = 0o644 << 16
    return member


@contextmanager
def opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    """The zip and its manifest, whose seal holds. Raises FormatError."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive, Manifest.load(_manifest(archive))
    except (*BROKEN, OSError) as error:
        # The readers of zip members have errors of the system without a file's number.
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        raise FormatError(
            f"{path.name} is not a complete zip archive: {error}",
            remedy="download the release again",
        ) from error


def _manifest(archive: zipfile.ZipFile) -> str:
    try:
        member = archive.getinfo(NAME)
    except KeyError:
        raise FormatError(
            f"there is no {NAME}", remedy="choose a release file"
        ) from None
    if member.file_size > MAX_MANIFEST:
        raise FormatError(f"{NAME} is too large", remedy="download the release again")
    return archive.read(member).decode("utf-8", "replace")


def strangers(path: Path, archive: zipfile.ZipFile) -> Iterator[str]:
    """Return which bytes of the file belong neither to a member nor to the directory.

    Readers skip them, so that a digest of members does not see them.
    """
    if archive.comment:
        yield "a comment"
    size, at = path.stat().st_size, 0
    with path.open("rb") as file:
        for one in sorted(archive.infolist(), key=lambda one: one.header_offset):
            if one.header_offset != at:
                yield f"bytes before {one.filename}"
            file.seek(one.header_offset)
            header = _LOCAL.unpack(file.read(_LOCAL.size))
            name = file.read(header[9])
            if name != one.filename.encode() or header[3] != one.compress_type:
                yield f"another header of {one.filename}"
            at = file.tell() + header[10] + one.compress_size
    if archive.start_dir != at:
        yield "bytes after the last member"
    with path.open("rb") as file:
        file.seek(max(0, size - _END))
        end = file.read(_END)
    if end[:4] != b"PK\5\6" or end[20:22] != b"\0\0":
        yield "bytes after its end"


def lines_of(archive: zipfile.ZipFile, name: str) -> Iterator[str]:
    """A member line by line. Raises FormatError on a line that is too long, or no
    UTF-8."""
    with archive.open(name) as member:
        stream = io.BufferedReader(member, PIECE)  # type: ignore[type-var]
        number = 0
        while line := stream.readline(MAX_LINE):
            number += 1
            if len(line) == MAX_LINE:
                raise FormatError("the line is too long", line=number, column=1)
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                raise FormatError(
                    "not UTF-8", line=number, column=error.start + 1
                ) from error
