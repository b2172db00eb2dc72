"""How long a text may be to be drawn: a page of 60,000 words helps no one."""

from django.conf import settings
from django.utils.translation import gettext as _

from annotator.errors import TooLarge
from annotator.models import Pair, Sentence
from annotator.numbers import local


def refuse_long(shown: Pair | Sentence) -> None:
    """Raises TooLarge if a side has more words than GEMEL_MAX_SHOWN_WORDS."""
    if isinstance(shown, Pair):
        longest = max(shown.n_source, shown.n_target)
    else:
        longest = shown.n_tokens
    limit = settings.MAX_SHOWN_WORDS
    if longest > limit:
        raise TooLarge(
            _(
                "This sentence has %(n)s words; at most %(limit)s are drawn "
                "(GEMEL_MAX_SHOWN_WORDS). The export of its corpus has all of it."
            )
            % {"n": local(f"{longest:,}"), "limit": local(f"{limit:,}")},
            words=longest,
            limit=limit,
        )
