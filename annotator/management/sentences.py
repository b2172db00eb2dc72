"""``gemel parse < sentences.txt`` and ``gemel find-paraphrases corpus.txt``.

No commands of Django: neither its tables nor its checks are needed for them. Parsers
are those of this installation.
"""

import argparse
import sys
from collections.abc import Sequence

from django.conf import settings

from core.commands.catalogue import DefaultsFormatter, single
from core.errors import GemelError


def options(name: str) -> argparse.ArgumentParser:
    module = single()[name]
    parser = argparse.ArgumentParser(
        prog=f"gemel {name}",
        description=f"{module.HELP[0].upper()}{module.HELP[1:]}.",
        formatter_class=DefaultsFormatter,
    )
    module.add_arguments(parser)
    return parser


def run(name: str, words: Sequence[str]) -> int:
    """The exit status: 0, 1 if a sentence has no parse, 2 if nothing could be done."""
    given = options(name).parse_args(words)
    given.models = getattr(given, "models", None) or settings.MODELS_DIR
    try:
        return int(single()[name].run(given))
    except GemelError as error:
        sys.stderr.write(f"gemel: {error}\n")
        return 2
