"""Random pairs with trees, arcs and links, and random queries about them."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import strategies as st

from core.data.alignment import Alignment, Link
from core.data.deps import DepTree
from core.data.tokens import Token
from core.data.tree import Tree, TreeBuilder
from core.formats import conllu
from tests.oracles import queries as oracle

PHRASES = ("S", "NP", "NP-SBJ", "VP", "PP")
TAGS = ("NN", "VBN", "DT")
WORDS = ("door", "opens", "the")
UPOS = ("NOUN", "VERB", "DET", "")
FEATS = ("", "Number=Sing", "Number=Plur|Case=Nom")
RELATIONS = ("nsubj", "nsubj:pass", "obj")
PLAIN = (
    "<", ">", "<<", ">>", "<,", ">,", "<-", ">-", "<1", ">1", "<2", ">2", "<-2", ">-2",
    "<:", ">:", "<=", "<<,", ">>,", "<<-", ">>-", "<<:", ">>:", "<#", ">#", "<<#",
    ">>#", "<<<", ".", ",", "..", ",,", "$", "$.", "$,", "$..", "$,,", "==", ":",
)  # fmt: skip
CHAINS = ("<+(VP)", ">+(@NP)", "<+(__)")
ARCS = ("-[nsubj]->", "-[nsubj|obj]->", "-[]->", "<-[obj]-", "<-[nsubj:pass|nsubj]-")


@dataclass
class PairSides:
    """A pair: trees, arcs with their columns, and what is decided between them."""

    trees: tuple[Tree, Tree]
    arcs: tuple[DepTree, DepTree]
    tokens: tuple[tuple[Token, ...], tuple[Token, ...]]
    alignment: Alignment
    parked: list[dict[str, Any]]

    def text(self, side: int) -> str:
        return conllu.lines_of(self.tokens[side], self.arcs[side])

    def oracle(self, *, deps: bool) -> tuple[oracle.Side, oracle.Side]:
        """What the oracle searches."""
        sides = []
        for at in (0, 1):
            places = oracle.of_tree(self.trees[at])
            if deps:
                columns = [_columns(token) for token in self.tokens[at]]
                places = oracle.of_deps(self.arcs[at], columns)
            sides.append(oracle.Side(places))
        for link in self.alignment.links:
            ends = link.source, link.target
            for at in (0, 1):
                there = sides[at].partners.setdefault(ends[at], [])
                there.append((ends[1 - at], link.kind))
        nulls = self.alignment.null_source, self.alignment.null_target
        for at, name in ((0, "s"), (1, "t")):
            sides[at].null = set(nulls[at])
            refs = [row[name] for row in self.parked if name in row]
            sides[at].parked = {ref for ref in refs if isinstance(ref, str)}
        return sides[0], sides[1]


def _columns(token: Token) -> dict[str, str]:
    columns = {"form": token.form, "lemma": token.lemma, "upos": token.upos}
    columns |= {"xpos": token.xpos}
    for part in token.feats.split("|"):
        key, sign, value = part.partition("=")
        columns |= {key: value} if sign else {}
    return columns


def sides(rng: Random) -> PairSides:
    trees = tree(rng), tree(rng)
    tokens = _tokens(rng, trees[0]), _tokens(rng, trees[1])
    arcs = _arcs(rng, len(tokens[0])), _arcs(rng, len(tokens[1]))
    alignment, parked = _decided(rng, trees)
    return PairSides(trees, arcs, tokens, alignment, parked)


def tree(rng: Random) -> Tree:
    """A tree of one to about eight words, with unary chains and empty elements."""
    builder = TreeBuilder()

    def grow(depth: int) -> int:
        if depth > 3 or (depth and rng.random() < 0.4):
            if rng.random() < 0.1:
                builder.trace("-NONE-", "*")
                return 0
            builder.leaf(rng.choice(TAGS), rng.choice(WORDS))
            return 1
        builder.open(rng.choice(PHRASES))
        n = sum(grow(depth + 1) for _ in range(rng.choice((1, 1, 2, 2, 3))))
        builder.close()
        return n

    builder.open("S")
    builder.leaf(rng.choice(TAGS), rng.choice(WORDS))
    for _ in range(rng.choice((0, 1, 2))):
        grow(1)
    builder.close()
    return builder.freeze()


def _tokens(rng: Random, tree: Tree) -> tuple[Token, ...]:
    return tuple(
        Token(
            word,
            lemma=rng.choice(("", word[:3])),
            upos=rng.choice(UPOS),
            xpos=tag,
            feats=rng.choice(FEATS),
        )
        for word, tag in zip(tree.words, tree.tags, strict=True)
    )


def _arcs(rng: Random, n: int) -> DepTree:
    """Each token hangs on one that was hung before it, or on the root."""
    order = rng.sample(range(n), n)
    heads = [-1] * n
    for at, token in enumerate(order[1:], 1):
        heads[token] = rng.choice([*order[:at], *order[:at], -1])
    return DepTree(tuple(heads), tuple(rng.choice(RELATIONS) for _ in range(n)))


def _decided(
    rng: Random, trees: tuple[Tree, Tree]
) -> tuple[Alignment, list[dict[str, Any]]]:
    refs = [
        [f"n{v}" for v in range(len(tree)) if not tree.is_leaf(v)]
        + [f"w{i}" for i in range(tree.n_tokens)]
        for tree in trees
    ]
    alignment, parked = Alignment(), []
    for _ in range(rng.randrange(8)):
        ends = rng.choice(refs[0]), rng.choice(refs[1])
        alignment = alignment.with_link(Link(*ends, rng.choice(("sure", "possible"))))
    for _ in range(rng.randrange(3)):
        side = rng.randrange(2)
        ref = rng.choice(refs[side])
        alignment = alignment.with_null(**{("source", "target")[side]: [ref]})
    for _ in range(rng.randrange(2)):
        parked.append({"s": rng.choice(refs[0]), "t": [[0, 1], "X", 0]})
    return alignment, parked


@st.composite
def texts(draw: Callable[[Any], Any]) -> str:
    """A query that parses, over phrases or over words."""
    deps = draw(st.booleans())
    if deps and draw(st.integers(0, 4)) == 0:
        return _agreeing(draw)
    return _pattern(draw, 2, deps=deps)


def _pattern(draw: Any, depth: int, *, deps: bool) -> str:
    parts = [_test(draw, deps=deps)]
    for _ in range(draw(st.integers(0, 2))):
        parts.append(_relation(draw, depth, deps=deps))
    text = " ".join(parts)
    sign = draw(st.sampled_from(["", "", "", "~", "~[sure]", "!~"])) if depth else ""
    if sign:
        states = ["null", "parked", "undecided"]
        state = draw(st.sampled_from(["", "", *states]))
        if state and sign != "~[sure]":
            return f"{text} {sign} {state}"
        return f"{text} {sign} {_pattern(draw, depth - 1, deps=deps)}"
    return text


def _agreeing(draw: Any) -> str:
    """Two words that share a value, or differ in one, directly or across a link."""
    key = draw(st.sampled_from(["lemma", "form", "upos", "deprel", "Number", "Case"]))
    sign = draw(st.sampled_from(["==", "!=="]))
    how = draw(st.sampled_from(["..", ":", "!..", "-[]->", "~", "!~"]))
    return f"[]=a {how} [{key}{sign}a]"


def _relation(draw: Any, depth: int, *, deps: bool) -> str:
    sign = draw(st.sampled_from(["", "", "", "!", "?"]))
    if depth and draw(st.integers(0, 4)) == 0:
        first, second = (_relation(draw, depth - 1, deps=deps) for _ in range(2))
        return f"{sign}[{first} {draw(st.sampled_from(['|', '&']))} {second}]"
    ops = [*PLAIN, *(ARCS if deps else CHAINS)]
    op = draw(st.sampled_from(ops))
    if depth and draw(st.integers(0, 2)) == 0:
        return f"{sign}{op} ({_pattern(draw, depth - 1, deps=deps)})"
    return f"{sign}{op} {_test(draw, deps=deps)}"


def _test(draw: Any, *, deps: bool) -> str:
    words = ("__", "noun", "verb")
    labels = ("NP", "@NP", "NP|PP", "!VP", "/^N/", '"door"', "VBN", "S", "!@NP")
    features = (
        "[upos=VERB]", "[upos!=VERB & lemma]", "[!lemma]", "[deprel=nsubj:pass]",
        "[Number=Sing]", "[Number!=Sing]", "[Case]", "[!Case]", "[form=/^d/]", "[]",
        "[xpos=NN|DT, deprel!=obj]",
    )  # fmt: skip
    return str(draw(st.sampled_from([*words, *(features if deps else labels)])))
