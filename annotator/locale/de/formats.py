"""Figures as German writes them. Exports and attributes keep the decimal point."""

DECIMAL_SEPARATOR = ","
THOUSAND_SEPARATOR = "."
