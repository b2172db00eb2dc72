"""Agreement of ratings in a file: every measure, with its interval, as text or JSON."""

import argparse
import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotator.exchange import ratings as files
from annotator.exchange.peers import ratings as peers
from annotator.exchange.peers.registry import PEERS
from annotator.exchange.peers.reports import TransferReport
from core.agreement.alignments.layers import agreed_share, human_row, link_f1
from core.agreement.figures import Figure, as_json
from core.agreement.judgments.people import against_gold
from core.agreement.measures import Agreement, measure_all
from core.data.ratings import Ratings, Scale
from core.errors import GemelError

THRESHOLDS = {"meaning": 3.0, "grammar": 4.0}  # Callison-Burch 2008


class Command(BaseCommand):
    help = "Measure the agreement of ratings from a file."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "path", type=Path, help="file of ratings, or the folder that holds it"
        )
        formats = (*files.FORMATS, *PEERS)
        parser.add_argument(
            "--format", required=True, choices=formats, help="format of the file"
        )
        parser.add_argument("--scale", help="measure this scale only (default: all)")
        parser.add_argument(
            "--range",
            metavar="LOW:HIGH",
            help=("lowest and highest value of the scale, where the file does not say"),
        )
        parser.add_argument(
            "--threshold",
            type=float,
            help=(
                "also measure agreement on values of at least this one "
                "(default: 3 for meaning, 4 for grammar)"
            ),
        )
        parser.add_argument(
            "--replicates",
            type=int,
            default=2000,
            help="bootstrap replicates (default: %(default)s)",
        )
        parser.add_argument(
            "--seed",
            type=int,
            default=0,
            help="seed of the bootstrap (default: %(default)s)",
        )
        parser.add_argument(
            "--json", action="store_true", help="print JSON instead of text"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            report = _report(options)
        except (GemelError, OSError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False, indent=1))
        else:
            self.stdout.write("\n".join(_lines(report)))


def _report(options: dict[str, Any]) -> dict[str, Any]:
    ratings, export = _loaded(options)
    tables = ratings.tables
    if options["scale"]:
        if options["scale"] not in tables:
            there = ", ".join(tables) or "none"
            raise CommandError(
                f"There is no scale {options['scale']!r}. Scales: {there}"
            )
        tables = {options["scale"]: tables[options["scale"]]}
    report: dict[str, Any] = {
        "items": ratings.n_items,
        "annotators": ratings.n_annotators,
        "ratings": ratings.n_ratings,
        "scales": {},
    }
    if options["scale"] and not ratings.sure:
        table = tables[options["scale"]]
        report |= {
            "items": len(table.items),
            "annotators": len(table.annotators),
            "ratings": table.n + len(table.repeats),
        }
    for name, table in tables.items():
        body = _scale(table, options)
        if name in ratings.gold:
            body["gold"] = _gold(table, against_gold(table, ratings.gold[name]))
        at = options["threshold"]
        at = THRESHOLDS.get(name) if at is None else at
        if at is not None and table.scale.is_ordered:
            cut = _scale(table.at_least(at), options)
            body["threshold"] = {"at": at, **cut}
        report["scales"][name] = body
    if ratings.sure:
        report["alignment"] = _alignment(ratings)
    if export is not None:
        report["export"] = export.as_params()
    return report


def _loaded(options: dict[str, Any]) -> tuple[files.RatingFile, TransferReport | None]:
    """The ratings, and what the export of a tool held."""
    path, form, scales = options["path"], options["format"], _declared(options)
    if form in PEERS:
        return peers.load(path, form, scales=scales)
    return files.load(path, form, scales=scales), None


def _declared(options: dict[str, Any]) -> dict[str, Scale]:
    if not options["range"]:
        return {}
    if not options["scale"]:
        raise CommandError("--range needs --scale")
    low, _, high = options["range"].partition(":")
    try:
        return {options["scale"]: Scale.span(options["scale"], int(low), int(high))}
    except ValueError as error:
        raise CommandError("--range needs two whole numbers, such as 1:5") from error


def _scale(table: Ratings, options: dict[str, Any]) -> dict[str, Any]:
    agreement = measure_all(
        table, replicates=options["replicates"], seed=options["seed"]
    )
    return {
        **{name: as_json(figure) for name, figure in agreement.figures.items()},
        "pairs": _pairs(table, agreement),
        "points": list(table.scale.labels),
        "items": len(table.items),
        "items_shared": agreement.n_shared,
        "annotators": len(table.annotators),
        "ratings": table.n + len(table.repeats),
        "repeats": len(table.repeats),
        "clusters": int(table.cluster.max(initial=-1)) + 1,
        "replicates": agreement.replicates,
        "seed": agreement.seed,
    }


def _pairs(table: Ratings, agreement: Agreement) -> list[dict[str, Any]]:
    return [
        {
            "annotators": [table.annotators[pair.first], table.annotators[pair.second]],
            "n": pair.n,
            **{name: as_json(figure) for name, figure in pair.figures.items()},
        }
        for pair in agreement.pairs
    ]


def _gold(table: Ratings, rows: dict[str, list[Figure]]) -> list[dict[str, Any]]:
    return [
        {
            "annotator": name,
            **{measure: as_json(figures[at]) for measure, figures in rows.items()},
        }
        for at, name in enumerate(table.annotators)
    ]


def _alignment(ratings: files.RatingFile) -> dict[str, Any]:
    people = list(ratings.sure)
    sure = [ratings.sure[who] for who in people]
    human = human_row(sure)
    return {
        "link_f1": [
            {
                "annotators": [a, b],
                "sure": as_json(link_f1(ratings.sure[a], ratings.sure[b])),
                "any": as_json(link_f1(ratings.linked[a], ratings.linked[b])),
            }
            for at, a in enumerate(people)
            for b in people[at + 1 :]
        ],
        "all_agree": as_json(agreed_share(sure)),
        "human_recall": as_json(human.recall),
        "human_precision": as_json(human.precision),
    }


def _lines(report: dict[str, Any]) -> list[str]:
    lines = [
        f"{report['items']} items, {report['annotators']} annotators, "
        f"{report['ratings']} ratings"
    ]
    if export := report.get("export"):
        lines = [export["title"], *_left(TransferReport(**export)), "", *lines]
    for name, body in report["scales"].items():
        lines += ["", f"{name} ({body['items_shared']} items with two judges or more)"]
        for measure, figure in body.items():
            if isinstance(figure, dict) and (
                "value" in figure or "undefined" in figure
            ):
                lines.append(f"  {measure:<16} {_shown(figure)}")
    return lines


def _left(export: TransferReport) -> list[str]:
    """What of the export was not taken, and why."""
    lines = [f"  not taken: {n} {unit}: {why}" for unit, n, why in export.left]
    return lines + [f"  not taken: {n} {what}" for what, n in export.losses]


def _shown(figure: dict[str, Any]) -> str:
    if "undefined" in figure:
        return f"undefined: {figure['undefined']}"
    if figure["low"] is None:
        return f"{figure['value']:6.3f}  ({figure.get('note', 'no interval')})"
    note = f"  ({figure['note']})" if figure.get("note") else ""
    return (
        f"{figure['value']:6.3f}  [{figure['low']:.3f}, {figure['high']:.3f}]"
        f"  n = {figure['n']}{note}"
    )
