"""A set of digests in eight bytes each: a long import must not grow with its length."""

from array import array

FILLED = 0.6  # of the table, before it doubles


class Seen:
    """Digests met so far: hexadecimal strings, of which 64 bits are kept.

    Open addressing with linear probing; about 20 bytes a digest. Two different ones are
    taken for the same once in 2^64 / n^2.
    """

    def __init__(self) -> None:
        self._table = array("Q", bytes(8 * 1024))
        self._n = 0

    def add(self, digest: str) -> bool:
        """Whether it is new; it is not the next time."""
        if self._n > FILLED * len(self._table):
            self._grow()
        short = int(digest[:16], 16) or 1  # 0 marks a free place
        place = self._place(short)
        if self._table[place] == short:
            return False
        self._table[place] = short
        self._n += 1
        return True

    def __len__(self) -> int:
        return self._n

    def _place(self, short: int) -> int:
        table, size = self._table, len(self._table)
        place = short % size
        while table[place] and table[place] != short:
            place = (place + 1) % size
        return place

    def _grow(self) -> None:
        old = self._table
        self._table = array("Q", bytes(16 * len(old)))
        for short in old:
            if short:
                self._table[self._place(short)] = short
