"""Gemel from a program: sentences, trees, pairs and links, with types.

    from gemel_client import Client

    gemel = Client("https://gemel.example.org", token="…")
    for corpus in gemel.corpora():
        for pair in gemel.pairs(corpus.code, state="done"):
            print(pair.source, "|", pair.target)

Tokens are made on the page *Account*; what one may do, its scope says. Every list comes
page by page as it is read. A call that the server had no time for is made again (after
a 429 or 503, when the server says, at most ``tries`` times); a change is sent with an
id of its own, so that making it again does it once. The token goes to this address
alone: a redirection is not followed.
"""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import nltk
    import pandas

__all__ = [
    "Arc",
    "Client",
    "Corpus",
    "Layer",
    "Node",
    "Pair",
    "Parse",
    "Refused",
    "Sentence",
    "to_pandas",
]

Json = dict[str, Any]
T = TypeVar("T")
BUSY = (429, 503)
MAX_WAIT_S = 300.0  # between two tries, whatever the server says


class Refused(Exception):
    """The server's answer to a call that it did not do: ``status``, ``code`` and
    ``facts`` as the API gives them; the message says what would help."""

    def __init__(self, status: int, error: Mapping[str, Any]) -> None:
        super().__init__(error.get("message", f"HTTP {status}"))
        self.status, self.code = status, str(error.get("code", ""))
        self.facts: Json = dict(error.get("facts") or {})


@dataclass(frozen=True, slots=True)
class Corpus:
    code: str
    project: str
    name: str
    licence: str
    source_language: str
    target_language: str
    n_pairs: int
    n_sentences: int


@dataclass(frozen=True, slots=True)
class Pair:
    """``source_code``, ``target_code``: what ``Client.sentence`` wants."""

    code: str
    ref: str
    source: str
    target: str
    source_code: str
    target_code: str
    label: str
    state: str
    has_parse: bool


@dataclass(frozen=True, slots=True)
class Node:
    """``words``: positions of its tokens; ``span``: the half-open hull around them;
    ``ref``: what a layer calls it; ``mother``: an id, None at the root."""

    id: int
    ref: str
    label: str
    edge: str
    mother: int | None
    span: tuple[int, int]
    words: tuple[int, ...]
    form: str


@dataclass(frozen=True, slots=True)
class Arc:
    """``head``: a position, -1 for the root."""

    token: int
    head: int
    relation: str


@dataclass(frozen=True, slots=True)
class Parse:
    """``text``: brackets (constituency) or CoNLL-U lines (dependency)."""

    code: str
    kind: str
    origin: str
    made_by: str
    engine: str
    version: str
    rank: int
    score: float | None
    text: str
    nodes: tuple[Node, ...]
    arcs: tuple[Arc, ...]

    def ref_of(self, start: int, end: int, label: str = "") -> str:
        """What layers call the node over tokens ``start`` to ``end - 1``, the highest
        if there are several. Raises ValueError if there is none."""
        for node in self.nodes:
            is_whole = node.words == tuple(range(start, end))
            if is_whole and label in ("", node.label):
                return node.ref
        raise ValueError(f"no node {label or 'at all'} over tokens {start} to {end}")

    def to_nltk(self) -> "nltk.Tree":
        """The constituents as NLTK's tree. Raises ValueError on a dependency parse."""
        import nltk

        if self.kind != "constituency":
            raise ValueError("a dependency parse has no constituents: to_conllu()")
        return nltk.Tree.fromstring(self.text)

    def to_conllu(self) -> str:
        """Ten columns a token. Raises ValueError on a constituency parse."""
        if self.kind != "dependency":
            raise ValueError("a constituency parse has no arcs: to_nltk()")
        return self.text.rstrip("\n") + "\n\n"


@dataclass(frozen=True, slots=True)
class Sentence:
    """``parses``: those that you may see, gold first; empty in a list of sentences."""

    code: str
    ref: str
    text: str
    language: str
    tokens: tuple[str, ...]
    parses: tuple[Parse, ...] = ()

    @property
    def gold(self) -> Parse | None:
        return next((parse for parse in self.parses if parse.origin == "gold"), None)


@dataclass(frozen=True, slots=True)
class Layer:
    """Links as they are: ``(source, target, kind)`` of refs (``w3`` token 3, ``n5``
    node 5 of the parse of that code); nodes said to have no counterpart."""

    code: str
    revision: int
    state: str
    links: tuple[tuple[str, str, str], ...]
    null_source: tuple[str, ...]
    null_target: tuple[str, ...]
    source_parse: str
    target_parse: str


@dataclass(frozen=True, slots=True)
class Draft:
    """Your constituent tree of a sentence while you edit it. ``nodes``: id, label,
    mother, words and form of each, in preorder; ``followed``: ids of those that came
    by themselves after the last step; ``undo, redo``: what these would take."""

    code: str
    sentence: str
    revision: int
    text: str
    nodes: tuple[Json, ...]
    at: int
    undo: str
    redo: str
    followed: tuple[int, ...]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The header with the token would go along, to whatever host is named."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


class Client:
    """Calls over HTTPS with an access token. ``timeout`` in seconds, of one call."""

    def __init__(
        self, address: str, token: str, *, timeout: float = 30, tries: int = 5
    ) -> None:
        if not address.startswith(("https://", "http://")):
            raise ValueError(f"{address!r}: an address with https:// is wanted")
        self._address, self._token = address.rstrip("/"), token
        self._timeout, self._tries = timeout, tries

    # --- what is there
    def corpora(self) -> Iterator[Corpus]:
        return (_made(Corpus, row) for row in self.pages("/api/corpora/"))

    def pairs(self, corpus: str, **filters: object) -> Iterator[Pair]:
        """``filters``: as the list's page has them, state="done", q="river", …"""
        rows = self.pages(f"/api/corpora/{corpus}/pairs/", filters)
        return (_made(Pair, row) for row in rows)

    def sentences(self, corpus: str) -> Iterator[Sentence]:
        """Without their parses: ask for these one by one, with ``sentence``."""
        return map(_sentence, self.pages(f"/api/corpora/{corpus}/sentences/"))

    def sentence(self, code: str) -> Sentence:
        return _sentence(self.call("GET", f"/api/sentences/{code}/"))

    def forests(self, sentence: str) -> list[Json]:
        return list(self.call("GET", f"/api/sentences/{sentence}/forests/"))

    def layers(self, pair: str) -> list[Json]:
        """The layers of a pair that you may see: code, origin, made_by, n_links, …"""
        return list(self.call("GET", f"/api/pairs/{pair}/layers/"))

    def layer(self, code: str) -> Layer:
        return _layer(self.call("GET", f"/api/layers/{code}/"))

    def figure(self, kind: str, code: str, to: str = "svg", **how: object) -> bytes:
        """A drawing, or LaTeX; ``kind``: pairs or sentences. ``to``: svg, pdf, png,
        forest.tex, …; ``how``: side="source", colour="grey", nodes="s1-2", …"""
        query = urllib.parse.urlencode({"to": to} | how)
        return self._answer("GET", f"/api/{kind}/{code}/figure/?{query}")

    # --- links
    def start_layer(self, pair: str) -> Layer:
        """Your own layer of the pair; it is begun if there is none yet."""
        return _layer(self.call("POST", f"/api/pairs/{pair}/layers/"))

    def step(self, layer: Layer, op: str, **more: object) -> Layer:
        """One operation on the layer as it was read; what it is then.

        Raises Refused with status 409 if somebody changed the layer meanwhile.
        """
        sent = {"uuid": str(uuid.uuid4()), "base_rev": layer.revision, "op": op}
        url = f"/api/layers/{layer.code}/ops/"
        return _layer(self.call("POST", url, {**sent, **more}))

    def link(
        self, layer: Layer, source: str, target: str, *, kind: str = "sure"
    ) -> Layer:
        """Link two nodes, by their refs (w3, n5) or by their tokens (0:2)."""
        return self.step(layer, "link", s=source, t=target, kind=kind)

    # --- trees
    def begin_tree(self, sentence: str, base: str = "") -> Draft:
        """Your draft of the sentence's tree, begun as the parse ``base`` or the best
        there is, if there is none yet."""
        sent = {"base": base} if base else {}
        return _made(
            Draft, self.call("POST", f"/api/sentences/{sentence}/draft/", sent)
        )

    def tree_step(self, draft: Draft, op: str, **more: object) -> Draft:
        """One operation on the draft as it was read; what it is then. With
        ``follow=True`` what follows from it by the parser's forest is done, too.

        Raises Refused with status 409 if the draft was changed meanwhile; its facts
        have both states, and the same step with ``onto=facts["revision"]`` goes on.
        """
        sent = {"uuid": str(uuid.uuid4()), "base_rev": draft.revision, "op": op}
        url = f"/api/tree-drafts/{draft.code}/ops/"
        return _made(Draft, self.call("POST", url, {**sent, **more}))

    def tree_history(self, draft: Draft) -> list[Json]:
        """Every step on the draft, the first one first."""
        return list(self.call("GET", f"/api/tree-drafts/{draft.code}/history/"))

    def save_tree(self, draft: Draft, *, role: str = "mine", gold: str = "") -> str:
        """The code of the parse that the draft becomes: your own, or with ``role``
        "gold" the sentence's; ``gold``: the code of the gold tree that you saw."""
        sent = {"role": role} | ({"gold": gold} if gold else {})
        saved = self.call("POST", f"/api/tree-drafts/{draft.code}/save/", sent)
        return str(saved["parse"])

    # --- for managers; kind: projects (code: its slug), corpora, campaigns, ratings
    def change(self, kind: str, code: str, **values: object) -> Json:
        """Rename, describe or archive: name="New", archived=True. What it is then."""
        return dict(self.call("PATCH", f"/api/{kind}/{code}/", values))

    def delete(self, kind: str, code: str, confirm: str = "") -> Json:
        """What went, and ``until`` when it may be restored. ``confirm``: its name;
        without it Refused says in ``facts`` which people's work would go."""
        query = urllib.parse.urlencode({"confirm": confirm})
        return dict(self.call("DELETE", f"/api/{kind}/{code}/?{query}"))

    def restore(self, removal: str) -> Json:
        return dict(self.call("POST", f"/api/removals/{removal}/restore/"))

    # --- calls
    def pages(
        self, path: str, query: Mapping[str, object] | None = None
    ) -> Iterator[Any]:
        """The rows of a list, page after page."""
        url = f"{path}?{urllib.parse.urlencode(query)}" if query else path
        while url:
            page = self.call("GET", url)
            yield from page["results"]
            url = page["next"] or ""

    def call(self, method: str, path: str, data: object = None) -> Any:
        """The answer's JSON. Raises Refused, or OSError if no server answers."""
        return json.loads(self._answer(method, path, data))

    def _answer(self, method: str, path: str, data: object = None) -> bytes:
        request = self._request(method, path, data)
        for left in range(self._tries - 1, -1, -1):
            try:
                with _OPENER.open(request, timeout=self._timeout) as answer:
                    return bytes(answer.read())
            except urllib.error.HTTPError as error:
                if error.code not in BUSY or not left:
                    raise _refused(error) from None
                time.sleep(_wait(error.headers.get("Retry-After")))
        raise AssertionError("no try was made")

    def _request(self, method: str, path: str, data: object) -> urllib.request.Request:
        body = None if data is None else json.dumps(data).encode()
        headers = {"Authorization": f"Token {self._token}"}
        headers["Accept"] = "application/json"
        if body is not None:
            headers["Content-Type"] = "application/json"
        parts = urllib.parse.urlsplit(path)  # what follows a page is a whole address
        url = self._address + urllib.parse.urlunsplit(("", "", *parts[2:]))
        return urllib.request.Request(url, body, headers, method=method)


def to_pandas(rows: Iterable[Any]) -> "pandas.DataFrame":
    """A table of what this module gives: corpora, pairs, sentences, nodes, arcs."""
    import pandas

    return pandas.DataFrame([asdict(row) for row in rows])


def _made(kind: type[T], row: Mapping[str, Any]) -> T:
    """What the server adds later is left out, so that an older client goes on."""
    return kind(**{one.name: row[one.name] for one in fields(kind)})  # type: ignore[arg-type]


def _sentence(row: Mapping[str, Any]) -> Sentence:
    parses = tuple(map(_parse, row.get("parses", ())))
    return _made(Sentence, {**row, "tokens": tuple(row["tokens"]), "parses": parses})


def _parse(row: Mapping[str, Any]) -> Parse:
    nodes = tuple(
        _made(
            Node, {**node, "span": tuple(node["span"]), "words": tuple(node["words"])}
        )
        for node in row["nodes"]
    )
    arcs = tuple(_made(Arc, arc) for arc in row["arcs"])
    return _made(Parse, {**row, "nodes": nodes, "arcs": arcs})


def _layer(row: Mapping[str, Any]) -> Layer:
    links = tuple((str(s), str(t), str(kind)) for s, t, kind, *_ in row["links"])
    sides = {name: tuple(row[name]) for name in ("null_source", "null_target")}
    return _made(Layer, {**row, **sides, "links": links})


def _wait(seconds: str | None) -> float:
    """How long to wait, in seconds; what is no number of seconds is one second."""
    is_number = seconds is not None and seconds.isascii() and seconds.isdigit()
    return min(float(seconds or 1), MAX_WAIT_S) if is_number else 1.0


def _refused(error: urllib.error.HTTPError) -> Refused:
    try:
        sent = json.load(error)["error"]
    except (ValueError, KeyError, TypeError):
        sent = {"message": f"HTTP {error.code} {error.reason}"}
    return Refused(error.code, sent)
