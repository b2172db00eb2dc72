"""Signs of careless work: too fast, always the same, no better than chance.

Every rule is listed with its numbers, broken or not. A flag is a reason to look at the
answers and to talk to the person; it stops no one.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from annotator.models import Campaign, Participant
from annotator.services.reports import judged_data
from core.agreement.figures import TOLERANCE, Estimate, Figure
from core.agreement.judgments.dataset import Dataset
from core.agreement.judgments.people import beyond_chance
from core.agreement.judgments.report import moves
from core.data.check import Floats, Ints

FAST_MS = 2000  # too short to read two sentences and answer
FAST_SHARE = 0.1  # of the answers: an occasional slip is normal
LEAST = 10  # answers, or shared items, needed to judge speed or agreement
SAME_RUN = 15  # equal answers in a row
BIN_S, BINS = 2, 16  # of times: width in seconds, number
REPLICATES = 1000


@dataclass(frozen=True, slots=True)
class Sign:
    """``hits`` of ``n`` answers (for "same" the longest run); ``value``: how far
    agreement is above chance on the worst scale, None where it cannot be measured."""

    name: str
    hits: int
    n: int
    is_broken: bool
    value: float | None = None


@dataclass(frozen=True, slots=True)
class CareRow:
    """One participant with all rules, in the order speed, same, chance, checks."""

    person: Participant
    rules: tuple[Sign, ...]

    @property
    def flags(self) -> list[Sign]:
        return [rule for rule in self.rules if rule.is_broken]


@dataclass(frozen=True, slots=True)
class Against:
    """One participant next to the others.

    ``seconds``: median of the person and of the others, None without times;
    ``speeds``: the same two, the shares of answers in bins of ``BIN_S`` seconds, the
    last open. ``agreement``: on each scale, beyond chance. ``moved``: by place of the
    scale the gaps to the others by fifths of the time, and the last less the first.
    """

    seconds: tuple[float | None, float | None]
    speeds: tuple[Floats, Floats]
    agreement: list[Figure]
    moved: dict[int, tuple[list[float], Estimate]]


def against(campaign: Campaign, person: Participant) -> Against:
    """How one participant compares with the others. Reads every judgment once."""
    data = judged_data.read_campaign(campaign).data.in_order()
    judge, places = data.annotators.index(person.label), range(len(data.questions))
    mine, timed = data.annotator == judge, data.active_ms > 0
    times = [data.active_ms[rows & timed] / 1000 for rows in (mine, ~mine)]
    moved = {place: moves(data, place).get(person.label) for place in places}
    return Against(
        (_median(times[0]), _median(times[1])),
        (_shares(times[0]), _shares(times[1])),
        [
            beyond_chance(data.ratings(place), [judge], replicates=REPLICATES)[0]
            for place in places
        ],
        {place: move for place, move in moved.items() if move is not None},
    )


def _median(times: Floats) -> float | None:
    return float(np.median(times)) if len(times) else None


def _shares(times: Floats) -> Floats:
    bins = np.minimum(times / BIN_S, BINS - 1).astype(np.int64)
    return np.bincount(bins, minlength=BINS) / max(len(times), 1)


def of(campaign: Campaign) -> list[CareRow]:
    """A row for everyone who judges. Reads every judgment once."""
    data = judged_data.read_campaign(campaign).data.in_order()
    place = {label: at for at, label in enumerate(data.annotators)}
    chance = list(_chance(data))
    people = campaign.participants.select_related("user").order_by("pk")
    return [
        CareRow(
            person,
            (
                *_own(data, place[person.label]),
                _worst(chance, place[person.label]),
                _checks(campaign, person),
            ),
        )
        for person in people
        if person.label in place
    ]


def _own(data: Dataset, judge: int) -> tuple[Sign, Sign]:
    """Speed, and the longest run of equal answers in the order given."""
    rows = np.flatnonzero(data.annotator == judge)
    times = data.active_ms[rows]
    n, fast = int((times > 0).sum()), int(((times > 0) & (times < FAST_MS)).sum())
    run = _longest_run(data.values[rows[np.argsort(data.at[rows], kind="stable")]])
    return (
        Sign("speed", fast, n, n >= LEAST and fast > FAST_SHARE * n),
        Sign("same", run, len(rows), run >= SAME_RUN),
    )


def _longest_run(values: Ints) -> int:
    """Of equal rows in ``(n, q)``."""
    if not len(values):
        return 0
    changes = np.flatnonzero((values[1:] != values[:-1]).any(1)) + 1
    edges = np.concatenate([[0], changes, [len(values)]])
    return int(np.diff(edges).max())


def _chance(data: Dataset) -> Iterator[list[Figure]]:
    for place in range(len(data.questions)):
        yield beyond_chance(data.ratings(place))


def _worst(scales: list[list[Figure]], judge: int) -> Sign:
    figures = [scale[judge] for scale in scales]
    known = [
        (one.value, one.n)
        for one in figures
        if isinstance(one, Estimate) and one.n >= LEAST
    ]
    if not known:
        shared = max((one.n for one in figures), default=0)
        return Sign("chance", 0, shared, is_broken=False)
    value, n = min(known)
    is_below = value < -TOLERANCE  # who answers the same always is at chance exactly
    return Sign("chance", 0, n, is_below, value)


def _checks(campaign: Campaign, person: Participant) -> Sign:
    """The rule by which people are stopped, those who were let go on included."""
    n, failed = person.n_checks, person.n_checks_failed
    is_broken = n >= campaign.check_min and failed > campaign.check_fail_share * n
    return Sign("checks", failed, n, is_broken)
