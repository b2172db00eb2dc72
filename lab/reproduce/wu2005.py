"""Wu 2005, "Recognizing paraphrases and textual entailment using ITG"."""

import argparse
import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.agreement.figures import Estimate
from core.data.check import Floats
from core.errors import InvalidValue
from core.itg.features import GROUPS, PairView, features
from core.itg.scores import SCORERS, shipped
from core.learning.logistic import LogisticModel
from core.parsing.registry import Say
from core.text.wordnet import find_thesaurus
from lab.evaluation.fitting import fit_logistic
from lab.evaluation.ranking import RankingReport, best_threshold, evaluate
from lab.reproduce.overlap import BASELINES
from lab.reproduce.pairs import LabelledPairs, encode, load
from lab.reproduce.wu2005_labels import compared
from lab.reproduce.wu2005_labels import lines as lines_of_labels
from lab.reproduce.wu2005_settings import by_settings
from lab.reproduce.wu2005_settings import lines as lines_of_settings

HELP = "paraphrase and entailment by ITG biparsing (Wu 2005), on MSRPC and RTE-1"
PAPER: dict[str, dict[str, Any]] = {
    "msrpc": {"ap": 76.1},
    "rte1": {"cws": 54.97, "accuracy": 51.25},
    "rte1_stop": {"cws": 53.61, "accuracy": 50.50},
    "by_task": {
        "CD": (79.88, 71.33),
        "PP": (57.26, 56.00),
        "IE": (59.92, 55.00),
        "MT": (34.30, 40.00),
        "RC": (49.37, 47.14),
        "IR": (43.14, 46.67),
        "QA": (33.20, 40.77),
    },
}
UNTRAINED = ("wu2005", "plain", "thesaurus")
ENTAILED = ("wu2005-rte", "wu2005-stop", "plain", "thesaurus")
PENALTY = {"paraphrase": 10.0, "entailment": 30.0}
SEED = 2005


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, required=True, help="holds msrpc/ and rte/"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="score this file of MSRPC or RTE format, too, with the tuned settings",
    )
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument(
        "--labelled",
        type=int,
        metavar="N",
        help="only this: six nonterminals against one, on N short pairs of MSRPC train "
        "and of test, the grammar from gum/train/const",
    )
    parser.add_argument(
        "--fit",
        type=Path,
        metavar="FOLDER",
        help="fit the tuned weights on MSRPC train and RTE-1 dev, and write them there",
    )


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Return all figures in percent, as nested plain values."""
    study = _Study(options["data"], options["replicates"])
    if options["labelled"]:
        treebank = options["data"] / "gum" / "train" / "const"
        labelled = compared(treebank, study.train, study.test, options["labelled"])
        return {"labelled": labelled}
    extra = [_named(text) for text in options["set"]]
    study.encode(*(pairs for pairs in extra))
    say("sentences encoded")
    if options["fit"]:
        return {"written": study.write_weights(options["fit"])}
    results = {
        "model": study.model,
        "thesaurus": study.thesaurus is not None,
        "notes": study.notes,
        "msrpc": study.msrpc(),
        "rte1": study.rte1(),
        "settings": by_settings(study.train, study.test, study.rte),
        "sets": {pairs.name: study.further(pairs) for pairs in extra},
        "paper": PAPER,
    }
    return results


def _named(text: str) -> LabelledPairs:
    name, sign, path = text.partition("=")
    if not sign or not name:
        raise InvalidValue(f"--set {text}: NAME=FILE wanted")
    return load(name, Path(path))


class _Study:
    """The four standard sets, and what they have in common."""

    def __init__(self, data: Path, replicates: int) -> None:
        self.replicates = replicates
        texts, rte = data / "msrpc", data / "rte"
        train = [texts / "msr-para-train.tsv", texts / "msr-para-val.tsv"]
        self.train = load("train", *train)
        self.test = load("test", texts / "msr-para-test.tsv")
        self.dev = load("dev", rte / "rte1_dev.xml")
        self.rte = load("rte1", rte / "rte1_test.xml")
        self.thesaurus, missing = find_thesaurus()
        self.notes = [missing] if missing else []
        self.model = ""

    def encode(self, *extra: LabelledPairs) -> None:
        """Add word vectors to every set, if the English model is installed."""
        self.model = encode([self.train, self.test, self.dev, self.rte, *extra])
        if not self.model:
            self.notes.append("no English model: context is left out")
        elif (
            known := shipped("paraphrase", context=True).get("vectors")
        ) != self.model:
            self.notes.append(
                f"the tuned weights know the vectors of {known}; here is {self.model}: "
                "fit them again with --fit"
            )

    def views(self, pairs: LabelledPairs) -> list[PairView]:
        """Return the pairs as the tuned scorer of their kind sees them."""
        vectors = pairs.vectors or [None] * len(pairs)
        return [
            SCORERS[pairs.kind].view(*sides, self.thesaurus, both)
            for sides, both in zip(pairs.sides, vectors, strict=True)
        ]

    def scores(self, name: str, pairs: LabelledPairs) -> Floats:
        """Return the score of every pair by one scorer or baseline."""
        if name in BASELINES:
            return np.array([BASELINES[name](*sides) for sides in pairs.sides])
        scorer = SCORERS[name]
        vectors = pairs.vectors or [None] * len(pairs)
        rows = zip(pairs.sides, vectors, strict=True)
        views = (scorer.view(*sides, self.thesaurus, both) for sides, both in rows)
        return np.array([scorer.score(view).value for view in views])

    def report(
        self, scores: Floats, pairs: LabelledPairs, threshold: float
    ) -> RankingReport:
        return evaluate(
            scores,
            pairs.positive,
            threshold=threshold,
            replicates=self.replicates,
            seed=SEED,
        )

    def msrpc(self) -> dict[str, Any]:
        """Measure MSRPC test: every scorer, each ingredient, and their gains."""
        rows: dict[str, RankingReport] = {}
        for name in (*BASELINES, *UNTRAINED, *(["context"] if self.model else [])):
            threshold = best_threshold(
                self.scores(name, self.train), self.train.positive
            )
            rows[name] = self.report(self.scores(name, self.test), self.test, threshold)
        rows["tuned"] = self.report(
            self.scores("paraphrase", self.test), self.test, 0.5
        )
        ladder = self.ladder()
        best, untrained = rows["tuned"], rows["thesaurus"]
        return {
            **_percent(best),
            "untrained_ap": _points(untrained.figures["ap"]),
            "untrained_accuracy": _points(untrained.figures["accuracy"]),
            "overlap_ap": _points(rows["overlap"].figures["ap"]),
            "n": len(self.test),
            "positive": round(100 * float(self.test.positive.mean()), 2),
            "rows": {name: _row(report) for name, report in rows.items()},
            "ingredients": {name: _row(report) for name, report in ladder.items()},
            "gains": _gains(rows, ladder),
            "equal_overlap": self.equal_overlap(),
        }

    def ladder(self) -> dict[str, RankingReport]:
        """Measure logistic models that get one ingredient after the other."""
        groups = GROUPS if self.model else GROUPS[:-1]
        train = [features(view, groups) for view in self.views(self.train)]
        test = [features(view, groups) for view in self.views(self.test)]
        reports: dict[str, RankingReport] = {}
        sample = self.views(self.train)[0]
        for k in range(1, len(groups) + 1):
            names = list(features(sample, groups[:k]))
            model = _fit(train, names, self.train)
            nats = model.nats(_matrix(test, names))
            reports["+".join(groups[:k])] = self.report(nats, self.test, 0.0)
        return reports

    def equal_overlap(self) -> dict[str, float]:
        """Return how often the better of two pairs with equal overlap scores higher.

        Over all (positive, negative) pairs of pairs within a percentile band of
        overlap 1 % wide; 50 is chance, ties count half.
        """
        overlap = self.scores("overlap", self.test)
        order = np.argsort(overlap, kind="stable")
        band = np.empty(len(order), dtype=np.int64)
        band[order] = np.arange(len(order)) * 100 // len(order)
        names = ["overlap", "plain", "thesaurus", *(["context"] if self.model else [])]
        table = {name: self.scores(name, self.test) for name in (*names, "paraphrase")}
        return {
            name: round(100 * _within(scores, self.test.positive, band), 2)
            for name, scores in table.items()
        }

    def rte1(self) -> dict[str, Any]:
        """Measure RTE-1 test, overall and by task, by the median and tuned."""
        rows: dict[str, Any] = {}
        for name in (*BASELINES, *ENTAILED):
            scores = self.scores(name, self.rte)
            rows[name] = self._by_task(scores, float(np.median(scores)))
        scores = self.scores("entailment", self.rte)
        rows["tuned"] = self._by_task(scores, 0.5)
        return {**rows["tuned"], "n": len(self.rte), "rows": rows}

    def _by_task(self, scores: Floats, threshold: float) -> dict[str, Any]:
        whole = _percent(self.report(scores, self.rte, threshold))
        tasks: dict[str, Any] = {}
        for task in PAPER["by_task"]:
            of = self.rte.with_task(task)
            part = evaluate(
                scores[of],
                self.rte.positive[of],
                threshold=threshold,
                replicates=self.replicates,
                seed=SEED,
            )
            tasks[task] = _percent(part) | {"n": int(of.sum())}
        return whole | {"by_task": tasks}

    def further(self, pairs: LabelledPairs) -> dict[str, Any]:
        """Measure a further set with the shipped settings of its kind."""
        report = self.report(self.scores(pairs.kind, pairs), pairs, 0.5)
        plain = self.report(self.scores("thesaurus", pairs), pairs, 0.5)
        overlap = self.report(self.scores("overlap", pairs), pairs, 0.5)
        return _percent(report) | {
            "untrained_ap": _points(plain.figures["ap"]),
            "overlap_ap": _points(overlap.figures["ap"]),
            "kind": pairs.kind,
            "n": len(pairs),
            "unreadable": pairs.n_bad,
        }

    def write_weights(self, folder: Path) -> list[str]:
        """Fit and write the tuned weights, with and without context."""
        written = []
        for pairs in (self.train, self.dev):
            rows = [features(view) for view in self.views(pairs)]
            for context in (False, True) if self.model else (False,):
                plain = features(self.views(pairs)[0], GROUPS[:-1])
                names = list(rows[0]) if context else list(plain)
                model = _fit(rows, names, pairs)
                name = f"{pairs.kind}{'-context' if context else ''}.json"
                head = {"fitted_on": pairs.name, "vectors": self.model * context}
                text = json.dumps(head | model.to_json(), indent=1)
                (folder / name).write_text(text + "\n", encoding="utf-8")
                written.append(name)
        return written


def _matrix(rows: Sequence[dict[str, float]], names: Sequence[str]) -> Floats:
    return np.array([[row.get(name, 0.0) for name in names] for row in rows])


def _fit(
    rows: Sequence[dict[str, float]], names: Sequence[str], pairs: LabelledPairs
) -> LogisticModel:
    whole = [k for k, row in enumerate(rows) if all(name in row for name in names)]
    return fit_logistic(
        _matrix([rows[k] for k in whole], names),
        pairs.positive[whole],
        names,
        penalty=PENALTY[pairs.kind],
    )


def _points(figure: object) -> float | None:
    return round(100 * figure.value, 2) if isinstance(figure, Estimate) else None


def _percent(report: RankingReport) -> dict[str, Any]:
    """Return figures in percent, with the ends of their intervals."""
    ends = {
        name: [round(100 * (x or 0.0), 2) for x in (figure.low, figure.high)]
        for name, figure in report.figures.items()
        if isinstance(figure, Estimate)
    }
    values = {name: _points(figure) for name, figure in report.figures.items()}
    return values | {"intervals": ends}


def _row(report: RankingReport) -> dict[str, Any]:
    return _percent(report) | {"threshold": round(report.threshold, 4)}


def _gains(
    rows: dict[str, RankingReport], ladder: dict[str, RankingReport]
) -> dict[str, Any]:
    """Return paired differences in AP on the same bootstrap samples."""
    steps = {"structure over overlap, untrained": (rows["overlap"], rows["plain"])}
    steps["thesaurus over structure, untrained"] = (rows["plain"], rows["thesaurus"])
    if "context" in rows:
        pair = (rows["thesaurus"], rows["context"])
        steps["context over thesaurus, untrained"] = pair
    named = list(ladder.items())
    for (_, before), (name, after) in pairwise(named):
        steps[f"{name.rpartition('+')[2]} over the rest, trained"] = (before, after)
    return {
        name: {
            measure: _difference(before.columns[measure], after.columns[measure])
            for measure in ("ap", "accuracy")
        }
        for name, (before, after) in steps.items()
    }


def _difference(before: Floats, after: Floats) -> list[float]:
    """Return the gain in points and its 95 % interval."""
    gain = 100 * (after - before)
    low, high = np.quantile(gain[1:], (0.025, 0.975))
    return [round(float(x), 2) for x in (gain[0], low, high)]


def _within(
    scores: Floats, positive: NDArray[np.bool_], band: NDArray[np.int64]
) -> float:
    won, n = 0.0, 0
    for one in np.unique(band):
        here = band == one
        above, below = scores[here & positive], scores[here & ~positive]
        gap = above[:, None] - below[None, :]
        won += float((gap > 0).sum() + 0.5 * (gap == 0).sum())
        n += gap.size
    return won / n if n else 0.5


def lines(results: dict[str, Any]) -> Iterator[str]:
    """Yield the tables: the paper's figures next to ours."""
    if "written" in results:
        yield "written: " + ", ".join(results["written"])
        return
    if "labelled" in results:
        yield from lines_of_labels(results["labelled"])
        return
    yield from (f"note: {note}" for note in results["notes"])
    msrpc = results["msrpc"]
    yield f"MSRPC test: {msrpc['n']} pairs, {msrpc['positive']} % paraphrases"
    yield f"{'':26}{'AP':>7} {'95 %':>15}{'acc':>7}{'F1':>7}{'AUC':>7}"
    yield f"{'Wu 2005, as published':26}{PAPER['msrpc']['ap']:7.1f}"
    for name, row in msrpc["rows"].items():
        yield _line(name, row, "ap", ("accuracy", "f1", "auc"))
    for name, row in msrpc["ingredients"].items():
        shown = "trained + " + name.rpartition("+")[2]
        yield _line(shown, row, "ap", ("accuracy", "f1", "auc"))
    for name, gain in msrpc["gains"].items():
        value, low, high = gain["ap"]
        yield f"AP gain of {name}: {value:+.2f} ({low:+.2f} to {high:+.2f})"
    chances = (f"{k} {v:.1f}" for k, v in msrpc["equal_overlap"].items())
    yield "Right order of pairs of equal overlap, %: " + ", ".join(chances)
    rte = results["rte1"]
    yield ""
    yield f"RTE-1 test: {rte['n']} pairs; CWS"
    tasks = list(PAPER["by_task"])
    yield f"{'':26}{'all':>7} {'95 %':>15}{'acc':>7}" + "".join(
        f"{t:>7}" for t in tasks
    )
    paper = "".join(f"{PAPER['by_task'][t][0]:7.1f}" for t in tasks)
    yield f"{'Wu 2005, as published':26}{54.97:7.1f}{'':16}{51.25:7.1f}{paper}"
    for name, row in rte["rows"].items():
        by_task = "".join(f"{row['by_task'][t]['cws']:7.1f}" for t in tasks)
        yield _line(name, row, "cws", ("accuracy",)) + by_task
    yield ""
    yield from lines_of_settings(results["settings"])
    for name, row in results["sets"].items():
        yield f"{name}: " + ", ".join(
            f"{key} {row[key]}" for key in ("n", "ap", "cws", "accuracy", "f1")
        )


def _line(name: str, row: dict[str, Any], first: str, more: Sequence[str]) -> str:
    low, high = row["intervals"][first]
    rest = "".join(f"{row[key]:7.1f}" for key in more)
    return f"{name:26}{row[first]:7.1f} ({low:5.1f} - {high:5.1f}){rest}"
