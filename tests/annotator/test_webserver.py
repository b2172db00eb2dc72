"""Connections that stay open are shared out evenly, also when a worker was killed;
messages of judges take turns."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.db import connections
from gunicorn.workers.gthread import ThreadWorker  # type: ignore[import-untyped]

from annotator.management.commands.up import web_command
from annotator.services.alignments import warming
from annotator.webserver import LARGEST, MAX_WORKERS, EvenWorker, _Shared, post_fork
from tests.running import ROOT, free_port, variables, wait

pytestmark = pytest.mark.once

N = 20


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Two workers, as ``up`` starts them, on a port of their own."""
    with serving(tmp_path_factory.mktemp("home")) as port:
        yield port


@contextlib.contextmanager
def serving(home: Path, *more: str) -> Iterator[int]:
    """The port of a server. ``more``: words after those of ``up``, which win."""
    port = free_port()
    process = subprocess.Popen(
        [*web_command("127.0.0.1", port, 2), *more], cwd=ROOT, env=variables(home)
    )
    try:
        wait(lambda: answered(port) is not None, seconds=180)
        wait(lambda: len(workers(port)) == 2)
        yield port
    finally:
        process.terminate()
        process.wait(60)


def answered(port: int) -> http.client.HTTPConnection | None:
    """A connection that has brought an answer and stays open."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
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
        assert time.monotonic() - began < 15
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
    """Stands for gunicorn's own handling: how many requests are in it at once.

    Each stays until ``wanted`` have been in it together, and a little longer.
    """

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.inside = self.most = 0
        self.entered = threading.Condition()

    def __call__(self, worker: object, req: object, conn: object) -> bool:
        with self.entered:
            self.inside += 1
            self.most = max(self.most, self.inside)
            self.entered.notify_all()
            self.entered.wait_for(lambda: self.most >= self.wanted, timeout=30)
        time.sleep(0.05)
        with self.entered:
            self.inside -= 1
        return True


MESSAGE = "/api/judge/abc/answers/"


@pytest.mark.parametrize(
    ("method", "path", "length", "at_once"),
    [
        ("POST", MESSAGE, "2", 1),
        ("GET", "/api/judge/abc/", "0", 3),
        ("POST", "/api/layers/abc/ops/", "2", 3),
        ("POST", MESSAGE, str(LARGEST + 1), 3),
        ("POST", MESSAGE, "²", 3),
    ],
)
def test_messages_of_judges_take_turns_and_others_do_not(
    method: str, path: str, length: str, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    meeting = Meeting(at_once)
    monkeypatch.setattr(ThreadWorker, "handle_request", lambda *given: meeting(*given))
    worker = EvenWorker.__new__(EvenWorker)
    worker.in_turn = threading.Lock()
    all_at_once(worker, request(method, path, length))
    assert meeting.most == at_once


def request(method: str, path: str, length: str) -> SimpleNamespace:
    headers = [("HOST", "localhost"), ("CONTENT-LENGTH", length)]
    return SimpleNamespace(
        method=method, path=path, headers=headers, body=BytesIO(b"{}")
    )


@pytest.mark.slow
def test_a_message_cut_off_half_way_keeps_nobody_waiting(port: int) -> None:
    half = f"POST {MESSAGE} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{{"
    cut = [socket.create_connection(("127.0.0.1", port)) for _ in range(4)]
    for line in cut:
        line.sendall(half.encode())
    time.sleep(0.5)
    try:
        for _ in range(4):
            line = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            line.request("POST", MESSAGE, "{}")
            assert line.getresponse().status == 404
    finally:
        for each in cut:
            each.close()


def test_where_the_database_is_elsewhere_two_messages_go_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(warming, "is_cold", threading.Event())
    monkeypatch.setattr(ThreadWorker, "handle_request", lambda *given: meeting(*given))
    most = []
    for vendor, wanted in (("sqlite", 1), ("postgresql", 2)):
        monkeypatch.setattr(type(connections["default"]), "vendor", vendor)
        worker = EvenWorker.__new__(EvenWorker)
        post_fork(None, worker)
        meeting = Meeting(wanted)
        all_at_once(worker, request("POST", MESSAGE, "2"))
        most.append(meeting.most)
    assert most == [1, 2]


def all_at_once(worker: EvenWorker, asked: SimpleNamespace) -> None:
    """Three threads with this request."""
    threads = [
        threading.Thread(
            target=worker.handle_request, args=(SimpleNamespace(**vars(asked)), None)
        )
        for _ in range(3)
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
    assert f"--worker-class={EvenWorker.__module__}.{EvenWorker.__name__}" in (
        web_command("127.0.0.1", 8000, 2)
    )
