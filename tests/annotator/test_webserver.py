"""Connections that stay open are shared out evenly, also when a worker was killed;
messages of judges take turns."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connections

from annotator.management.commands.up import web_command
from annotator.services.alignments import proposals
from annotator.serving import memory
from annotator.webserver import MAX_WORKERS, BufferingWorker, _Shared, post_fork
from tests.running import ROOT, free_port, variables, wait

pytestmark = pytest.mark.once

N = 20


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Two workers, as ``up`` starts them, on a port of their own."""
    with serving(tmp_path_factory.mktemp("home")) as port:
        yield port


@contextlib.contextmanager
def serving(home: Path, *more: str, **named: str) -> Iterator[int]:
    """The port of a server. ``more``: words after those of ``up``, which win; named:
    settings, beside ``application``, which stands for Gemel's own."""
    port, own = free_port(), "annotator.wsgi:application"
    application = named.pop("application", own)
    words = [*web_command("127.0.0.1", port, 2), *more]
    process = subprocess.Popen(
        [application if word == own else word for word in words],
        cwd=ROOT,
        env=variables(home, **named),
    )
    try:
        wait(lambda: answered(port) is not None)
        wait(lambda: len(workers(port)) == 2)
        yield port
    finally:
        process.terminate()
        process.wait(600)


def answered(port: int) -> http.client.HTTPConnection | None:
    """A connection that has brought an answer and stays open."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    try:
        line.request("GET", "/static/css/gemel.css")
        assert line.getresponse().read()
    except OSError:
        return None
    return line


def workers(port: int) -> list[int]:
    """The processes below the one that starts them."""
    listed = subprocess.run(
        ["ps", "-ewwo", "pid,ppid,args"], capture_output=True, text=True, check=True
    )
    rows = [line.split(None, 2) for line in listed.stdout.splitlines()[1:]]
    mine = {int(pid): int(ppid) for pid, ppid, args in rows if f":{port}" in args}
    return [pid for pid, parent in mine.items() if parent in mine]


def sockets(pid: int) -> int:
    there = 0
    for path in Path(f"/proc/{pid}/fd").iterdir():
        try:
            there += os.readlink(path).startswith("socket:")
        except FileNotFoundError:  # closed meanwhile
            continue
    return there


def shares(port: int) -> list[int]:
    """Of N connections opened one after another, how many each worker holds."""
    before = {pid: sockets(pid) for pid in workers(port)}
    lines = [answered(port) for _ in range(N)]
    held = [sockets(pid) - n for pid, n in before.items()]
    assert all(lines)
    for line in lines:
        if line:
            line.close()
    time.sleep(0.2)  # they are gone
    return held


@pytest.mark.slow
def test_each_worker_holds_its_share_of_the_connections(port: int) -> None:
    one, other = shares(port)
    assert one + other == N
    assert abs(one - other) <= 4


@pytest.mark.slow
def test_the_worker_after_a_killed_one_takes_its_share(port: int) -> None:
    killed = workers(port)[0]
    os.kill(killed, signal.SIGKILL)
    wait(lambda: len(set(workers(port)) - {killed}) == 2)
    wait(lambda: answered(port) is not None)
    time.sleep(3)  # it serves, and connections of before have timed out
    one, other = shares(port)
    assert one + other == N
    assert abs(one - other) <= 4


@pytest.mark.slow
def test_a_stuck_worker_keeps_nobody_waiting(port: int) -> None:
    stuck = workers(port)[0]
    os.kill(stuck, signal.SIGSTOP)
    try:
        began = time.monotonic()
        assert None not in [answered(port) for _ in range(5)]
        assert time.monotonic() - began < 300
    finally:
        os.kill(stuck, signal.SIGCONT)


PAUSES = [0.2 * n for n in range(1, N + 1)]  # around gunicorn's own 2 s


def unanswered(port: int) -> int:
    """Of N people who read for a while, each another while, how many get no answer to
    what they do next on the connection they have."""
    began = time.monotonic()
    lines = [answered(port) for _ in PAUSES]
    assert all(lines)
    lost = 0
    for pause, line in zip(PAUSES, lines, strict=True):
        time.sleep(max(0.0, began + pause - time.monotonic()))
        try:
            line.request("GET", "/static/css/gemel.css")
            lost += not line.getresponse().read()
        except (OSError, http.client.HTTPException):
            lost += 1
        line.close()
    return lost


@pytest.mark.slow
def test_who_pauses_is_answered_on_the_same_connection(
    port: int, tmp_path: Path
) -> None:
    """What closes a connection under a request is the server's own patience: with that
    of gunicorn, 2 s, the same people go without an answer."""
    assert unanswered(port) == 0
    with serving(tmp_path, "--keep-alive=2") as impatient:
        assert unanswered(impatient) > 0


class Meeting:
    """Stands for the application: how many requests are in it at once.

    Each stays until ``wanted`` have been in it together, and a little longer.
    """

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.inside = self.most = 0
        self.entered = threading.Condition()

    def __call__(self, environ: object, start_response: object) -> list[bytes]:
        with self.entered:
            self.inside += 1
            self.most = max(self.most, self.inside)
            self.entered.notify_all()
            self.entered.wait_for(lambda: self.most >= self.wanted, timeout=600)
        time.sleep(0.05)
        with self.entered:
            self.inside -= 1
        return []


MESSAGE = "/api/judge/abc/answers/"


@pytest.mark.parametrize(
    ("method", "path", "at_once"),
    [("POST", MESSAGE, 1), ("GET", MESSAGE, 3), ("POST", "/api/layers/abc/ops/", 3)],
)
def test_messages_of_judges_take_turns_and_others_do_not(
    method: str, path: str, at_once: int
) -> None:
    meeting = Meeting(at_once)
    worker = worker_of(meeting)
    worker.in_turn = threading.Lock()
    all_at_once(worker, method, path)
    assert meeting.most == at_once


def worker_of(application: object) -> BufferingWorker:
    worker = BufferingWorker.__new__(BufferingWorker)
    worker.nr, worker.wsgi = 0, application
    return worker


@pytest.mark.slow
def test_a_message_cut_off_half_way_keeps_nobody_waiting(port: int) -> None:
    half = f"POST {MESSAGE} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{{"
    cut = [socket.create_connection(("127.0.0.1", port)) for _ in range(4)]
    for line in cut:
        line.sendall(half.encode())
    time.sleep(0.5)
    try:
        for _ in range(4):
            line = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
            line.request("POST", MESSAGE, "{}")
            assert line.getresponse().status == 404
    finally:
        for each in cut:
            each.close()


def test_where_the_database_is_elsewhere_two_messages_go_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proposals, "is_cold", threading.Event())
    # what holds for a whole process would hold for all tests that follow in this one
    monkeypatch.setattr(memory, "keep_below", lambda mb: None)
    monkeypatch.setattr(tempfile, "tempdir", tempfile.gettempdir())
    most = []
    for vendor, wanted in (("sqlite", 1), ("postgresql", 2)):
        monkeypatch.setattr(type(connections["default"]), "vendor", vendor)
        meeting = Meeting(wanted)
        worker = worker_of(meeting)
        post_fork(None, worker)
        all_at_once(worker, "POST", MESSAGE)
        most.append(meeting.most)
    assert most == [1, 2]


def all_at_once(worker: BufferingWorker, method: str, path: str) -> None:
    """Three threads with this request."""
    asked = {"REQUEST_METHOD": method, "PATH_INFO": path}
    threads = [
        threading.Thread(target=worker.answer, args=(asked, None)) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_places_are_taken_once_and_given_back() -> None:
    shared = _Shared()
    first, second = shared.take(), shared.take()
    shared.set(first, 3)
    shared.set(second, 1)
    assert (first != second, shared.least()) == (True, 1)
    shared.free(second)
    assert (shared.least(), shared.take()) == (3, second)


def test_more_workers_than_places_do_without() -> None:
    shared = _Shared()
    assert -1 not in [shared.take() for _ in range(MAX_WORKERS)]
    assert shared.take() == -1


def test_it_is_the_worker_that_up_starts() -> None:
    assert (
        f"--worker-class={BufferingWorker.__module__}.{BufferingWorker.__name__}"
        in (web_command("127.0.0.1", 8000, 2))
    )


@pytest.mark.slow
def test_a_head_request_leaves_nothing_on_the_connection(port: int) -> None:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    for method in ("HEAD", "GET", "HEAD", "GET"):
        line.request(method, "/health")
        answer = line.getresponse()
        assert answer.status == 200
        assert bool(answer.read()) is (method == "GET")
    raw = socket.create_connection(("127.0.0.1", port), timeout=2)
    raw.sendall(b"HEAD /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    time.sleep(0.5)
    assert raw.recv(65536).endswith(b"\r\n\r\n")


LARGE_MB = 100


@pytest.mark.slow
def test_a_large_upload_waits_on_the_disk_and_not_in_memory(tmp_path: Path) -> None:
    with serving(tmp_path) as port:
        before = sum(resident_mb(pid) for pid in workers(port))
        with socket.create_connection(("127.0.0.1", port), timeout=600) as line:
            head = "POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\n"
            head += "Content-Type: multipart/form-data; boundary=b\r\n"
            start = (
                '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'
            )
            end = "\r\n--b--\r\n"
            size = len(start) + LARGE_MB * 2**20 + len(end)
            line.sendall(f"{head}Content-Length: {size}\r\n\r\n{start}".encode())
            for _ in range(LARGE_MB):
                line.sendall(b"x" * 2**20)
            wait(lambda: on_disk_mb(port) > LARGE_MB - 2)
            assert sum(resident_mb(pid) for pid in workers(port)) < before + 30
            line.sendall(end.encode())
            assert line.recv(65536).startswith(b"HTTP/1.1 302")  # to sign in
        assert sum(peak_mb(pid) for pid in workers(port)) < before + 60
        assert list((tmp_path / "incoming").iterdir()) == []


def resident_mb(pid: int, name: str = "VmRSS") -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(one.split()[1]) for one in lines if one.startswith(name)) // 1024


def peak_mb(pid: int) -> int:
    return resident_mb(pid, "VmHWM")


def on_disk_mb(port: int) -> float:
    """Of the files that the workers hold in the folder for what comes in."""
    total = 0
    for pid in workers(port):
        for path in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                if "/incoming/" in os.readlink(path):
                    total += path.stat().st_size
    return total / 2**20
