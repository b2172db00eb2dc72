"""The file of an aligner: settings, a model with word vectors, one without.

Arrays of weights as text in JSON: whole numbers of 8 or 16 bits, a scale a column.

    array = {"shape": [n, ...], "bits": 8 | 16, "scales": [s, ...], "data": base 85}

The last axis is the column; ``data`` is little-endian, row by row.
"""

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from core.data.check import Floats
from core.errors import InvalidValue, Unavailable

S = TypeVar("S")
M = TypeVar("M")


class _Model(Protocol):
    def to_json(self) -> dict[str, Any]: ...


def read(
    path: Path, of: str, settings: Callable[..., S], model: Callable[[Any], M]
) -> tuple[M, M, S, Mapping[str, Any]]:
    """The models ``context`` and ``plain``, the settings and the facts of a file.

    ``of``: the owner of the weights, for the message. Raises Unavailable if the file is
    missing, InvalidValue if it is not such a file.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        models = model(data["context"]), model(data["plain"])
        return *models, settings(**data["settings"]), data.get("facts", {})
    except OSError as error:
        raise Unavailable(f"{path}: not weights of the {of}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidValue(f"{path}: not a weights file: {error!r}") from error


def write(
    path: Path, facts: Mapping[str, Any], settings: Any, context: _Model, plain: _Model
) -> None:
    """Write the file that ``read`` reads; ``settings``: a dataclass."""
    data = {
        "facts": dict(facts),
        "settings": asdict(settings),
        "context": context.to_json(),
        "plain": plain.to_json(),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def pack(array: Floats, *, bits: int = 16) -> dict[str, Any]:
    """The array, each number to within half a step of its column's largest."""
    top = 2 ** (bits - 1) - 1
    flat = np.asarray(array, dtype=np.float64).reshape(-1, array.shape[-1])
    largest = np.abs(flat).max(axis=0, initial=0.0)
    scales = [float(f"{x:.6g}") for x in np.where(largest > 0, largest / top, 1.0)]
    whole = np.clip(np.rint(flat / np.array(scales)), -top, top).astype(
        f"<i{bits // 8}"
    )
    data = base64.b85encode(whole.tobytes()).decode()
    return {"shape": list(array.shape), "bits": bits, "scales": scales, "data": data}


def unpack(data: Mapping[str, Any]) -> Floats:
    """Inverse of ``pack``, to its precision; raises InvalidValue on anything else."""
    try:
        shape, bits = [int(n) for n in data["shape"]], int(data["bits"])
        if bits not in (8, 16):
            raise ValueError(f"{bits} bits")
        scales = np.array(data["scales"], dtype=np.float64)
        whole = np.frombuffer(base64.b85decode(data["data"]), f"<i{bits // 8}")
        values: Floats = whole.reshape(-1, shape[-1]) * scales
        return values.reshape(shape)
    except (KeyError, TypeError, ValueError, IndexError, binascii.Error) as error:
        raise InvalidValue(f"not packed weights: {error!r}") from error
