"""The rules that a corpus declares, and the problems of its trees."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, StaleEdit
from annotator.models import Corpus, Origin, Parse, Sentence, TreebankRules
from annotator.models.projects import Anybody, id_of
from annotator.services.alignments import layers
from annotator.services.jobs import in_batches
from core.data.deps import DepTree
from core.data.tokens import Token
from core.data.tree import Tree
from core.errors import FormatError, GemelError
from core.formats import conllu
from core.validation import declared
from core.validation.declared import Rules
from core.validation.sentences import Problem, problems_of

MAX_TEXT = 20_000
PORTION = 100  # sentences read at a time
GIVEN = (Origin.GOLD, Origin.ENGINE)


@dataclass(frozen=True, slots=True)
class Checked:
    """A sentence in which something is wrong; ``tree``: the one that was looked at."""

    sentence: Sentence
    problems: tuple[Problem, ...]
    tree: Parse | None


@dataclass(slots=True)
class Total:
    """How many of this many sentences have problems, and problems by rule.

    ``is_whole``: whether these are all sentences that there are.
    """

    looked: int = 0
    wrong: int = 0
    by_rule: Counter[str] = field(default_factory=Counter)
    is_whole: bool = False

    def add(self, one: Checked) -> None:
        self.looked += 1
        self.wrong += bool(one.problems)
        self.by_rule.update(problem.rule for problem in one.problems)


@dataclass(frozen=True, slots=True)
class RuleReport:
    """``looked``: how many sentences; ``after``: where the next look begins, "" at the
    end of the corpus; ``total``: of all that were counted."""

    checked: tuple[Checked, ...]
    looked: int
    after: str
    total: Total


UNDECLARED = Rules(level=2)


def rules_of(corpus: Corpus) -> Rules:
    """The declared rules; where there are none, Universal Dependencies to level 2."""
    row = TreebankRules.objects.filter(corpus=corpus).first()
    try:
        made = declared.read(row.text) if row else UNDECLARED
    except FormatError:  # written by another version: read again when saved
        return UNDECLARED
    if row and made == Rules(notes=made.notes) and "ud:" not in row.text:
        return replace(UNDECLARED, notes=made.notes)  # notes are no rules
    return made


@transaction.atomic
def keep(corpus: Corpus, text: str, *, seen: int, by: Anybody) -> TreebankRules:
    """Declare these rules; ``seen``: the revision of the former ones, 0 for none.

    Raises NotAllowed, BadRequest with line and column, StaleEdit.
    """
    access.require(by, "manage", corpus.project)
    text = text.replace("\r\n", "\n")
    if len(text) > MAX_TEXT:
        reason = _("Rules can have at most %(n)s characters.") % {"n": MAX_TEXT}
        raise BadRequest(reason, field="text")
    try:
        declared.read(text)
    except FormatError as error:
        facts = {"line": error.line, "column": error.column}
        raise BadRequest(str(error), field="text", **facts) from error
    rows = TreebankRules.objects.filter(corpus=corpus, revision=seen)
    new = {"text": text, "by_id": id_of(by), "at": timezone.now()}
    if seen and rows.update(revision=seen + 1, **new):
        return TreebankRules.objects.get(corpus=corpus)
    made, is_new = (None, False)
    if not seen:
        made, is_new = TreebankRules.objects.get_or_create(corpus=corpus, defaults=new)
    if made is None or not is_new:
        raise StaleEdit(
            _(
                "Someone else changed the rules in the meantime. Yours are not "
                "saved: compare them with the current rules."
            ),
            revision=_revision(corpus),
        )
    return made


def _revision(corpus: Corpus) -> int:
    row = TreebankRules.objects.filter(corpus=corpus).first()
    return row.revision if row else 0


def check(
    corpus: Corpus,
    *,
    after: str = "",
    most: int = 50,
    seconds: float = 2.0,
    counts: bool = False,
) -> RuleReport:
    """Look through the gold trees, or a parser's best, from behind the sentence
    ``after``, until ``most`` sentences with problems are found or the time is over.

    ``counts``: the remaining time is used for counting the rest. Raises BadRequest if
    there is no such sentence.
    """
    ends = time.monotonic() + seconds
    checked: list[Checked] = []
    looked, last, total = 0, "", Total()
    for one in _walked(corpus, _start(corpus, after)):
        total.add(one)
        is_over = time.monotonic() > ends
        if not last:
            looked += 1
            checked += [one] if one.problems else []
            last = one.sentence.code if len(checked) >= most or is_over else ""
        if last and (is_over or not counts):
            break
    else:
        total.is_whole = True
    return RuleReport(tuple(checked), looked, last, total)


def _walked(corpus: Corpus, last: int) -> Iterator[Checked]:
    """Every sentence behind this one, with or without problems."""
    rules = rules_of(corpus)
    for rows in in_batches(corpus.sentences.filter(pk__gt=last), PORTION):
        trees, arcs = _parses(rows)
        for sentence in rows:
            tree = trees.get(sentence.pk)
            wrong = _problems(sentence, tree, arcs.get(sentence.pk), rules)
            yield Checked(sentence, tuple(wrong), tree)


def _start(corpus: Corpus, after: str) -> int:
    if not after:
        return 0
    pk = corpus.sentences.filter(code=after).values_list("pk", flat=True).first()
    if pk is None:
        raise BadRequest(_("There is no such sentence here."), field="after")
    return pk


def of_sentence(sentence: Sentence, tree: Tree | None) -> list[Problem]:
    """Problems of this tree, and of the sentence's arcs; None: its present tree."""
    trees, arcs = _parses([sentence])
    rules, deps = rules_of(sentence.corpus), arcs.get(sentence.pk)
    if tree is None:
        return _problems(sentence, trees.get(sentence.pk), deps, rules)
    return problems_of(tree, *_deps(deps, sentence), rules)


def of_arcs(
    sentence: Sentence, deps: DepTree, tokens: tuple[Token, ...]
) -> list[Problem]:
    """Problems of these arcs, alone and with the sentence's tree."""
    trees, _arcs = _parses([sentence])
    parse = trees.get(sentence.pk)
    tree = parse.readable_tree() if parse else None
    problems = problems_of(tree, deps, tokens, rules_of(sentence.corpus))
    return [one for one in problems if one.about != "tree"]


def tokens_of(sentence: Sentence) -> tuple[Token, ...]:
    """The words of the sentence's chosen arcs with their columns; () without any."""
    return _deps(_parses([sentence])[1].get(sentence.pk), sentence)[1]


def tree_of(sentence: Sentence) -> Parse | None:
    """The chosen constituency tree of the sentence."""
    return _parses([sentence])[0].get(sentence.pk)


def _parses(
    sentences: Sequence[Sentence],
) -> tuple[dict[int, Parse], dict[int, Parse]]:
    """By sentence the chosen tree and arcs: gold, otherwise a parser's."""
    rows = list(Parse.objects.filter(sentence__in=sentences, origin__in=GIVEN, rank=1))
    kinds = Parse.Kind.CONSTITUENCY, Parse.Kind.DEPENDENCY
    trees, arcs = (layers.first_of(kind, rows) for kind in kinds)
    return trees, arcs


def _problems(
    sentence: Sentence, tree: Parse | None, deps: Parse | None, rules: Rules
) -> list[Problem]:
    try:
        bracketed = tree.to_tree() if tree else None
    except GemelError as error:
        remedy = _("Import the tree again, or save another one over it.")
        reason = _("The tree cannot be read: %(reason)s.") % {"reason": error}
        return [Problem("unreadable", reason, remedy)]
    return problems_of(bracketed, *_deps(deps, sentence), rules)


def _deps(
    parse: Parse | None, sentence: Sentence
) -> tuple[DepTree | None, tuple[Token, ...]]:
    """The arcs and their tokens; none where they are not of these words."""
    try:
        deps = parse.to_deps() if parse else None
        tokens = conllu.tokens_of(parse.text) if parse else ()
    except GemelError:
        return None, ()
    return (deps, tokens) if len(tokens) == sentence.n_tokens else (None, ())
