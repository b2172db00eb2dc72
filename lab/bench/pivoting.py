"""From text to a table of paraphrases, stage by stage: minutes and peak memory.

    python -m lab bench pivoting DATA WORK --every 8 [--text COLLECTION …]
                             [--parse 60000] [--words 4]

Takes line 0, 8, 16, … of all parallel text in DATA: with 4, 2 and 1 instead, growth is
seen. ``--parse``: only so many English sentences are parsed, those with the most
counterparts (a parse serves all of them); the rest counts without labels. ``--words``:
of a phrase, at most. Each piece of work is a process of its own, one after the other;
what WORK holds is not done again, so a run that was stopped, or was given so many
``--minutes``, goes on. Trees are shared between fractions. Next to wall-clock time
stands the CPU time of all threads, which says more where a machine is shared;
``peak_mb`` is of the process.
"""

import argparse
import json
import multiprocessing
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.parsing.registry import DEFAULT, load
from core.pivoting.bitext import Bitext, BitextPair, trees_in, write_pairs
from core.pivoting.building.pipeline import build_table
from core.pivoting.building.settings import BuildSettings, PairsFile
from core.pivoting.table import open_table
from core.word_alignment.bilingual import align_bitext
from lab.reproduce.bitexts import COLLECTIONS, bitexts_in
from lab.reproduce.pivot_tables import parsed

PIECE = 4000  # sentences that one process parses


@dataclass(frozen=True, slots=True)
class TableBuild:
    """``every``: of the lines of ``names`` in ``data``, one in so many; ``parse``:
    English sentences that are parsed, 0: all; ``words``: of a phrase, at most."""

    data: Path
    work: Path
    every: int
    names: tuple[str, ...]
    parse: int = 0
    words: int = 5

    @property
    def pairs(self) -> list[Path]:
        texts = bitexts_in(self.data, self.names)
        return [
            self.work / f"every-{self.every}" / f"{t.corpus}.parquet" for t in texts
        ]

    @property
    def table(self) -> Path:
        name = "table" + (f"-{self.parse}" if self.parse else "")
        return self.work / f"every-{self.every}" / name

    @property
    def rules(self) -> BuildSettings:
        return BuildSettings(max_length=self.words, parsed_only=not self.parse)

    def english(self) -> list[str]:
        """Return the sentences to parse, in order."""
        if not self.parse:
            return sorted({e for path in self.pairs for e in Bitext(path).sources()})
        times = Counter(p.source for path in self.pairs for p in Bitext(path).pairs())
        return sorted(times, key=lambda text: (-times[text], text))[: self.parse]


def main() -> int:
    given = _arguments()
    job = TableBuild(
        given.data,
        given.work,
        given.every,
        tuple(given.text),
        parse=given.parse,
        words=given.words,
    )
    until = time.monotonic() + 60 * given.minutes if given.minutes else None
    for name, work, values in _pieces(job):
        if until and time.monotonic() > until:
            sys.stderr.write("not done yet: run it again\n")
            return 3
        process = multiprocessing.get_context("spawn").Process(
            target=_measured, args=(job, name, work, values)
        )
        process.start()
        process.join()
        if process.exitcode:
            return 1
    sys.stdout.write(json.dumps(_summary(job), indent=1) + "\n")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--every", type=int, default=8)
    parser.add_argument("--text", nargs="+", default=sorted(COLLECTIONS))
    parser.add_argument("--parse", type=int, default=0, help="sentences; 0: all")
    parser.add_argument("--words", type=int, default=5, help="longest phrase, in words")
    parser.add_argument("--minutes", type=float, default=0, help="then stop; 0: never")
    return parser.parse_args()


Work = Callable[..., Iterator[tuple[str, dict[str, Any]]]]


def _pieces(job: TableBuild) -> Iterator[tuple[str, Work, tuple[Any, ...]]]:
    for at, path in enumerate(job.pairs):
        if not path.is_file():
            yield "align", _align, (at,)
    english = job.english()
    held = trees_in(sorted((job.work / "parses").glob("*.parquet")), english)
    left = [text for text in english if text not in held]
    for first in range(0, len(left), PIECE):
        yield "parse", _parse, (left[first : first + PIECE],)
    if not (job.table / "manifest.json").is_file():
        yield "build", _build, ()


def _align(job: TableBuild, at: int) -> Iterator[tuple[str, dict[str, Any]]]:
    text = bitexts_in(job.data, job.names)[at]
    rows = list(text.pairs(every=job.every))
    yield "read", {"pairs": len(rows)}
    links = align_bitext([e for _, e, _ in rows], [f for _, _, f in rows])
    tokens = sum(e.count(" ") + 1 for _, e, _ in rows)
    yield "align", {"pairs": len(rows), "tokens": tokens}
    made = zip(rows, links.lines(), strict=True)
    write_pairs(
        job.pairs[at], (BitextPair(n, text.corpus, e, f, x) for (n, e, f), x in made)
    )
    yield "write", {}


def _parse(job: TableBuild, english: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    parsed(english, job.work / "parses", load(DEFAULT), lambda line: None)
    tokens = sum(text.count(" ") + 1 for text in english)
    yield "parse", {"sentences": len(english), "tokens": tokens}


def _build(job: TableBuild) -> Iterator[tuple[str, dict[str, Any]]]:
    trees = tuple(sorted((job.work / "parses").glob("*.parquet")))
    sources = [PairsFile(path, trees) for path in job.pairs]
    for step in build_table(job.table, sources, job.rules):
        yield step.note.split(" ")[0], {}


def _measured(job: TableBuild, name: str, work: Work, values: tuple[Any, ...]) -> None:
    """Run the build and log the cost of each step."""
    log = job.work / (f"every-{job.every}.jsonl" if name != "parse" else "parse.jsonl")
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as out:
        begun = time.monotonic(), time.process_time()
        for part, facts in work(job, *values):
            now = time.monotonic(), time.process_time()
            cost = {"wall": now[0] - begun[0], "cpu": now[1] - begun[1]}
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            row = {"stage": name, "part": part, **cost, "peak_mb": peak, **facts}
            out.write(json.dumps(row) + "\n")
            out.flush()
            Path("/proc/self/clear_refs").write_text("5")  # the peak from here on
            begun = now


def _summary(job: TableBuild) -> dict[str, Any]:
    logs = [job.work / f"every-{job.every}.jsonl", job.work / "parse.jsonl"]
    stages: dict[str, dict[str, float]] = {}
    for log in logs:
        for line in log.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            one = stages.setdefault(f"{row['stage']} {row['part']}", {})
            for key in ("wall", "cpu", "pairs", "sentences", "tokens"):
                if key in row:
                    one[key] = round(one.get(key, 0) + row[key], 1)
            one["peak_mb"] = round(max(one.get("peak_mb", 0), row["peak_mb"]))
    english = job.english()
    table = open_table(job.table)
    sizes = {
        "pairs": sum(len(Bitext(path)) for path in job.pairs),
        "english": len(english),
        "tokens": sum(text.count(" ") + 1 for text in english),
        **table.size(),
    }
    table.close()
    return {"every": job.every, "sizes": sizes, "stages": stages}


if __name__ == "__main__":
    raise SystemExit(main())
