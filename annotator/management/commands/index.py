"""Update the search index, or rebuild it."""

from typing import Any

from django.core.management.base import CommandParser

from annotator.management.database import DatabaseCommand, corpus_called
from annotator.services.queries import index


class Command(DatabaseCommand):
    help = "Index trees and links that are not searchable yet."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "corpus", nargs="?", help="name or code (default: all corpora)"
        )
        parser.add_argument(
            "--rebuild", action="store_true", help="rebuild the index from the start"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = corpus_called(options["corpus"]) if options["corpus"] else None
        if options["rebuild"]:
            index.rebuild(corpus)
        n = index.catch_up(None if corpus is None else [corpus.pk])
        self.stdout.write(f"{n} trees, layers and sentences indexed")
