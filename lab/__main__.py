"""``python -m lab``: train, measure and reproduce what Gemel ships.

python -m lab train-parser train --treebank …     the shipped parsers
python -m lab evaluate worklists --gold …         studies against gold
python -m lab reproduce wu2005 …                  a paper's tables next to ours
python -m lab bench judging --quick               speed, load, faults
"""

import argparse
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from annotator.svg.figure import FORMATS, convert
from core.__main__ import run
from core.commands.catalogue import Catalogue
from core.errors import GemelError
from lab.bars import BarChart, draw_bars

_EVALUATION = "lab.evaluation.commands"
LAB = Catalogue(
    help={
        "evaluate": "study an engine against gold",
        "fit": "fit the weights that Gemel ships on reference data",
        "reproduce": "measure a published result again, next to the paper's figures",
        "train": "train what Gemel ships, apart from the parsers",
    },
    groups={
        "evaluate": {
            "alignment": f"{_EVALUATION}.phrases",
            "bitext": f"{_EVALUATION}.bitext",
            "contamination": f"{_EVALUATION}.contamination",
            "corpus-weights": f"{_EVALUATION}.corpus_weights",
            "corrections": f"{_EVALUATION}.corrections",
            "joint": f"{_EVALUATION}.joint",
            "learning-curve": f"{_EVALUATION}.learning_curve",
            "links-curve": f"{_EVALUATION}.links_curve",
            "mixed-order": f"{_EVALUATION}.mixed_order",
            "paraphrase-grammar": f"{_EVALUATION}.paraphrase_grammar",
            "paraphrases": f"{_EVALUATION}.paraphrases",
            "pivots": f"{_EVALUATION}.pivots",
            "rewrites": f"{_EVALUATION}.rewrites",
            "substitutes": f"{_EVALUATION}.substitutes",
            "substitution": f"{_EVALUATION}.substitution",
            "weights-curve": f"{_EVALUATION}.weights_curve",
            "words": f"{_EVALUATION}.words",
            "worklists": f"{_EVALUATION}.worklists",
        },
        "fit": {
            "joint": f"{_EVALUATION}.fit_joint",
            "phrases": f"{_EVALUATION}.fit_phrases",
            "words": f"{_EVALUATION}.fit_words",
        },
        "reproduce": {
            "callison-burch2008": "lab.reproduce.callison_burch2008",
            "arase2017": "lab.reproduce.arase2017",
            "caplan": "lab.reproduce.caplan",
            "choe2015": "lab.reproduce.choe2015",
            "wu2005": "lab.reproduce.wu2005",
            "itg-coverage": "lab.reproduce.itg_coverage",
        },
        "train": {
            "phrases": f"{_EVALUATION}.train_phrases",
            "substitution": f"{_EVALUATION}.train_substitution",
        },
    },
)
# Commands that read their own arguments: a module, or a package of modules by name.
SCRIPTS = {
    "train-parser": "lab.training",
    "bench": "lab.bench",
    "attack": "lab.attack",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Return the exit status: 0, or 2 if the command could not run."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    chosen = arguments[0] if arguments else ""
    if chosen in SCRIPTS:
        return _script(SCRIPTS[chosen], arguments[1:])
    options = _options(chosen).parse_args(arguments)
    try:
        results = run(LAB, options)
    except GemelError as error:
        print(f"lab: {error}", file=sys.stderr)
        return 2
    if plot := vars(options).get("plot"):
        chart = LAB.module_of(options.group, options.what).chart(results)
        plot.write_bytes(_drawn(chart, plot.suffix[1:]))
    return 0


def _script(package: str, arguments: list[str]) -> int:
    folder = Path(__file__).parent / package.split(".")[1]
    if not (folder / "__main__.py").exists():
        names = sorted(one.stem for one in folder.glob("[a-z]*.py"))
        if not arguments or arguments[0] not in names:
            print(f"lab: choose one of {', '.join(names)}", file=sys.stderr)
            return 2
        package, arguments = f"{package}.{arguments[0]}", arguments[1:]
    sys.argv = [package, *arguments]
    runpy.run_module(package, run_name="__main__", alter_sys=True)
    return 0


def _options(chosen: str) -> argparse.ArgumentParser:
    """Build the parser; the commands of a group only when asked for: they load much."""
    parser = argparse.ArgumentParser(
        prog="python -m lab",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    groups = parser.add_subparsers(dest="group", required=True, metavar="COMMAND")
    for group, text in LAB.help.items():
        one = groups.add_parser(group, help=text)
        if group == chosen:
            LAB.add_group(one, group, extend=_with_plot)
    for name in SCRIPTS:
        groups.add_parser(name, help=f"run a script of lab/{name}", add_help=False)
    return parser


def _with_plot(module: ModuleType, parser: argparse.ArgumentParser) -> None:
    if hasattr(module, "chart"):
        parser.add_argument(
            "--plot", type=_picture, help="file to draw: .svg, .pdf or .png"
        )


def _picture(text: str) -> Path:
    path = Path(text)
    if path.suffix[1:] not in FORMATS:
        raise argparse.ArgumentTypeError("a plot ends in .svg, .pdf or .png")
    return path


def _drawn(chart: BarChart, format: str) -> bytes:
    drawn = draw_bars(
        chart.bars, chart.groups, title=chart.title, desc=chart.desc, start=chart.start
    )
    return convert(drawn, format)


if __name__ == "__main__":
    sys.exit(main())
