"""Other people, while an attack goes on: how long a judge and a reader wait."""

import contextlib
import http.client
import json
import threading
import time
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from lab.attack.target import Target

PATIENCE_S = 10.0  # for one answer; who waits longer is counted as having got none
PAUSE_S = 0.1  # between what one does and what one does next
TRIES = 2  # a browser asks again, once, where a kept connection was closed


class Person:
    """Asks again and again; ``waits`` in seconds, ``failed`` is what got no answer."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.waits: list[float] = []
        self.broken: list[int] = []  # statuses from 500 on
        self.failed = 0
        self._line: http.client.HTTPConnection | None = None
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._done.set()
        self._thread.join(3 * PATIENCE_S)

    def _run(self) -> None:
        while not self._done.is_set():
            self.act()
            self._done.wait(PAUSE_S)

    def act(self) -> None:
        raise NotImplementedError

    def ask(self, method: str, path: str, body: Any, head: dict[str, str]) -> bytes:
        """Return the answer, or b"" if there is none."""
        began = time.monotonic()
        for _ in range(TRIES):
            try:
                status, text = self._asked(method, path, body, head)
            except (OSError, http.client.HTTPException):
                self._line = None
                continue
            self.waits.append(time.monotonic() - began)
            if status >= 500:
                self.broken.append(status)
            return text
        self.waits.append(time.monotonic() - began)
        self.failed += 1
        return b""

    def _asked(
        self, method: str, path: str, body: Any, head: dict[str, str]
    ) -> tuple[int, bytes]:
        if self._line is None:
            host, port = self.target.host, self.target.port
            self._line = http.client.HTTPConnection(host, port, timeout=PATIENCE_S)
        self._line.request(method, path, body, head)
        answer = self._line.getresponse()
        return answer.status, answer.read()


class Judge(Person):
    """Judges on a connection that is kept."""

    _held: list[dict[str, Any]]

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._held = []

    def act(self) -> None:
        if not self._held:
            self._say("", {"want": 4})
            return
        card = self._held.pop(0)
        message = {
            "uuid": str(uuid4()),
            "judgment": card["code"],
            "seen": card["revision"],
            "values": {"meaning": 4, "grammar": 5},
            "want": 4 if len(self._held) < 2 else 0,
            "held": [one["code"] for one in self._held],
        }
        self._say("answers/", message)

    def _say(self, path: str, body: dict[str, Any]) -> None:
        head = {"Content-Type": "application/json", "Authorization": self.target.judge}
        url = f"/api/judge/{self.target.campaign}/{path}"
        text = self.ask("POST", url, json.dumps(body), head)
        with contextlib.suppress(ValueError, KeyError):
            self._held += json.loads(text)["next"]


class Reader(Person):
    """Reads pages, signed in, each on a connection of its own."""

    _turn = 0

    def act(self) -> None:
        project = f"/p/{self.target.project}/"
        paths = ["/sign-in/", project, f"{project}corpora/"]
        self._line = None
        self._turn += 1
        head = {"Cookie": self.target.session, "Connection": "close"}
        self.ask("GET", paths[self._turn % len(paths)], None, head)


@contextlib.contextmanager
def at_work(target: Target) -> Iterator[list[Person]]:
    """Keep a judge and a reader at work until the end of the block."""
    people: list[Person] = [Judge(target), Reader(target)]
    for one in people:
        one.start()
    try:
        yield people
    finally:
        for one in people:
            one.stop()
