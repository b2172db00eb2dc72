"""A treebank of our own sentences, and a PCFG trained on it, for tests."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from core.data.tree import Tree
from core.formats.ptb import parse_one
from core.parsing.pcfg.model import GrammarModel, train
from core.parsing.pcfg.training import Examples, examples_of, write

NAME = "small"  # of the model that the fixture ``small_parser`` installs
MAX_TOKENS = 40

SUBJECTS = (
    "(NP (PRP she))",
    "(NP (NNP Mary))",
    "(NP (DT the) (NN dog))",
    "(NP (DT the) (JJ old) (NN woman))",
    "(NP (NP (DT a) (NN man)) (PP (IN near) (NP (DT the) (NN garden))))",
)
PREDICATES = (
    "(VP (VBD slept))",
    "(VP (VBD saw) (NP (DT a) (NN cat)))",
    "(VP (VBD saw) (NP (NNP John)) (PP (IN with) (NP (DT the) (NN telescope))))",
    "(VP (VBD thought) (SBAR (IN that) (S (NP (NNP John)) (VP (VBD left)))))",
    "(VP (VBD met) (NP (NP (DT the) (NN man)) (PP (IN in) (NP (DT the) (NN garden)))))",
    "(VP (VBD gave) (NP (PRP him)) (NP (DT a) (JJ green) (NN telescope)))",
)


def bracketings() -> Iterator[str]:
    for subject, predicate in product(SUBJECTS, PREDICATES):
        yield f"( (S {subject} {predicate} (. .)) )"


def examples() -> Examples:
    trees: list[Tree] = [parse_one(text) for text in bracketings()]
    return examples_of((tree.words, tree) for tree in trees)


def trained() -> GrammarModel:
    return train(examples().samples)


def written(folder: Path) -> Path:
    """A model folder, trained now: some tenths of a second. 40 tokens at most."""
    facts = {"name": folder.name, "version": "1", "languages": ["en"]}
    facts |= {"max_tokens": MAX_TOKENS}
    write(folder, examples(), {**facts, "licence": "CC0-1.0"})
    return folder
