"""Word links of equal forms and stems, one to one: what needs no model."""

from core.data.alignment import Link, token_ref
from core.joint.overlap import lexical_word_links
from core.protocols import Analysis

__all__ = ["LexicalAligner"]


class LexicalAligner:
    """Links words of one form or one stem; every link is sure."""

    def align(self, source: Analysis, target: Analysis) -> tuple[Link, ...]:
        """The links, in order of the source."""
        found = lexical_word_links(source.sentence.forms, target.sentence.forms)
        return tuple(
            Link(token_ref(int(i)), token_ref(int(j)))
            for i, j in zip(*found.nonzero(), strict=True)
        )
