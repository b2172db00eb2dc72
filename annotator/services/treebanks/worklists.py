"""Worklists: created from a query, assigned item by item, each item to k people.

An item is someone's when they come to it: a row a person, made under the list's lock,
so that no item is given to more than k. Who is removed gives back what was not begun;
what they did is kept.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from statistics import mean

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, Conflict, Frozen, NotAllowed
from annotator.models import (
    AlignmentLayer,
    Corpus,
    JointPair,
    JointRun,
    JointTree,
    Membership,
    Origin,
    Pair,
    Parse,
    Sentence,
    TreeDraft,
    WorkItem,
    Worklist,
    WorkPerson,
    WorkShare,
)
from annotator.models.projects import Anybody, id_of
from annotator.services.alignments import layers
from annotator.services.parses import drafts, gold, parsers
from annotator.services.queries import running
from core.agreement.trees import parseval
from core.data.tree import Tree
from core.errors import GemelError

Values = dict[int, float]
Row = Sentence | Pair
Ranking = Worklist.Ranking


def values_of(
    corpus: Corpus, rows: Sequence[Row], ranking: str, *, seed: int
) -> Values:
    """By primary key the ranking's value; unknown ones are left out.

    Uncertainty of a tree: of the parser's best tree, the expected number of wrong
    phrases by the marginals of its forest, per word to read; of a pair: the links and
    nulls that the aligner expects to be wrong. Disagreement: 1 minus the mean F1 of
    each two people, of their brackets or links. Joint: the brackets and arcs that the
    corpus's last joint run changed, per word.
    """
    if ranking == Ranking.RANDOM:
        return {row.pk: _drawn(row, seed) for row in rows}
    if ranking in (Ranking.LONGEST, Ranking.SHORTEST):
        sign = 1 if ranking == Ranking.LONGEST else -1
        return {row.pk: sign * float(_length(row)) for row in rows}
    of_pairs = bool(rows) and isinstance(rows[0], Pair)
    return _BY_DATA[ranking, of_pairs](corpus, rows)


def _drawn(row: Row, seed: int) -> float:
    """The same for the same seed, whatever else is in the list."""
    digest = sha256(f"{seed} {row.code}".encode()).digest()
    return int.from_bytes(digest[:6]) / 2**48


def _length(row: Row) -> int:
    return row.n_source + row.n_target if isinstance(row, Pair) else row.n_tokens


def _unsure_trees(corpus: Corpus, rows: Sequence[Row]) -> Values:
    values: Values = {}
    wanted = {row.pk: row for row in rows if isinstance(row, Sentence)}
    best = Parse.objects.filter(
        sentence__corpus=corpus, kind=Parse.Kind.CONSTITUENCY, origin=Origin.ENGINE
    ).filter(rank=1)
    for parse in best.order_by("pk").iterator(chunk_size=200):
        row = wanted.get(parse.sentence_id)
        if row is None:
            continue
        value = _expected_wrong(row, parse)
        if value is not None:
            values[row.pk] = max(value, values.get(row.pk, 0.0))
    return values


def _expected_wrong(sentence: Sentence, parse: Parse) -> float | None:
    stored = parsers.stored_forest(sentence, parse.engine, parse.version)
    tree = parse.readable_tree()
    if stored is None or tree is None:
        return None
    sure = parsers.sureness(stored)
    places = [
        (*tree.spans[v], tree.labels[v])
        for v in range(len(tree))
        if not tree.is_leaf(v)
    ]
    wrong = sum(1.0 - min(1.0, sure.get(place, 0.0)) for place in places)
    return wrong / max(1, sentence.n_tokens)


def _unsure_pairs(corpus: Corpus, rows: Sequence[Row]) -> Values:
    layers = AlignmentLayer.objects.filter(pair__corpus=corpus, doubt__isnull=False)
    values: Values = {}
    for pair, uncertainty in layers.values_list("pair", "doubt"):
        values[pair] = max(uncertainty or 0.0, values.get(pair, 0.0))
    keys = {row.pk for row in rows}
    return {pk: value for pk, value in values.items() if pk in keys}


def _unlike_trees(corpus: Corpus, rows: Sequence[Row]) -> Values:
    """Of each person the tree that they saved last."""
    keys = {row.pk for row in rows}
    made: defaultdict[int, dict[int, Tree]] = defaultdict(dict)
    parses = Parse.objects.filter(
        sentence__corpus=corpus,
        kind=Parse.Kind.CONSTITUENCY,
        origin=Origin.ANNOTATOR,
        author__isnull=False,
    )
    for parse in parses.order_by("pk").iterator(chunk_size=500):
        if parse.sentence_id in keys and (tree := parse.readable_tree()) is not None:
            made[parse.sentence_id][parse.author_id or 0] = tree
    return {
        pk: 1.0 - mean(_tree_f1(a, b) for a, b in combinations(trees.values(), 2))
        for pk, trees in made.items()
        if len(trees) > 1
    }


def _tree_f1(a: Tree, b: Tree) -> float:
    try:
        return parseval.compare(a, b).f1
    except GemelError:
        return 0.0


def _unlike_pairs(corpus: Corpus, rows: Sequence[Row]) -> Values:
    keys = {row.pk for row in rows}
    made: defaultdict[int, list[set[tuple[str, str]]]] = defaultdict(list)
    layers = AlignmentLayer.objects.filter(
        pair__corpus=corpus, origin=Origin.ANNOTATOR, author__isnull=False
    )
    for layer in layers.order_by("pk").iterator(chunk_size=500):
        if layer.pair_id in keys and layer.revision:
            cells = {link.cell for link in layer.to_core().links}
            made[layer.pair_id].append(cells)
    return {
        pk: 1.0 - mean(_dice(a, b) for a, b in combinations(sets, 2))
        for pk, sets in made.items()
        if len(sets) > 1
    }


def _joint_trees(corpus: Corpus, rows: Sequence[Row]) -> Values:
    values: Values = {}
    n_tokens = {row.pk: _length(row) for row in rows}
    for result, n_source, n_target in _joint_changes(corpus):
        sides = (result.pair.source_id, n_source), (result.pair.target_id, n_target)
        for pk, n in sides:
            if pk in n_tokens:
                share = n / max(1, n_tokens[pk])
                values[pk] = max(share, values.get(pk, 0.0))
    return values


def _joint_pairs(corpus: Corpus, rows: Sequence[Row]) -> Values:
    n_tokens = {row.pk: max(1, _length(row)) for row in rows}
    return {
        result.pair_id: (n_source + n_target) / n_tokens[result.pair_id]
        for result, n_source, n_target in _joint_changes(corpus)
        if result.pair_id in n_tokens
    }


def _joint_changes(corpus: Corpus) -> Iterator[tuple[JointPair, int, int]]:
    """The pairs of the last run, and how much changed on either side."""
    run = JointRun.objects.filter(corpus=corpus).first()
    results = JointPair.objects.filter(run=run).select_related("pair").annotate(
        n_source=Count("changes", filter=Q(changes__side=JointTree.Side.SOURCE)),
        n_target=Count("changes", filter=Q(changes__side=JointTree.Side.TARGET)),
    )  # fmt: skip
    for result in results.iterator(chunk_size=500):
        yield result, result.n_source, result.n_target


def _dice(a: set[tuple[str, str]], b: set[tuple[str, str]]) -> float:
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0


_BY_DATA: dict[tuple[str, bool], Callable[[Corpus, Sequence[Row]], Values]] = {
    (Ranking.UNCERTAINTY, False): _unsure_trees,
    (Ranking.UNCERTAINTY, True): _unsure_pairs,
    (Ranking.JOINT, False): _joint_trees,
    (Ranking.JOINT, True): _joint_pairs,
    (Ranking.DISAGREEMENT, False): _unlike_trees,
    (Ranking.DISAGREEMENT, True): _unlike_pairs,
}


MAX_SIZE, MAX_EACH, PORTION = 10_000, 20, 500
State = WorkShare.State


@dataclass(frozen=True, slots=True)
class Wanted:
    """The fields of one form."""

    name: str
    unit: str
    ranking: str
    people: tuple[str, ...]
    size: int = 100
    n_each: int = 1
    query: str = ""
    seed: int = 0


def make(corpus: Corpus, wanted: Wanted, *, by: Anybody) -> Worklist:
    """The list, with its items in their order.

    Items without a value come last, in corpus order. Raises NotAllowed, BadRequest
    (also if nothing is found), QueryTooSlow.
    """
    access.require(by, "manage", corpus.project)
    _check(wanted)
    members = _members(corpus, wanted.people)
    if wanted.n_each > len(members):
        reason = _(
            "%(n)s people per item, but only %(chosen)s chosen. Choose "
            "more people, or fewer per item."
        )
        facts = {"n": wanted.n_each, "chosen": len(members)}
        raise BadRequest(reason % facts, field="n_each")
    rows = _rows(corpus, wanted, by)
    if not rows:
        raise BadRequest(_("The query has no matches to work on here."), field="query")
    values = values_of(corpus, rows, wanted.ranking, seed=wanted.seed)
    first = {row.pk: n for n, row in enumerate(rows)}
    rows.sort(key=lambda r: (r.pk not in values, -values.get(r.pk, 0), first[r.pk]))
    return _stored(corpus, wanted, rows[: wanted.size], values, members, by)


def _check(wanted: Wanted) -> None:
    if not wanted.name.strip() or len(wanted.name) > 80:
        raise BadRequest(_("The name must have 1 to 80 characters."), field="name")
    for name, value, known in (
        ("unit", wanted.unit, Worklist.Unit.values),
        ("ranking", wanted.ranking, Worklist.Ranking.values),
    ):
        if value not in known:
            reason = _("%(name)s must be one of %(names)s.")
            facts = {"name": name, "names": ", ".join(known)}
            raise BadRequest(reason % facts, field=name)
    for name, number, most in (
        ("size", wanted.size, MAX_SIZE),
        ("n_each", wanted.n_each, MAX_EACH),
    ):
        if not 1 <= number <= most:
            reason = _("%(name)s must be from 1 to %(most)s.")
            raise BadRequest(reason % {"name": name, "most": most}, field=name)
    if not 0 <= wanted.seed < 2**31:
        raise BadRequest(_("The seed must be from 0 to 2147483647."), field="seed")


def _members(corpus: Corpus, names: Sequence[str]) -> list[int]:
    """The people of these names who may annotate. Raises BadRequest."""
    roles = access.VERBS["annotate"]
    rows = Membership.objects.filter(project=corpus.project_id, role__in=roles)
    ids = dict(rows.values_list("user__username", "user_id"))
    strangers = [name for name in names if name not in ids]
    if strangers or not names:
        reason = _("No one is selected.")
        if strangers:
            reason = _("%(names)s may not annotate in this project.")
            reason %= {"names": ", ".join(strangers)}
        raise BadRequest(reason, field="people")
    return [ids[name] for name in dict.fromkeys(names)]


def _rows(corpus: Corpus, wanted: Wanted, by: Anybody) -> list[Row]:
    """What there is to work on, in the order of the corpus."""
    of_pairs = wanted.unit == Worklist.Unit.PAIR
    pairs, sentences = corpus.pairs.order_by("pk"), corpus.sentences.order_by("pk")
    if wanted.query.strip():
        pair_matches, sentence_matches = _matches(corpus, wanted.query, by)
        here = (
            Q(pk__in=pair_matches) if pair_matches else Q(source__in=sentence_matches)
        )
        if not pair_matches:
            here |= Q(target__in=sentence_matches)
        pairs, sentences = pairs.filter(here), sentences.filter(pk__in=sentence_matches)
    return list(pairs) if of_pairs else list(sentences)


def _matches(corpus: Corpus, query: str, by: Anybody) -> tuple[set[int], set[int]]:
    """The pairs, of a query about links, and the sentences that it finds."""
    pairs: set[int] = set()
    sentences: set[int] = set()
    for page in running.search(query, [corpus], by).pages(PORTION):
        pairs |= {match.pair for match in page.matches if match.pair}
        sentences |= {match.sentence for match in page.matches}
        if len(sentences) >= MAX_SIZE:
            break
    return pairs, sentences


@transaction.atomic
def _stored(
    corpus: Corpus,
    wanted: Wanted,
    rows: Sequence[Row],
    values: dict[int, float],
    members: Sequence[int],
    by: Anybody,
) -> Worklist:
    made = Worklist.objects.create(
        corpus=corpus,
        name=" ".join(wanted.name.split()),
        query=wanted.query.strip(),
        unit=wanted.unit,
        ranking=wanted.ranking,
        seed=wanted.seed,
        n_each=wanted.n_each,
        by_id=id_of(by),
    )
    WorkItem.objects.bulk_create(
        (
            WorkItem(
                worklist=made,
                place=n,
                sentence=row if isinstance(row, Sentence) else None,
                pair=row if isinstance(row, Pair) else None,
                value=abs(values[row.pk]) if row.pk in values else None,
            )
            for n, row in enumerate(rows, 1)
        ),
        batch_size=PORTION,
    )
    WorkPerson.objects.bulk_create(
        WorkPerson(worklist=made, user_id=pk) for pk in members
    )
    return made


@transaction.atomic
def next_share(worklist: Worklist, *, by: Anybody) -> WorkShare | None:
    """This person's next item: their current one, otherwise the first that fewer than k
    people have; None if nothing is left for them.

    Raises NotAllowed, Frozen if the list is closed.
    """
    _require_worker(worklist, by)
    Worklist.objects.select_for_update().get(pk=worklist.pk)
    mine = WorkShare.objects.filter(item__worklist=worklist, user_id=id_of(by))
    there = mine.filter(state=State.OPEN).order_by("item__place").first()
    if there is not None:
        return there
    if worklist.closed_at:
        raise Frozen(_("This list is closed: no more work is assigned."))
    taken = Count("shares", filter=~Q(shares__state=State.SKIPPED))
    free = worklist.items.exclude(shares__user_id=id_of(by)).annotate(n=taken)
    item = free.filter(n__lt=worklist.n_each).order_by("place").first()
    if item is None:
        return None
    return WorkShare.objects.create(item=item, user_id=id_of(by))


@transaction.atomic
def finish(share: WorkShare, state: str, *, note: str = "", by: Anybody) -> WorkShare:
    """The person is done with it, or skips it, which gives it to someone else.

    A draft of the tree is saved as the person's own, with either; so what was done is
    never lost. Of a pair, done closes their layer. Raises NotAllowed, BadRequest.
    """
    if share.user_id != by.pk:
        raise NotAllowed(_("This is someone else's work."))
    item, worklist = share.item, share.item.worklist
    _require_worker(worklist, by)
    if state not in (State.DONE, State.SKIPPED):
        raise BadRequest(_("Work must be done or skipped."), field="state")
    fresh = WorkShare.objects.select_for_update().get(pk=share.pk)
    if item.sentence:
        for kind in (Parse.Kind.DEPENDENCY, Parse.Kind.CONSTITUENCY):
            draft = drafts.draft_of(item.sentence, by, kind)
            if draft is not None and draft.revision:
                fresh.parse = gold.save(draft, by=by).parse
    if item.pair_id and state == State.DONE:
        own = AlignmentLayer.objects.filter(pair=item.pair_id, author=by.pk)
        for layer in own.filter(state=AlignmentLayer.State.OPEN):
            layers.set_state(layer, AlignmentLayer.State.DONE, by=by)
    fresh.state, fresh.note, fresh.at = state, note[:300], timezone.now()
    fresh.save(update_fields=["state", "note", "parse", "at"])
    return fresh


def _require_worker(worklist: Worklist, by: Anybody) -> None:
    access.require(by, "annotate", worklist.corpus.project)
    here = worklist.people.filter(user_id=id_of(by), removed_at=None)
    if not here.exists():
        raise NotAllowed(_("You do not work on this list."))


@transaction.atomic
def set_people(worklist: Worklist, names: Sequence[str], *, by: Anybody) -> None:
    """Let these people work on it from now on, next to those who do. Raises NotAllowed,
    BadRequest."""
    access.require(by, "manage", worklist.corpus.project)
    for pk in _members(worklist.corpus, names):
        WorkPerson.objects.update_or_create(
            worklist=worklist, user_id=pk, defaults={"removed_at": None}
        )


@transaction.atomic
def remove(worklist: Worklist, name: str, *, by: Anybody) -> None:
    """Take someone off the list. What they did stays; what they have under hand goes
    to others, unless they have begun it. Raises NotAllowed, BadRequest."""
    access.require(by, "manage", worklist.corpus.project)
    Worklist.objects.select_for_update().get(pk=worklist.pk)
    rows = worklist.people.filter(user__username=name, removed_at=None)
    person = rows.first()
    if person is None:
        raise BadRequest(_("This person does not work on the list."), field="name")
    rows.update(removed_at=timezone.now())
    under_hand = WorkShare.objects.filter(
        item__worklist=worklist, user=person.user_id, state=State.OPEN
    )
    for share in under_hand.select_related("item"):
        if _is_begun(share):
            share.state, share.note = State.SKIPPED, "Begun, then taken off the list."
            share.save(update_fields=["state", "note"])
        else:
            share.delete()


def _is_begun(share: WorkShare) -> bool:
    """Whether there is a draft or a layer of theirs, which stays whatever happens."""
    item = share.item
    if item.sentence_id:
        drawn = TreeDraft.objects.filter(
            sentence=item.sentence_id, author=share.user_id
        )
        return drawn.filter(revision__gt=0).exists()
    linked = AlignmentLayer.objects.filter(pair=item.pair_id, author=share.user_id)
    return linked.filter(revision__gt=0).exists()


def close(worklist: Worklist, *, by: Anybody) -> None:
    """Hand nothing more out; what is under hand can be finished. Again: open it.

    Raises NotAllowed, Conflict if someone did it at the same time.
    """
    access.require(by, "manage", worklist.corpus.project)
    now = None if worklist.closed_at else timezone.now()
    rows = Worklist.objects.filter(pk=worklist.pk, closed_at=worklist.closed_at)
    if not rows.update(closed_at=now):
        raise Conflict(_("Someone else has just opened or closed this list."))
