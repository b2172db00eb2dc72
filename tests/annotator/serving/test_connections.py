"""Who sends slowly, or not at all, holds up nobody; a connection costs little."""

import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from annotator.serving import connections
from annotator.serving.connections import Hall

HALF_HEADERS = b"POST / HTTP/1.1\r\nHost: here\r\n"
HALF_BODY = HALF_HEADERS + b"Content-Length: 99999\r\n\r\nbegun"
PATIENCES = ("HEADERS_S", "BODY_S", "READER_S")


class Served:
    """A hall with one thread, in a thread of this process."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.hall = Hall(
            self.answer,
            [self.socket],
            threads=1,
            patience=600,
            largest=2**22,
            may_accept=lambda held: True,
            told=lambda n: None,
        )
        self.stopping = False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def answer(self, environ: dict[str, object], start_response: object) -> list[bytes]:
        """So many bytes as the address says; else the length of what came."""
        size = str(environ["PATH_INFO"]).strip("/")
        body = environ["wsgi.input"].read()  # type: ignore[attr-defined]
        text = b"x" * int(size) if size else str(len(body)).encode()
        start_response("200 OK", [("Content-Length", str(len(text)))])  # type: ignore[operator]
        return [text]

    def run(self) -> None:
        while not self.stopping:
            self.hall.turn()
        self.hall.leave(5, lambda: None)

    def stop(self) -> None:
        self.stopping = True
        self.hall.wake()
        self.thread.join()
        self.socket.close()

    def opened(self, sent: bytes = b"") -> socket.socket:
        line = socket.create_connection(("127.0.0.1", self.port), timeout=600)
        line.sendall(sent)
        return line

    def asks(self, body: bytes = b"here") -> tuple[int, bytes]:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        line.request("POST", "/", body)
        answer = line.getresponse()
        return answer.status, answer.read()


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """With more patience than a busy machine needs."""
    monkeypatch.setattr(connections, "TICK_S", 0.05)
    monkeypatch.setattr(connections, "LINGER_S", 0.3)
    be_patient(monkeypatch, 600)
    served = Served()
    yield served
    served.stop()


def be_patient(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    for name in PATIENCES:
        monkeypatch.setattr(connections, name, seconds)


def is_closed(line: socket.socket, drip: bytes = b"") -> bool:
    """Whether it is at last."""
    limit = time.monotonic() + 120
    line.settimeout(0.05)
    while time.monotonic() < limit:
        try:
            if drip:
                line.sendall(drip)
            if not line.recv(4096):
                return True
        except TimeoutError:
            continue
        except OSError:  # it was closed while we sent
            return True
    return False


@pytest.mark.parametrize("sent", [b"", HALF_HEADERS, HALF_BODY])
def test_half_a_request_keeps_no_thread(served: Served, sent: bytes) -> None:
    lines = [served.opened(sent) for _ in range(20)]
    assert served.asks() == (200, b"4")
    for line in lines:
        line.close()


@pytest.mark.parametrize(
    ("sent", "drip"),
    [(b"", b""), (HALF_HEADERS, b""), (HALF_HEADERS, b"a"), (HALF_BODY, b"")],
)
def test_who_does_not_go_on_is_cut_off(
    served: Served, monkeypatch: pytest.MonkeyPatch, sent: bytes, drip: bytes
) -> None:
    be_patient(monkeypatch, 0.3)
    began = time.monotonic()
    assert is_closed(served.opened(sent), drip)
    assert time.monotonic() - began > 0.2


def test_a_body_must_come_at_some_rate(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    be_patient(monkeypatch, 0.3)
    assert is_closed(served.opened(HALF_BODY), b"a")
    monkeypatch.setattr(connections, "BODY_RATE", 0.01)
    line = served.opened(HALF_HEADERS + b"Content-Length: 12\r\n\r\naaaaaa")
    for _ in range(6):
        line.sendall(b"a")
        time.sleep(0.1)
    assert line.recv(4096).startswith(b"HTTP/1.1 200")


def test_a_kept_connection_has_more_patience(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = http.client.HTTPConnection("127.0.0.1", served.port, timeout=600)
    line.request("POST", "/", b"one")
    assert line.getresponse().read() == b"3"
    be_patient(monkeypatch, 0.1)
    time.sleep(0.5)
    be_patient(monkeypatch, 600)
    line.request("POST", "/", b"more")
    assert line.getresponse().read() == b"4"
    served.hall._patience = 0.1
    assert is_closed(line.sock)


def test_places_are_made_for_who_is_new(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "CONNECTIONS", 5)
    for sent in (b"", HALF_HEADERS, HALF_BODY):
        lines = [served.opened(sent) for _ in range(12)]
        assert served.asks() == (200, b"4")
        assert len(served.hall.connections()) <= 5
        for line in lines:
            line.close()


def test_who_brought_a_request_keeps_the_place_before_who_did_not(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = http.client.HTTPConnection("127.0.0.1", served.port, timeout=600)
    kept.request("POST", "/", b"one")
    kept.getresponse().read()
    sock = kept.sock
    monkeypatch.setattr(connections, "CONNECTIONS", 3)
    lines = [served.opened() for _ in range(10)]
    kept.request("POST", "/", b"more")
    assert kept.getresponse().read() == b"4"
    assert kept.sock is sock
    for line in lines:
        line.close()


def test_all_bodies_together_are_bounded(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, most in (("BODY_IN_MEMORY", 1000), ("MEMORY", 3000), ("DISK", 9000)):
        monkeypatch.setattr(connections, name, most)
    small = served.opened(HALF_HEADERS + b"Content-Length: 900\r\n\r\n" + b"a" * 500)
    large = [
        served.opened(HALF_HEADERS + b"Content-Length: 9999\r\n\r\n" + b"a" * 4000)
        for _ in range(5)
    ]
    small.sendall(b"a" * 400)
    assert small.recv(4096).startswith(b"HTTP/1.1 200")

    def is_bounded() -> bool:
        held = [one.held() for one in served.hall.connections()]
        return len(held) < 6 and sum(disk for _, disk in held) <= 9000

    wait_until(is_bounded)
    for line in (small, *large):
        line.close()


def test_who_does_not_read_the_answer_keeps_no_thread(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "READER_S", 0.5)
    ask = b"GET /20000000 HTTP/1.1\r\nHost: here\r\n\r\n"
    lines = [served.opened(ask) for _ in range(4)]
    assert served.asks() == (200, b"4")
    wait_until(lambda: len(served.hall.connections()) <= 1)
    for line in lines:
        line.close()


def wait_until(holds: Callable[[], bool]) -> None:
    limit = time.monotonic() + 600
    while not holds():
        assert time.monotonic() < limit
        time.sleep(0.05)


def test_what_finds_no_room_on_the_disk_is_answered(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    assert served.asks()[0] == 200
    status, text = served.asks(b"a" * 600_000)
    assert (status, b"No space left" in text) == (507, True)


def test_headers_have_a_largest_size(served: Served) -> None:
    line = served.opened(HALF_HEADERS + b"X-Long: " + b"a" * connections.HEADER_BYTES)
    assert b" 431 " in line.recv(4096)


def test_a_body_that_is_too_large_is_refused_before_it_comes(served: Served) -> None:
    line = served.opened(HALF_HEADERS + b"Content-Length: 99999999999\r\n\r\n")
    assert b" 413 " in line.recv(4096)
