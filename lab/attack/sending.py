"""Who attacks: sends requests until the time is over, and notes what broke."""

import contextlib
import http.client
import json
import time
from collections import Counter
from typing import Any
from uuid import uuid4

from lab.attack.target import Target

PATIENCE_S = 60.0  # for one answer, and no longer than the attack may take


class Attacker:
    """``statuses`` counts the answers, 0 stands for none."""

    def __init__(self, target: Target, seconds: float) -> None:
        self.target, self.address = target, (target.host, target.port)
        self.statuses: Counter[int] = Counter()
        self._until = time.monotonic() + seconds

    def left(self) -> float:
        return max(0.0, self._until - time.monotonic())

    def is_over(self) -> bool:
        return not self.left()

    def wait(self, seconds: float) -> None:
        time.sleep(min(seconds, self.left()))

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        head: dict[str, str] | None = None,
    ) -> tuple[int, bytes, str]:
        """Return status (0: no answer), text and the address it leads to."""
        patience = max(1.0, min(PATIENCE_S, self.left()))
        line = http.client.HTTPConnection(*self.address, timeout=patience)
        with contextlib.closing(line):
            try:
                line.request(method, path, body, head or {})
                answer = line.getresponse()
                found = answer.status, answer.read(), answer.headers["Location"] or ""
            except (OSError, http.client.HTTPException):
                found = 0, b"", ""
        self.statuses[found[0]] += 1
        return found

    def page(self, path: str) -> tuple[int, bytes, str]:
        """Ask for a page as someone who is signed in."""
        return self.ask("GET", path, head={"Cookie": self.target.session})

    def api(self, path: str) -> Any:
        """Return the answer of the API, or None after a refusal or without one."""
        head = {"Authorization": self.target.manager}
        status, text, _ = self.ask("GET", path, head=head)
        return json.loads(text) if status == 200 else None

    def send(
        self, path: str, name: str, content: bytes, *, api: bool, **fields: str
    ) -> tuple[int, bytes, str]:
        """Send a form with a file; ``name`` is "field/file name"."""
        field, _, file = name.partition("/")
        mark, head = uuid4().hex, "Content-Disposition: form-data; name="
        parts = [
            f'--{mark}\r\n{head}"{key}"\r\n\r\n{value}\r\n'
            for key, value in fields.items()
        ]
        start = (
            f'--{mark}\r\n{head}"{field}"; '
            f'filename="{file}"\r\nContent-Type: application/octet-stream\r\n\r\n'
        )
        body = (
            "".join([*parts, start]).encode() + content + f"\r\n--{mark}--\r\n".encode()
        )
        headers = {"Content-Type": f"multipart/form-data; boundary={mark}"}
        if api:
            headers["Authorization"] = self.target.manager
        else:
            headers |= {"Cookie": self.target.session, "X-CSRFToken": "a" * 32}
        return self.ask("POST", path, body, headers)

    def brought_in(self, name: str, content: bytes, kind: str, corpus: str) -> str:
        """Return the code of the imported corpus, or "" if none is there in time."""
        path = f"/api/projects/{self.target.project}/imports/"
        about = {
            "format": kind,
            "corpus": corpus,
            "dry_run": "false",
            "partial": "true",
        }
        status, text, _ = self.send(path, f"files/{name}", content, api=True, **about)
        if status != 201:
            return ""
        job = json.loads(text)["code"]
        while not self.is_over():
            row = self.api(f"/api/jobs/{job}/")
            if row and row["state"] in ("done", "failed", "cancelled"):
                break
            self.wait(0.5)
        there = self.api("/api/corpora/?page_size=100") or {}
        rows = there.get("results", [])
        return next((row["code"] for row in rows if row["name"] == corpus), "")
