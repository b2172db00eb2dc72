"""A packed forest as bytes: an npz archive of plain arrays, never a pickle.

    names                       JSON of the node names, UTF-8, as uint8
    labels starts ends          per node, first_edge with one more
    first_tail tails            per edge and per tail
    weights                     float64 nats per edge
    arcs                        optional, float32 (n + 1, n + 1), nats

Deflated: about 10 bytes an edge.
"""

import io
import json
import zipfile
import zlib
from dataclasses import dataclass

import numpy as np

from core.data.check import Floats
from core.data.forest import Forest
from core.errors import FormatError, GemelError

MAX_BYTES = 128 * 2**20  # of all arrays unpacked: five million edges
MAX_ARRAYS = 16
ARRAYS = ("labels", "starts", "ends", "first_edge", "first_tail", "tails")
UNREADABLE = (
    GemelError, KeyError, ValueError, OSError, EOFError, zipfile.BadZipFile,
    zlib.error, MemoryError,  # a header that claims more than it holds
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class StoredForest:
    """A forest with its edge weights, and arc weights where they were stored too."""

    forest: Forest
    weights: Floats
    arcs: Floats | None = None


def dump(forest: Forest, weights: Floats, *, arcs: Floats | None = None) -> bytes:
    """The bytes; ``load`` gives the same forest and weights, arcs to seven digits."""
    arrays = {name: getattr(forest, name) for name in ARRAYS}
    arrays["names"] = np.frombuffer(json.dumps(forest.names).encode(), dtype=np.uint8)
    arrays["weights"] = weights
    if arcs is not None:
        arrays["arcs"] = arcs.astype(np.float32)
    out = io.BytesIO()
    np.savez_compressed(out, allow_pickle=False, **arrays)
    return out.getvalue()


def load(data: bytes) -> StoredForest:
    """Inverse of ``dump``; raises FormatError if the bytes are not such an archive.

    Sizes are checked before unpacking: at most ``MAX_BYTES``.
    """
    try:
        _check_size(data)
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        names = tuple(json.loads(arrays["names"].tobytes()))
        forest = Forest(names, *(arrays[name] for name in ARRAYS))
        weights = arrays["weights"]
    except UNREADABLE as error:
        raise FormatError(f"not a stored forest: {error}") from error
    if weights.shape != (forest.n_edges,):
        raise FormatError("not a stored forest: expected one weight per edge")
    arcs = arrays.get("arcs")
    return StoredForest(
        forest, weights, None if arcs is None else arcs.astype(np.float64)
    )


def _check_size(data: bytes) -> None:
    """Raises ValueError if what the archive says of its parts is too much. Reading one
    stops at the size that is said here, or fails its checksum."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
    if len(parts) > MAX_ARRAYS or sum(one.file_size for one in parts) > MAX_BYTES:
        raise ValueError("it unpacks to more than any forest needs")
