"""Fit weights on references."""

from annotator.management.engine import EngineCommand


class Command(EngineCommand):
    help = (
        "Fit the weights of joint parsing, phrase alignment or word "
        "alignment on reference data."
    )
    group = "fit"
