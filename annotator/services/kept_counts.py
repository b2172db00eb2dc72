"""What was computed before, for who asks the same again in this process."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from django.core.cache import cache

MANY = 20_000  # rows; fewer are counted each time
AT_MOST_S = 60
_T = TypeVar("_T")


def kept(key: str, n_rows: int, count: Callable[[], _T]) -> _T:
    """The value of ``count()``; over more than ``MANY`` rows a value up to one minute
    old in this process. ``n_rows``: about how many it reads."""
    if n_rows <= MANY:
        return count()
    n: _T | None = cache.get_or_set(f"count-{key}", count, AT_MOST_S)
    return count() if n is None else n


class LastAnswers(Generic[_T]):
    """Answers by what they depend on, the ``most`` that were asked for last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, _T] = OrderedDict()

    def of(self, key: Hashable, compute: Callable[[], _T]) -> _T:
        """What ``compute`` gives, or has given for this key."""
        known = self._kept.get(key)
        return self.put(key, compute() if known is None else known)

    def get(self, key: Hashable) -> _T | None:
        return self._kept.get(key)

    def put(self, key: Hashable, answer: _T) -> _T:
        self._kept.pop(key, None)  # to the end; another thread may drop the oldest
        self._kept[key] = answer
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return answer

    def clear(self) -> None:
        self._kept.clear()
