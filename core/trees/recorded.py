"""Operations as rows of a ledger: plain values there and back."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from types import UnionType
from typing import Any, ClassVar, Self, get_args, get_origin


class Recorded:
    """A dataclass whose fields are numbers, words, and tuples of these."""

    __slots__ = ()
    op: ClassVar[str]

    def to_json(self) -> dict[str, Any]:
        """``op``, and the fields that are not at their default."""
        own: tuple[Field[Any], ...] = fields(self)  # type: ignore[arg-type]
        values = {one.name: getattr(self, one.name) for one in own}
        kept = (one.name for one in own if values[one.name] != one.default)
        return {"op": self.op} | {name: _plain(values[name]) for name in kept}

    @classmethod
    def read(cls, sent: Mapping[str, Any]) -> Self:
        """Inverse of ``to_json``, other names left out; raises TypeError or ValueError.

        An empty word stands for the default of a field that has one.
        """
        own: tuple[Field[Any], ...] = fields(cls)  # type: ignore[arg-type]
        given = {one.name: one for one in own if sent.get(one.name) is not None}
        return cls(**{
            name: _value(one.type, sent[name])
            for name, one in given.items()
            if sent[name] != "" or one.type is not str or one.default is MISSING
        })  # fmt: skip


def _plain(value: Any) -> Any:
    return list(map(_plain, value)) if isinstance(value, tuple) else value


def _value(kind: Any, sent: Any) -> Any:
    """``sent`` as the field's type says; one value stands for a tuple of it."""
    if kind is bool:
        return sent is True
    if isinstance(kind, UnionType):  # or None, which is never here
        return _value(get_args(kind)[0], sent)
    if get_origin(kind) is not tuple:
        return kind(sent)
    several, kinds = sent if isinstance(sent, list | tuple) else [sent], get_args(kind)
    if ... in kinds:
        kinds = kinds[:1] * len(several)
    pairs = zip(kinds, several, strict=True)
    return tuple(_value(kind, one) for kind, one in pairs)
