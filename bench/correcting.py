"""Somebody who corrects a parser's trees to gold through the API, played.

    python -m bench.correcting --url URL --token TOKEN --corpus CODE --gold FILE …

The corpus is parsed, and the token is a curator's. Each of its sentences that the gold
files have is begun from the parser's tree, corrected step by step as
``core.evaluation.correcting`` chooses the steps, tags too, and saved as gold; what
follows from a step and is worse is refused. What is counted at the end is read back:
whether the gold tree is that of the file, and whether the ledger, played again from the
parser's tree, gives it.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from core.agreement.trees import parseval
from core.data.tree import Tree
from core.evaluation.correcting import apart, next_step, to_correct
from core.evaluation.golds import read_golds
from core.forests.following import can_follow
from core.trees import editing
from core.trees.editing import Relabel, TreeEdit
from gemel_client import Client, Draft, Parse, Sentence

__all__ = ["correct", "main", "run"]

MAX_STEPS = 1000


def run(
    client: Client, corpus: str, golds: Mapping[tuple[str, ...], Tree], *, follow: bool
) -> Counter[str]:
    """Correct every sentence of the corpus that is among ``golds``, by its words."""
    counts: Counter[str] = Counter()
    for row in client.sentences(corpus):
        gold = golds.get(row.tokens)
        if gold is None or not can_follow(gold):
            counts["left_out"] += 1
            continue
        counts += correct(client, client.sentence(row.code), gold, follow=follow)
    return counts


def correct(
    client: Client, sentence: Sentence, gold: Tree, *, follow: bool
) -> Counter[str]:
    """One sentence: begun, corrected, saved as gold, and looked at again."""
    base = _parsed(sentence)
    if base is None:
        return Counter(left_out=1)
    draft = client.begin_tree(sentence.code, base.code)
    first = tree_of(draft.nodes)
    counts = Counter(sentences=1, tokens=gold.n_tokens)
    for _ in range(MAX_STEPS):
        tree = tree_of(draft.nodes)
        step = _next(tree, gold)
        if step is None:
            break
        draft = client.tree_step(draft, **step.to_json(), follow=follow)
        counts["steps"] += 1
        if draft.undo == "follow":
            counts["followed"] += 1
            alone = step.on(tree).tree
            if apart(tree_of(draft.nodes), gold) > apart(alone, gold):
                draft = client.tree_step(draft, "undo")
                counts["refused"] += 1
    seen = sentence.gold.code if sentence.gold else ""
    client.save_tree(draft, role="gold", gold=seen)
    return counts + _looked_at(client, sentence.code, draft, first, gold)


def _looked_at(
    client: Client, code: str, draft: Draft, first: Tree, gold: Tree
) -> Counter[str]:
    """What is there now, and what the ledger gives."""
    tree = first
    for event in client.tree_history(draft):
        tree = editing.read(event["done"]).on(tree).tree
    saved = client.sentence(code).gold
    now = tree_of([_plain(node) for node in saved.nodes]) if saved else None
    scores = parseval.compare(gold, now)
    return Counter(
        reached=int(now == gold),
        replayed=int(tree == now),
        matched=scores.matched,
        brackets=scores.gold,
        guessed=scores.guessed,
    )


def _plain(node: Any) -> dict[str, Any]:
    names = ("label", "mother", "words", "form")
    return {name: getattr(node, name) for name in names}


def _parsed(sentence: Sentence) -> Parse | None:
    found = [
        one
        for one in sentence.parses
        if (one.kind, one.origin, one.rank) == ("constituency", "engine", 1)
    ]
    return found[0] if found else None


def tree_of(nodes: Iterable[Mapping[str, Any]]) -> Tree:
    """The tree of the nodes that the API gives."""
    rows = list(nodes)
    return Tree(
        tuple(row["label"] for row in rows),
        tuple(-1 if row["mother"] is None else row["mother"] for row in rows),
        tuple(row["words"][0] if row["form"] else -1 for row in rows),
        tuple(row["form"] for row in rows),
    )


def _next(tree: Tree, gold: Tree) -> TreeEdit | None:
    """Brackets first, then tags; None when all is as in gold."""
    if to_correct(tree, gold):
        return next_step(tree, gold)[0]
    for token, v in enumerate(tree.leaf_of):
        if tree.labels[v] != gold.tags[token]:
            return Relabel(v, gold.tags[token])
    return None


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--token", required=True)
    parser.add_argument("--corpus", required=True, metavar="CODE")
    parser.add_argument("--gold", nargs="+", type=Path, required=True, metavar="FILE")
    parser.add_argument("--no-follow", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(argv)
    found, _ = read_golds(options.gold)
    golds = {one.tree.words: one.tree for one in found if one.tree is not None}
    client = Client(options.url, options.token)
    counts = run(client, options.corpus, golds, follow=not options.no_follow)
    if options.json:
        print(json.dumps(counts))
    else:
        print("\n".join(f"{name:12}{n}" for name, n in counts.items()))
    return int(counts["reached"] != counts["sentences"])


if __name__ == "__main__":
    raise SystemExit(main())
