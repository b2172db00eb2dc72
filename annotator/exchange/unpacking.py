"""Gzipped files and archives, read as their contents, up to a limit.

A kilobyte can unpack to a gigabyte, so what is unpacked is counted while it is read,
and never held. Nothing of an archive is ever written to the disk.
"""

import gzip
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO, cast

from annotator.errors import BadRequest
from annotator.exchange.files import START, refuse_binary, safe_name

GZIP = b"\x1f\x8b"  # how such a file begins
MOST_MEMBERS = 20_000  # files in an archive
_AGAIN = "Pack it again, or send the files that are in it one by one."


def unpacked(
    opened: Callable[[], BinaryIO], name: str, *, limit: int
) -> Callable[[], BinaryIO]:
    """``opened``, or its unpacked content; the first bytes decide, not the name.

    Reading raises BadRequest beyond ``limit`` bytes, or if the packing is broken.
    """

    def inner() -> BinaryIO:
        file = opened()
        start = file.read(len(GZIP))
        file.seek(0)
        if start != GZIP:
            return file
        return cast(BinaryIO, io.BufferedReader(_Unpacked(file, name, limit), 1 << 16))

    return inner


def check(name: str, file: BinaryIO) -> None:
    """Raises BadRequest if the packed content is not text, or the packing is damaged at
    its start."""
    with _breakage(name), gzip.GzipFile(fileobj=file) as inside:
        start = inside.read(START)
    refuse_binary(name, start, field="files")


@contextmanager
def _breakage(name: str) -> Iterator[None]:
    """What gzip raises on a broken file, as BadRequest that names it."""
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise BadRequest(
            f"{name}: the gzip file is broken ({error}). Pack it again, or send it "
            "unpacked.",
            field="files",
        ) from error


class _Unpacked(io.RawIOBase):
    """What is in a packed file, as bytes; it counts what it gives."""

    def __init__(self, file: BinaryIO, name: str, limit: int) -> None:
        self._file, self._packed = file, gzip.GzipFile(fileobj=file)
        self._name, self._limit, self._given = name, limit, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        with _breakage(self._name):
            piece = self._packed.read(len(buffer))
        self._given += len(piece)
        if self._given > self._limit:
            raise BadRequest(
                f"{self._name} is more than {self._limit // 2**20} MB when unpacked. "
                "Send it in parts, or raise GEMEL_MAX_UNPACKED_MB.",
                field="files",
            )
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._packed.close()
        self._file.close()
        super().close()


def members(
    opened: Callable[[], BinaryIO], name: str, *, limit: int
) -> dict[str, Callable[[], BinaryIO]]:
    """The files of a zip archive by their path, each opened as bytes in memory.

    Raises BadRequest on a broken or encrypted archive, on one of too many files, and on
    one whose files together have more than ``limit`` bytes.
    """
    with opened() as file, _broken_zip(name), zipfile.ZipFile(file) as archive:
        infos = [one for one in archive.infolist() if not _is_litter(one)]
    if len(infos) > MOST_MEMBERS:
        raise BadRequest(
            f"{safe_name(name)} holds {len(infos):,} files; at most {MOST_MEMBERS:,} "
            "are read. Send it in parts.",
            field="file",
        )
    if sum(one.file_size for one in infos) > limit:
        raise BadRequest(
            f"{safe_name(name)} unpacks to more than {limit // 2**20} MB. "
            "Send it in parts.",
            field="file",
        )
    if any(one.flag_bits & 1 for one in infos):
        raise BadRequest(
            f"{safe_name(name)} is locked by a password. {_AGAIN}", field="file"
        )
    return {one.filename: partial(_member, opened, name, one) for one in infos}


def _is_litter(info: zipfile.ZipInfo) -> bool:
    """Folders, and what systems put into archives for themselves."""
    parts = info.filename.split("/")
    hidden = any(part.startswith(".") and part.strip(".") for part in parts)
    return info.is_dir() or hidden or "__MACOSX" in parts


def _member(
    opened: Callable[[], BinaryIO], name: str, info: zipfile.ZipInfo
) -> BinaryIO:
    """One file of it; no more bytes are unpacked than the archive said it has."""
    with (
        opened() as file,
        _broken_zip(name),
        zipfile.ZipFile(file) as archive,
        archive.open(info) as inside,
    ):
        return io.BytesIO(inside.read(info.file_size))


@contextmanager
def _broken_zip(name: str) -> Iterator[None]:
    """What zipfile raises on a broken archive, as BadRequest that names it."""
    try:
        yield
    except (
        *(zipfile.BadZipFile, zlib.error, EOFError, OSError),
        *(ValueError, NotImplementedError, RuntimeError),
    ) as error:
        raise BadRequest(
            f"{safe_name(name)}: the archive is broken ({error}). {_AGAIN}",
            field="file",
        ) from error
