"""Conditions of licences for publishing a text with trees.

Known are the licences of corpora that are in use; what is not known is for people to
read. Names are compared without case, blanks, hyphens and the word "license".
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Terms:
    """``name``: as SPDX or the corpus's owner has it, without its version.

    ``allows_changes``: trees and links on a text are an adaptation of it.
    """

    name: str
    allows_sharing: bool = True
    allows_changes: bool = True
    asks_credit: bool = True
    asks_same: bool = False
    is_noncommercial: bool = False


_KNOWN = (
    (r"cc0|cc-?zero|publicdomain|pd", Terms("CC0", asks_credit=False)),
    (r"ccbyncnd", Terms("CC BY-NC-ND", allows_changes=False, is_noncommercial=True)),
    (r"ccbyncsa", Terms("CC BY-NC-SA", asks_same=True, is_noncommercial=True)),
    (r"ccbync", Terms("CC BY-NC", is_noncommercial=True)),
    (r"ccbynd", Terms("CC BY-ND", allows_changes=False)),
    (r"ccbysa", Terms("CC BY-SA", asks_same=True)),
    (r"ccby", Terms("CC BY")),
    (r"apache", Terms("Apache")),
    (r"mit", Terms("MIT")),
    (r"bsd", Terms("BSD")),
    (r"a?l?gpl|gnu", Terms("GPL", asks_same=True)),
    (r"odcby", Terms("ODC-By")),
    (r"odbl", Terms("ODbL", asks_same=True)),
    (r"ldc|proprietary|allrightsreserved", Terms("closed", allows_sharing=False)),
)
_NOISE = re.compile(r"licen[cs]es?|creativecommons|[\s_.,()/-]+")


def terms_of(licence: str) -> Terms | None:
    """The conditions of the licence with this name; None if it is not known.

    ``Creative Commons Attribution`` spelt out is known by its letters alone.
    """
    name = licence.casefold()
    for words, letters in _SPELT:
        name = re.sub(words, letters, name)
    name = _NOISE.sub("", name)
    for pattern, terms in _KNOWN:
        if re.match(rf"({pattern})([0-9v]|$|intl|international|universal)", name):
            return terms
    return None


_SPELT = (
    ("creative commons", "cc"),
    ("attribution", "by"),
    ("non-?commercial", "nc"),
    ("share-?alike", "sa"),
    ("no-?deriv(ative)?s?", "nd"),
    (r"(?<=cc)\s+zero", "0"),
)


def hub_name(licence: str) -> str:
    """The Hugging Face Hub's name of a Creative Commons licence; otherwise "other"."""
    terms, version = terms_of(licence), re.search(r"\d\.\d", licence)
    if terms is None or not terms.name.startswith("CC"):
        return "other"
    if terms.name == "CC0":
        return "cc0-1.0"
    plain = terms.name.casefold().replace(" ", "-")
    return f"{plain}-{version[0]}" if version else "other"


def problems(licences: Iterable[tuple[str, str]]) -> list[str]:
    """Why texts under these licences, as ``(corpus, licence)``, should not go out in
    one release; empty if nothing is known against it."""
    messages, known = [], []
    for corpus, licence in licences:
        terms = terms_of(licence)
        if not licence.strip():
            messages.append(
                f"{corpus}: no licence is stated. State one before you publish."
            )
        elif terms is None:
            messages.append(
                f"{corpus}: what {licence!r} asks is not known here: read it."
            )
        elif not terms.allows_sharing:
            messages.append(f"{corpus}: {licence!r} does not let you publish its text.")
        elif not terms.allows_changes:
            messages.append(
                f"{corpus}: {licence!r} lets nobody publish trees on its text."
            )
        else:
            known.append((corpus, terms))
    return messages + _mixed(known)


def _mixed(known: list[tuple[str, Terms]]) -> list[str]:
    """Two licences that each want the whole for themselves."""
    same = {terms.name: corpus for corpus, terms in known if terms.asks_same}
    if len(same) < 2:
        return []
    (one, first), (other, second), *_ = sorted(same.items())
    return [
        f"{first} ({one}) and {second} ({other}) each ask that the whole is under their"
        " licence: release them apart."
    ]
