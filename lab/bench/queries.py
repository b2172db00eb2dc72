"""How long searches of made-up trees take, on the database of DATABASE_URL.

    DATABASE_URL=sqlite:////tmp/q.sqlite3 python -m lab bench queries --trees 20000

Makes a corpus of pairs with constituent trees, arcs and a layer each, indexes it and
prints, as JSON, the seconds of indexing (the clock's, and this process's own, without
PostgreSQL's), the bytes of the index, and of each query the milliseconds of the first
page (median of five) and the seconds of its counts.
"""

import json
import os
import statistics
import time
from argparse import ArgumentParser
from random import Random
from typing import Any

QUERIES = (
    "NP ~ PP", "VP << VBN ~ VP !<< VBN", "verb ~ null", "NP < PP",
    "NP < (PP < (NP < PP)) $. VP", "@NP !<< DT", "/^NN/ . VBN", "NP !~ __",
    "[deprel=nsubj:pass] ~ [deprel=nsubj]", "[upos=VERB] -[obj]-> [lemma=bun]",
    "[upos=VERB] -[obj]-> [lemma=door]",
)  # fmt: skip
OTHERS = (
    "NN ># NP", "VP <<# VBD", "VBD $. (NP $. PP)", "NP $ (PP $ NP)",
    "NP ^[gold] NP", "NP ^[arcs] [deprel=obj]", "[deprel=obj] ^[tree] NP",
    "NP !^[arcs] [deprel=obj]", "[upos=NOUN]=n -[]-> [lemma==n]",
    "[]=n .. [upos=NOUN & lemma!==n]",
)  # fmt: skip
"""Next to the relations of NP and PP: heads, sisters in a row, other trees, words that
agree."""
WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnrst"]
RULES = {
    "S": (("NP", "VP"), ("NP", "VP", "PP"), ("PP", "NP", "VP")),
    "NP": (("DT", "NN"), ("DT", "JJ", "NN"), ("NP", "PP"), ("PRP",), ("NNS",)),
    "VP": (("VBD", "NP"), ("VBD", "PP"), ("VBD", "VP2"), ("MD", "VP"), ("VB", "NP")),
    "VP2": (("VBN",), ("VBN", "PP"), ("VBN", "NP")),
    "PP": (("IN", "NP"),),
}


def main() -> None:
    options = ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--trees", type=int, default=20_000)
    options.add_argument(
        "--relations", action="store_true", help="NP and PP in each relation instead"
    )
    args = options.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0, interactive=False)
    started = time.perf_counter()
    corpus = made(args.trees)
    print(json.dumps({"made_s": round(time.perf_counter() - started, 1)}), flush=True)
    print(json.dumps(indexed(corpus)), flush=True)
    from core.queries.syntax import RELATIONS

    relations = [
        f"NP {op.replace('N', '1')} PP" for op in RELATIONS if op[0] in "<>.,$=:"
    ]
    relations += OTHERS
    for query in relations if args.relations else QUERIES:
        print(json.dumps(asked(corpus, query)), flush=True)


def brackets(rng: Random, label: str = "S", depth: int = 0) -> str:
    if label not in RULES:
        return f"({label} {rng.choice(WORDS)})"
    rules = RULES[label]
    rule = rules[0] if depth > 6 else rng.choice(rules)
    name = label.removesuffix("2")
    return f"({name} {' '.join(brackets(rng, one, depth + 1) for one in rule)})"


def made(n_trees: int) -> Any:
    """Create a corpus of so many trees, and half as many pairs with layers."""
    from annotator.models import Corpus, Project

    project, _ = Project.objects.get_or_create(slug="bench", name="Bench")
    corpus = Corpus.objects.create(project=project, name=f"bench {time.time()}")
    rng = Random(1)
    for start in range(0, n_trees, 1000):
        portion(corpus, rng, start, min(1000, n_trees - start))
    return corpus


def portion(corpus: Any, rng: Random, start: int, n: int) -> None:
    from django.db import transaction

    from annotator.models import AlignmentLayer, Origin, Pair, Parse, Sentence
    from core.formats import ptb

    with transaction.atomic():
        trees = [ptb.parse_one(brackets(rng)) for _ in range(n)]
        sentences = Sentence.objects.bulk_create(
            Sentence(
                corpus=corpus, text=" ".join(tree.words), key=f"{start + at}",
                tokens="\n".join(tree.words), n_tokens=tree.n_tokens,
            )
            for at, tree in enumerate(trees)
        )  # fmt: skip
        rows = []
        for sentence, tree in zip(sentences, trees, strict=True):
            for kind, text in (
                ("constituency", ptb.bracket(tree)), ("dependency", arcs(rng, tree)),
            ):  # fmt: skip
                rows.append(
                    Parse(sentence=sentence, kind=kind, origin=Origin.GOLD, text=text)
                )
        parses = Parse.objects.bulk_create(rows)[::2]
        pairs = Pair.objects.bulk_create(
            Pair(
                corpus=corpus, source=sentences[i], target=sentences[i + 1], text="",
                n_source=1, n_target=1, key=f"{start + i}",
            )
            for i in range(0, n - 1, 2)
        )  # fmt: skip
        AlignmentLayer.objects.bulk_create(
            AlignmentLayer(
                pair=pair, origin=Origin.GOLD, slot="x", source_parse=parses[2 * i],
                target_parse=parses[2 * i + 1],
                links=links(rng, trees[2 * i], trees[2 * i + 1]),
            )
            for i, pair in enumerate(pairs)
        )  # fmt: skip


def arcs(rng: Random, tree: Any) -> str:
    from core.data.deps import DepTree
    from core.data.tokens import Token
    from core.formats import conllu

    names = ("nsubj", "nsubj:pass", "obj", "obl", "det", "case", "amod")
    upos = {"V": "VERB", "N": "NOUN", "D": "DET"}
    heads = (-1, *(rng.randrange(i) for i in range(1, tree.n_tokens)))
    tokens = tuple(
        Token(word, lemma=word, upos=upos.get(tag[0], "X"), xpos=tag)
        for word, tag in zip(tree.words, tree.tags, strict=True)
    )
    labels = tuple(rng.choice(names) if h >= 0 else "root" for h in heads)
    return conllu.lines_of(tokens, DepTree(heads, labels))


def links(rng: Random, source: Any, target: Any) -> dict[str, Any]:
    """Return about twenty random links of words and phrases, and a few nulls."""
    refs = [
        [f"n{v}" for v in range(len(t)) if not t.is_leaf(v)]
        + [f"w{i}" for i in range(t.n_tokens)]
        for t in (source, target)
    ]
    cells = {(rng.choice(refs[0]), rng.choice(refs[1])) for _ in range(20)}
    free = sorted(set(refs[0]) - {a for a, _ in cells})[:3]
    rows = [[a, b, "sure"] for a, b in sorted(cells)]
    return {"links": rows, "null_source": free, "null_target": []}


def indexed(corpus: Any) -> dict[str, Any]:
    from django.db import connection

    from annotator.services.queries import index

    started, ours = time.perf_counter(), time.process_time()
    index.catch_up([corpus.pk])
    seconds, ours = time.perf_counter() - started, time.process_time() - ours
    with connection.cursor() as cursor:
        counts = {}
        for name in ("node", "token", "link"):
            cursor.execute(f"SELECT COUNT(*) FROM search_{name}")
            counts[name] = cursor.fetchone()[0]
        size = 0
        for name in ("label", "tree", "node", "token", "layer", "link"):
            if connection.vendor == "postgresql":
                sql = "SELECT pg_total_relation_size(%s)"
            else:
                sql = "SELECT SUM(pgsize) FROM dbstat WHERE name LIKE %s || '%%'"
            cursor.execute(sql, [f"search_{name}"])
            size += cursor.fetchone()[0] or 0
    took = {"index_s": round(seconds, 1), "index_cpu_s": round(ours, 1)}
    return took | {"rows": counts, "bytes": size}


def asked(corpus: Any, text: str) -> dict[str, Any]:
    from annotator.errors import Refusal
    from annotator.services.queries import running

    times, n = [], 0
    try:
        for _ in range(5):
            started = time.perf_counter()
            n = len(running.search(text, [corpus], None).page().matches)
            times.append(1000 * (time.perf_counter() - started))
        started = time.perf_counter()
        counts = running.search(text, [corpus], None).counts()
    except Refusal as error:
        return {"query": text, "refused": str(error)}
    return {
        "query": text,
        "page_ms": round(statistics.median(times), 1),
        "first": n,
        "matches": counts.matches,
        "is_whole": counts.is_whole,
        "count_s": round(time.perf_counter() - started, 2),
    }


if __name__ == "__main__":
    main()
