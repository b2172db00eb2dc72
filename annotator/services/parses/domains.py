"""How unlike a corpus is to what a parser was trained on, and what that costs."""

from typing import Any

from annotator.models import Corpus
from annotator.services.parses import accuracy, offered
from core.evaluation.parsers import Rates, knower
from core.protocols import ParserBackend

CHUNK = 500


def of_corpus(corpus: Corpus, backend: ParserBackend) -> dict[str, Any]:
    """``by_unknown``: sentences and F1 by their share of unknown words.

    {} if the parser does not tell its training words; sentences that it was trained on
    do not count. Reads the corpus in chunks.
    """
    is_known = knower(backend)
    if is_known is None:
        return {}
    info, rates, last = backend.info, Rates(), 0
    learnt = offered.trained_on(corpus.project, info.name)
    rows = corpus.sentences.order_by("pk")
    while chunk := list(rows.filter(pk__gt=last)[:CHUNK]):
        last = chunk[-1].pk
        chunk = [one for one in chunk if not accuracy.is_learnt(one, learnt)]
        for sides in accuracy.sides_of(chunk, info.name, info.version):
            brackets = sides.brackets if sides.tree else None
            rates.add(sides.sentence.forms, is_known, brackets)
    return {"by_unknown": rates.to_json()}
