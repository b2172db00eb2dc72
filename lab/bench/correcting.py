"""Someone who corrects a parser's trees to gold through the API, played.

    python -m lab bench correcting --url URL --token TOKEN --corpus CODE --gold FILE …

The corpus is parsed, and the token is a curator's. Each of its sentences that the gold
files have is begun from the parser's tree, corrected step by step as
``lab.evaluation.correcting`` chooses the steps, tags too, and saved as gold; what
follows from a step and is worse is refused. What is counted at the end is read back:
the steps that the ledger has, whether the gold tree is that of the file, and whether
the ledger, played again from the parser's tree, gives it. Sentences of the same words
take the trees of the files in their order.

With ``--log FILE`` each sentence is a line there, and one that stands there is not
corrected again: what was cut short goes on. The server must allow the calls that this
makes (``GEMEL_API_RATE``); else it waits as it is told.
"""

import argparse
import json
import sys
import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from core.agreement.trees import parseval
from core.data.tree import Tree
from core.evaluation.golds import read_golds
from core.forests.constraints import can_follow
from core.formats import ptb
from core.trees import editing
from core.trees.editing import Relabel
from core.trees.stepping import TreeEdit
from core.trees.words import with_forms
from gemel_client import Client, Draft, Parse, Sentence
from lab.evaluation.correcting import apart, next_step, to_correct

MAX_STEPS = 1000
EVERY = 25  # sentences from one line of progress to the next


def run(
    client: Client,
    corpus: str,
    golds: Iterable[Tree],
    *,
    follow: bool,
    log: Path | None = None,
) -> Counter[str]:
    """Correct each sentence of the corpus whose words are in ``golds``."""
    by_words: dict[tuple[str, ...], deque[Tree]] = {}
    for gold in golds:
        by_words.setdefault(gold.words, deque()).append(gold)
    done = _logged(log)
    counts: Counter[str] = sum(done.values(), Counter())
    started = time.perf_counter()
    for at, row in enumerate(client.sentences(corpus), 1):
        wanted = by_words.get(row.tokens)
        tree = wanted.popleft() if wanted else None
        if row.code in done:
            continue
        one = Counter(left_out=1)
        if tree is not None and can_follow(tree):
            one = correct(client, client.sentence(row.code), tree, follow=follow)
        counts += one
        _note(log, row.code, one)
        if at % EVERY == 0:
            seconds = time.perf_counter() - started
            line = f"{at} sentences, {counts['steps']} steps, {seconds:.0f} s"
            print(line, file=sys.stderr, flush=True)
    return counts


def _logged(log: Path | None) -> dict[str, Counter[str]]:
    if log is None or not log.exists():
        return {}
    rows = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    return {row["sentence"]: Counter(row["counts"]) for row in rows}


def _note(log: Path | None, code: str, counts: Counter[str]) -> None:
    if log is not None:
        with log.open("a", encoding="utf-8") as file:
            print(json.dumps({"sentence": code, "counts": counts}), file=file)


def correct(
    client: Client, sentence: Sentence, gold: Tree, *, follow: bool
) -> Counter[str]:
    """Correct one sentence, save it as gold, and read it again."""
    base = _parsed(sentence)
    if base is None:
        return Counter(left_out=1)
    draft = client.begin_tree(sentence.code, base.code)
    for _ in range(MAX_STEPS):
        tree = tree_of(draft.nodes)
        step = _next(tree, gold)
        if step is None:
            break
        draft = client.tree_step(draft, **step.to_json(), follow=follow)
        if draft.undo == "follow":
            alone = step.on(tree).tree
            if apart(tree_of(draft.nodes), gold) > apart(alone, gold):
                draft = client.tree_step(draft, "undo")
    seen = sentence.gold.code if sentence.gold else ""
    client.save_tree(draft, role="gold", gold=seen)
    first = tree_of(map(_plain, base.nodes))
    return _looked_at(client, sentence.code, draft, first, gold)


def _looked_at(
    client: Client, code: str, draft: Draft, first: Tree, gold: Tree
) -> Counter[str]:
    """Count what is stored now, and what the ledger holds and replays to."""
    tree = first
    ops: Counter[str] = Counter()
    for event in client.tree_history(draft):
        tree = editing.read(event["done"]).on(tree).tree
        ops[event["op"]] += 1
    saved = client.sentence(code).gold
    now = as_imported(tree_of(map(_plain, saved.nodes))) if saved else None
    before, after = parseval.compare(gold, first), parseval.compare(gold, now)
    return Counter(
        sentences=1,
        tokens=gold.n_tokens,
        as_parsed=int(first == gold),
        steps=ops.total() - ops["follow"] - ops["undo"],
        followed=ops["follow"],
        refused=ops["undo"],
        reached=int(now == gold),
        replayed=int(tree == now),
        brackets=after.gold,
        matched_before=before.matched,
        guessed_before=before.guessed,
        matched=after.matched,
        guessed=after.guessed,
    )


def _plain(node: Any) -> dict[str, Any]:
    names = ("label", "mother", "words", "form")
    return {name: getattr(node, name) for name in names}


def _parsed(sentence: Sentence) -> Parse | None:
    parses = [
        one
        for one in sentence.parses
        if (one.kind, one.origin, one.rank) == ("constituency", "engine", 1)
    ]
    return parses[0] if parses else None


def tree_of(nodes: Iterable[Mapping[str, Any]]) -> Tree:
    """Build the tree from the nodes of an API answer."""
    rows = list(nodes)
    return Tree(
        tuple(row["label"] for row in rows),
        tuple(-1 if row["mother"] is None else row["mother"] for row in rows),
        tuple(row["words"][0] if row["form"] else -1 for row in rows),
        tuple(row["form"] for row in rows),
    )


def as_imported(gold: Tree) -> Tree:
    """The tree of a file on the words that a sentence has: ``(``, not ``-LRB-``. A gold
    tree that came with its file keeps its spelling."""
    return with_forms(gold, {i: ptb.unescape(w) for i, w in enumerate(gold.words)})


def _next(tree: Tree, gold: Tree) -> TreeEdit | None:
    """Return the next step, brackets before tags; None if the tree equals gold."""
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
    parser.add_argument("--log", type=Path, metavar="FILE")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(argv)
    all_golds, _ = read_golds(options.gold)
    golds = [as_imported(one.tree) for one in all_golds if one.tree is not None]
    client = Client(options.url, options.token)
    follow, log = not options.no_follow, options.log
    counts = run(client, options.corpus, golds, follow=follow, log=log)
    if options.json:
        print(json.dumps(counts))
    else:
        print("\n".join(f"{name:16}{n}" for name, n in counts.items()))
    return int(not counts["sentences"] == counts["reached"] == counts["replayed"])


if __name__ == "__main__":
    raise SystemExit(main())
