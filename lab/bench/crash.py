"""kill -9 of web server, worker and both, at random times, while everyone works.

    python -m lab bench crash --minutes 10 [--seed 1] [--json]
    python -m lab bench crash --rounds 1      as many as said, however long they take
    python -m lab bench crash --quick         one round with little to do

Judges and editors of links and trees go on all the time, and keep a record of what the
server has acknowledged. A round imports, parses, aligns and parses jointly, all at
once; meanwhile web server, worker and both are killed, in any order; a backup is
written and killed, and a second installation restores and is killed. Then all that was
acknowledged must be there, once, and nothing half-written.
The same --seed chooses the same targets and pauses; what these meet, chance decides.

A new folder and SQLite with the file broker; with DATABASE_URL and CELERY_BROKER_URL a
PostgreSQL server, where databases are made for this and dropped, and a broker. Kills of
a job are those that came while it ran; backup and restore are processes of their own,
killed themselves. Ends with 1 if anything is lost, there twice, over k, half-written or
miscounted, or if honest work was refused.
"""

import argparse
import contextlib
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests import small_pcfg
from tests.running import ROOT, Running, running, variables, wait

JUDGES, EDITORS = 4, 2
TARGETS = {"web": ["gunicorn"], "worker": ["celery"], "both": ["gunicorn", "celery"]}
JOBS = ("import", "parse", "align", "joint")
PEOPLE = ("judging", "editing links", "editing trees")
KILLED, FAULTS = (*TARGETS, "itself"), ("lost", "doubled", "over_k", "wrong")
COLUMNS = (*KILLED, "acknowledged", *FAULTS)
Table = dict[str, Counter[str]]


@dataclass(frozen=True)
class Load:
    """Of a round: ``pairs`` parsed and aligned, ``rows`` imported; at most ``pause_s``
    from one kill to the next; a worker silent for ``stale_s`` is taken for dead."""

    pairs: int = 64
    rows: int = 4000
    pause_s: float = 8.0
    stale_s: int = 12
    web_workers: int = 2


QUICK = Load(pairs=24, rows=1500, pause_s=2.5, stale_s=12, web_workers=1)


class Crash:
    """One installation under attack, a second that is restored into, the record."""

    def __init__(
        self, gemel: Running, second: dict[str, str], seed: int, load: Load
    ) -> None:
        self.gemel, self.second, self.load = gemel, second, load
        self.chance = random.Random(seed)
        self.table: Table = defaultdict(Counter)
        self.backup_s = self.restore_s = 0.0  # what they take when no one kills them
        self.archives: dict[str, Path] = {}  # by the fingerprint of what they hold

    def round(self, n: int) -> None:
        """Run all jobs, kill at random times, and require that each ended correctly."""
        from lab.bench import crash_data

        mine = crash_data.start(n, pairs=self.load.pairs, rows=self.load.rows)
        schedule = random.Random(self.chance.random())
        killer = threading.Thread(target=self._kill, args=(schedule, mine))
        killer.start()
        self._backup(n)
        self._restore()
        killer.join()
        wait(lambda: all(_is_over(job) for job in mine.values()), self.gemel.output)
        for kind, job in mine.items():
            pairs = self.load.pairs
            promised = {"import": self.load.rows, "parse": 2 * pairs}.get(kind, pairs)
            self.table[kind].update(crash_data.outcome(kind, job, n=promised))

    def _kill(self, chance: random.Random, mine: dict[str, Any]) -> None:
        from django.db import connection

        wait(lambda: any(_is_running(job) for job in mine.values()))
        for target in chance.sample(sorted(TARGETS), len(TARGETS)):
            time.sleep(chance.uniform(0.2, self.load.pause_s))
            hit = [kind for kind, job in mine.items() if _is_running(job)]
            for word in TARGETS[target]:
                self.gemel.kill(word)
            if target == "web":
                hit = []
            for attack in (*hit, *(PEOPLE if target != "worker" else ())):
                self.table[attack][target] += 1
        connection.close()

    def _backup(self, n: int) -> None:
        """Make one backup, kill another; each must be whole or absent."""
        old = next(iter(self.archives.values()))
        digest = _digest(old)
        path = self.gemel.home / f"round{n}.zip"
        ended, seconds = self._run(self.gemel.env, self.backup_s, "backup", str(path))
        if ended:
            self.backup_s = seconds
        self._note("backup", ended=ended, right=self._is_whole(path, ended=ended))
        self.table["backup"]["wrong"] += _digest(old) != digest

    def _is_whole(self, path: Path, *, ended: bool) -> bool:
        from annotator.errors import Refusal
        from annotator.services import archives

        if not path.exists():
            return not ended
        with contextlib.suppress(Refusal):
            return bool(archives.verify(path))
        return False

    def _restore(self) -> None:
        """Restore into an installation with rows; old or new rows must be whole."""
        before = self.content()
        wanted, archive = next(
            (key, path) for key, path in self.archives.items() if key != before
        )
        words = ("restore", str(archive), "--replace")
        ended, seconds = self._run(self.second, self.restore_s, *words)
        if ended:
            self.restore_s = seconds
        now = self.content()
        right = now == wanted if ended else now in (before, wanted)
        self._note("restore", ended=ended, right=right)

    def content(self) -> str:
        from annotator.env import database
        from lab.bench import crash_data

        home = Path(self.second["GEMEL_HOME"])
        there = database(self.second.get("DATABASE_URL", ""), home)
        return crash_data.fingerprint(there, home / "uploads")

    def _note(self, attack: str, *, ended: bool, right: bool) -> None:
        self.table[attack]["itself"] += not ended
        self.table[attack]["acknowledged"] += ended
        self.table[attack]["lost"] += ended and not right
        self.table[attack]["wrong"] += not ended and not right

    def _run(
        self, env: dict[str, str], usual: float, *words: str
    ) -> tuple[bool, float]:
        """Whether the command came to its end, and the seconds; killed at a random
        time of those that it usually takes. Raises RuntimeError if it fails."""
        start = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "manage.py", *words],
            cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        limit = self.chance.uniform(0.3, 1.1) * usual if usual else 600.0
        try:
            _, said = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return False, 0.0
        if process.returncode:
            raise RuntimeError(f"{' '.join(words)}: {said.decode()}")
        return True, time.monotonic() - start

    def archive(self, name: str) -> None:
        """Back up the first installation and restore it in the second."""
        path = self.gemel.home / name
        _, self.backup_s = self._run(self.gemel.env, 0, "backup", str(path))
        words = ("restore", str(path), "--replace")
        _, self.restore_s = self._run(self.second, 0, *words)
        self.archives[self.content()] = path


def main() -> int:
    options = _options()
    load = QUICK if options.quick else Load()
    with _places(load) as (env, second):
        os.environ.update(env, DJANGO_SETTINGS_MODULE="annotator.settings")
        sys.path.insert(0, str(ROOT))
        import django

        django.setup()
        small_pcfg.written(Path(env["GEMEL_HOME"]) / "models" / "small")
        report = attack(options, load, env, second)
    print(json.dumps(report, indent=1) if options.json else shown(report))
    return 1 if report["faults"] else 0


def attack(
    options: argparse.Namespace,
    load: Load,
    env: dict[str, str],
    second: dict[str, str],
) -> dict[str, Any]:
    """Build, start and kill for as long as requested; return the report."""
    from lab.bench import crash_data, judging_data
    from lab.bench.crash_people import People

    rounds = 1 if options.quick else options.rounds
    minutes = options.minutes if rounds is None else 3.0 * rounds
    made = crash_data.build(
        items=int(60 * minutes * JUDGES * 2) + 100, judges=JUDGES, editors=EDITORS
    )
    home = Path(env["GEMEL_HOME"])
    words = f"--jobs={len(JOBS)}", f"--web-workers={load.web_workers}"
    with running(home, "--no-sample", *words, **env) as gemel:
        crash = Crash(gemel, second, options.seed, load)
        crash.archive("before.zip")
        people = People(gemel.port, made["campaign"], made["judges"], made["editors"])
        wait(lambda: people.are_at_work() or people.refused, gemel.output)
        crash.archive("after.zip")
        start, n = time.monotonic(), 0
        while (
            n < rounds
            if rounds is not None
            else time.monotonic() - start < 60 * minutes
        ):
            n += 1
            crash.round(n)
        people.go_home()
        judging_data.acknowledged(people.judges)
        answers = sum(len(one.acknowledged) for one in people.judges)
        faults = judging_data.faults(made["campaign"])
        crash.table["judging"].update({"acknowledged": answers} | faults)
        crash.table["editing links"].update(crash_data.edits(people.editors))
        crash.table["editing trees"].update(crash_data.steps(people.tree_editors))
    return _report(crash.table, people, n, time.monotonic() - start)


def _report(table: Table, people: Any, rounds: int, seconds: float) -> dict[str, Any]:
    rows = {
        name: {column: table[name][column] for column in COLUMNS}
        for name in (*PEOPLE, *JOBS, "backup", "restore")
    }
    bad = sum(row[name] for row in rows.values() for name in FAULTS)
    return {
        "database": os.environ.get("DATABASE_URL", "sqlite").partition(":")[0],
        "broker": os.environ.get("CELERY_BROKER_URL", "files").partition(":")[0],
        "seconds": round(seconds),
        "rounds": rounds,
        "load_average": round(os.getloadavg()[0], 1),
        "attacks": rows,
        "refused": people.refused,
        "faults": bad + len(people.refused),
    }


def shown(report: dict[str, Any]) -> str:
    head = ("attack", *COLUMNS)
    rows = [(name, *row.values()) for name, row in report["attacks"].items()]
    lines = ["".join(f"{cell!s:>14}" for cell in row) for row in (head, *rows)]
    facts = {k: v for k, v in report.items() if k != "attacks"}
    return "\n".join([*lines, json.dumps(facts)])


def _is_over(job: Any) -> bool:
    job.refresh_from_db()
    return bool(job.is_over)


def _is_running(job: Any) -> bool:
    job.refresh_from_db()
    return bool(job.state == "running")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@contextlib.contextmanager
def _places(load: Load) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """Yield the variables of two fresh installations and remove them afterwards."""
    server = os.environ.get("DATABASE_URL", "")
    broker = os.environ.get("CELERY_BROKER_URL", "")
    shared = {"CELERY_BROKER_URL": broker} if broker else {}
    with tempfile.TemporaryDirectory(prefix="gemel-crash-") as folder, \
            databases(server) as urls:  # fmt: skip
        homes = [Path(folder) / name for name in ("first", "second")]
        both = []
        for home, url in zip(homes, urls, strict=True):
            home.mkdir()
            both.append(shared | ({"DATABASE_URL": url} if url else {}))
            both[-1] |= {
                "GEMEL_HOME": str(home),
                "GEMEL_JOB_STALE_S": str(load.stale_s),
            }
        first, second = both
        yield first, variables(homes[1], **second)


@contextlib.contextmanager
def databases(server: str) -> Iterator[list[str]]:
    """Yield two empty databases on this server, or nothing without a server."""
    if not server:
        yield ["", ""]
        return
    import psycopg

    base = server.rpartition("/")[0]
    names = [f"gemel_crash_{uuid4().hex[:12]}" for _ in range(2)]
    with psycopg.connect(f"{base}/postgres", autocommit=True) as there:
        for name in names:
            there.execute(f"CREATE DATABASE {name}")
        try:
            yield [f"{base}/{name}" for name in names]
        finally:
            for name in names:
                there.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
