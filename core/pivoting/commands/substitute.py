"""``pivot substitute``: a sentence rewritten under each of the eight conditions."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.data.tree import Tree
from core.errors import InvalidValue
from core.pivoting.commands.options import Say, add_table, model_of, trees_in
from core.pivoting.substitution import ALL_CONDITIONS, substitutes
from core.pivoting.table import open_table

HELP = "put paraphrases of a phrase into its sentence, under each condition"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_table(parser, model=True)
    add = parser.add_argument
    add("phrase", help="a phrase of the sentence")
    add("--tree", type=Path, help="a file with one bracketed tree; standard input")
    add("--sentence", help="tokens with a space between, where there is no tree")
    add("--condition", choices=ALL_CONDITIONS, help="by default all")
    add("-k", type=int, default=1)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """A row for each substitute, by condition and place."""
    sentence: Tree | Sequence[str]
    if options["sentence"]:
        sentence = options["sentence"].split()
    else:
        sentence = trees_in(options["tree"], 1)[0]
    words = sentence.words if isinstance(sentence, Tree) else sentence
    model = model_of(options)
    table = open_table(options["table"])
    try:
        found = substitutes(
            table,
            sentence,
            _span(words, options["phrase"].split()),
            condition=options["condition"],
            k=options["k"],
            model=model,
            lm_weight=options["lm_weight"],
        )
    finally:
        table.close()
    return {
        "substitutes": [
            {
                "condition": one.condition,
                "place": one.place,
                "paraphrase": one.paraphrase.text,
                "label": one.paraphrase.label,
                "p": one.paraphrase.p,
                "lm": one.lm,
                "sentence": " ".join(one.tokens),
            }
            for one in found
        ]
    }


def _span(words: Sequence[str], phrase: Sequence[str]) -> tuple[int, int]:
    """Where the phrase stands first, whatever the case of its letters."""
    lower, wanted = [w.lower() for w in words], [w.lower() for w in phrase]
    for i in range(len(lower) - len(wanted) + 1):
        if wanted and lower[i : i + len(wanted)] == wanted:
            return i, i + len(wanted)
    raise InvalidValue(f"{' '.join(phrase)!r} is not in the sentence")


def lines(results: dict[str, Any]) -> Iterator[str]:
    for one in results["substitutes"]:
        yield (
            f"{one['condition']:16} {one['place']} {one['p']:.4f} "
            f"{one['sentence']}  [{one['paraphrase']}] {one['label']}"
        )
    if not results["substitutes"]:
        yield "no paraphrase under any condition"
