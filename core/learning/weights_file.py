"""The file of an aligner: settings, a model with word vectors, one without."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol, TypeVar

from core.errors import InvalidValue, Unavailable

S = TypeVar("S")
M = TypeVar("M")


class _Model(Protocol):
    def to_json(self) -> dict[str, Any]: ...


def read(
    path: Path, of: str, settings: Callable[..., S], model: Callable[[Any], M]
) -> tuple[M, M, S, Mapping[str, Any]]:
    """The models ``context`` and ``plain``, the settings and the facts of a file.

    ``of``: whose weights, for the message. Raises Unavailable if the file is missing,
    InvalidValue if it is no such file.
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
