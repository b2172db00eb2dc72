"""BLLIP, the Charniak parser, as a back-end over a model folder.

Charniak & Johnson 2005, "Coarse-to-fine n-best parsing"; its first stage, without the
reranker. Comes with the ``[bllip]`` extra; the model folder is BLLIP's own (terms.txt,
pSgT.txt and so on), in a models folder or given by its path.
"""

import hashlib
import json
import os
import select
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from core.data.check import Floats
from core.data.tokens import Sentence
from core.data.tree import Tree
from core.errors import GemelError, InvalidValue, SentenceTooLong, Unavailable
from core.forests.mixture import ranked_forest
from core.formats import ptb
from core.instrumentation import timed
from core.protocols import Analysis, BackendInfo, Capability

SIGNS = ("terms.txt", "pSgT.txt", "nttCounts.txt")  # what makes a folder a model of it
MAX_TOKENS = 398  # one more is a failed assert
N_BEST = 50
PATIENCE_S = 120.0  # for one sentence
_REMEDY = "install it with `pip install 'gemel[bllip]'`; it needs a C++ compiler"
_NATS_A_BIT = log(2)  # it tells log2 of its probabilities


class BllipParser:
    """One model in its own process, which starts with the first sentence.

    Weights are log-probabilities of tree and sentence, nats; the forest holds exactly
    the 50 best trees (``want`` without "forest": the best one). ``tag_logp`` sums over
    them. A sentence on which BLLIP fails has an empty forest and the likeliest tags of
    its words; one that takes it two minutes, or its process's life, is answered by a
    GemelError. Thread-safe, one sentence at a time.
    """

    def __init__(self, folder: Path, *, name: str = "") -> None:
        lacking = [sign for sign in SIGNS if not (folder / sign).is_file()]
        if lacking:
            raise Unavailable(
                f"{folder} is not a BLLIP model; missing: {', '.join(lacking)}"
            )
        self._folder = folder.resolve()
        self._child: _Child | None = None
        self._turn = threading.Lock()
        self.info = BackendInfo(
            name=name or _named(folder),
            version=f"{_library()}+{_fingerprint(folder)}",
            licence="Apache-2.0",
            languages=("en",),
            capabilities=frozenset({"constituents", "forest", "tags"}),
            max_tokens=MAX_TOKENS,
            note="BLLIP, first stage",
        )

    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list[Analysis | Exception]:
        """An Analysis each; raises Unavailable if bllipparser is not installed."""
        return self.analyse_guided(sentences, [{}] * len(sentences), want=want)

    def analyse_guided(
        self,
        sentences: list[Sentence],
        guides: Sequence[Mapping[int, Mapping[str, float]]],
        *,
        want: frozenset[Capability],
    ) -> list[Analysis | Exception]:
        """As ``analyse``, with the tags of some tokens restricted.

        BLLIP uses only the order of the probabilities. A tag that the model does not
        have is left out; InvalidValue if no other is left.
        """
        if sentences and find_spec("bllipparser") is None:
            raise Unavailable(f"bllipparser is not installed; {_REMEDY}")
        n = N_BEST if "forest" in want else 1
        with self._turn, timed(self.info.name, "decoding", sentences=len(sentences)):
            return [
                self._answer(sentence, guide, n)
                for sentence, guide in zip(sentences, guides, strict=True)
            ]

    def lexicon(self) -> Mapping[str, Mapping[str, int]]:
        """Lower-cased words with their tags, read off pSgT.txt and nttCounts.txt."""
        return self._lexicon

    def entry_of(self, form: str) -> str:
        return ptb.escape(form).lower()

    def close(self) -> None:
        """End the process; the next sentence starts another."""
        with self._turn:
            self._end()

    def _answer(
        self, sentence: Sentence, guide: Mapping[int, Mapping[str, float]], n: int
    ) -> Analysis | Exception:
        if len(sentence) > MAX_TOKENS:
            return SentenceTooLong(len(sentence), MAX_TOKENS)
        try:
            forms = ["_".join(form.split()) or "_" for form in sentence.forms]
            query = {"forms": forms, "tags": self._tags(guide), "n": n}
            answer = self._running().ask(query)
        except GemelError as error:
            if not isinstance(error, InvalidValue):
                self._end()
            return error
        if "error" in answer:
            return InvalidValue(f"BLLIP: {answer['error']}")
        return self._analysis(sentence, answer)

    def _analysis(self, sentence: Sentence, answer: dict[str, Any]) -> Analysis:
        rows = ((bits * _NATS_A_BIT, text) for bits, text in answer["parses"])
        ranked = [(weight, _without_top(text)) for weight, text in rows]
        forest, weights = ranked_forest(ranked)
        if not ranked:
            return Analysis(sentence, forest, weights, xpos=tuple(answer["tags"]))
        tag_logp = _tag_posteriors(ranked, self._tag_names)
        return Analysis(
            sentence,
            forest,
            weights,
            xpos=ranked[0][1].tags,
            tag_logp=tag_logp,
            tag_names=self._tag_names,
        )

    def _tags(self, guide: Mapping[int, Mapping[str, float]]) -> dict[str, list[str]]:
        by_word = {}
        for i, tags in guide.items():
            known = [tag for tag in tags if tag in self._tag_names]
            if not known:
                raise InvalidValue(f"token {i}: no tag of this model among {[*tags]}")
            by_word[str(i)] = sorted(known, key=lambda tag: -tags[tag])
        return by_word

    def _running(self) -> "_Child":
        if self._child is None:
            self._child = _Child(self._folder)
        return self._child

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
        self._child = None

    @cached_property
    def _tag_names(self) -> tuple[str, ...]:
        """By the number that the model's files use, phrases left out."""
        rows = (self._folder / "terms.txt").read_text(encoding="utf-8").split("\n")
        pairs = [row.split() for row in rows if row.strip()]
        return tuple(name for name, kind in pairs if kind != "0" and name != "STOP")

    @cached_property
    def _lexicon(self) -> Mapping[str, Mapping[str, int]]:
        totals = _tag_totals(self._folder / "nttCounts.txt")
        text = (self._folder / "pSgT.txt").read_text(encoding="utf-8")
        lexicon: dict[str, Counter[str]] = {}
        for row in text.split("\n"):
            word, _, rest = row.partition("\t")
            parts = rest.partition("|")[0].split()
            if not parts or int(parts[0]) >= len(self._tag_names):
                continue  # the number of words; the end of a sentence, ^^ under S1
            counts = lexicon.setdefault(word, Counter())
            for tag, p in zip(parts[::2], parts[1::2], strict=True):
                seen = round(float(p) * totals[int(tag)])
                counts[self._tag_names[int(tag)]] += max(seen, 1)
        return lexicon


class _Child:
    """The running process; ``ask`` waits for its answer, but not for ever."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "core.parsing.bllip_child", str(folder)]
        self._process = subprocess.Popen(  # noqa: S603 - our own module, no shell
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        self._rest = b""
        self._line()

    def ask(self, what: dict[str, Any]) -> dict[str, Any]:
        """The answer; Unavailable if the process ended or takes too long."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(what).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise Unavailable("BLLIP crashed on this sentence") from error
        answer: dict[str, Any] = json.loads(self._line())
        return answer

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _line(self) -> bytes:
        """The next line; select, because a blocking read could not be given up."""
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        while b"\n" not in self._rest:
            if not select.select([pipe], [], [], PATIENCE_S)[0]:
                raise Unavailable(f"BLLIP took more than {PATIENCE_S:.0f} s")
            part = os.read(pipe, 1 << 16)
            if not part:
                raise Unavailable("BLLIP crashed on its model or on this sentence")
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        return line


def _without_top(text: str) -> Tree:
    """The tree of one answer without S1."""
    tree = ptb.parse_one(text)
    return tree if len(tree.children[0]) != 1 else tree.below_root()


def _tag_posteriors(
    ranked: Sequence[tuple[float, Tree]], names: Sequence[str]
) -> Floats:
    """Log-probabilities ``(n, tags)`` given that one of the trees is right."""
    log_sums = np.full((ranked[0][1].n_tokens, len(names)), -np.inf)
    number = {name: x for x, name in enumerate(names)}
    for weight, tree in ranked:
        for i, tag in enumerate(tree.tags):
            log_sums[i, number[tag]] = np.logaddexp(log_sums[i, number[tag]], weight)
    total: Floats = np.logaddexp.reduce([weight for weight, _ in ranked])
    return log_sums - total


def _tag_totals(path: Path) -> dict[int, int]:
    rows = (row.split() for row in path.read_text(encoding="utf-8").split("\n"))
    return {int(row[0]): int(row[1]) for row in rows if len(row) == 2}


def _named(folder: Path) -> str:
    """The folder's name; BLLIP's unified models have theirs one level up."""
    path = folder.resolve()
    return path.parent.name if path.name in ("model", "parser") else path.name


def _library() -> str:
    try:
        return version("bllipparser")
    except PackageNotFoundError:
        return "absent"


def _fingerprint(folder: Path) -> str:
    """Which model it is: pSgT.txt differs between any two."""
    return hashlib.sha256((folder / "pSgT.txt").read_bytes()).hexdigest()[:8]
