"""The language model that judges items: the only address that the server calls.

The address and its key come from the environment, never from data or from a request.
Redirects are not followed, and proxies are not asked.
"""

import http.client
import json
import math
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from annotator.errors import Refusal

TIMEOUT_S = 60.0
MOST = 2**20  # bytes of an answer that are read
MAX_TOKENS = 1000  # of one answer
BUSY = (408, 409, 425, 429)  # and all from 500 on: ask again later


class EndpointRefused(Refusal):
    """The endpoint does not answer such requests: asking again would not help."""

    status = 502
    code = "endpoint_refused"


class EndpointBusy(Exception):
    """It did not answer this time. ``wait_s``: seconds that it asks to wait for, None
    where it does not say."""

    def __init__(self, message: str, wait_s: float | None = None) -> None:
        self.wait_s = wait_s
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class MachineReply:
    """``text``: what the model said, "" where the answer has no such part; tokens read
    and written, as the endpoint counts them (0: it does not)."""

    text: str
    tokens_in: int
    tokens_out: int


def is_set() -> bool:
    return bool(settings.MACHINE)


def host() -> str:
    """Where texts are sent, for people; "" if nowhere."""
    return urlsplit(settings.MACHINE.get("url", "")).hostname or ""


def ask(model: str, messages: list[dict[str, str]], *, seed: int) -> MachineReply:
    """One chat completion, at temperature 0.

    Raises EndpointBusy where another try may help (limits, faults, silence) and
    EndpointRefused where none will. No message holds the key.
    """
    asked = {
        "model": model,
        "messages": messages,
        "temperature": 0,
        "seed": seed,
        "max_tokens": MAX_TOKENS,
    }
    try:
        status, headers, body = _post(json.dumps(asked).encode())
    except ssl.SSLCertVerificationError as error:
        why = error.verify_message
        raise EndpointRefused(f"The certificate is not valid: {why}.") from None
    except (OSError, http.client.HTTPException) as error:
        raise EndpointBusy(type(error).__name__) from None
    if status in BUSY or status >= 500:
        raise EndpointBusy(f"HTTP {status}", _wait(headers.get("Retry-After", "")))
    if status != 200:
        raise EndpointRefused(
            f"The endpoint answered HTTP {status}{_why(status, body)}. Check the model "
            "name, GEMEL_LLM_URL and GEMEL_LLM_KEY."
        )
    return _read(body)


def _post(body: bytes) -> tuple[int, Any, bytes]:
    url = urlsplit(settings.MACHINE["url"])
    assert url.hostname is not None
    line: http.client.HTTPConnection
    if url.scheme == "https":
        safe = ssl.create_default_context()
        line = http.client.HTTPSConnection(
            url.hostname, url.port, timeout=TIMEOUT_S, context=safe
        )
    else:
        line = http.client.HTTPConnection(url.hostname, url.port, timeout=TIMEOUT_S)
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if settings.MACHINE["key"]:
        headers["Authorization"] = f"Bearer {settings.MACHINE['key']}"
    try:
        line.request("POST", f"{url.path}/chat/completions", body, headers)
        answer = line.getresponse()
        return answer.status, answer.headers, answer.read(MOST)
    finally:
        line.close()


def _wait(text: str) -> float | None:
    """Seconds of ``Retry-After``: a number, or a time (RFC 9110, 10.2.3)."""
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
        except (TypeError, ValueError):
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _why(status: int, body: bytes) -> str:
    """What the endpoint says about it; nothing about keys, which some repeat."""
    if status in (401, 403):
        return ""
    found = _json(body)
    error = found.get("error") if isinstance(found, dict) else None
    said = error.get("message") if isinstance(error, dict) else error
    if not isinstance(said, str) or not said.strip():
        return ""
    key = settings.MACHINE["key"]
    clean = said.replace(key, "…") if key else said
    return f" ({' '.join(clean.split())[:200]})"


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _read(body: bytes) -> MachineReply:
    """The parts of a completion; what is missing or of another type counts as none."""
    found = _json(body)
    answer = found if isinstance(found, dict) else {}
    choices, usage = answer.get("choices"), answer.get("usage")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    text = message.get("content") if isinstance(message, dict) else None
    counts = usage if isinstance(usage, dict) else {}
    return MachineReply(
        text if isinstance(text, str) else "",
        _count(counts.get("prompt_tokens")),
        _count(counts.get("completion_tokens")),
    )


def _count(value: Any) -> int:
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return value if is_count and 0 <= value < 10**9 else 0
