"""Which treebank an exported model writes like: one, or what its caller chooses."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import InvalidValue
from core.evaluation.golds import Gold
from core.text.subwords import Subwords
from lab.training.calibrate import temperatures
from lab.training.evaluate import TorchModel, style_quality
from lab.training.model import Parser

log = logging.getLogger("lab.training")
MOST = 1500  # sentences of a dev set that temperatures are fitted on
Golds = Mapping[str, Sequence[Gold]]


def written_like(
    parser: Parser,
    subwords: Subwords,
    dev: Golds,
    *,
    style: str | None,
    styles: Mapping[str, str],
) -> str:
    """Return the treebank whose style the model uses by default.

    ``style``: that treebank, or, where there are ``styles`` (a name and its treebank
    each), one of these, the first by default. Without either it is the treebank whose
    style scores best on all dev sets together. Raises InvalidValue for a style that
    there is not.
    """
    if styles:
        asked = style or next(iter(styles))
        if asked not in styles:
            raise InvalidValue(f"styles: {asked} is none of {', '.join(styles)}")
        return styles[asked]
    names = parser.inventory.treebanks
    if style is not None or not dev or len(names) == 1:
        return style if style is not None else names[0]
    quality = {
        name: style_quality(TorchModel(parser, subwords, name), dev) for name in names
    }
    log.info("styles: %s", quality)
    return max(names, key=quality.__getitem__)


def styles_of(
    parser: Parser,
    subwords: Subwords,
    dev: Golds,
    *,
    styles: Mapping[str, str],
    otherwise: Mapping[str, float],
) -> dict[str, dict[str, Any]]:
    """For the manifest, by name: the number of the treebank as the graph takes it, and
    temperatures that suit its own dev set, ``otherwise`` for layers that this lacks."""
    entries: dict[str, dict[str, Any]] = {}
    for name, treebank in styles.items():
        own = dev.get(treebank, [])[:MOST]
        lacks = {
            "spans": all(gold.tree is None for gold in own),
            "arcs": all(gold.deps is None for gold in own),
            "xpos": not own,
        }
        model = TorchModel(parser, subwords, treebank)
        fitted = temperatures(model, own) if own else {}
        entries[name] = {
            "treebank": parser.inventory.treebanks.index(treebank) + 1,
            "temperatures": {
                key: value if lacks[key] else fitted[key]
                for key, value in otherwise.items()
            },
        }
    return entries
