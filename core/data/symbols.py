"""Interned strings: str <-> int32."""

from collections.abc import Iterable, Iterator


class Symbols:
    """A growing two-way table of strings and their ids, in order of first sight."""

    __slots__ = ("_ids", "_names")

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names: list[str] = []
        self._ids: dict[str, int] = {}
        for name in names:
            self.add(name)

    def add(self, name: str) -> int:
        """The id of ``name``, made if it is new."""
        known = self._ids.setdefault(name, len(self._names))
        if known == len(self._names):
            self._names.append(name)
        return known

    def get(self, name: str) -> int:
        """The id of ``name``, or -1."""
        return self._ids.get(name, -1)

    def __getitem__(self, index: int) -> str:
        return self._names[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._ids
