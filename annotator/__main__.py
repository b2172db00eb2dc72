"""Gemel's command line: ``gemel help``, or ``python manage.py help`` in a clone."""

import os
import sys

from django.core.management import execute_from_command_line

__all__ = ["main"]


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
