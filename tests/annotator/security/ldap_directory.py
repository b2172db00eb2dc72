"""A small directory on loopback: real sockets, messages as RFC 4511 says, StartTLS.

It does what directories do that make trouble for the careless: a bind without a
password succeeds (RFC 4513, 5.1.2), filters are taken as they are written, a search may
answer with referrals.
"""

import contextlib
import socketserver
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

from ldap3.protocol.rfc4511 import LDAPMessage
from pyasn1.codec.ber import decoder

BASE = "ou=people,dc=example,dc=org"
SEARCHER, SECRET = "cn=gemel,dc=example,dc=org", "of the searcher"
START_TLS = "1.3.6.1.4.1.1466.20037"
OK, NO, PROTOCOL = 0, 49, 2


def certificate(folder: Path, host: str = "localhost") -> tuple[Path, Path]:
    """A self-signed certificate for a host, and its key."""
    made = folder / f"{host}.pem", folder / f"{host}.key"
    options = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    names = ["-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}"]
    files = ["-out", str(made[0]), "-keyout", str(made[1])]
    subprocess.run(
        ["openssl", *options, *names, *files], check=True, capture_output=True
    )
    return made


@dataclass
class KnownPerson:
    uid: str
    password: str
    entry_uuid: bytes
    dn: str = ""

    def __post_init__(self) -> None:
        self.dn = self.dn or f"uid={self.uid},{BASE}"


@dataclass
class LdapTree:
    """``binds``: name, password, and whether TLS stood; ``searches``: how many."""

    people: list[KnownPerson] = field(default_factory=list)
    tls: ssl.SSLContext | None = None
    refers_to: str = ""
    is_silent: bool = False
    port: int = 0
    binds: list[tuple[str, str, bool]] = field(default_factory=list)
    searches: int = 0

    def bind(self, dn: str, password: str, *, is_tls: bool) -> int:
        self.binds.append((dn, password, is_tls))
        if not password or (dn, password) == (SEARCHER, SECRET):
            return OK
        known = [(one.dn, one.password) for one in self.people]
        return OK if (dn, password) in known else NO

    def matching(self, wanted: Any) -> list[KnownPerson]:
        self.searches += 1
        return [one for one in self.people if fits(one, wanted)]


def fits(person: KnownPerson, wanted: Any) -> bool:
    """Whether a filter of RFC 4511 lets this person through."""
    kind, inner = wanted.getName(), wanted.getComponent()
    if kind in ("and", "or"):
        each = [fits(person, one) for one in inner]
        return all(each) if kind == "and" else any(each)
    if kind == "present":
        return bytes(inner).decode() in ("uid", "objectClass")
    if kind == "equalityMatch":
        value = bytes(inner["assertionValue"]).decode()
        is_uid = bytes(inner["attributeDesc"]).decode() == "uid"
        return is_uid and value.casefold() == person.uid.casefold()
    if kind == "substringFilter":
        first = bytes(inner["substrings"][0].getComponent()).decode()
        return person.uid.startswith(first)
    raise AssertionError(kind)


def tlv(tag: int, *parts: bytes) -> bytes:
    """A value of BER: tag, length, content."""
    content = b"".join(parts)
    n = len(content)
    size = bytes([n]) if n < 128 else bytes([0x82]) + n.to_bytes(2, "big")
    return bytes([tag]) + size + content


def text(value: str | bytes) -> bytes:
    return tlv(0x04, value.encode() if isinstance(value, str) else value)


def result(tag: int, code: int) -> bytes:
    return tlv(tag, tlv(0x0A, bytes([code])), text(""), text(""))


class _Talk(socketserver.BaseRequestHandler):
    directory: LdapTree

    def handle(self) -> None:
        self.line, self.is_tls = self.request, False
        with contextlib.suppress(OSError):
            while (message := self.read()) is not None:
                if not self.directory.is_silent:
                    self.answer(message)

    def read(self) -> Any:
        head = self.exactly(2)
        if not head:
            return None
        size = head[1]
        if size & 0x80:
            more = self.exactly(size & 0x7F)
            head, size = head + more, int.from_bytes(more, "big")
        return decoder.decode(head + self.exactly(size), asn1Spec=LDAPMessage())[0]

    def exactly(self, n: int) -> bytes:
        got = b""
        while len(got) < n:
            part = self.line.recv(n - len(got))
            if not part:
                return b""
            got += part
        return got

    def answer(self, message: Any) -> None:
        number = int(message["messageID"]).to_bytes(5, "big")
        kind = message["protocolOp"].getName()
        asked = message["protocolOp"].getComponent()

        def say(body: bytes) -> None:
            self.line.sendall(tlv(0x30, tlv(0x02, number), body))

        if kind == "bindRequest":
            dn = bytes(asked["name"]).decode()
            password = bytes(asked["authentication"].getComponent()).decode()
            say(result(0x61, self.directory.bind(dn, password, is_tls=self.is_tls)))
        elif kind == "searchRequest":
            for body in self.entries(asked):
                say(body)
        elif kind == "extendedReq":
            is_possible = self.directory.tls is not None
            say(result(0x78, OK if is_possible else PROTOCOL))
            if self.directory.tls is not None:
                self.line = self.directory.tls.wrap_socket(self.line, server_side=True)
                self.is_tls = True

    def entries(self, asked: Any) -> Iterator[bytes]:
        for one in self.directory.matching(asked["filter"]):
            name = bytes(asked["attributes"][0])
            values = tlv(0x31, text(one.entry_uuid))
            yield tlv(0x64, text(one.dn), tlv(0x30, tlv(0x30, text(name), values)))
        if self.directory.refers_to:
            yield tlv(0x73, text(self.directory.refers_to))
        yield result(0x65, OK)


@contextlib.contextmanager
def running(directory: LdapTree) -> Iterator[LdapTree]:
    """The directory at ``ldap://localhost`` and its port."""
    handler = type("Talk", (_Talk,), {"directory": directory})
    socketserver.ThreadingTCPServer.daemon_threads = True
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        directory.port = server.server_address[1]
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield directory
        finally:
            server.shutdown()
            thread.join()
