"""Files packed with gzip, read as what is in them, up to a bound.

A kilobyte can unpack to a gigabyte, so what is unpacked is counted while it is read,
and never held.
"""

import gzip
import io
import zlib
from collections.abc import Callable
from typing import BinaryIO, cast

from annotator.errors import BadRequest

__all__ = ["GZIP", "unpacked"]

GZIP = b"\x1f\x8b"  # how such a file begins


def unpacked(
    opened: Callable[[], BinaryIO], name: str, *, limit: int
) -> Callable[[], BinaryIO]:
    """``opened``, or what is packed in its file: told by its first bytes, not its name.

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


class _Unpacked(io.RawIOBase):
    """What is in a packed file, as bytes; it counts what it gives."""

    def __init__(self, file: BinaryIO, name: str, limit: int) -> None:
        self._file, self._packed = file, gzip.GzipFile(fileobj=file)
        self._name, self._limit, self._given = name, limit, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            piece = self._packed.read(len(buffer))
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise BadRequest(
                f"{self._name}: the gzip file is broken ({error}). Pack it again, or "
                "send it unpacked.",
                field="files",
            ) from error
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
