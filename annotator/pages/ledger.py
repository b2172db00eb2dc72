"""Changes as text, for the ledger's page, its API and its files."""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotator import access
from annotator.errors import BadRequest
from annotator.models import JointRun, TreeChange
from annotator.models.joint import TreeChangeQuerySet
from annotator.models.projects import Anybody
from annotator.pages.corpora import next_page
from annotator.services.parses import ledger
from core.data.cells import plain_cell

PAGE = 50
CHUNK = 500
KEYS = ("", "1", "2", "3", "4")  # of the verdicts
FORMS = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
COLUMNS = (
    *("change", "engine", "version", "pair", "ref", "domain", "operations", "side"),
    *("kind", "start", "end", "words", "before", "after", "label_before"),
    *("label_after", "prob_before", "prob_after", "confidence", "because", "gold"),
    *("verdict", "judged_by", "judged_at", "revision", "sentence"),
)


@dataclass(frozen=True, slots=True)
class Pull:
    """A supporting link: a word of this side, its partner, the probability."""

    here: str
    there: str
    prob: float | None


@dataclass(frozen=True, slots=True)
class Words:
    """A change as text. ``tokens``: the sentence, each token with its part in the
    change: "on" for the changed word, "old" and "new" for the heads, or nothing."""

    text: str
    before: str
    after: str
    tokens: tuple[tuple[str, str], ...]
    because: tuple[Pull, ...]


def shown(
    run: JointRun, fits: TreeChangeQuerySet, query: QueryDict, *, by: Anybody
) -> dict[str, Any]:
    """A page of changes that fit; ``query`` says in which order and after which."""
    project = run.corpus.project
    sort, after = query.get("sort", ""), query.get("after", "")
    page = list(ledger.ordered(fits, run, sort=sort, after=after)[: PAGE + 1])
    rows = page[:PAGE]
    more = len(page) > PAGE
    return {
        "project": project,
        "corpus": run.corpus,
        "run": run,
        "runs": list(run.corpus.joint_runs.filter(n_pairs__gt=0)),
        "choices": ledger.choices(run),
        "sort": sort,
        "sorts": ledger.SORTS.items(),
        "rows": [row_of(change) for change in rows],
        "verdicts": verdicts(),
        "next_url": next_page(query, rows[-1].code) if more else "",
        "first_url": next_page(query, "") if after else "",
        "stale": ledger.is_stale(run),
        "may_judge": access.may(by, "annotate", project),
        "may_export": access.may(by, "export", project),
        "data": _config(run, by),
    }


def _config(run: JointRun, by: Anybody) -> dict[str, Any]:
    """The configuration of the page's script."""
    may_judge = access.may(by, "annotate", run.corpus.project)
    return {
        "run": run.code,
        "user": by.get_username(),
        "url": reverse("api_verdicts", args=[run.code]),
        "mine": ledger.last_of(run, by) if may_judge else [],
    }


def words_of(change: TreeChange) -> Words:
    """The change in the words of its sentence; its pair and sentences are loaded."""
    pair = change.result.pair
    sides = pair.source.forms, pair.target.forms
    here, there = sides if change.side == "s" else sides[::-1]
    parts = [""] * len(here)
    for i in range(change.start, min(change.end, len(here))):
        parts[i] = "on"
    if change.kind == TreeChange.Kind.ARC:
        for head, part in ((change.head_before, "old"), (change.head_after, "new")):
            if head is not None and 0 <= head < len(here):
                parts[head] = part if not parts[head] else "both"
        before = _arc(here, change.head_before, change.label_before)
        after = _arc(here, change.head_after, change.label_after)
    else:
        before = change.label_before or _("no phrase")
        after = change.label_after or _("no phrase")
    return Words(
        " ".join(here[change.start : change.end]),
        before,
        after,
        tuple(zip(here, parts, strict=True)),
        tuple(_pull(row, change.side, here, there) for row in change.because),
    )


def _arc(words: list[str], head: int | None, label: str) -> str:
    if head is None or head < 0:
        return f"{label}, ROOT"
    name = f"{words[head]} ({head + 1})"
    return _("%(label)s of %(word)s") % {"label": label, "word": name}


def _pull(row: list[Any], side: str, here: list[str], there: list[str]) -> Pull:
    source, target, prob = row
    mine, theirs = (source, target) if side == "s" else (target, source)
    return Pull(_word(here, mine), _word(there, theirs), prob)


def _word(words: list[str], ref: str) -> str:
    at = int(ref[1:])
    return words[at] if ref[0] == "w" and at < len(words) else ref


def row_of(change: TreeChange) -> dict[str, Any]:
    """A change as a row with its form, which sends its own uuid."""
    return {
        "change": change,
        "pair": change.result.pair,
        "words": words_of(change),
        "uuid": uuid4(),
        "side": _("source") if change.side == "s" else _("target"),
    }


def verdicts() -> list[tuple[str, str, str]]:
    """Key, value and name of each verdict, the one of taking back left out."""
    choices = zip(KEYS, TreeChange.Verdict.choices, strict=True)
    return [(key, value, str(name)) for key, (value, name) in choices if value]


def totals_of(counts: ledger.Totals) -> dict[str, Any]:
    """The table of counts as it is printed."""
    verdicts = [(v, TreeChange.Verdict(v).label) for v in (*TreeChange.Verdict.values,)]
    heads = [*verdicts[1:], verdicts[0]]
    rows = [
        {
            "gold": gold,
            "name": TreeChange.Gold(gold).label,
            "cells": [counts.cells[gold][verdict] for verdict, _name in heads],
            "n": counts.of_gold(gold),
        }
        for gold in counts.cells
    ]
    shares = [counts.share(verdict) for verdict, _name in heads[:-1]]
    return {
        "heads": heads,
        "rows": rows,
        "sums": [counts.of_verdict(verdict) for verdict, _name in heads],
        "shares": [None if s is None else 100 * s for s in shares],
        "n": counts.n,
        "judged": counts.judged,
        "fixed": counts.of_gold("fixed"),
        "broken": counts.of_gold("broken"),
        "real_fixes": counts.of_verdict("fix"),
        "real_errors": counts.of_verdict("error"),
        "fixed_left": counts.real("fixed"),
        "broken_left": counts.real("broken"),
        "reduction": None if counts.reduction is None else 100 * counts.reduction,
        "errors": counts.errors.items(),
    }


def record(change: TreeChange, run: JointRun) -> dict[str, Any]:
    """One change as plain values, as files and programs get it: in English."""
    with override("en"):
        worded = words_of(change)
    pair = change.result.pair
    fields = {
        "change": change.code,
        "engine": run.engine,
        "version": run.version,
        "pair": pair.code,
        "ref": pair.ref,
        "domain": change.domain,
        "operations": [name for name in change.operations.split("|") if name],
        "side": "source" if change.side == "s" else "target",
        "kind": change.kind,
        "start": change.start + 1,
        "end": change.end,
        "words": worded.text,
        "before": worded.before,
        "after": worded.after,
        "because": [f"{one.here} ~ {one.there}" for one in worded.because],
        "judged_by": str(change.judged_by) if change.judged_by_id else "",
        "judged_at": change.judged_at.isoformat() if change.judged_at else "",
        "sentence": " ".join(word for word, _part in worded.tokens),
    }
    return {
        name: fields[name] if name in fields else getattr(change, name)
        for name in COLUMNS
    }


def export(
    rows: TreeChangeQuerySet, run: JointRun, form: str, *, by: Anybody
) -> Iterator[str]:
    """The rows as CSV or JSON, streamed. Positions count from 1, both ends included.

    Raises NotAllowed or BadRequest before the first piece.
    """
    access.require(by, "export", run.corpus.project)
    if form not in FORMS:
        raise BadRequest(_("The ledger is written as csv or json."), field="form")
    records = (record(row, run) for row in rows.iterator(CHUNK))
    return _csv(records) if form == "csv" else _json(records, run)


def _csv(records: Iterator[dict[str, Any]]) -> Iterator[str]:
    yield _line(COLUMNS)
    for one in records:
        one["operations"] = " ".join(one["operations"])
        one["because"] = "; ".join(one["because"])
        yield _line(_cell(one[name]) for name in COLUMNS)


def _cell(value: Any) -> Any:
    return "" if value is None else plain_cell(value)


def _line(cells: Any) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue()


def _json(records: Iterator[dict[str, Any]], run: JointRun) -> Iterator[str]:
    about = {"run": run.code, "label": run.label, "parameters": run.parameters}
    yield json.dumps(about)[:-1] + ', "changes": ['
    for at, one in enumerate(records):
        yield (",\n" if at else "\n") + json.dumps(one, ensure_ascii=False)
    yield "\n]}\n"
