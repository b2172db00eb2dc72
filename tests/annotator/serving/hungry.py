"""Gemel's application, with one address more: /take/N/ fills N MB and keeps most."""

from typing import Any

from annotator.wsgi import application as gemel

KEPT = 450  # of what it took, when there was no more
_taken: list[bytearray] = []


def application(environ: dict[str, Any], start_response: Any) -> Any:
    _, first, *rest = environ["PATH_INFO"].split("/")
    if first != "take":
        return gemel(environ, start_response)
    try:
        for _ in range(int(rest[0])):
            _taken.append(bytearray(b"x" * 2**20))
    except MemoryError:
        del _taken[KEPT:]
        raise
    start_response("200 OK", [("Content-Length", "0")])
    return []
