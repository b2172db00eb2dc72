"""Who uses Gemel in the load bench: judges, editors of links, managers, in browsers."""

import http.client
import json
import math
import random
import re
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import uuid4

SPREAD = 0.5  # of the logarithm of a pause: two thirds lie within a factor of 1.6
_CSRF = re.compile(rb'name="csrfmiddlewaretoken" value="([^"]+)"')


class Asked(NamedTuple):
    """One request. ``status``: 0 if the connection broke, or no answer came; ``at``:
    when it was sent, by ``time.perf_counter``."""

    at: float
    kind: str
    status: int
    ms: float

    @property
    def has_failed(self) -> bool:
        return not 200 <= self.status < 400


@dataclass(kw_only=True)
class Guest:
    """A person with a browser: cookies, one kept connection, pauses to read.

    What is not answered, or by a 5xx, is sent again, as the screens do; each try
    counts.
    """

    name: str
    password: str
    port: int
    project: str
    pause_s: float  # median
    comes_at: float = 0.0
    leaves_at: float = 0.0
    asked: list[Asked] = field(default_factory=list)
    cookies: dict[str, str] = field(default_factory=dict)
    connection: http.client.HTTPConnection | None = None
    refused: str = ""  # the first answer that says no to honest work

    def run(self) -> None:
        """Come, sign in unless that was done before, work."""
        if "sessionid" not in self.cookies:
            self.come()
        else:
            self._wait()
        if not self.refused:
            self.work()

    def come(self) -> None:
        self._wait()
        self.sign_in()

    def _wait(self) -> None:
        time.sleep(max(self.comes_at - time.perf_counter(), 0))

    def work(self) -> None:
        """Do what this person came for, until the time is over."""
        raise NotImplementedError

    def is_staying(self) -> bool:
        return not self.refused and time.perf_counter() < self.leaves_at

    def pause(self, share: float = 1.0) -> None:
        median = math.log(max(self.pause_s * share, 1e-3))
        pause = self.chance.lognormvariate(median, SPREAD)
        time.sleep(max(min(pause, self.leaves_at - time.perf_counter()), 0))

    @property
    def chance(self) -> random.Random:
        if not hasattr(self, "_chance"):
            self._chance = random.Random(self.name)
        return self._chance

    def sign_in(self) -> None:
        page = self.get("page of sign-in", "/sign-in/")
        token = _CSRF.search(page)
        self.pause(0.5)
        words = {"username": self.name, "password": self.password}
        words["csrfmiddlewaretoken"] = token.group(1).decode() if token else ""
        head = {"Content-Type": "application/x-www-form-urlencoded"}
        self.send("sign in", "POST", "/sign-in/", urlencode(words), head)
        if "sessionid" not in self.cookies:
            self.refused = self.refused or f"{self.name} was not let in"

    def get(self, kind: str, path: str) -> bytes:
        return self.send(kind, "GET", path, None, {})

    def post(self, kind: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        head = {"Content-Type": "application/json"}
        head["X-CSRFToken"] = self.cookies.get("csrftoken", "")
        said = self.send(kind, "POST", path, json.dumps(body), head)
        return {} if self.refused else dict(json.loads(said))

    def send(
        self, kind: str, verb: str, path: str, body: str | None, head: dict[str, str]
    ) -> bytes:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        head = head | ({"Cookie": cookies} if cookies else {})
        while True:
            began = time.perf_counter()
            try:
                status, said = self._answer(verb, path, body, head)
            except (OSError, http.client.HTTPException):
                status, said, self.connection = 0, b"", None
            ms = 1000 * (time.perf_counter() - began)
            self.asked.append(Asked(began, kind, status, ms))
            if 200 <= status < 400:
                return said
            if 0 < status < 500:
                self.refused = f"{kind}: {status}: {said[:300]!r}"
                return said
            if time.perf_counter() > self.leaves_at + 60:
                self.refused = f"{kind}: no answer for a minute after the end"
                return said
            time.sleep(0.5)

    def _answer(
        self, verb: str, path: str, body: str | None, head: dict[str, str]
    ) -> tuple[int, bytes]:
        if self.connection is None:
            made = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            made.connect()
            made.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connection = made
        self.connection.request(verb, path, body, head)
        answer = self.connection.getresponse()
        for line in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer.status, answer.read()


@dataclass(kw_only=True)
class Judger(Guest):
    """Judges items; holds a few in advance, and keeps what was acknowledged."""

    campaign: str
    acknowledged: list[str] = field(default_factory=list)

    def work(self) -> None:
        self.get("judging screen", f"/p/{self.project}/judge/{self.campaign}/")
        held = self.said("desk", "", {"want": 4}).get("next", [])
        while self.is_staying():
            if not held:
                self.pause()
                held = self.said("desk", "", {"want": 4}).get("next", [])
                continue
            self.pause()
            card = held.pop(0)
            message = {
                "uuid": str(uuid4()),
                "judgment": card["code"],
                "seen": card["revision"],
                "values": {
                    "meaning": self.chance.randint(1, 5),
                    "grammar": self.chance.randint(1, 5),
                },
                "active_ms": 1200,
                "want": 4 if len(held) < 2 else 0,
                "held": [one["code"] for one in held],
            }
            said = self.said("judgment", "answers/", message)
            if said:
                self.acknowledged.append(message["uuid"])
                held += said["next"]

    def said(self, kind: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return self.post(kind, f"/api/judge/{self.campaign}/{path}", body)


@dataclass(kw_only=True)
class Linker(Guest):
    """Opens a pair, asks what the aligner thinks, links and unlinks words."""

    pair: str
    trees: tuple[str, str]
    layer: str = ""
    acknowledged: list[str] = field(default_factory=list)

    def work(self) -> None:
        self.get("pair in the editor", f"/p/{self.project}/pair/{self.pair}/")
        made = self.post("layer", f"/api/pairs/{self.pair}/layers/", {})
        self.layer, revision = made.get("code", ""), made.get("revision", 0)
        trees = dict(zip(("source_parse", "target_parse"), self.trees, strict=True))
        while self.is_staying():
            self.post("suggestions", f"/api/pairs/{self.pair}/proposals/", trees)
            self.pause()
            n = len(self.acknowledged)
            asked = {"uuid": str(uuid4()), "base_rev": revision, "s": "w0"}
            asked |= {"op": "clear"} if n % 2 else {"op": "link", "t": f"w{n % 4}"}
            said = self.post("link", f"/api/layers/{self.layer}/ops/", asked)
            if said:
                revision = said["revision"]
                self.acknowledged.append(asked["uuid"])


@dataclass(kw_only=True)
class Manager(Guest):
    """Reads how far the campaign is, and what the judges agree on."""

    campaign: str

    def work(self) -> None:
        slug, code = self.project, self.campaign
        pages = {
            "dashboard": f"/p/{slug}/",
            "agreement, one line": f"/p/{slug}/campaign/{code}/agreement/",
            "campaign": f"/p/{slug}/campaign/{code}/",
            "report": f"/p/{slug}/agreement/campaign/{code}/",
            "list of items": f"/p/{slug}/campaign/{code}/items/",
            "curation": f"/p/{slug}/campaign/{code}/curate/",
        }
        while True:
            for kind, path in pages.items():
                if not self.is_staying():
                    return
                self.get(kind, path)
                self.pause(2)


def in_threads(works: list[Callable[[], None]]) -> None:
    """Run all at once and wait for the last."""
    threading.stack_size(512 * 1024)
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
