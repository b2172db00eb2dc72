"""Figures keep the decimal point: the field's tables do, and people copy them into
programs; a comma would also break the numbers in attributes that scripts read."""

DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ","
