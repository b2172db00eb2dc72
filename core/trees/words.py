"""Editing words without changing their number, so links and trees stay valid."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.data.tree import Tree
from core.errors import InvalidValue

MAX_FORM = 200


def checked_form(form: str) -> str:
    """The form, if it can be a word; raises InvalidValue."""
    has_controls = any(sign < " " or sign == "\x7f" for sign in form)
    if not form or form != form.strip() or len(form) > MAX_FORM or has_controls:
        raise InvalidValue(
            f"{form!r} is not a word: write 1 to {MAX_FORM} characters without line "
            "breaks, and no spaces at its ends."
        )
    return form


def with_forms(tree: Tree, forms: Mapping[int, str]) -> Tree:
    """The tree with other forms of the tokens that ``forms`` has by position."""
    new = list(tree.forms)
    for token, form in forms.items():
        new[tree.leaf_of[token]] = form
    return replace(tree, forms=tuple(new))


def in_text(text: str, words: Sequence[str], forms: Mapping[int, str]) -> str | None:
    """The raw text with these words edited; None where it does not hold ``words``
    one after another, as after unescaping of quotes."""
    parts, end = [], 0
    for i, word in enumerate(words):
        start = text.find(word, end)
        if start < 0 or text[end:start].strip():
            return None
        parts += [text[end:start], forms.get(i, word)]
        end = start + len(word)
    return None if text[end:].strip() else "".join([*parts, text[end:]])
