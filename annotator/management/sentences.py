"""``gemel parse < sentences.txt``: trees, by the parsers of this installation.

No command of Django: neither its tables nor its checks are needed for it.
"""

import argparse
import sys
from collections.abc import Sequence

from django.conf import settings

from core.commands import parse
from core.commands.catalogue import DefaultsFormatter
from core.errors import GemelError


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gemel parse",
        description=f"{parse.HELP[0].upper()}{parse.HELP[1:]}.",
        formatter_class=DefaultsFormatter,
    )
    parse.add_arguments(parser)
    return parser


def run(words: Sequence[str]) -> int:
    """The exit status: 0, 1 if a sentence has no parse, 2 if nothing could be done."""
    given = options().parse_args(words)
    given.models = given.models or settings.MODELS_DIR
    try:
        return parse.run(given)
    except GemelError as error:
        sys.stderr.write(f"gemel: {error}\n")
        return 2
