"""A small OpenID provider on loopback: real HTTP, tokens signed by RS256.

Whoever is sent to it is let in as ``who`` at once. It refuses what a provider must: an
unknown client, another address to return to, a code used twice, a wrong verifier.
``forge`` changes a token before it is signed, ``sign`` is how it is signed.
"""

import base64
import contextlib
import hashlib
import json
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "gemel-client", "a-secret-of-the-client-0123456789"
KEY = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})


def signed(claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "RS256", "kid": "one"}, claims, KEY)


@dataclass
class Provider:
    """``asked``: the queries of those who were sent here, in order."""

    issuer: str = ""
    who: dict[str, Any] = field(default_factory=lambda: {"sub": "7"})
    at_userinfo: dict[str, Any] = field(default_factory=dict)
    described: dict[str, Any] = field(default_factory=dict)  # instead of what is so
    forge: Callable[[dict[str, Any]], dict[str, Any]] = lambda claims: claims
    sign: Callable[[dict[str, Any]], str] = signed
    asked: list[dict[str, str]] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def description(self) -> dict[str, Any]:
        names = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
        return {
            "issuer": self.issuer,
            **{f"{k}_endpoint": f"{self.issuer}/{v}" for k, v in names.items()},
            "jwks_uri": f"{self.issuer}/keys",
            "id_token_signing_alg_values_supported": ["RS256"],
            **self.described,
        }

    def authorize(self, query: dict[str, str]) -> str:
        """The address to which the person is sent back."""
        assert query["client_id"] == CLIENT
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        assert "openid" in query["scope"].split()
        code = secrets.token_urlsafe(16)
        self.asked.append(query)
        self.codes[code] = query
        back = {"code": code, "state": query["state"]}
        return f"{query['redirect_uri']}?{urlencode(back)}"

    def token(self, form: dict[str, str], client: str) -> tuple[int, dict[str, Any]]:
        asked = self.codes.pop(form["code"], None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if client != f"{CLIENT}:{SECRET}":
            return 401, {"error": "invalid_client"}
        if (
            asked is None
            or asked["redirect_uri"] != form["redirect_uri"]
            or asked["code_challenge"] != challenge
        ):
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
            **self.who,
        }
        return 200, {
            "access_token": "of-this-person",
            "token_type": "Bearer",
            "expires_in": 300,
            "id_token": self.sign(self.forge(claims)),
        }


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        path, query = urlsplit(self.path).path, urlsplit(self.path).query
        if path == "/authorize":
            flat = {name: one[0] for name, one in parse_qs(query).items()}
            self.send_response(302)
            self.send_header("Location", self.provider.authorize(flat))
            self.end_headers()
        elif path == "/keys":
            self._json(200, {"keys": [KEY.as_dict(private=False)]})
        elif path == "/userinfo":
            is_known = self.headers["Authorization"] == "Bearer of-this-person"
            self._json(200 if is_known else 401, self.provider.at_userinfo)
        else:
            assert path == "/.well-known/openid-configuration", path
            self._json(200, self.provider.description())

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: one[0] for name, one in parse_qs(text).items()}
        kind, _, sealed = self.headers["Authorization"].partition(" ")
        assert kind == "Basic"
        client = unquote(base64.b64decode(sealed).decode())
        self._json(*self.provider.token(form, client))

    def _json(self, status: int, body: dict[str, Any]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the log is the tests' own."""


@contextlib.contextmanager
def running() -> Iterator[Provider]:
    provider = Provider()
    handler = type("Handler", (_Handler,), {"provider": provider})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    provider.issuer = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
