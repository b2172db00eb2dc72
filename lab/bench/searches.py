"""Searches of a corpus linguist, counted again by other means.

    python -m lab bench searches DATA/gum/dev
    python -m lab bench searches DATA/gum/dev --udsearch    next to udsearch 0.1

The folder has ``const`` (brackets) and ``dep`` (CoNLL-U) of the same sentences. They
are imported into a fresh SQLite; each search of ``docs/queries.md`` is grouped as
there, and its groups are compared with those that NLTK's tgrep (which needs pyparsing)
or a script over the columns of CoNLL-U finds in the files. With ``--udsearch`` ten
searches of arcs run in both; a line gives both counts and udsearch's time over Gemel's,
the fastest of three each, without reading or indexing. Ends with 1 where counts differ.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lab.bench.edits import Treebank, imported

NP, PP, WHNP, SBAR, S = (f"/^{name}([-=|]|$)/" for name in "NP PP WHNP SBAR S".split())


@dataclass(frozen=True, slots=True)
class Word:
    """A line of CoNLL-U; ``head``: 0 for none."""

    at: int
    form: str
    lemma: str
    upos: str
    feats: Mapping[str, str]
    head: int
    deprel: str


@dataclass(frozen=True, slots=True)
class Source:
    """The files as others read them: trees of NLTK, and sentences of words."""

    trees: Sequence[Any]
    sentences: Sequence[Sequence[Word]]


Recount = Callable[[Source], Counter[str]]


def by_tgrep(pattern: str, by: str, source: Source) -> Counter[str]:
    """Return the groups of what NLTK's tgrep finds."""
    from nltk import tgrep

    counter: Counter[str] = Counter()
    found = tgrep.tgrep_positions(pattern, source.trees)
    for tree, places in zip(source.trees, found, strict=True):
        for place in places:
            node = tree[place]
            key = {
                "word": lambda node=node: " ".join(node.leaves()),
                "label": node.label,
                "parent": lambda node=node: node.parent().label(),
            }[by]
            counter[key()] += 1
    return counter


def by_words(
    found: Callable[[Sequence[Word]], Iterator[str]], source: Source
) -> Counter[str]:
    return Counter(key for words in source.sentences for key in found(words))


def passives(words: Sequence[Word]) -> Iterator[str]:
    for word in words:
        if word.deprel == "nsubj:pass" and words[word.head - 1].upos == "VERB":
            yield words[word.head - 1].lemma


def fronted(words: Sequence[Word]) -> Iterator[str]:
    for word in words:
        verb = words[word.head - 1]
        if word.deprel == "obj" and verb.upos == "VERB" and word.at < verb.at:
            yield word.form


def disagreeing(words: Sequence[Word]) -> Iterator[str]:
    for word in words:
        if word.upos == "NOUN" and word.deprel == "nsubj":
            one, other = (
                each.feats.get("Number") for each in (word, words[word.head - 1])
            )
            if one and other and one != other:
                yield words[word.head - 1].lemma


def particles(words: Sequence[Word]) -> Iterator[str]:
    for word in words:
        verb = words[word.head - 1]
        is_particle = word.deprel == "compound:prt" and verb.upos == "VERB"
        if is_particle and word.at != verb.at + 1:
            yield verb.lemma


def head_nouns(source: Source) -> Counter[str]:
    """Return the tags of nouns that head an NP by Collins' rules."""
    counter: Counter[str] = Counter()
    for tree in source.trees:
        for np in tree.subtrees(lambda t: category(t.label()) == "NP"):
            head = collins_np([category(child.label()) for child in np])
            label = np[head].label()
            if label.startswith("N"):
                counter[label] += 1
    return counter


def collins_np(names: Sequence[str]) -> int:
    """Collins (1999), appendix A, with the labels NML, WP, WDT and WHNP of GUM."""
    last = len(names) - 1
    back = range(last, -1, -1)
    steps = (
        (range(last, last - 1, -1), {"POS"}),
        (back, {*"NN NNP NNPS NNS NX NML POS JJR WP WDT WHNP".split()}),
        (range(last + 1), {"NP", "WHNP"}),
        (back, {"$", "ADJP", "PRN", "PRP"}),
        (back, {"CD"}),
        (back, {"JJ", "JJS", "RB", "QP", "WP$"}),
        (back, {*names} - {*", . : `` '' -LRB- -RRB- HYPH NFP".split()}),
    )
    for order, wanted in steps:
        for at in order:
            if names[at] in wanted:
                return first_conjunct(names, at)
    return last


def first_conjunct(names: Sequence[str], at: int) -> int:
    if at < 2 or names[at - 1] not in ("CC", "CONJP"):
        return at
    rest = range(at - 2, -1, -1)
    stops = {*", . : `` '' -LRB- -RRB- HYPH NFP".split()}
    return next((k for k in rest if names[k] not in stops), at)


def category(label: str) -> str:
    if label.startswith("-"):
        return label
    for sign in "-=|":
        label = label.split(sign)[0]
    return label


def obliques(source: Source) -> Counter[str]:
    """Return the mothers of PPs headed, among the arcs, by an oblique."""
    by_form: dict[str, list[Sequence[Word]]] = {}
    for words in source.sentences:
        by_form.setdefault(" ".join(w.form for w in words), []).append(words)
    counter: Counter[str] = Counter()
    for tree in source.trees:
        words = by_form[plain(" ".join(tree.leaves()))].pop(0)
        places = tree.treepositions("leaves")
        for pp in tree.subtrees(lambda t: category(t.label()) == "PP"):
            at = pp.treeposition()
            inside = [n for n, p in enumerate(places, 1) if p[: len(at)] == at]
            if any(
                w.deprel == "obl" and w.at in inside and w.head not in inside
                for w in words
            ):
                counter[pp.parent().label()] += 1
    return counter


def plain(text: str) -> str:
    return text.replace("-LRB-", "(").replace("-RRB-", ")")


SEARCHES: tuple[tuple[str, str, Recount], ...] = (
    ("IN > (@PP > @NP)", "word", partial(by_tgrep, f"IN > ({PP} > {NP})", "word")),
    (
        "/^VB/ $. (@NP $. @NP)",
        "word",
        partial(by_tgrep, f"/^VB/ $. ({NP} $. {NP})", "word"),
    ),
    (
        "@WHNP > (@SBAR > @NP) $. (@S <, @NP)",
        "word",
        partial(by_tgrep, f"{WHNP} > ({SBAR} > {NP}) $. ({S} <, {NP})", "word"),
    ),
    ("/^N/ ># @NP", "label", head_nouns),
    ("CC $, __ $. __", "parent", partial(by_tgrep, "CC $, __ $. __", "parent")),
    ("[upos=VERB] -[nsubj:pass]-> []", "lemma", partial(by_words, passives)),
    (
        "[deprel=obj]=o <-[obj]- ([upos=VERB] ,, =o)",
        "word",
        partial(by_words, fronted),
    ),
    (
        "[Number]=v -[nsubj]-> [upos=NOUN & Number!==v]",
        "lemma",
        partial(by_words, disagreeing),
    ),
    (
        "[upos=VERB]=v -[compound:prt]-> ([] !, =v)",
        "lemma",
        partial(by_words, particles),
    ),
    ("@PP ^[arcs] [deprel=obl]", "parent", obliques),
)
"""Query, grouping, and what counts the same."""

OF = "-[case]-> [lemma=of]"
ARCS = (
    ("[upos=NOUN & Number=Plur]", "UPOS=NOUN & Number=Plur"),
    ("[upos=ADJ & lemma=/^un/]", "UPOS=ADJ & lemma=/^un/"),
    ("[upos=VERB] -[obj]-> [upos=NOUN]", "v: [UPOS=VERB]\no: [UPOS=NOUN] -obj-> v"),
    ("[upos=VERB] -[nsubj:pass]-> []", "v: [UPOS=VERB]\ns: [] -nsubj:pass-> v"),
    (
        "[upos=VERB] -[obj]-> [] -[iobj]-> []",
        "v: [UPOS=VERB]\no: [] -obj-> v\ni: [] -iobj-> v",
    ),
    (
        "[upos=VERB] -[obj]-> [] !-[nsubj|nsubj:pass]-> []",
        "v: [UPOS=VERB]\no: [] -obj-> v\n!s: [] -nsubj|nsubj:pass-> v",
    ),
    (
        "[upos=VERB]=v -[obj]-> ([] .. =v)",
        "v: [UPOS=VERB]\no: [] -obj-> v\no << v",
    ),
    (
        f"[upos=NOUN] -[amod]-> [upos=ADJ] -[nmod]-> ([upos=NOUN] {OF})",
        "n: [UPOS=NOUN]\na: [UPOS=ADJ] -amod-> n\nm: [UPOS=NOUN] -nmod-> n\n"
        "c: [lemma=of] -case-> m",
    ),
    (
        "[upos=VERB] -[advcl|ccomp]-> ([upos=VERB] -[mark]-> [lemma=if|that])",
        "v: [UPOS=VERB]\nw: [UPOS=VERB] -advcl|ccomp-> v\nm: [lemma=if|that] -mark-> w",
    ),
    (
        "[upos=VERB] -[aux:pass]-> [] -[obl|obl:agent]-> ([] -[case]-> [lemma=by])",
        "v: [UPOS=VERB]\na: [] -aux:pass-> v\no: [] -obl|obl:agent-> v\n"
        "c: [lemma=by] -case-> o",
    ),
)
"""The same search as Gemel and as udsearch write it."""


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("data", type=Path)
    options.add_argument("--udsearch", action="store_true")
    asked = options.parse_args()
    files = {
        name: sorted((asked.data / name).glob(suffix))
        for name, suffix in (("const", "*.ptb"), ("dep", "*.conllu"))
    }
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"GEMEL_HOME": home, "DATABASE_URL": "", "GEMEL_LOG": "error"}
        os.environ["DJANGO_SETTINGS_MODULE"] = "annotator.settings"
        import django

        django.setup()
        corpus = None
        for name, kind in (("const", "ptb"), ("dep", "conllu")):
            texts = {one.name: one.read_bytes() for one in files[name]}
            corpus = imported(Treebank("searches", kind, texts), corpus)
        rows = list(
            next_to_udsearch(corpus, files["dep"])
            if asked.udsearch
            else counted_again(corpus, source_of(files))
        )
    for row in rows:
        print(json.dumps(row, ensure_ascii=False))
    return int(any(not row["same"] for row in rows))


def source_of(files: Mapping[str, Sequence[Path]]) -> Source:
    from nltk import ParentedTree

    trees = [
        ParentedTree.fromstring(text)
        for path in files["const"]
        for text in brackets(path.read_text())
    ]
    texts = [path.read_text() for path in files["dep"]]
    return Source(trees, [words for text in texts for words in sentences(text)])


def brackets(text: str) -> Iterator[str]:
    """Yield each top-level bracketing of a file."""
    depth = start = 0
    for at, sign in enumerate(text):
        if sign == "(":
            start = start if depth else at
            depth += 1
        elif sign == ")":
            depth -= 1
            if not depth:
                yield text[start : at + 1]


def sentences(text: str) -> Iterator[list[Word]]:
    for block in text.split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line[:1].isdigit()]
        words = [
            Word(
                int(row[0]), row[1], row[2], row[3],
                dict(one.split("=", 1) for one in row[5].split("|") if "=" in one),
                int(row[6]), row[7],
            )
            for row in rows if row[0].isdigit()
        ]  # fmt: skip
        if words:
            yield words


def counted_again(corpus: Any, source: Source) -> Iterator[dict[str, Any]]:
    """Yield a row for each search: whether all its groups are those of the recount."""
    from annotator.services.queries import running
    from annotator.services.queries.grouping import grouped

    for query, by, recount in SEARCHES:
        ours = Counter(dict(grouped(running.search(query, [corpus], None), by).rows))
        theirs = recount(source)
        differing = {
            key: (ours[key], theirs[key])
            for key in sorted(ours.keys() | theirs.keys())
            if ours[key] != theirs[key]
        }
        yield {
            "query": query,
            "by": by,
            "matches": ours.total(),
            "groups": len(ours),
            "most": ours.most_common(3),
            "same": not differing,
            "differing": dict(list(differing.items())[:5]),
        }


def next_to_udsearch(corpus: Any, paths: Sequence[Path]) -> Iterator[dict[str, Any]]:
    from udsearch import parse_conllu, parse_structural
    from udsearch.structural import match_structural

    from annotator.services.queries import running

    read = [one for path in paths for one in parse_conllu(path.read_text())]
    for query, pattern in ARCS:
        compiled = parse_structural(pattern)

        def gemel(query: str = query) -> int:
            return running.search(query, [corpus], None).counts().matches

        def udsearch(compiled: Any = compiled) -> int:
            return sum(len(match_structural(compiled, one)) for one in read)

        (ours, mine), (theirs, other) = timed(gemel), timed(udsearch)
        yield {
            "query": query,
            "gemel": ours,
            "udsearch": theirs,
            "same": ours == theirs,
            "times_as_long": round(other / mine, 1),
        }


def timed(count: Callable[[], int]) -> tuple[int, float]:
    """Return the count, and the seconds of the fastest of three runs."""
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        n = count()
        seconds.append(time.perf_counter() - started)
    return n, min(seconds)


if __name__ == "__main__":
    sys.exit(main())
