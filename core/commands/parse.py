"""``parse``: sentences on standard input to trees on standard output."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from itertools import islice

from core.data.tokens import Sentence, Token
from core.forests.kbest import trees_of
from core.formats import conllu, ptb
from core.formats.standard_input import input_lines
from core.parsing.registry import add_parser_options, add_together, backend_of
from core.protocols import Analysis, Capability
from core.text.tokenize import tokenize

HELP = "parse sentences, one per line, into trees"

WANT: dict[str, frozenset[Capability]] = {
    "ptb": frozenset({"constituents", "tags"}),
    "conllu": frozenset({"dependencies", "tags"}),
    "json": frozenset({"constituents", "dependencies", "tags"}),
}
BATCH = 256


def run(options: argparse.Namespace) -> int:
    """Parse standard input, a sentence a line, in batches; blank lines are left out.

    The exit status: 0, or 1 if a sentence has no parse. Raises FormatError at a line
    that is not UTF-8; the batches before it are parsed and written.
    """
    backend = backend_of(vars(options))
    wanted = WANT["json"] if options.together else WANT[options.format]
    want = (wanted | _alternatives(options)) & backend.info.capabilities
    status = 0
    lines = _numbered(input_lines())
    while batch := list(islice(lines, BATCH)):
        sentences = [_sentence(text, given=options.tokens) for _, text in batch]
        answers = backend.analyse(sentences, want=want)
        for (number, _), answer in zip(batch, answers, strict=True):
            shown = "" if isinstance(answer, Exception) else _shown(answer, options)
            if not shown:
                reason = answer if isinstance(answer, Exception) else "no parse"
                print(f"gemel: line {number}: {reason}", file=sys.stderr)
                status = 1
            sys.stdout.write(shown or "\n")
    return status


def _alternatives(options: argparse.Namespace) -> frozenset[Capability]:
    return frozenset({"forest"}) if options.nbest > 1 else frozenset()


def _numbered(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    return ((k, line.strip()) for k, line in enumerate(lines, 1) if line.strip())


def _sentence(text: str, *, given: bool) -> Sentence:
    return Sentence.of(text) if given else tokenize(text)


def _shown(answer: Analysis, options: argparse.Namespace) -> str:
    """The analysis as text, "" if there is none of the kind asked for."""
    if options.format == "ptb":
        rows = _bracketings(answer, options.nbest)
        return "".join(text + "\n" for _, text in rows)
    if options.format == "conllu":
        if answer.deps is None:
            return ""
        lines = conllu.lines_of(_tagged(answer), answer.deps.tree)
        return f"# text = {' '.join(answer.sentence.forms)}\n{lines}\n\n"
    return json.dumps(_json(answer, options.nbest), ensure_ascii=False) + "\n"


def _bracketings(answer: Analysis, k: int) -> list[tuple[float, str]]:
    words = [ptb.escape(form) for form in answer.sentence.forms]
    return [(w, ptb.bracket(tree)) for w, tree in trees_of(answer, k, words=words)]


def _tagged(answer: Analysis) -> tuple[Token, ...]:
    n = len(answer.sentence)
    upos, xpos = answer.upos or ("",) * n, answer.xpos or ("",) * n
    forms = answer.sentence.forms
    return tuple(
        Token(f, upos=u, xpos=x) for f, u, x in zip(forms, upos, xpos, strict=True)
    )


def _json(answer: Analysis, k: int) -> dict[str, object]:
    deps = answer.deps.tree if answer.deps else None
    return {
        "tokens": answer.sentence.forms,
        "offsets": answer.sentence.offsets,
        "upos": answer.upos,
        "xpos": answer.xpos,
        "heads": [h + 1 for h in deps.heads] if deps else None,
        "labels": deps.labels if deps else None,
        "trees": [
            {"logprob": round(score, 4), "tree": text}
            for score, text in _bracketings(answer, k)
        ],
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_parser_options(parser)
    add_together(parser)
    add = parser.add_argument
    add("--format", choices=sorted(WANT), default="ptb")
    add(
        "--nbest",
        type=int,
        default=1,
        metavar="K",
        help="number of trees per sentence (ptb, json)",
    )
    add(
        "--tokens",
        action="store_true",
        help="input is tokenised, with spaces between tokens",
    )
