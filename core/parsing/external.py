"""External parsers: spaCy, Stanza, and any other as a program.

They are defined in a TOML file, one table each, whose path is in ``GEMEL_PARSERS``. The
file is not part of an installation's data, so no restored archive can name a program:

    [udpipe]
    kind = "program"             # or "spacy", "stanza"
    command = ["udpipe", "--input=horizontal", "--tag", "--parse", "en.udpipe"]
    gives = "conllu"             # or "brackets"
    version = "1.3"
    licence = "MPL-2.0"
    languages = ["en"]

A program reads sentences on standard input, one a line with spaces between the tokens,
writes a block of CoNLL-U or a bracketed tree for each, in order, and ends.
"""

import subprocess
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from core.data.check import Floats
from core.data.deps import ROOT, DepAnalysis, DepTree
from core.data.forest import Forest
from core.data.tokens import Sentence
from core.data.tree import Tree
from core.errors import (
    FormatError,
    GemelError,
    InvalidValue,
    SentenceTooLong,
    Unavailable,
)
from core.forests.mixture import ranked_forest
from core.formats import conllu, ptb
from core.formats.records import BadLine, SentenceRecord
from core.instrumentation import timed
from core.protocols import Analysis, BackendInfo, Capability, ParserBackend

ARCS: frozenset[Capability] = frozenset({"dependencies", "tags"})
BRACKETS: frozenset[Capability] = frozenset({"constituents", "forest", "tags"})
GIVES = {"conllu": ARCS, "brackets": BRACKETS}
PATIENCE_S = 600.0  # for a batch
MAX_TOKENS = 200
TOPS = frozenset({"", "ROOT", "TOP", "S1"})  # of a root that says nothing
_SHOWN = 300  # characters of what a program says before it fails


def named(file: Path) -> dict[str, dict[str, Any]]:
    """Return the tables of a file of parsers, by name. Raises Unavailable where it
    cannot be read."""
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Unavailable(f"{file}, named by GEMEL_PARSERS: {error}") from error
    return {name: facts for name, facts in tables.items() if isinstance(facts, dict)}


def made(name: str, facts: Mapping[str, Any]) -> ParserBackend:
    """Return the parser of a table; nothing is started or imported yet.

    Raises Unavailable where the table is incomplete or has another kind.
    """
    kind = str(facts.get("kind", ""))
    if kind not in KINDS:
        known = ", ".join(KINDS)
        raise Unavailable(f"parser {name!r}: kind {kind!r}; known: {known}")
    try:
        return KINDS[kind](name, facts)
    except KeyError as error:
        raise Unavailable(f"parser {name!r}: {error.args[0]} is missing") from error


class _External:
    """What all have in common: sentences that are too long, and times."""

    def __init__(
        self, name: str, facts: Mapping[str, Any], can: frozenset[Capability]
    ) -> None:
        self.info = BackendInfo(
            name=name,
            version=str(facts["version"]),
            licence=str(facts["licence"]),
            languages=tuple(facts["languages"]),
            capabilities=can,
            max_tokens=int(facts.get("max_tokens", MAX_TOKENS)),
            note=str(facts.get("note", "")),
        )

    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list[Analysis | Exception]:
        """An Analysis each. Raises Unavailable where the parser is not installed."""
        limit = self.info.max_tokens
        short = [one for one in sentences if len(one) <= limit]
        with timed(self.info.name, "decoding", sentences=len(short)):
            answers = iter(self._answers(short) if short else [])
        return [
            next(answers) if len(one) <= limit else SentenceTooLong(len(one), limit)
            for one in sentences
        ]

    def _answers(self, sentences: list[Sentence]) -> list[Analysis | Exception]:
        raise NotImplementedError


class ProgramParser(_External):
    """A program, started for each batch.

    If it fails or returns another number of trees, halves of the batch are tried, so
    that only the faulty sentence gets an error. Thread-safe.
    """

    def __init__(self, name: str, facts: Mapping[str, Any]) -> None:
        gives = str(facts["gives"])
        if gives not in GIVES:
            raise Unavailable(f"parser {name!r}: gives {gives!r}: conllu or brackets")
        super().__init__(name, facts, GIVES[gives])
        self._command = [str(part) for part in facts["command"]]
        self._read = _read_conllu if gives == "conllu" else _read_brackets

    def _answers(self, sentences: list[Sentence]) -> list[Analysis | Exception]:
        try:
            return self._read(self._run(sentences), sentences)
        except _TooSlow as error:
            return [InvalidValue(str(error)) for _ in sentences]
        except GemelError as error:
            if isinstance(error, Unavailable):
                raise
            if len(sentences) == 1:
                return [InvalidValue(f"{self.info.name}: {error}")]
        half = len(sentences) // 2
        return self._answers(sentences[:half]) + self._answers(sentences[half:])

    def _run(self, sentences: list[Sentence]) -> str:
        lines = [
            " ".join("_".join(form.split()) or "_" for form in one.forms)
            for one in sentences
        ]
        try:
            done = subprocess.run(  # noqa: S603 - the operator's own command, no shell
                self._command,
                input="\n".join(lines) + "\n",
                capture_output=True,
                encoding="utf-8",
                timeout=PATIENCE_S,
                check=False,
            )
        except OSError as error:
            reason = f"{self._command[0]!r} cannot be started: {error.strerror}"
            raise Unavailable(f"parser {self.info.name!r}: {reason}") from error
        except subprocess.TimeoutExpired as error:
            raise _TooSlow(
                f"{self.info.name} took more than {PATIENCE_S:.0f} s"
            ) from error
        except UnicodeDecodeError as error:
            raise InvalidValue("its output is not UTF-8") from error
        if done.returncode:
            said = done.stderr.strip()[-_SHOWN:]
            raise InvalidValue(f"it ended with status {done.returncode}: {said}")
        return done.stdout


class SpacyParser(_External):
    """A pipeline of spaCy, with its dependencies and tags. ``model``: the name of an
    installed package, or the path of a folder."""

    def __init__(self, name: str, facts: Mapping[str, Any]) -> None:
        super().__init__(name, facts, ARCS)
        self._model = str(facts["model"])

    @cached_property
    def _pipeline(self) -> Any:
        try:
            import spacy
        except ImportError as error:
            raise Unavailable(
                "spaCy is not installed: pip install 'gemel[spacy]'"
            ) from error
        try:
            return spacy.load(self._model)
        except OSError as error:
            raise Unavailable(
                f"spaCy has no model {self._model!r}: python -m spacy download it"
            ) from error

    def _answers(self, sentences: list[Sentence]) -> list[Analysis | Exception]:
        pipeline = self._pipeline
        from spacy.tokens import Doc

        docs = [
            Doc(
                pipeline.vocab,
                words=list(one.forms),
                sent_starts=[True] + [False] * (len(one) - 1),
            )
            for one in sentences
        ]
        read = zip(sentences, pipeline.pipe(docs), strict=True)
        return [_of_doc(sentence, doc) for sentence, doc in read]


class StanzaParser(_External):
    """A pipeline of Stanza. ``language``: its code; ``constituents = true`` asks for
    brackets too, which Stanza has for some languages; ``folder``: where models are."""

    def __init__(self, name: str, facts: Mapping[str, Any]) -> None:
        self._brackets = bool(facts.get("constituents"))
        super().__init__(name, facts, ARCS | BRACKETS if self._brackets else ARCS)
        self._language = str(facts["language"])
        self._folder = facts.get("folder")

    @cached_property
    def _pipeline(self) -> Any:
        try:
            import stanza
        except ImportError as error:
            raise Unavailable(
                "Stanza is not installed: pip install 'gemel[stanza]'"
            ) from error
        processors = "tokenize,pos,lemma,depparse"
        where = {"dir": str(self._folder)} if self._folder else {}
        try:
            return stanza.Pipeline(
                self._language,
                processors=processors + ",constituency" * self._brackets,
                tokenize_pretokenized=True,
                download_method=None,
                verbose=False,
                **where,
            )
        except (OSError, ValueError) as error:
            raise Unavailable(
                f"Stanza has no models of {self._language!r}: "
                f"python -c \"import stanza; stanza.download('{self._language}')\""
            ) from error

    def _answers(self, sentences: list[Sentence]) -> list[Analysis | Exception]:
        read = self._pipeline([list(one.forms) for one in sentences]).sentences
        if len(read) != len(sentences):
            raise InvalidValue(f"{len(read)} sentences from {self.info.name}")
        return [
            _analysis(
                sentence,
                heads=[word.head - 1 for word in one.words],
                relations=[word.deprel for word in one.words],
                upos=[word.upos or "" for word in one.words],
                xpos=[word.xpos or "" for word in one.words],
                tree=ptb.parse_one(str(one.constituency)) if self._brackets else None,
            )
            for sentence, one in zip(sentences, read, strict=True)
        ]


KINDS: dict[str, Callable[[str, Mapping[str, Any]], ParserBackend]] = {
    "program": ProgramParser,
    "spacy": SpacyParser,
    "stanza": StanzaParser,
}


class _TooSlow(Exception):
    """A program did not end in time; its halves would not either."""


def _read_conllu(text: str, sentences: list[Sentence]) -> list[Analysis | Exception]:
    blocks = list(_records(conllu.read(text.splitlines(keepends=True))))
    _check_number(blocks, sentences)
    answers: list[Analysis | Exception] = []
    for sentence, block in zip(sentences, blocks, strict=True):
        deps = block.parse.deps if block.parse else None
        if deps is None:
            raise InvalidValue("a block of CoNLL-U without heads")
        answers.append(
            _analysis(
                sentence,
                heads=deps.heads,
                relations=deps.labels,
                upos=[token.upos for token in block.tokens],
                xpos=[token.xpos for token in block.tokens],
            )
        )
    return answers


def _read_brackets(text: str, sentences: list[Sentence]) -> list[Analysis | Exception]:
    trees = list(ptb.parse(text.splitlines()))
    _check_number(trees, sentences)
    return [
        _analysis(sentence, xpos=tree.tags, tree=tree)
        for sentence, tree in zip(sentences, trees, strict=True)
    ]


def _records(read: Any) -> Any:
    for record in read:
        if isinstance(record, BadLine):
            raise FormatError(record.reason, line=record.line, column=record.column)
        if isinstance(record, SentenceRecord):
            yield record


def _check_number(read: Sequence[object], sentences: Sequence[Sentence]) -> None:
    if len(read) != len(sentences):
        raise InvalidValue(f"{len(read)} trees for {len(sentences)} sentences")


def _of_doc(sentence: Sentence, doc: Any) -> Analysis | Exception:
    heads = [ROOT if word.head.i == word.i else word.head.i for word in doc]
    return _analysis(
        sentence,
        heads=heads,
        relations=[
            "root" if head == ROOT else word.dep_
            for word, head in zip(doc, heads, strict=True)
        ],
        upos=[word.pos_ for word in doc],
        xpos=[word.tag_ for word in doc],
    )


def _analysis(
    sentence: Sentence,
    *,
    heads: Sequence[int] | None = None,
    relations: Sequence[str] = (),
    upos: Sequence[str] = (),
    xpos: Sequence[str] = (),
    tree: Tree | None = None,
) -> Analysis | Exception:
    """What was read of a sentence, or an InvalidValue where it is of other tokens."""
    n = len(sentence)
    read = len(xpos) if heads is None else len(heads)
    if read != n or (tree is not None and tree.n_tokens != n):
        return InvalidValue(f"{read} tokens come back for {n}")
    deps: DepAnalysis | None = None
    forest: Forest | None = None
    weights: Floats | None = None
    try:
        if heads is not None:
            deps = DepAnalysis(DepTree(tuple(heads), tuple(relations)))
        if tree is not None:
            forest, weights = ranked_forest([(0.0, _without_top(tree))])
    except InvalidValue as error:
        return error
    return Analysis(
        sentence,
        forest,
        weights,
        deps=deps,
        upos=tuple(upos) if any(upos) else (),
        xpos=tuple(xpos) if any(xpos) else (),
    )


def _without_top(tree: Tree) -> Tree:
    """The tree without a root that only says that it is one."""
    if tree.labels[0] not in TOPS or len(tree.children[0]) != 1 or tree.is_leaf(1):
        return tree
    return tree.below_root()
