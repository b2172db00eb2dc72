"""Gemel's command line: ``gemel help``, or ``python manage.py help`` in a clone.

Names of commands may be written with hyphens: ``gemel move-to``.
"""

import os
import sys

from django.core.management import execute_from_command_line

__all__ = ["main"]


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")
    words = [word.replace("-", "_") for word in sys.argv[1:2] if word[:1] != "-"]
    execute_from_command_line([sys.argv[0], *words, *sys.argv[1 + len(words) :]])


if __name__ == "__main__":
    main()
