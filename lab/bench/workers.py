"""Several machines parse one corpus, and one of them is killed again and again.

    export DATABASE_URL=postgres://… CELERY_BROKER_URL=amqp://…/vhost
    python -m lab bench workers --sentences 200000 --kills 5
    python -m lab bench workers --sentences 20000 --kills 0 --again     throughput

A machine is `up --only worker` with a GEMEL_HOME of its own, bound to one core: it
shares the database and the broker, no folder. Killed is the whole of one machine,
supervisor included, with kill -9, at random shares of the work; after a pause it is
started again. The sentences are made from templates; a database is made for this on the
server and dropped. The broker needs a virtual host (RabbitMQ) or number (Redis) of its
own.

Then they index what is parsed, within the same job; kills come then, too.

In the end each sentence has one tree, one set of arcs and one forest, the job has
counted each once, the index holds each tree once, and no worker has ended but by a
kill; else the exit status is 1.
"""

import argparse
import contextlib
import io
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.parsing import registry
from lab.bench.crash import databases
from tests.running import ROOT, Running, variables

WHO = (
    "teacher doctor painter farmer sailor singer lawyer soldier student writer".split()
)
LIKE = "old young tall quiet famous careful hungry lazy clever nervous".split()
DID = "saw met called followed painted thanked warned invited helped watched".split()
WHERE = (
    "garden kitchen village station harbour library forest office church city".split()
)
SHARE = 0.9  # of the work: the last kill comes before
DOWN_S = (1.0, 5.0)  # how long a machine is away


class Machine:
    """A worker with a home and a core of its own."""

    def __init__(self, home: Path, core: int, shared: dict[str, str]) -> None:
        self.home, self._core, self._shared = home, core, shared
        self.start()

    def start(self) -> None:
        self._up = Running(self.home, "--only=worker", **self._shared)
        os.sched_setaffinity(self._up.process.pid, {self._core})

    def kill(self) -> None:
        for pid in [self._up.process.pid, *self._up.children("")]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._up.process.wait()

    def stop(self) -> None:
        if self._up.process.poll() is None:
            self._up.stop()

    def cpu_s(self) -> float:
        """Return the CPU seconds of its living processes."""
        ticks = 0
        for pid in self._up.children(""):
            with contextlib.suppress(OSError):
                row = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                ticks += sum(map(int, row[11:15]))  # with children that have ended
        return ticks / os.sysconf("SC_CLK_TCK")


def sentences(n: int, seed: int) -> Iterator[str]:
    """Yield so many sentences, all different."""
    chance = random.Random(seed)
    for k in range(n):
        who, whom = chance.choice(WHO), chance.choice(WHO)
        one = f"the {chance.choice(LIKE)} {who} {chance.choice(DID)} the {whom} in the"
        yield f"{one} {chance.choice(WHERE)} near house {k} ."


def table(options: argparse.Namespace) -> bytes:
    rows = list(sentences(options.sentences, options.seed))
    if options.text:
        lines = options.text.read_text().splitlines()
        rows = [one for one in dict.fromkeys(lines) if one][: options.sentences]
    pairs = zip(rows[::2], rows[1::2], strict=True)
    lines = (f"r{k}\t{a}\t{b}\n" for k, (a, b) in enumerate(pairs))
    return ("id\tsource\ttarget\n" + "".join(lines)).encode()


def start(options: argparse.Namespace) -> Any:
    """Create the waiting job, after migrating and importing in this process."""
    from django.core.management import call_command

    from annotator.services import jobs
    from annotator.services.corpora import imports, storing
    from annotator.services.parses import parsers
    from annotator.services.projects import members

    call_command("migrate", verbosity=0, interactive=False)
    owner, _ = members.ensure_owner()
    project = members.create("Bench", by=owner)
    content = io.BytesIO(table(options))
    kept = storing.keep(project, "made.tsv", content, by=owner)
    how: dict[str, Any] = {"by": owner, "enqueue": False}
    brought = imports.start(
        project, [kept], kind="pairs", corpus="Made", dry_run=False, **how
    )
    jobs.run(brought.pk)
    corpus = project.corpora.get()
    return parsers.start(corpus, options.engine, n=1, by=owner)


class JobClock:
    """How far a job is, and when and at what cost in processor time it got there."""

    def __init__(self, job: Any, n: int) -> None:
        self._job, self._n = job, n
        self.began = self.parsed = self.ended = 0.0  # seconds
        self.cpu_parsed = self.cpu = 0.0  # of living processes
        self._told = 0

    def share(self, machines: list[Machine]) -> float:
        """Return the finished share: half is parsing, half is indexing."""
        self._job.refresh_from_db()
        now = time.monotonic()
        if self._job.state == "running":
            self.began = self.began or now
        share = (self._job.done + self._job.failed) / self._n / 2
        if indexed := _indexed(self._job):
            if not self.parsed:
                self.parsed = now
                self.cpu_parsed = sum(one.cpu_s() for one in machines)
            share = 0.5 + indexed / 2
        if int(20 * share) > self._told:  # is the last as fast as the first
            self._told = int(20 * share)
            print(f"{share:4.0%} in {now - self.began:6.0f} s", file=sys.stderr)
        if self._job.is_over:
            self.ended = now
            self.cpu = sum(one.cpu_s() for one in machines)
        return share


def _indexed(job: Any) -> float:
    """Return the finished share of the index, above zero once it has begun."""
    from django.db.models import Sum

    from annotator.jobkinds import INDEX_PARTS

    rows = job.chunks.filter(part__in=INDEX_PARTS).order_by()
    sums = rows.aggregate(n=Sum("n"), found=Sum("found"), done=Sum("done"))
    if sums["n"] is None:
        return 0.0
    parts = rows.values("part").distinct().count() + 1  # layers there are none
    return max((sums["found"] + sums["done"]) / sums["n"] * parts / 3, 1e-9)


def watch(job: Any, machines: list[Machine], options: argparse.Namespace) -> JobClock:
    """Wait until the job and its index are done."""
    chance = random.Random(options.seed)
    shares = sorted(chance.uniform(0.02, SHARE) for _ in range(options.kills))
    course = JobClock(job, options.sentences)
    while not job.is_over:
        time.sleep(0.5)
        if course.share(machines) >= (shares[0] if shares else 2):
            victim = chance.choice(machines)
            print(f"kill -9 {victim.home.name} at {job.note}", file=sys.stderr)
            victim.kill()
            time.sleep(chance.uniform(*DOWN_S))
            victim.start()
            shares.pop(0)
    return course


def index_anew(machines: list[Machine], options: argparse.Namespace) -> dict[str, Any]:
    """Rebuild the whole index by a job that these machines share."""
    from annotator.models import Project
    from annotator.services.projects import members
    from annotator.services.queries import index, saved

    index.rebuild()
    before = sum(one.cpu_s() for one in machines)
    job = saved.index_now(Project.objects.get(), by=members.ensure_owner()[0])
    began = time.monotonic()
    while not job.is_over:
        time.sleep(0.2)
        job.refresh_from_db()
    cpu = sum(one.cpu_s() for one in machines) - before
    return _cost(options, time.monotonic() - began, cpu) | {"state": job.state}


def faults(job: Any, n: int) -> dict[str, int]:
    """Return what is missing, doubled or miscounted."""
    from django.db.models import Count

    from annotator.models import Issue, PackedForest, Parse, Sentence

    wrong = {"not done": int(job.state != "done"), "miscounted": abs(job.done - n)}
    wrong |= {"failed": job.failed, "issues": Issue.objects.filter(job=job).count()}
    wrong["sentences missing"] = n - Sentence.objects.count()
    trees, forests = Parse.objects.order_by(), PackedForest.objects.order_by()
    for name, rows in (
        ("trees", trees.filter(kind=Parse.Kind.CONSTITUENCY)),
        ("arcs", trees.filter(kind=Parse.Kind.DEPENDENCY)),
        ("forests", forests),
    ):
        per = rows.values_list("sentence").annotate(k=Count("pk")).values_list("k")
        counts = [k for (k,) in per]
        wrong[f"{name} missing"] = n - len(counts)
        wrong[f"{name} twice"] = sum(k > 1 for k in counts)
    return wrong | index_faults()


def index_faults() -> dict[str, int]:
    """What a search would not find, or find twice: each tree is in the index with the
    nodes that it has, one of a kind stands for its sentence, and nothing else is."""
    from django.db import connection

    from annotator.models import Parse
    from annotator.services.queries import index

    counts = {"not indexed": index.waiting()}
    with connection.cursor() as cursor:
        for name, sql in (
            ("trees", "SELECT COUNT(*) FROM search_tree"),
            ("chosen trees", "SELECT SUM(chosen) FROM search_tree"),
            ("trees with nodes", "SELECT COUNT(DISTINCT tree) FROM search_node"),
            ("roots", "SELECT COUNT(*) FROM search_node WHERE pre = 0"),
        ):
            cursor.execute(sql)
            counts[f"{name} astray"] = abs(
                int(cursor.fetchone()[0] or 0) - Parse.objects.count()
            )
    return counts


def run(options: argparse.Namespace, shared: dict[str, str], folder: Path) -> Any:
    job = start(options)
    homes = [folder / f"machine{k}" for k in range(1, options.machines + 1)]
    for home in homes:
        home.mkdir()
    cores = sorted(os.sched_getaffinity(0))
    machines = [
        Machine(home, cores[k % len(cores)], shared) for k, home in enumerate(homes)
    ]
    try:
        course = watch(job, machines, options)
        anew = {}
        for k in range(len(machines), 0, -1) if options.again else ():
            anew[f"index anew, machines: {k}"] = index_anew(machines[:k], options)
            machines[k - 1].stop()
    finally:
        for one in machines:
            one.stop()
    wrong = faults(job, options.sentences)
    logs = [(home / "up.log").read_text(errors="replace") for home in homes]
    wrong["workers that ended by themselves"] = sum(
        log.count("The worker ended") for log in logs
    )
    wrong["workers that the broker cut off"] = sum(
        log.count("Unrecoverable error") for log in logs
    )
    return {
        "sentences": options.sentences,
        "machines": options.machines,
        "cores": len(os.sched_getaffinity(0)),
        "kills": options.kills,
        "parse": _cost(options, course.parsed - course.began, course.cpu_parsed),
        "index": _cost(
            options, course.ended - course.parsed, course.cpu - course.cpu_parsed
        ),
        **anew,
        "load_average": round(os.getloadavg()[0], 1),
        "faults": {name: k for name, k in wrong.items() if k},
    }


def _cost(options: argparse.Namespace, seconds: float, cpu: float) -> dict[str, Any]:
    """``worker_cpu_s``: without the database's; not known of machines that died."""
    return {
        "seconds": round(seconds, 1),
        "sentences_a_second": round(options.sentences / seconds, 1),
        "worker_cpu_s": None if options.kills else round(cpu, 1),
    }


def main() -> int:
    options = _options()
    server, broker = (
        os.environ.get(name, "") for name in ("DATABASE_URL", "CELERY_BROKER_URL")
    )
    if not server or not broker:
        sys.exit("DATABASE_URL and CELERY_BROKER_URL name what the machines share")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # nothing is left behind
    with tempfile.TemporaryDirectory(prefix="gemel-workers-") as name, \
            databases(server) as urls:  # fmt: skip
        shared = {"DATABASE_URL": urls[0], "CELERY_BROKER_URL": broker}
        shared["GEMEL_JOB_STALE_S"] = str(options.stale_s)
        shared["GEMEL_BACKUP_HOURS"] = "0"
        folder = Path(name)
        desk = folder / "desk"
        desk.mkdir()
        os.environ.update(
            variables(desk, **shared), DJANGO_SETTINGS_MODULE="annotator.settings"
        )
        sys.path.insert(0, str(ROOT))
        import django

        django.setup()
        report = run(options, shared, folder)
        django.db.connections.close_all()
    print(json.dumps(report, indent=None if options.json else 1))
    return 1 if report["faults"] else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("--sentences", type=int, default=2000, help="an even number")
    add("--kills", type=int, default=5)
    add("--machines", type=int, default=2)
    add(
        "--again",
        action="store_true",
        help="rebuild the index with fewer and fewer machines",
    )
    add("--text", type=Path, help="a file of sentences, one a line")
    add("--engine", default=registry.DEFAULT)
    add("--stale-s", type=int, default=12, help="a worker silent so long is dead")
    add("--seed", type=int, default=1)
    add("--json", action="store_true", help="on one line")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
