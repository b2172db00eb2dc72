"""Measure a published result again: the paper's figures beside ours."""

import argparse
from pathlib import Path
from types import ModuleType
from typing import Any

from annotator.management.engine import EngineCommand
from annotator.svg.bars import draw_bars
from annotator.svg.figure import FORMATS, convert
from core.commands import catalogue
from core.layout.bars import BarChart


class Command(EngineCommand):
    help = "Measure published results again, on data that you have."
    group = "reproduce"

    def extend(self, module: ModuleType, parser: argparse.ArgumentParser) -> None:
        if hasattr(module, "chart"):
            parser.add_argument("--plot", type=_picture, help=".svg, .pdf or .png")

    def answered(self, results: dict[str, Any], options: dict[str, Any]) -> None:
        if plot := options.get("plot"):
            module = catalogue.module_of(self.group, options["what"])
            plot.write_bytes(_drawn(module.chart(results), plot.suffix[1:]))


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
