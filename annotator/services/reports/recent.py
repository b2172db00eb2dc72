"""A cache of recent results, for people who watch while others judge.

Every judgment makes another report, and computing it again for each who looks would
take the processors from those who judge. So what took long serves for a while, of which
computing it takes a twentieth at most; and of those who ask at once one computes. By
process. What is asked for to be kept (``agreement.freeze``, files, the API) is computed
again.
"""

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar, cast

from django.db.models import Max
from django.utils import timezone

from annotator.models import Adjudication, Campaign
from annotator.services.kept_counts import LastAnswers
from annotator.services.reports import agreement
from annotator.services.reports.agreement import ReportSource, ReportSpec
from annotator.services.reports.judged_data import Read

T = TypeVar("T")
AT_ONCE_S = 0.3  # of the processor: what took less is always computed again
SHARE = 20  # at most one in this many seconds goes into computing
N_LOCKS = 16


@dataclass(frozen=True, slots=True)
class RecentReport:
    """``body``: every figure; ``at``: when it was computed."""

    body: dict[str, Any]
    read: Read
    at: datetime


@dataclass(frozen=True, slots=True)
class _Moment:
    answer: Any
    until: float  # of time.monotonic()

    def is_fresh(self) -> bool:
        return time.monotonic() < self.until


_kept: LastAnswers[_Moment] = LastAnswers(32)
_locks = tuple(threading.Lock() for _ in range(N_LOCKS))


def forget() -> None:
    """Compute everything again."""
    _kept.clear()


def report(of: ReportSource, spec: ReportSpec) -> RecentReport:
    """The report as it is, or was a moment ago. Raises BadRequest on names in ``spec``
    that are not in the data."""

    def compute() -> RecentReport:
        at, read = timezone.now(), of.read()
        agreement.check(spec, read.data)
        return RecentReport(agreement.body_of(of, read, spec), read, at)

    return of_moment(("report", *_row(of), spec), compute)


def of_moment(key: Hashable, compute: Callable[[], T]) -> T:
    """The value of ``compute``, or a recent value for this key.

    While another thread computes, it is what was given last; the first is waited for.
    """
    kept = _kept.get(key)
    if kept is not None and kept.is_fresh():
        return cast(T, kept.answer)
    lock = _locks[hash(key) % N_LOCKS]
    if not lock.acquire(blocking=kept is None) and kept is not None:
        return cast(T, kept.answer)
    try:
        kept = _kept.get(key)
        if kept is not None and kept.is_fresh():
            return cast(T, kept.answer)
        return _computed(key, compute)
    finally:
        lock.release()


def _computed(key: Hashable, compute: Callable[[], T]) -> T:
    began = time.thread_time()
    answer = compute()
    spent = time.thread_time() - began
    if spent >= AT_ONCE_S:
        _kept.put(key, _Moment(answer, time.monotonic() + SHARE * spent))
    return answer


def _row(of: ReportSource) -> tuple[Hashable, ...]:
    """What it is about, and what managers and curators changed: that counts at once."""
    if not isinstance(of.row, Campaign):
        return of.kind, of.code
    decided = Adjudication.objects.aggregate(last=Max("pk"))["last"] or 0
    return of.kind, of.code, of.row.revision, of.row.n_items, decided
