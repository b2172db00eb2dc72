"""Judging over HTTP: rate, latency, and whether every count is right afterwards.

    python -m lab bench judging rate    20 clients, 10,000 items, k = 3, for --seconds
    python -m lab bench judging one     1 client, the same campaign
    python -m lab bench judging exact  50 clients, 2,000 items, k = 3 till done
                                    or --seconds; --kill: kill -9 of the server half-way
    python -m lab bench judging big     20 clients, then 1, at --items 100000 with
                                    --judgments 1000000 made beforehand

The server is gunicorn as ``manage.py up`` starts it, in processes of its own; this
driver runs on the same machine and counts as load. Database: SQLite in a new folder,
or DATABASE_URL (an empty database). A request stores one answer and brings the next
item. Prints one JSON object; ends with 1 if a count is wrong.

The clients begin when the server, once started, has come to rest. Each of its threads
still writes its statements when it first needs them: ``save_and_next_ms`` are the
latencies of all answers, ``settled_ms`` of those after the first SETTLE_S seconds.
"""

import argparse
import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

ROOT = Path(__file__).resolve().parents[2]
READY_S = 120
SETTLE_S = 3.0


@dataclass(kw_only=True)
class Connection:
    """One person's connection, which sends again until the server has answered."""

    token: str
    port: int
    statuses: Counter[int] = field(default_factory=Counter)
    broken: int = 0  # connections lost; the message is sent again
    connection: http.client.HTTPConnection | None = None

    def post(self, url: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send until answered, as the screens do."""
        data = json.dumps(body)
        head = {"Content-Type": "application/json", "Authorization": self.token}
        while True:
            try:
                status, text = self._sent(url, data, head)
            except (OSError, http.client.HTTPException):
                self.broken += 1
                self.connection = None
                time.sleep(0.2)
                continue
            self.statuses[status] += 1
            if status in (200, 201):
                return dict(json.loads(text))
            if status < 500:
                raise RuntimeError(f"{status}: {text[:300]!r}")
            time.sleep(0.2)

    def _sent(self, url: str, data: str, head: dict[str, str]) -> tuple[int, bytes]:
        if self.connection is None:
            made = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            made.connect()
            made.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connection = made
        self.connection.request("POST", url, data, head)
        answer = self.connection.getresponse()
        return answer.status, answer.read()


@dataclass(kw_only=True)
class Client(Connection):
    """One annotator: keeps its answers until the server has acknowledged them."""

    campaign: str
    until: float
    due: float  # when it judges next
    every: float  # seconds from one judgment to the next; 0: as fast as it can
    next_ms: list[float] = field(default_factory=list)
    sent: list[float] = field(default_factory=list)  # when, one for each of next_ms
    acknowledged: list[str] = field(default_factory=list)
    done: bool = False

    def run(self) -> None:
        held = self.said("", {"want": 4})["next"]
        while time.perf_counter() < self.until:
            if not held:
                held = self.said("", {"want": 4})["next"]
                if not held:
                    self.done = True
                    return
            time.sleep(max(self.due - time.perf_counter(), 0))
            self.due += self.every
            card = held.pop(0)
            message = {
                "uuid": str(uuid4()),
                "judgment": card["code"],
                "seen": card["revision"],
                "values": {"meaning": 4, "grammar": 5},
                "active_ms": 1200,
                "want": 4 if len(held) < 2 else 0,
                "held": [one["code"] for one in held],
            }
            start = time.perf_counter()
            said = self.said("answers/", message)
            self.next_ms.append(1000 * (time.perf_counter() - start))
            self.sent.append(start)
            self.acknowledged.append(message["uuid"])
            held += said["next"]

    def said(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return self.post(f"/api/judge/{self.campaign}/{path}", body)


def main() -> int:
    options = _options()
    os.environ.setdefault("GEMEL_HOME", tempfile.mkdtemp(prefix="gemel-bench-"))
    os.environ["DJANGO_SETTINGS_MODULE"] = "annotator.settings"
    sys.path.insert(0, str(ROOT))
    import django

    django.setup()
    from lab.bench import judging_data

    campaign, tokens = judging_data.build(
        items=options.items, people=options.clients, k=options.k, n=options.judgments
    )
    report = {name: getattr(options, name) for name in ("what", "items", "clients")}
    report["pace"] = options.pace or "as fast as they can"
    server = Server(options.port)
    try:
        for n in [options.clients, 1] if options.what == "big" else [options.clients]:
            server.rest()
            run = drive(campaign, tokens[:n], server, options)
            report[f"clients_{n}"] = figures(*run)
    finally:
        server.stop()
    report["right"] = judging_data.verify(campaign, exact=options.what == "exact")
    print(json.dumps(report, indent=1))
    return 0 if all(report["right"].values()) else 1


def drive(
    campaign: str, tokens: list[str], server: "Server", options: argparse.Namespace
) -> tuple[list[Client], float, tuple[float, float]]:
    """Run and return the clients, with seconds and CPU seconds of server and driver.

    With --kill, the server is killed half-way and started again.
    """
    start, cpu = time.perf_counter(), (server.cpu_s(), time.process_time())
    until = start + options.seconds
    every = len(tokens) / options.pace if options.pace else 0.0
    clients = [
        Client(
            token=token,
            port=options.port,
            campaign=campaign,
            until=until,
            due=start + every * i / len(tokens),
            every=every,
        )
        for i, token in enumerate(tokens)
    ]
    threads = [threading.Thread(target=one.run, daemon=True) for one in clients]
    for thread in threads:
        thread.start()
    if options.kill:
        wait_for(options.kill_after, clients, until)
        server.kill()
        server.start()
    for thread in threads:
        thread.join()
    from lab.bench import judging_data

    judging_data.acknowledged(clients)
    wall = time.perf_counter() - start
    spent = server.cpu_s() - cpu[0], time.process_time() - cpu[1]
    return clients, wall, spent


def wait_for(answers: int, clients: list[Client], until: float) -> None:
    """Wait until so many answers are acknowledged, so that clients are at work."""
    while time.perf_counter() < until:
        if sum(len(one.acknowledged) for one in clients) >= answers:
            return
        time.sleep(0.01)


def figures(
    clients: list[Client], wall: float, cpu: tuple[float, float]
) -> dict[str, Any]:
    both = [pair for one in clients for pair in zip(one.sent, one.next_ms, strict=True)]
    settled = min(both)[0] + SETTLE_S if both else 0.0
    waits = [ms for _, ms in both]
    statuses = sum((one.statuses for one in clients), Counter[int]())
    return {
        "seconds": round(wall, 1),
        "judgments": len(waits),
        "per_second": round(len(waits) / wall, 1),
        "save_and_next_ms": percentiles(waits),
        "settled_ms": percentiles([ms for at, ms in both if at >= settled]),
        "cpu_ms_per_judgment": {
            "server": round(1000 * cpu[0] / max(len(waits), 1), 2),
            "driver": round(1000 * cpu[1] / max(len(waits), 1), 2),
        },
        "load_average": os.getloadavg()[0],
        "statuses": dict(statuses),
        "connections_lost": sum(one.broken for one in clients),
        "ran_dry": sum(one.done for one in clients),
    }


def percentiles(waits: list[float]) -> dict[str, float]:
    waits = sorted(waits)
    return {
        f"p{p}": round(waits[min(len(waits) - 1, len(waits) * p // 100)], 1)
        for p in (50, 95, 99)
        if waits
    }


class Server:
    """gunicorn, as the product starts it."""

    page = "/sign-in/"  # answered once it serves
    env: dict[str, str] | None = None  # that of this process
    cwd = ROOT
    log: Path | None = None  # what it prints

    def __init__(self, port: int) -> None:
        self.port = port
        self.start()

    def command(self) -> list[str]:
        from annotator.management.commands.up import web_command

        return web_command("127.0.0.1", self.port, 2)

    def start(self) -> None:
        with open(self.log, "ab") if self.log else contextlib.nullcontext() as log:
            self.process = subprocess.Popen(
                self.command(),
                cwd=self.cwd,
                env=self.env,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        limit = time.monotonic() + READY_S
        while time.monotonic() < limit:
            try:
                line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                line.request("GET", self.page)  # the first request imports it all
                line.getresponse().read()
                return
            except (OSError, http.client.HTTPException):
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        with contextlib.suppress(ProcessLookupError):
            self.kill()
        said = self.log.read_text(errors="replace")[-2000:] if self.log else ""
        raise RuntimeError(f"the server did not start: {said}")

    def rest(self) -> None:
        """Wait until it has loaded in the background what suggestions need."""
        limit = time.monotonic() + READY_S
        while time.monotonic() < limit:
            before = self.cpu_s()
            time.sleep(1)
            if self.cpu_s() - before < 0.05:
                return

    def cpu_s(self) -> float:
        """Return the CPU seconds of its living processes."""
        ticks = [int(cells[11]) + int(cells[12]) for _pid, cells in self.processes()]
        return sum(ticks) / os.sysconf("SC_CLK_TCK")

    def processes(self) -> list[tuple[int, list[str]]]:
        """Its living processes, each with what ``/proc/PID/stat`` says from the state
        on."""
        stats = {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):  # it ended meanwhile
                cells = path.read_text().rpartition(")")[2].split()
                stats[int(path.parent.name)] = cells

        def is_mine(pid: int) -> bool:
            while pid in stats and pid != self.process.pid:
                pid = int(stats[pid][1])
            return pid == self.process.pid

        return [(pid, cells) for pid, cells in stats.items() if is_mine(pid)]

    def pss_mb(self) -> float:
        """Return the proportional set size of its living processes."""
        total = 0
        for pid, _cells in self.processes():
            with contextlib.suppress(OSError):
                text = Path(f"/proc/{pid}/smaps_rollup").read_text()
                total += int(text.partition("Pss:")[2].split()[0])
        return total / 1024

    def kill(self) -> None:
        """Kill all its processes with SIGKILL."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)


class Installation(Server):
    """All that ``manage.py up`` starts: web server, engine and worker."""

    def command(self) -> list[str]:
        up = [sys.executable, "manage.py", "up", "--no-sample"]
        return [*up, f"--port={self.port}"]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["rate", "one", "exact", "big"])
    parser.add_argument("--clients", type=int)
    parser.add_argument("--items", type=int)
    parser.add_argument("--judgments", type=int, default=0)
    parser.add_argument("--k", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument(
        "--pace",
        type=float,
        default=0,
        help="judgments a second, of all clients; by default as fast as they can",
    )
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--kill-after", type=int, default=3000, help="answers")
    options = parser.parse_args()
    clients = {"rate": 20, "one": 1, "exact": 50, "big": 20}
    items = {"rate": 10_000, "one": 10_000, "exact": 2000, "big": 100_000}
    options.clients = options.clients or clients[options.what]
    options.items = options.items or items[options.what]
    return options


if __name__ == "__main__":
    sys.exit(main())
