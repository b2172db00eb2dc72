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
    location: str = ""  # where the last answer leads

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

    def open_project(self) -> None:
        self.get("page", f"/p/{self.project}/")

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
        self.location = answer.headers.get("Location", "")
        return answer.status, answer.read()


@dataclass(kw_only=True)
class Judger(Guest):
    """Judges items; holds a few in advance, and keeps what was acknowledged."""

    campaign: str
    held: list[dict[str, Any]] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)

    def work(self) -> None:
        self.begin()
        while self.is_staying():
            self.pause()
            self.judge()

    def begin(self) -> None:
        """Open the screen and get the first items."""
        self.get("judging screen", f"/p/{self.project}/judge/{self.campaign}/")
        self.held = self.said("desk", "", {"want": 4}).get("next", [])

    def judge(self) -> dict[str, Any]:
        """Answer an item, or ask whether there are any; return it once that is
        acknowledged, or nothing."""
        if not self.held:
            self.held = self.said("desk", "", {"want": 4}).get("next", [])
            return {}
        card = self.held.pop(0)
        message = {
            "uuid": str(uuid4()),
            "judgment": card["code"],
            "seen": card["revision"],
            "values": {
                "meaning": self.chance.randint(1, 5),
                "grammar": self.chance.randint(1, 5),
            },
            "active_ms": 1200,
            "want": 4 if len(self.held) < 2 else 0,
            "held": [one["code"] for one in self.held],
        }
        said = self.said("judgment", "answers/", message)
        if not said:
            return {}
        self.acknowledged.append(message["uuid"])
        self.held += said["next"]
        return dict(card)

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


NOUNS = ("gardener", "sailor", "teacher", "painter", "baker", "doctor", "farmer")
VERBS = ("saw", "helped", "followed", "thanked", "found", "called", "heard")
PLACES = ("in the garden", "near the old harbour", "after the long rain", "on Sunday")
SEARCHES = ("NP < PP", "VP << NP", "PP > NP", "NP $ VP", "S < (NP $ VP)")


@dataclass(kw_only=True)
class Researcher(Guest):
    """Tries sentences, edits a tree and takes it back, searches, imports pairs.

    Each round has new sentences, so that no cache answers for the parser.
    """

    sentence: str
    revision: int = 0

    def work(self) -> None:
        while self.is_staying():
            self._try()
            self._edit()
            asked = urlencode({"q": self.chance.choice(SEARCHES)})
            self.get("search", f"/p/{self.project}/search/?{asked}")
            self.pause()
            if self.chance.random() < 0.2:
                self._import()

    def _text(self) -> str:
        one, two, *more = self.chance.sample(NOUNS, 4)
        verb, place = self.chance.choice(VERBS), self.chance.choice(PLACES)
        words = f"The {one} {verb} the {two} and the {more[0]} {place}"
        return f"{words} , {self.chance.randint(1, 10**6)} {more[1]}s said ."

    def _try(self) -> None:
        asked = urlencode({"engine": "english-gum", "text": self._text()})
        self.get("try a sentence", f"/try/?{asked}")
        self.pause()

    def _edit(self) -> None:
        began = self.post("draft", f"/api/sentences/{self.sentence}/draft/", {})
        revision = began.get("revision", 0)
        for op in ({"op": "relabel", "node": 0, "label": "FRAG"}, {"op": "undo"}):
            step = op | {"uuid": str(uuid4()), "base_rev": revision}
            path = f"/api/tree-drafts/{began.get('code')}/ops/"
            revision = self.post("step in a tree", path, step).get("revision", 0)
            self.pause(0.5)
        self.get("sentence", f"/p/{self.project}/sentence/{self.sentence}/")
        self.pause()

    def _import(self) -> None:
        rows = "".join(f"{self._text()}\t{self._text()}\n" for _ in range(20))
        fields = {"format": "pairs", "corpus": f"Of {self.name}", "dry_run": "false"}
        body, head = multipart(fields, "files", f"{uuid4().hex}.tsv", rows)
        head["X-CSRFToken"] = self.cookies.get("csrftoken", "")
        self.send(
            "import", "POST", f"/api/projects/{self.project}/imports/", body, head
        )
        self.pause()


def multipart(
    fields: dict[str, str], name: str, file: str, content: str
) -> tuple[str, dict[str, str]]:
    """Return a form with a file in its field ``name``: body and headers."""
    mark = uuid4().hex
    parts = [
        f'--{mark}\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n'
        for k, v in fields.items()
    ]
    parts.append(
        f'--{mark}\r\nContent-Disposition: form-data; name="{name}"; '
        f'filename="{file}"\r\nContent-Type: text/plain\r\n\r\n{content}\r\n'
    )
    head = {"Content-Type": f"multipart/form-data; boundary={mark}"}
    return f"{''.join(parts)}--{mark}--\r\n", head


def in_threads(works: list[Callable[[], None]]) -> None:
    """Run all at once and wait for the last."""
    threading.stack_size(512 * 1024)
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
