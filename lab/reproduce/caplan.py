"""Caplan et al., "Leveraging Lexical Substitution for Parser Adaptation"."""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from core.agreement.paired import holm
from core.errors import InvalidValue
from core.evaluation.golds import Gold, read_golds, short
from core.evaluation.substitution import Effect, effect, linking_of, sampled
from core.parsing import registry
from core.parsing.registry import Say
from core.protocols import ParserBackend, TagGuided, TrainingCounts
from core.substitution.linking import LinkingCounts
from core.substitution.options import PAPER, Options
from core.substitution.substituting import Substituting
from lab.evaluation.remembered import Remembered
from lab.evaluation.substitution_oracle import oracle
from lab.reproduce.counted import Counted, counts_of

HELP = "words replaced by known ones before parsing (Caplan et al.), Tables 1 and 2"
TABLE_1 = {"baseline": (85.3, 83.9), "LS": (86.4, 84.1), "LS + CR": (89.4, 84.5)}
TABLE_2 = (
    "BROWN tune     2078  83.9  84.5  p<0.01      684 of 1502  79.6  81.0",
    "BROWN test     2425  84.1  84.4  p=0.07      799 of 1715  80.5  81.2",
    "QuestionBank   4000  85.6  85.8  p=0.07      825 of 2595  81.6  82.5",
    "BNC             999  82.5  82.8              576 of 959   79.9  80.3",
    "WSJ 23         2416  89.7  89.7              332 of 1160  85.6  85.2",
)
LINKING = (
    "general-text/gutenberg",
    "general-text/abc.zip",
    "general-text/inaugural.zip",
    "general-text/state_union.zip",
    "general-text/movie_reviews.zip",
    "general-text/wikitext-2.valid.txt.gz",
    "brown-tagged/brown.zip",
    "europarl-it-en/europarl.it-en.en.gz",
    "biomed-text",
    "craft/train/txt",
    "craft/dev/txt",
)
SETS = {
    "MASC (tuning)": "masc-trees/[!w]*.mrg",
    "GENIA dev": "genia/dev.trees",
    "CRAFT dev": "craft/dev/penn/*.tree",
    "GUM dev": "gum/dev/const/*.ptb",
    "GENTLE": "gentle/const/*.ptb",
    "Natural Stories": "natural-stories/*.penn",
    "WSJ 0161-0199": "wsj-sample/combined/wsj_01[6-9]*.mrg",
}
TUNING = "MASC (tuning)"
ALPHAS = (1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0)
"""The last three are the paper's; the first three the same for a linking corpus that
is a thousandth of Google Books."""
F_Q, F_C = (1, 3, 5, 7), (3, 5, 7)
F_LC = (1, 12, 60, 120, 1200)  # 40, 1e4, 5e4, 1e5, 1e6 in Google Books, scaled alike
COARSE = (1e-4, 0.01, 1.0), (1, 5), (3, 7), (12, 60, 1200)
TUNED = {"LS tuned": False, "LS + CR tuned": True}  # whether it reranks
CHUNK = 128  # sentences of one task
VARIANTS = {
    "LS": replace(PAPER, rerank=False),
    "LS + CR": PAPER,
    "in doubt": Options(method="doubt"),
    "told": Options(method="tell"),
    "summed": Options(method="sum"),
}
TRAINED_ON = "treebanks of a parser that does not list its training words"
EVERY_CANDIDATE = Options(method="replace")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--data", type=Path, required=True, help="has the treebanks and texts")
    add("--engine", action="append", required=True, help="a parser; may be repeated")
    add(
        "--models",
        type=Path,
        metavar="DIR",
        help="folder that holds further parser folders",
    )
    add("--cache", type=Path, metavar="FILE", help="keep the linking counts here")
    add("--trained-on", nargs="+", type=Path, metavar="PATH", help=TRAINED_ON)
    add("--variant", action="append", choices=VARIANTS, help="by default all")
    add("--oracle", action="store_true", help="the best candidates by gold, alone")
    add("--max-tokens", type=int, default=40, help="by default %(default)s; 0: all")
    add("--sample", type=int, default=0, metavar="N", help="N sentences of each set")
    add("--keep", type=Path, metavar="DIR", help="parses; a second run goes on there")
    add(
        "--grid",
        type=Path,
        metavar="FILE",
        help="search the paper's four parameters on the tuning set, line by line into "
        "this file, where a second run goes on, and measure LS and LS + CR so tuned",
    )
    add("--grid-sample", type=int, default=500, metavar="N", help="sentences for it")
    add("--coarse", action="store_true", help="54 settings of it instead of 540")
    add("--alpha", type=float, nargs="+", help="these alone of the search")
    add("--f-lc", type=int, nargs="+", help="these alone of the search")
    add("--grid-only", action="store_true", help="search, and measure nothing")
    add("--jobs", type=int, default=1, help="processes; with several nothing is kept")


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Return the effect by engine, set and variant, and name missing sets."""
    data = options["data"]
    texts = [data / name for name in LINKING if (data / name).exists()]
    if not texts:
        raise InvalidValue(f"{data}: holds none of {', '.join(LINKING)}")
    counts = linking_of(texts, options["cache"], say)
    sets = {name: sorted(data.glob(pattern)) for name, pattern in SETS.items()}
    every = {name: _golds(paths) for name, paths in sets.items() if paths}
    longest, n = options["max_tokens"], options["sample"]
    golds = {name: sampled(short(some, longest), n) for name, some in every.items()}
    if options["grid_only"]:
        golds = {}
    return {
        "linking_tokens": counts.n_tokens,
        "max_tokens": options["max_tokens"],
        "sample": options["sample"],
        "oracle": options["oracle"],
        "of": {name: len(short(some, longest)) for name, some in every.items()},
        "missing": [name for name, paths in sets.items() if not paths],
        "grid": (grid := _searched(every.get(TUNING, []), counts, options, say)),
        "engines": {
            engine: _engine(engine, counts, golds, options | {"found": grid}, say)
            for engine in options["engine"]
        },
    }


def _golds(paths: list[Path]) -> list[Gold]:
    """Return sentences of three tokens and more."""
    golds, _ = read_golds(paths, format="ptb")
    return [gold for gold in golds if gold.tree and len(gold.sentence) > 2]


def _engine(
    engine: str,
    counts: LinkingCounts,
    golds: dict[str, list[Gold]],
    options: dict[str, Any],
    say: Say,
) -> dict[str, dict[str, Any]]:
    if options["oracle"]:
        parser = _parser(engine, options)
        substituting = Substituting(parser, counts, EVERY_CANDIDATE)
        return {where: oracle(substituting, some) for where, some in golds.items()}
    variants = {name: VARIANTS[name] for name in options["variant"] or VARIANTS}
    for name, row in options["found"].get("best", {}).get(engine, {}).items():
        variants[name] = _settings(row["settings"])
    tasks = [
        (where, some[begin : begin + CHUNK])
        for where, some in golds.items()
        for begin in range(0, len(some), CHUNK)
    ]
    rows: dict[str, dict[str, Effect]] = {}
    with _workers(engine, counts, variants, options) as each:
        for (where, some), effects in zip(tasks, each(_effects, tasks), strict=True):
            row = rows.setdefault(where, {})
            for name, part in effects.items():
                row[name] = row.get(name, Effect()) + part
            say(f"{engine}, {where}: {len(some)} sentences more")
    measured = {name for row in rows.values() for name in row}
    for name in variants.keys() - measured if golds else ():
        say(f"{engine}: does not accept tags, so not {name}")
    return _corrected(
        {
            where: {name: total.to_json() for name, total in row.items()}
            for where, row in rows.items()
        }
    )


@dataclass(frozen=True, slots=True)
class _Bench:
    """What a process measures with: made once in each."""

    parser: ParserBackend
    counts: LinkingCounts
    variants: dict[str, Substituting]


_bench: _Bench | None = None  # of this process


def _prepare(
    engine: str,
    counts: LinkingCounts,
    variants: dict[str, Options],
    options: dict[str, Any],
) -> None:
    global _bench
    parser = _parser(engine, options)
    made = {
        name: Substituting(parser, counts, settings)
        for name, settings in variants.items()
        if settings.method != "tell" or isinstance(parser, TagGuided)
    }
    _bench = _Bench(parser, counts, made)


@contextmanager
def _workers(
    engine: str,
    counts: LinkingCounts,
    variants: dict[str, Options],
    options: dict[str, Any],
) -> Iterator[Callable[..., Iterator[Any]]]:
    """Yield a map over tasks: here, or in ``jobs`` processes with a parser each."""
    state = engine, counts, variants, options
    if options["jobs"] < 2:
        _prepare(*state)
        yield map
        return
    state = engine, counts, variants, options | {"keep": None}
    with get_context("fork").Pool(options["jobs"], _prepare, state) as pool:
        yield pool.imap


def _effects(task: tuple[str, Sequence[Gold]]) -> dict[str, Effect]:
    """Return the effect of every variant on some sentences of one set."""
    assert _bench is not None
    return {
        name: _whole(substituting, task[1])
        for name, substituting in _bench.variants.items()
    }


def _whole(substituting: Substituting, golds: Sequence[Gold]) -> Effect:
    total = Effect()
    for _, total in effect(substituting, golds):  # noqa: B007 - the last one
        pass
    return total


def _searched(
    golds: Sequence[Gold],
    counts: LinkingCounts,
    options: dict[str, Any],
    say: Say,
) -> dict[str, Any]:
    """Return how many sentences the four parameters were searched on, and by engine
    the best row of each of ``TUNED``; nothing without ``--grid``.

    The best has the highest F1; of equals the first in the order of the lists above.
    """
    path: Path | None = options["grid"]
    if path is None:
        return {}
    some = sampled(short(golds, options["max_tokens"]), options["grid_sample"])
    rows = [json.loads(line) for line in _kept_lines(path)]
    for row in rows:
        if row["sentences"] != len(some):
            found = f"a search on {row['sentences']} sentences, not {len(some)}"
            raise InvalidValue(f"{path}: {found}; name another file")
    keys = ("engine", *_SEARCHED[:4])
    done = {tuple(row[key] for key in keys) for row in rows if row["rerank"]}
    grid = COARSE if options["coarse"] else (ALPHAS, F_Q, F_C, F_LC)
    alphas, f_lcs = options["alpha"] or grid[0], options["f_lc"] or grid[3]
    # Where f_q is above f_c, a word would replace itself.
    lows = [(f_q, f_c) for f_q, f_c in product(*grid[1:3]) if f_q <= f_c]
    for engine in options["engine"]:
        blocks = []
        for alpha, f_lc in product(alphas, f_lcs):
            new = [low for low in lows if (engine, alpha, *low, f_lc) not in done]
            if new:
                blocks.append((engine, alpha, f_lc, new, some))
        with _workers(engine, counts, {}, options) as each, path.open("a") as file:
            for block in each(_block, blocks):
                file.write("".join(json.dumps(row) + "\n" for row in block))
                file.flush()
                rows += block
                say(f"{engine}: {len(rows)} settings")
    best: dict[str, dict[str, Any]] = {}
    for row in rows:
        kept = best.setdefault(row["engine"], {})
        name = next(name for name, rerank in TUNED.items() if rerank == row["rerank"])
        if name not in kept or row["f1"]["after"] > kept[name]["f1"]["after"]:
            kept[name] = row | {"settings": {key: row[key] for key in _SEARCHED}}
    return {"sentences": len(some), "settings": len(rows), "best": best}


_SEARCHED = ("alpha", "f_q", "f_c", "f_lc", "rerank")


def _kept_lines(path: Path) -> list[str]:
    """Return the whole lines of the file, if it is there; cut off an unfinished one."""
    text = path.read_text() if path.exists() else ""
    whole, end, rest = text.rpartition("\n")
    if rest:
        path.write_text(whole + end)
    return whole.splitlines()


def _block(
    task: tuple[str, float, int, Sequence[tuple[int, int]], Sequence[Gold]],
) -> list[dict[str, Any]]:
    """Return two rows for each f_q and f_c with this alpha and f_LC."""
    assert _bench is not None
    engine, alpha, f_lc, lows, golds = task
    parser = _bench.parser
    rows = []
    for f_q, f_c in lows:
        near = None
        for rerank in TUNED.values():
            values = dict(zip(_SEARCHED, (alpha, f_q, f_c, f_lc, rerank), strict=True))
            substituting = Substituting(parser, _bench.counts, _settings(values))
            # Which words are near is the same with and without reranking.
            near = substituting.candidates = near or substituting.candidates
            row = _whole(substituting, golds).to_json()
            kept = {key: row[key] for key in ("sentences", "f1", "tags", "p")}
            rows.append({"engine": engine} | values | kept)
    return rows


def _settings(values: dict[str, Any]) -> Options:
    return replace(PAPER, **values)


def _parser(engine: str, options: dict[str, Any]) -> ParserBackend:
    """Return a parser with known training words, or with those of ``trained_on``.

    The second is asked again for every variant: only trees and tags can be kept.
    """
    parser = registry.chosen(engine, options.get("models"))
    if isinstance(parser, TrainingCounts):
        return Remembered(parser, options["keep"])
    golds, _ = read_golds(options["trained_on"] or [])
    tagged = (
        [(token.form, token.xpos or "") for token in gold.sentence.tokens]
        for gold in golds
    )
    return Counted(parser, counts_of(tagged))


def _corrected(rows: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Add p corrected for the variants of all test sets (Holm)."""
    tested = chain.from_iterable(v.values() for k, v in rows.items() if k != TUNING)
    some = list(tested)
    for row, p in zip(some, holm([row["p"] for row in some]), strict=True):
        row["p_holm"] = round(p, 4)
    return rows


def lines(results: dict[str, Any]) -> Iterator[str]:
    """Yield the paper's two tables with ours, or the oracle's table alone."""
    if results["oracle"]:
        yield from _oracle_lines(results)
        return
    yield from _grid_lines(results["grid"])
    yield (
        "Table 1: tags of query words and F1 on the tuning set, in percent "
        f"(the paper: Brown; ours: {TUNING}, Brown is linking text only)"
    )
    for name, (tags, f1) in TABLE_1.items():
        yield f"  paper, Brown          {name:10}{tags:7.1f}{f1:7.1f}"
    for engine, sets in results["engines"].items():
        yield from _table_1(engine, sets.get(TUNING, {}))
    yield ""
    yield (
        "Table 2: sentences, F1 before and after, p; changed of replaced, F1 there "
        "(changed: tree or tags, of which F1 ignores the tags)"
    )
    yield from (f"  paper  {row}" for row in TABLE_2)
    for engine, sets in results["engines"].items():
        for where, variants in sets.items():
            yield from (
                f"  {engine.rpartition('/')[2]:16}{where:16}{name:14}"
                f"{_table_2(row, results['of'][where])}"
                for name, row in variants.items()
            )
    if results["missing"]:
        yield f"not there: {', '.join(results['missing'])}"
    yield (
        f"Ours: {results['linking_tokens']:,} words of linking text (the paper's: "
        f"Google Books), at most {results['max_tokens'] or 'any number of'} tokens "
        f"a sentence, of each set {_rule(results['sample'])}. p: raw, and after Holm "
        "for the rows of one parser, the tuning set left out."
    )


def _grid_lines(grid: dict[str, Any]) -> Iterator[str]:
    """Yield the best settings of the search."""
    for engine, best in grid.get("best", {}).items():
        yield (
            f"{engine.rpartition('/')[2]}: {grid['settings']} settings on "
            f"{grid['sentences']} sentences of {TUNING}"
        )
        for name, row in best.items():
            yield (
                f"  {name:16}alpha {row['alpha']:g}, f_q {row['f_q']}, f_c "
                f"{row['f_c']}, f_LC {row['f_lc']}: F1 {row['f1']['before']} to "
                f"{row['f1']['after']} (p {row['p']}, of the best of all)"
            )


def _oracle_lines(results: dict[str, Any]) -> Iterator[str]:
    yield "F1 as it stands, and of the best by gold of each sentence's readings:"
    yield "as it stands, and with every unknown word's first, second, … candidate;"
    yield "then the same with as many words drawn at random from all candidates, what"
    yield "the first is above the second with its 95 % interval, and the mean over the"
    yield "readings alone, of the candidates and of words at random:"
    for engine, sets in results["engines"].items():
        for where, row in sets.items():
            yield (
                f"  {engine.rpartition('/')[2]:16}{where:16}{row['sentences']:6}"
                f" of {results['of'][where]:<5} helped {row['helped']:5}"
                f"{row['before']:7.2f}{row['oracle']:7.2f}{row['random']:7.2f}"
                "{:+7.2f} ({:+.2f} to {:+.2f})".format(*row["gain"])
                + f"{row['one']:7.2f}{row['random_one']:7.2f}"
            )


def _table_1(engine: str, variants: dict[str, Any]) -> Iterator[str]:
    shown = f"  {engine.rpartition('/')[2]:22}"
    for name, row in variants.items():
        before, after = row["tags"]["before"] or 0.0, row["tags"]["after"] or 0.0
        f1 = row["f1"]
        yield (
            f"{shown}{name:10}{after:7.1f}{f1['after']:7.1f}   "
            f"baseline {before:.1f}, {f1['before']:.1f}"
        )


def _rule(sample: int) -> str:
    return f"the first {sample} in one random order" if sample else "all"


def _table_2(row: dict[str, Any], whole: int) -> str:
    f1, part = row["f1"], row["changed_only"]["f1"]
    there = f"{part['before']:6.1f}{part['after']:6.1f}" if row["changed"] else ""
    return (
        f"{row['sentences']:6} of {whole:<5}{f1['before']:7.2f}{f1['after']:7.2f}"
        f"  p={row['p']:.4f} Holm={row.get('p_holm', 1.0):.4f}"
        f"{row['changed']:6} of {row['replaced']:<5}{there}"
        f"   tags {row['tags']['before']} to {row['tags']['after']}"
    )
