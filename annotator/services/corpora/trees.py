"""A tree that someone wrote, and why an engine's tree is not there yet."""

from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotator import access
from annotator.errors import BadRequest
from annotator.models import Issue, Job, Origin, Pair, Parse, Sentence
from annotator.models.projects import Anybody
from annotator.services.changes import hold
from core.errors import FormatError
from core.formats import ptb

MAX_TEXT = 50_000  # characters of a pasted bracketing


@dataclass(frozen=True)
class Waiting:
    """The last parsing of a corpus. ``place``: jobs before it, while it is queued.

    ``reason``: the parser's message on a sentence of this pair, "" if none.
    """

    job: Job
    place: int
    reason: str


@transaction.atomic
def paste(pair: Pair, side: str, text: str, *, by: Anybody) -> Parse:
    """A constituency tree in brackets for one side ("s" or "t"), as ``by``'s own.

    The same tree pasted twice is one row. Raises NotAllowed; BadRequest if the text is
    not a single tree or has other words than the sentence; Conflict if the sentence was
    undone.
    """
    access.require(by, "annotate", pair.corpus.project)
    if side not in ("s", "t"):
        raise BadRequest(_("The side of a tree must be s or t."), field="side")
    sentence = pair.source if side == "s" else pair.target
    hold(sentence)
    line = " ".join(_checked(sentence, text).split())
    parse, _is_new = Parse.objects.get_or_create(
        sentence=sentence,
        kind=Parse.Kind.CONSTITUENCY,
        origin=Origin.ANNOTATOR,
        engine="",
        version=str(by.pk),  # two people's trees may be the same
        rank=1,
        digest=Sentence.key_of(line),
        defaults={"text": line, "author_id": by.pk},
    )
    sides = {pair.source_id, pair.target_id}
    there = Parse.objects.filter(sentence_id__in=sides).values("sentence_id").distinct()
    if there.count() == len(sides):
        Pair.objects.filter(pk=pair.pk).update(has_parse=True)
    return parse


def waiting_for(pair: Pair) -> Waiting | None:
    """The progress of parsing this pair's corpus; None if no parsing was requested."""
    kinds = ("parse", "align")  # aligning parses what has no tree yet
    jobs = Job.objects.filter(project=pair.corpus.project, kind__in=kinds)
    job = jobs.filter(params__corpus=pair.corpus.code).order_by("-pk").first()
    if job is None:
        return None
    place = 0
    if job.state == Job.State.QUEUED:
        place = Job.objects.filter(state=Job.State.QUEUED, pk__lt=job.pk).count()
    texts = {pair.source.text[:200], pair.target.text[:200]}
    issue = Issue.objects.filter(job=job, excerpt__in=texts).first()
    return Waiting(job, place, issue.reason if issue else "")


def _checked(sentence: Sentence, text: str) -> str:
    if len(text) > MAX_TEXT:
        problem = _("At most %(n)s characters.") % {"n": MAX_TEXT}
        raise BadRequest(problem, field="text")
    try:
        tree = ptb.parse_one(text)
    except FormatError as error:
        raise BadRequest(str(error), field="text") from error
    words = [ptb.unescape(word) for word in tree.words]
    if len(words) > (limit := settings.MAX_WORDS):
        raise BadRequest(
            _("A tree of %(n)s words: at most %(limit)s (GEMEL_MAX_WORDS).")
            % {"n": len(words), "limit": limit},
            field="text",
        )
    forms = [ptb.unescape(form) for form in sentence.forms]
    if words != forms:
        raise BadRequest(
            _("This tree has other words than the sentence (%(where)s).")
            % {"where": _difference(words, forms)},
            field="text",
        )
    return text


def _difference(words: list[str], forms: list[str]) -> str:
    """Where the words of a tree leave those of the sentence, for people."""
    for n, (word, form) in enumerate(zip(words, forms, strict=False), 1):
        if word != form:
            there = {"n": n, "word": repr(word), "form": repr(form)}
            return _("word %(n)s: %(word)s, not %(form)s") % there
    text = ngettext(
        "%(n)s word, not %(wanted)s", "%(n)s words, not %(wanted)s", len(words)
    )
    return text % {"n": len(words), "wanted": len(forms)}
