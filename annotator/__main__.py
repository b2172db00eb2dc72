"""Gemel's command line: ``gemel help``, or ``python manage.py help`` in a clone.

Names of commands may be written with hyphens, ``gemel sign-in-link``, and those that
people use most are short: ``gemel import`` is ``import_corpus``.
"""

import os
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

SINGLE = ("parse", "find-paraphrases")  # they need nothing of Django's
SHORT = {"import": "import_corpus", "export": "export_corpus"}


def command_of(word: str) -> str:
    """The command that is meant by a word of the command line."""
    return SHORT.get(word, word.replace("-", "_"))


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")
    _refuse_wrong_settings()
    if sys.argv[1:2] and sys.argv[1] in SINGLE:
        from annotator.management import sentences  # reads the settings

        sys.exit(sentences.run(sys.argv[1], sys.argv[2:]))
    words = [command_of(word) for word in sys.argv[1:2] if word[:1] != "-"]
    execute_from_command_line([sys.argv[0], *words, *sys.argv[1 + len(words) :]])


def _refuse_wrong_settings() -> None:
    """As a message; Django itself continues with wrong settings and fails elsewhere."""
    try:
        _ = settings.INSTALLED_APPS
    except ImproperlyConfigured as error:
        sys.exit(f"gemel: {error}")


if __name__ == "__main__":
    main()
