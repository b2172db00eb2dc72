"""Attack a Gemel on this machine, and say what other people noticed.

    python -m lab attack                       all attacks, on a Gemel started for it
    python -m lab attack slow-headers idle     these
    python -m lab attack --quick               a few seconds each
    python -m lab attack --url http://127.0.0.1:8080 --pid 4711
                                               one that runs; its environment
                                               (GEMEL_HOME, DATABASE_URL) is needed, as
                                               a project is made in it

While each attack goes on, a judge judges and a reader reads. A line for each: their
waits, answers from 500 on (theirs, and the attacker's), requests without an answer, and
the most memory that all processes of Gemel had together. Ends with 1 if one of them
fails: p95 of 500 ms or more, such an answer, none, or more memory than the ceiling.
"""

import argparse
import contextlib
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass

from lab.attack import files, network, people
from lab.attack.sending import Attacker
from lab.attack.target import Memory, NotHere, Target, address, seeded, started

ATTACKS: dict[str, Callable[[Attacker], None]] = {
    "slow-headers": network.slow_headers,
    "slow-bodies": network.slow_bodies,
    "idle": network.idle,
    "methods": network.methods,
    "workbook-far-row": files.far_row,
    "workbook-many-rows": files.many_rows,
    "workbook-many-strings": files.many_strings,
    "npz-zeros": files.npz,
    "regex": files.regex,
    "long-word": files.long_word,
}
SECONDS, QUICK_SECONDS = 45.0, 8.0  # of one attack
CALM_S = 3.0  # that people are at work before it
P95_MS = 500.0
CEILING_MB = 2048  # of all processes together


@dataclass(frozen=True, slots=True)
class Outcome:
    """``p50``, ``p95``, ``longest``: ms that the judge and the reader waited."""

    name: str
    p50: float
    p95: float
    longest: float
    n: int
    broken: int
    failed: int
    peak_mb: float
    answers: str  # that the attacker got: status and how often; 0: none in time

    def faults(self, ceiling_mb: float) -> list[str]:
        told = {
            f"p95 of {self.p95:.0f} ms": self.p95 >= P95_MS,
            f"{self.broken} answers from 500 on": self.broken,
            f"{self.failed} requests without an answer": self.failed,
            f"{self.peak_mb:.0f} MB": self.peak_mb > ceiling_mb,
            "nobody was answered": not self.n,
        }
        return [fault for fault, is_so in told.items() if is_so]

    def line(self) -> str:
        waits = f"{self.p50:>7.0f} {self.p95:>7.0f} {self.longest:>7.0f}"
        counts = f"{self.n:>6} {self.broken:>5} {self.failed:>7} {self.peak_mb:>6.0f}"
        return f"{self.name:<22} {waits} {counts}  {self.answers}"


HEADER = f"{'attack':<22} {'p50':>7} {'p95':>7} {'max ms':>7} {'asked':>6} {'5xx':>5} "
HEADER += f"{'no answer':>7} {'MB':>4}  attacker got"


def run(target: Target, name: str, seconds: float) -> Outcome:
    """Run one attack, with people at work before and during it."""
    attacker = Attacker(target, CALM_S + seconds)
    with Memory(target.pid) as memory, people.at_work(target) as others:
        threading.Event().wait(CALM_S)
        for one in others:
            one.waits.clear()
        attack = threading.Thread(target=ATTACKS[name], args=(attacker,), daemon=True)
        attack.start()
        attack.join(seconds + CALM_S)
        attacker.wait(CALM_S)  # what is slow to begin
    waits = sorted(1000 * wait for one in others for wait in one.waits)
    own = sum(n for status, n in attacker.statuses.items() if status >= 500)
    return Outcome(
        name,
        *(_percentile(waits, p) for p in (50, 95, 100)),
        n=len(waits),
        broken=own + sum(len(one.broken) for one in others),
        failed=sum(one.failed for one in others),
        peak_mb=memory.peak_mb,
        answers=" ".join(f"{n} x {s}" for s, n in sorted(attacker.statuses.items())),
    )


def _percentile(waits: list[float], p: int) -> float:
    return waits[min(len(waits) - 1, len(waits) * p // 100)] if waits else 0.0


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("attacks", nargs="*", metavar="attack", help=", ".join(ATTACKS))
    parser.add_argument("--url", help="of a Gemel that runs on this machine")
    parser.add_argument("--pid", type=int, default=0, help="what started it")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--ceiling-mb", type=float, default=CEILING_MB)
    options = parser.parse_args(words)
    if unknown := set(options.attacks) - set(ATTACKS):
        parser.error(f"{min(unknown)} is none of {', '.join(ATTACKS)}")
    seconds = QUICK_SECONDS if options.quick else SECONDS
    with contextlib.ExitStack() as stack:
        try:
            target = (
                seeded(*address(options.url), options.pid, dict(os.environ))
                if options.url
                else stack.enter_context(started())
            )
        except NotHere as error:
            parser.error(str(error))
        return _all(target, options.attacks or list(ATTACKS), seconds, options)


def _all(
    target: Target, names: list[str], seconds: float, options: argparse.Namespace
) -> int:
    _say(HEADER)
    bad = 0
    for name in names:
        outcome = run(target, name, seconds)
        faults = outcome.faults(options.ceiling_mb)
        bad += bool(faults)
        _say(outcome.line() + ("  FAILS: " + ", ".join(faults) if faults else ""))
    _say(f"{bad} of {len(names)} attacks were noticed by other people.")
    return 1 if bad else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
