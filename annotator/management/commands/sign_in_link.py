"""A one-time link for someone who lost a password."""

import argparse
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.urls import reverse

from annotator.management.database import DatabaseCommand
from annotator.services import accounts
from annotator.services.projects import invitations


class Command(DatabaseCommand):
    help = "Print a link that signs this person in, once. Example: sign_in_link ada"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("name", help="user name")
        parser.add_argument(
            "--switch-off",
            action="store_true",
            help="close the account instead; a new link reopens it",
        )
        parser.add_argument(
            "--base",
            default="",
            help="address of the site (default: from the settings)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        person = User.objects.filter(username=options["name"]).first()
        if person is None:
            names = ", ".join(User.objects.values_list("username", flat=True)[:20])
            raise CommandError(
                f"There is no account {options['name']!r}. Accounts: {names}"
            )
        if options["switch_off"]:
            accounts.switch_off(person)
            self.stdout.write(f"{person} is switched off; nothing opens the account.")
            return
        if not person.is_active:
            accounts.switch_on(person)
        base = options["base"] or settings.SITE_URL or "http://127.0.0.1:8000"
        token = invitations.sign_in_link(person)
        self.stdout.write(base.rstrip("/") + reverse("join", args=[token]))
