"""Gemel from a program: sentences, trees, pairs and links, with types.

    from gemel_client import Client

    gemel = Client("https://gemel.example.org", token="…")
    for corpus in gemel.corpora():
        for pair in gemel.pairs(corpus.code, state="done"):
            print(pair.source, "|", pair.target)

``AsyncClient`` has the same calls for ``await`` and ``async for``. Tokens are made on
the page *Account*; what one may do, its scope says. Every list comes
page by page as it is read. A call that the server had no time for is made again (after
a 429 or 503, when the server says, at most ``tries`` times); a change is sent with an
id of its own, so that making it again does it once. The token goes to this address
alone: a redirection is not followed.
"""

import asyncio
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import nltk
    import pandas

__all__ = [
    "Arc",
    "AsyncClient",
    "Client",
    "Corpus",
    "Job",
    "JobFailed",
    "Layer",
    "LinkedPhrases",
    "Match",
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
WIDTH = 30  # characters of a progress bar
MAX_WAIT_S = 300.0  # between two tries, whatever the server says


class Refused(Exception):
    """The server's answer to a call that it did not do: ``status``, ``code`` and
    ``facts`` as the API gives them; the message says what would help."""

    def __init__(self, status: int, error: Mapping[str, Any]) -> None:
        super().__init__(error.get("message", f"HTTP {status}"))
        self.status, self.code = status, str(error.get("code", ""))
        self.facts: Json = dict(error.get("facts") or {})


class JobFailed(Exception):
    """A job ended without doing its work; ``job`` is what it was then."""

    def __init__(self, job: "Job") -> None:
        super().__init__(f"{job.title}: {job.state}. {job.note}".strip())
        self.job = job


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

    def to_pandas(self, parse: Parse | None = None) -> "pandas.DataFrame":
        """Return a row for each word, with its head or its tag out of ``parse``; the
        first of the sentence's parses if none is given."""
        import pandas

        parse = parse or next(iter(self.parses), None)
        table: Json = {"token": range(len(self.tokens)), "word": self.tokens}
        if parse is not None and parse.kind == "dependency":
            arcs = {arc.token: arc for arc in parse.arcs}
            rows = [arcs.get(at) for at in range(len(self.tokens))]
            table["head"] = [None if arc is None else arc.head for arc in rows]
            table["head_word"] = [
                self.tokens[arc.head] if arc and arc.head >= 0 else "" for arc in rows
            ]
            table["relation"] = [arc.relation if arc else "" for arc in rows]
        elif parse is not None:
            tags = {node.ref: node.label for node in parse.nodes}
            table["tag"] = [tags.get(f"w{at}", "") for at in range(len(self.tokens))]
        return pandas.DataFrame(table)

    def words(self, ref: str, parse: str = "") -> tuple[str, str]:
        """Return the words and the label of a node of the parse with this code; a word
        has no label without that parse. Raises ValueError if there is no such node."""
        for node in (n for one in self.parses if one.code == parse for n in one.nodes):
            if node.ref == ref:
                return " ".join(self.tokens[at] for at in node.words), node.label
        if ref.startswith("w"):
            return self.tokens[int(ref[1:])], ""
        raise ValueError(f"no node {ref} in parse {parse!r} of this sentence")


@dataclass(frozen=True, slots=True)
class Job:
    """Long work. ``state``: queued, running, done, failed or cancelled; ``total``: how
    many parts it has, None while that is not known; ``result``: what it made."""

    code: str
    project: str
    kind: str
    title: str
    state: str
    total: int | None
    done: int
    failed: int
    note: str
    result: Json

    @property
    def is_over(self) -> bool:
        return self.state not in ("queued", "running")


@dataclass(frozen=True, slots=True)
class Match:
    """A place that a query found: its words and those around it; ``ref``: the id of the
    sentence in its source; ``pair`` and ``layer``: codes, None where the query is of
    no link."""

    corpus: str
    sentence: str
    ref: str
    label: str
    before: str
    match: str
    after: str
    pair: str | None
    layer: str | None


@dataclass(frozen=True, slots=True)
class LinkedPhrases:
    """A link with the words and labels on both sides."""

    source: str
    target: str
    source_label: str
    target_label: str
    kind: str


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

    def links(self, pair: Pair, layer: str = "") -> list[LinkedPhrases]:
        """Return the links of a layer with their words; without ``layer``, those of the
        first layer of the pair that you may see. Empty where there is none."""
        codes = (
            [layer] if layer else [str(one["code"]) for one in self.layers(pair.code)]
        )
        if not codes:
            return []
        made = self.layer(codes[0])
        source, target = map(self.sentence, (pair.source_code, pair.target_code))
        rows = []
        for s, t, kind in made.links:
            ours = source.words(s, made.source_parse)
            theirs = target.words(t, made.target_parse)
            rows.append(LinkedPhrases(ours[0], theirs[0], ours[1], theirs[1], kind))
        return rows

    def search(self, corpus: str, query: str) -> Iterator[Match]:
        """Matches of a query over trees, arcs and links (docs/queries.md)."""
        after = ""
        while True:
            sent = urllib.parse.urlencode({"q": query, "after": after})
            page = self.call("GET", f"/api/corpora/{corpus}/query/?{sent}")
            yield from (_made(Match, row) for row in page["matches"])
            after = page["after"]
            if not after:
                return

    # --- files and jobs
    def upload(
        self,
        project: str,
        *files: str | Path,
        format: str,
        corpus: str,
        dry_run: bool = False,
        **about: object,
    ) -> Job:
        """Import files into the corpus of this name, as a job.

        ``format``: a name of ``/api/formats/``. ``about``: licence="CC0",
        tokenised=True, partial=True, source_language="en", …
        """
        sent = {"format": format, "corpus": corpus, "dry_run": dry_run} | about
        boundary = uuid.uuid4().hex
        body = _multipart(boundary, sent, [Path(file) for file in files])
        kind = f"multipart/form-data; boundary={boundary}"
        url = f"/api/projects/{project}/imports/"
        return _made(Job, json.loads(self._answer("POST", url, body, kind)))

    def parse(self, corpus: str, engine: str = "english-gum", *, n: int = 1) -> Job:
        """Parse the sentences that this parser has not parsed yet, as a job."""
        sent = {"engine": engine, "n": n}
        return _made(Job, self.call("POST", f"/api/corpora/{corpus}/parses/", sent))

    def align(self, corpus: str, method: str = "phrases", **how: object) -> Job:
        """Align the pairs that no engine has aligned yet, as a job. ``method``: as on
        the page, phrases, words or words-many; ``how``: parser="english-gum"."""
        sent = {"method": method} | how
        return _made(Job, self.call("POST", f"/api/corpora/{corpus}/alignments/", sent))

    def job(self, code: str) -> Job:
        return _made(Job, self.call("GET", f"/api/jobs/{code}/"))

    def wait(self, job: Job, *, progress: bool = True, every: float = 1.0) -> Job:
        """Wait until a job is over and return it as it is then.

        ``progress``: draw a bar on standard error. ``every``: seconds between looks.
        Raises JobFailed if it failed or was cancelled.
        """
        while True:
            job = self.job(job.code)
            if progress:
                sys.stderr.write(f"\r{_bar(job)}" + "\n" * job.is_over)
                sys.stderr.flush()
            if job.is_over:
                break
            time.sleep(every)
        if job.state != "done":
            raise JobFailed(job)
        return job

    def save(self, corpus: str, path: str | Path, format: str) -> Path:
        """Export a corpus to a file and return its path; a zip where the format takes
        several files."""
        content = self._answer("GET", f"/api/corpora/{corpus}/export/{format}/")
        Path(path).write_bytes(content)
        return Path(path)

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
        have the ``draft`` as it is now.
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

    def _answer(
        self, method: str, path: str, data: object = None, kind: str = ""
    ) -> bytes:
        """``data``: what is sent as JSON, or bytes of the type ``kind``."""
        request = self._request(method, path, data, kind)
        for left in range(self._tries - 1, -1, -1):
            try:
                with _OPENER.open(request, timeout=self._timeout) as answer:
                    return bytes(answer.read())
            except urllib.error.HTTPError as error:
                if error.code not in BUSY or not left:
                    raise _refused(error) from None
                time.sleep(_wait(error.headers.get("Retry-After")))
        raise AssertionError("no try was made")

    def _request(
        self, method: str, path: str, data: object, kind: str = ""
    ) -> urllib.request.Request:
        body = data if isinstance(data, bytes) else _json(data)
        headers = {"Authorization": f"Token {self._token}"}
        headers["Accept"] = "application/json"
        if body is not None:
            headers["Content-Type"] = kind or "application/json"
        parts = urllib.parse.urlsplit(path)  # what follows a page is a whole address
        url = self._address + urllib.parse.urlunsplit(("", "", *parts[2:]))
        return urllib.request.Request(url, body, headers, method=method)


class AsyncClient:
    """The calls of ``Client`` for asyncio; each runs in a thread of its own.

    gemel = AsyncClient("https://gemel.example.org", token="…")
    job = await gemel.wait(await gemel.parse(code))
    async for match in gemel.search(code, "NP < PP"):
        ...
    """

    def __init__(self, address: str, token: str, **how: Any) -> None:
        self._client = Client(address, token, **how)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        call = getattr(self._client, name)
        if name in ("corpora", "pairs", "sentences", "search", "pages"):
            return lambda *args, **how: _stream(call, args, how)
        return lambda *args, **how: asyncio.to_thread(call, *args, **how)


async def _stream(
    call: Callable[..., Iterator[Any]], args: tuple[Any, ...], how: Json
) -> AsyncIterator[Any]:
    rows, end = call(*args, **how), object()
    while (row := await asyncio.to_thread(next, rows, end)) is not end:
        yield row


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


def _json(data: object) -> bytes | None:
    return None if data is None else json.dumps(data).encode()


def _multipart(boundary: str, values: Json, files: list[Path]) -> bytes:
    """A form with files, as RFC 7578 has it."""
    parts = []
    for name, value in values.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        parts.append(f'name="{name}"\r\n\r\n{text}\r\n'.encode())
    for file in files:
        name = file.name.replace('"', "%22").replace("\r", "").replace("\n", "")
        head = f'name="files"; filename="{name}"\r\n'
        head += "Content-Type: application/octet-stream\r\n\r\n"
        parts.append(head.encode() + file.read_bytes() + b"\r\n")
    before = f"--{boundary}\r\nContent-Disposition: form-data; ".encode()
    return b"".join(before + part for part in parts) + f"--{boundary}--\r\n".encode()


def _bar(job: Job) -> str:
    """How far a job is, on one line."""
    if not job.total:
        return f"{job.title}: {job.state}"
    share = min(job.done / job.total, 1.0)
    full = "█" * round(WIDTH * share)
    return f"{job.title}: {full:░<{WIDTH}} {job.done}/{job.total} {job.state:<9}"


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
