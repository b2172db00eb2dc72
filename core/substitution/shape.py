"""What a form looks like: letter case and number shape, carried over to another."""

import re

__all__ = ["in_case_of", "number_shape"]

_NUMBER = re.compile(r"[+-]?\d+(?:[.,:/-]\d+)*")
_DIGIT = re.compile(r"\d")


def number_shape(form: str) -> str:
    """Every digit of a number as 0 (1,234.5 is 0,000.0); "" if it is no number."""
    return _DIGIT.sub("0", form) if _NUMBER.fullmatch(form) else ""


def in_case_of(form: str, model: str) -> str:
    """``form`` in the letter case of ``model``: lower, Capital or UPPER.

    A single capital is no upper case ("I"); mixed case ("mRNA") counts as lower case
    and leaves ``form`` as it is.
    """
    if model.isupper() and sum(map(str.isalpha, model)) > 1:
        return form.upper()
    if model[:1].isupper():
        return form[:1].upper() + form[1:]
    return form.lower() if model.islower() else form
