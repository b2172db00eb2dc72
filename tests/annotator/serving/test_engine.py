"""One process holds the models: pages are answered by it, say so when it is away, and
go on when it is killed."""

import http.client
import http.cookiejar
import json
import os
import re
import signal
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.urls import Resolver404, resolve

from annotator.serving import engine
from core import compiled
from tests.running import Running, running, wait

SENTENCE = "The nurse who opened the window saw a man with a telescope."
TRY = f"/try/?engine=english-gum&text={urllib.parse.quote(SENTENCE)}"


def hello(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    start_response("200 OK", [("X-Told", environ["HTTP_TOLD"])])
    return [environ["REQUEST_METHOD"].encode(), b" ", environ["wsgi.input"].read()]


def asked(body: bytes = b"") -> dict[str, Any]:
    return {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/try/",
        "HTTP_TOLD": "café",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": BytesIO(body),
        "wsgi.errors": None,
    }


@pytest.fixture
def listening(tmp_path: Path, monkeypatch) -> Iterator[socket.socket]:
    """A socket that the requests of this process go to; nobody accepts yet."""
    here = socket.socket(socket.AF_UNIX)
    monkeypatch.chdir(tmp_path)  # the path of such a socket must be short
    here.bind("engine")
    here.listen()
    monkeypatch.setenv(engine.PLACE, "engine")
    with here:
        yield here


@pytest.fixture
def serve(listening) -> Iterator[Callable[..., threading.Thread]]:
    """Start an engine in a thread; it ends with the test, or once it is idle for
    ``idle_s``."""
    threads, over = [], threading.Event()

    def start(
        application=hello, idle_s: float | None = None, is_worn=over.is_set
    ) -> threading.Thread:
        made = engine.EngineServer(application, load=lambda: None)

        def run() -> None:
            made.serve(listening, idle_s=idle_s or 0.2, is_worn=is_worn)
            if idle_s is None and not is_worn():
                run()

        thread = threading.Thread(target=run)
        thread.start()
        threads.append(thread)
        return thread

    yield start
    over.set()
    for thread in threads:
        thread.join(600)


def test_a_request_goes_over_and_its_answer_comes_back(serve) -> None:
    serve()
    body = b"x" * 1_000_000
    status, headers, content = engine.forward(asked(body))
    assert (status, headers) == ("200 OK", [("X-Told", "café")])
    assert content == b"POST " + body


def test_an_idle_engine_ends_and_who_connects_meanwhile_waits_for_the_next(
    serve,
) -> None:
    serve(idle_s=0.01).join(600)
    later = threading.Timer(0.3, serve)
    later.start()
    assert engine.forward(asked())[0] == "200 OK"
    later.join(600)


def test_a_worn_engine_ends(serve) -> None:
    thread = serve(is_worn=lambda: True)
    thread.join(600)
    assert not thread.is_alive()


def test_an_engine_that_dies_at_work_is_told(listening) -> None:
    def die() -> None:
        line, _ = listening.accept()
        line.close()

    threading.Thread(target=die).start()
    environ = asked(b"kept")
    with pytest.raises(engine.EngineAway) as away:
        engine.forward(environ)
    assert away.value.reason == engine.GONE
    assert environ["wsgi.input"].read() == b"kept"  # the page that says so may read it


def test_a_socket_that_is_gone_is_told(monkeypatch) -> None:
    monkeypatch.setenv(engine.PLACE, "/nowhere/engine")
    with pytest.raises(engine.EngineAway) as away:
        engine.forward(asked())
    assert away.value.reason == engine.GONE


def test_an_engine_that_takes_too_long_is_told(listening, monkeypatch) -> None:
    monkeypatch.setattr(engine, "PATIENCE_S", 1.0)
    with pytest.raises(engine.EngineAway) as away:
        engine.forward(asked())  # nobody accepts
    assert away.value.reason == engine.SLOW


def test_whoever_comes_first_waits_until_the_kernels_are_compiled(
    serve, monkeypatch
) -> None:
    """After an installation that takes longer than any answer may."""
    monkeypatch.setattr(engine, "PATIENCE_S", 4.0)
    monkeypatch.setattr(engine, "STUCK_S", 4.0)
    monkeypatch.setattr(engine, "is_compiling", lambda: True)

    def compiling(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        time.sleep(6.0)
        return hello(environ, start_response)

    serve(compiling)
    assert engine.forward(asked())[0] == "200 OK"


def test_a_page_says_that_kernels_are_compiled(serve, monkeypatch) -> None:
    """The one that makes them compile, and those that come meanwhile; nothing is
    computed for these."""
    n_done, at_work, go_on = [], threading.Event(), threading.Event()

    def compiling(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        n_done.append(1)
        at_work.set()
        go_on.wait(600)
        return hello(environ, start_response)

    monkeypatch.setattr(engine, "is_compiling", at_work.is_set)
    serve(compiling)
    page = {"REQUEST_METHOD": "GET", "HTTP_ACCEPT": "text/html,*/*;q=0.8"}
    for _ in range(2):
        with pytest.raises(engine.EngineAway) as away:
            engine.forward(asked() | page)
        assert away.value.reason == engine.PREPARING
    go_on.set()
    assert len(n_done) == 1


def test_what_a_kernel_calls_is_compiled_within_its_own_time() -> None:
    event = pytest.importorskip("numba.core.event")
    compiled._hand_over()  # numba is listened to from now on
    with event.trigger_event("numba:compile"):
        with event.trigger_event("numba:compile"):
            pass
        assert compiled.is_compiling()
    assert not compiled.is_compiling()


def test_the_page_that_waits_for_kernels_loads_itself_again(client, db, cast) -> None:
    client.force_login(cast.ada)
    page = client.get("/try/", **{engine.AWAY: engine.PREPARING})
    assert (page.status_code, page["Refresh"]) == (202, "3")
    assert "once after an installation" in page.content.decode()


def test_a_full_queue_is_told_at_once(serve, monkeypatch) -> None:
    monkeypatch.setattr(engine, "AT_ONCE", 1)
    monkeypatch.setattr(engine, "WAITING", 0)
    begun, go_on = threading.Event(), threading.Event()

    def slow(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        begun.set()
        go_on.wait(600)
        return hello(environ, start_response)

    serve(slow)
    first: list[Any] = []
    thread = threading.Thread(target=lambda: first.append(engine.forward(asked())))
    thread.start()
    assert begun.wait(600)
    with pytest.raises(engine.EngineAway) as away:
        engine.forward(asked())
    assert away.value.reason == engine.BUSY
    go_on.set()
    thread.join(600)
    assert first[0][0] == "200 OK"


def test_whoever_left_while_waiting_costs_no_work(serve, monkeypatch) -> None:
    monkeypatch.setattr(engine, "AT_ONCE", 1)
    begun, go_on, n_done = threading.Event(), threading.Event(), []

    def slow(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        begun.set()
        go_on.wait(600)
        n_done.append(1)
        return hello(environ, start_response)

    serve(slow)
    first = threading.Thread(target=lambda: engine.forward(asked()))
    first.start()
    assert begun.wait(600)
    with engine._connected(5) as line:  # it asks, and leaves
        line.send_bytes(json.dumps({"PATH_INFO": "/try/"}).encode())
        line.send_bytes(b"")
    go_on.set()
    first.join(600)
    engine.forward(asked())  # its turn comes after that of who left
    assert len(n_done) == 2


@pytest.mark.parametrize("reason", [engine.BUSY, engine.GONE, engine.SLOW])
def test_pages_and_api_say_why_there_is_no_answer(client, db, cast, reason) -> None:
    client.force_login(cast.ada)
    page = client.get("/try/", **{engine.AWAY: reason})
    assert page.status_code == 503
    assert "try again" in page.content.decode().lower()
    code = "0" * 16
    answer = client.get(f"/api/sentences/{code}/", **{engine.AWAY: reason})
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "not_ready"


def test_every_address_of_the_engine_is_one_of_ours() -> None:
    code, slug = "0" * 16, "sample"
    for pattern in engine.ADDRESSES.pattern.split("|/"):
        path = "/" + pattern.lstrip("/").replace(engine._CODE, code)
        path = path.replace(engine._SLUG, slug).replace(".*", "")
        path = re.sub(r"\((\w[-\w]*)\|[^)]*\)", r"\1", path)
        path = path.replace("/arc-drafts/0000000000000000/", f"/arc-drafts/{code}/ops/")
        try:
            resolve(path)
        except Resolver404:  # reported with the pattern
            pytest.fail(f"{pattern}: no page is at {path}")


class OwnerAtGemel:
    """The owner at a running Gemel, with a session."""

    def __init__(self, gemel: Running) -> None:
        self.base = gemel.base
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(jar)
        page = self.opener.open(gemel.owner_link(), timeout=600).read().decode()
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert token
        sent = urllib.parse.urlencode({"csrfmiddlewaretoken": token[1]}).encode()
        asking = urllib.request.Request(gemel.owner_link(), sent)
        asking.add_header("Referer", self.base)
        self.opener.open(asking, timeout=600).read()

    def post(self, path: str, **values: str) -> None:
        """Send the form of this page."""
        token = re.search(
            r'name="csrfmiddlewaretoken" value="([^"]+)"', self.get(path)[1]
        )
        assert token
        values["csrfmiddlewaretoken"] = token[1]
        sent = urllib.parse.urlencode(values).encode()
        asking = urllib.request.Request(self.base + path, sent)
        asking.add_header("Referer", self.base)
        self.opener.open(asking, timeout=600).read()

    def get(self, path: str) -> tuple[int, str]:
        try:
            answer = self.opener.open(self.base + path, timeout=600)
        except urllib.error.HTTPError as error:
            answer = error
        return answer.status, answer.read().decode()


def rss_mb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    line = next(line for line in lines if line.startswith("VmRSS:"))
    return int(line.split()[1]) // 1024


def libraries(pid: int) -> str:
    return Path(f"/proc/{pid}/maps").read_text()


@pytest.mark.slow
@pytest.mark.once
def test_a_killed_engine_costs_one_answer_and_web_processes_hold_no_model(
    tmp_path: Path,
) -> None:
    with running(tmp_path, "--no-sample", GEMEL_ENGINE_IDLE_S="5") as gemel:
        assert not gemel.children("serve_engine")  # until it is needed
        reader = OwnerAtGemel(gemel)

        status, page = reader.get(TRY)
        assert (status, "Least certain for the parser" in page) == (200, True)
        (first,) = gemel.children("serve_engine")
        assert "onnxruntime" in libraries(first)

        os.kill(first, signal.SIGKILL)  # idle: nobody notices
        assert reader.get(TRY)[0] == 200
        (second,) = gemel.children("serve_engine")
        assert second != first

        os.kill(second, signal.SIGSTOP)  # at work, with more waiting than it may
        answers: list[int] = []
        threads = [
            threading.Thread(target=lambda: answers.append(reader.get(TRY)[0]))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        time.sleep(1)
        reader.post("/p/new/", name="Written meanwhile")  # others go on
        os.kill(second, signal.SIGKILL)
        for thread in threads:
            thread.join(600)
        # taken by the killed one: told; still at the door: answered by the next
        assert len(answers) == 8
        assert set(answers) <= {200, 503}
        assert reader.get(TRY)[0] == 200
        assert "Written meanwhile" in reader.get("/")[1]

        while found := gemel.children("serve_engine"):  # starting
            os.kill(found[0], signal.SIGKILL)
            wait(lambda gone=found[0]: not Path(f"/proc/{gone}").exists())
        assert reader.get(TRY)[0] == 200

        for pid in gemel.children("gunicorn"):
            assert "onnxruntime" not in libraries(pid)
            assert "llvmlite" not in libraries(pid)
        wait(lambda: not gemel.children("serve_engine"))  # idle: it unloads
        assert gemel.stop() == 0
