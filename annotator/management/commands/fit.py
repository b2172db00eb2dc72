"""Fit weights on references."""

from annotator.management.engine import EngineCommand


class Command(EngineCommand):
    help = "Fit weights on references: of joint parsing, of phrase and word links."
    group = "fit"
