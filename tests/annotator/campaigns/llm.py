"""A stub of an OpenAI-compatible endpoint, in a thread of the test's own process."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes]
KEY = "sk-Only-For-This-Test-0123456789"


def completion(text: Any, n_in: int = 100, n_out: int = 10) -> Answer:
    """A reply of the model, as the endpoint wraps it."""
    said = text if isinstance(text, str) else json.dumps(text)
    usage = {"prompt_tokens": n_in, "completion_tokens": n_out}
    body = {"choices": [{"message": {"content": said}}], "usage": usage}
    return 200, {}, json.dumps(body).encode()


class StubEndpoint:
    """``answer``: what is said to a request, by its JSON. ``asked``: all requests."""

    def __init__(self, answer: Callable[[dict[str, Any]], Answer]) -> None:
        self.answer, self.asked, self.paths = answer, [], []
        self.keys: list[str] = []
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                asked = json.loads(self.rfile.read(length))
                stub.asked.append(asked)
                stub.paths.append(self.path)
                stub.keys.append(self.headers.get("Authorization", ""))
                status, headers, body = stub.answer(asked)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/v1"


@contextmanager
def endpoint(answer: Callable[[dict[str, Any]], Answer]) -> Iterator[StubEndpoint]:
    stub = StubEndpoint(answer)
    thread = threading.Thread(target=stub.server.serve_forever, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        stub.server.shutdown()
        stub.server.server_close()
