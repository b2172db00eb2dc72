"""Search the trees, arcs and links of a corpus: query News 'NP ~ PP'."""

import json
from typing import Any

from django.core.management.base import CommandParser

from annotator.exchange.written import FORMS
from annotator.management.database import DatabaseCommand, corpus_called
from annotator.services.queries import index, running
from annotator.services.queries.contexts import ConcordanceLine, lines
from annotator.services.queries.grouping import GROUPINGS, grouped
from annotator.services.queries.labels import UnknownLabel


class Command(DatabaseCommand):
    help = (
        "Search the trees of a corpus: query NAME 'NP ~ PP'. See docs/queries.md for "
        "the query language. Shows everyone's work, whoever runs it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", help="name or code of the corpus")
        parser.add_argument("query", help="query, in quotes")
        parser.add_argument(
            "--limit", type=int, default=20, help="number of matches to list"
        )
        parser.add_argument(
            "--json", action="store_true", help="print the counts as JSON"
        )
        parser.add_argument(
            "--by", choices=list(GROUPINGS), help="count the matches by groups"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = corpus_called(options["corpus"])
        index.catch_up([corpus.pk])
        search = running.search(options["query"], [corpus], None)
        if options["by"]:
            self._grouped(search, options)
            return
        counts = search.counts()
        if options["json"]:
            text = json.dumps(_counted(counts), ensure_ascii=False, indent=1)
        else:
            text = "\n".join(_listed(search, counts, options["limit"]))
        self.stdout.write(text)

    def _grouped(self, search: running.Search, options: dict[str, Any]) -> None:
        table = grouped(search, options["by"]).table()
        file = FORMS["jsonl" if options["json"] else "csv"]
        self.stdout.write(b"".join(file.write(table)).decode(), ending="")


def _counted(counts: running.MatchCounts) -> dict[str, Any]:
    report: dict[str, Any] = {
        "matches": counts.matches,
        "sentences": counts.sentences,
        "pairs": counts.pairs,
        "labels": dict(counts.by_label.most_common()),
    }
    return report if counts.is_whole else report | {"at_least": True}


def _listed(
    search: running.Search, counts: running.MatchCounts, limit: int
) -> list[str]:
    least = "" if counts.is_whole else "at least "
    head = (
        f"matches: {least}{counts.matches}; sentences: {counts.sentences}; "
        f"pairs: {counts.pairs}"
    )
    page = search.page(size=max(1, limit)).matches if limit > 0 else []
    unknown = [_unknown(one) for one in search.unknown(is_found=counts.matches > 0)]
    return [head, *unknown, *(_shown(line) for line in lines(page))]


def _unknown(one: UnknownLabel) -> str:
    similar = f" Similar: {', '.join(one.similar)}." if one.similar else ""
    return f"No tree here has {one.label}.{similar}"


def _shown(line: ConcordanceLine) -> str:
    where = line.ref or line.code
    text = f"{where}\t{line.before} [{line.label} {line.match}] {line.after}"
    if line.other is not None:
        text += f"\t~ {line.other.before} [{line.other.label} {line.other.match}]"
        text += f" {line.other.after}"
    return text
