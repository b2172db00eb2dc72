"""Simulate a campaign with simulated annotators."""

import argparse
from typing import Any

from django.core.management.base import CommandError

from annotator.management.database import DatabaseCommand
from annotator.models import Campaign
from annotator.services.campaigns import simulation


class Command(DatabaseCommand):
    help = "Copy a campaign and let simulated annotators complete it."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("campaign", help="code of the campaign, as in its address")
        parser.add_argument(
            "--people",
            type=int,
            default=3,
            help="number of simulated annotators (default: %(default)s)",
        )
        parser.add_argument(
            "--seed",
            type=int,
            default=1,
            help="seed of the simulation (default: %(default)s)",
        )
        parser.add_argument(
            "--bias",
            type=float,
            default=0.3,
            help="standard deviation of bias, in points (default: %(default)s)",
        )
        parser.add_argument(
            "--spread",
            type=float,
            default=0.7,
            help="standard deviation of a judgment, in points (default: %(default)s)",
        )
        parser.add_argument(
            "--slips",
            type=float,
            default=0.02,
            help="share of answers given at random (default: %(default)s)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        rows = Campaign.objects.select_related("project", "created_by")
        campaign = rows.filter(code=options["campaign"]).first()
        if campaign is None or campaign.created_by is None:
            raise CommandError(f"There is no campaign {options['campaign']}.")
        noise = simulation.Noise(options["bias"], options["spread"], options["slips"])
        steps = simulation.rehearse(
            campaign,
            people=options["people"],
            seed=options["seed"],
            by=campaign.created_by,
            noise=noise,
        )
        done = 0
        try:
            while True:
                done += next(steps).done
        except StopIteration as end:
            self.stdout.write(f"{end.value.name}: {done} judgments ({end.value.code})")
