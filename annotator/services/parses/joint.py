"""Joint parsing of a corpus's pairs, as a job; and its runs."""

import hashlib
import json
import math
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q
from django.db.models.query import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotator import access
from annotator.errors import BadRequest
from annotator.models import (
    Corpus,
    Job,
    JointPair,
    JointRun,
    JointTree,
    Origin,
    Pair,
    Parse,
    Sentence,
    TreeChange,
)
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.kept_counts import kept
from annotator.services.parses import accuracy, ledger, offered, parsers
from annotator.throughput.writing import write
from core.errors import GemelError, InvalidValue
from core.formats import treetext
from core.joint_parsing import gate
from core.joint_parsing.parser import ENGINE, VERSION, WANT, JointParser, pairs_of
from core.joint_parsing.values import (
    METHODS,
    ArcChange,
    JointResult,
    JointSettings,
    JointSide,
    SpanChange,
)
from core.parsing import registry
from core.protocols import Analysis, BackendInfo, Capability, ParserBackend, Step
from core.word_alignment import aligner as word_aligner
from core.word_alignment.aligner import TrainedWordAligner

SEPARATE = 2  # the rank, among a run's parses, of the one it started from
Key = tuple[int, str, str]  # sentence, kind, digest


@dataclass(frozen=True, slots=True)
class JointAnswer:
    """A pair, what the parser said of its sentences, and what joint parsing did."""

    pair: Pair
    analyses: tuple[Analysis, Analysis]
    result: JointResult

    @property
    def sides(self) -> Iterator[tuple[str, Sentence, Analysis, JointSide]]:
        sentences = self.pair.source, self.pair.target
        joint = self.result.source, self.result.target
        return zip("st", sentences, self.analyses, joint, strict=True)


def open_run(
    corpus: Corpus,
    *,
    engine: str,
    version: str,
    method: str,
    label: str,
    parameters: Mapping[str, Any],
    by_id: int | None,
) -> JointRun:
    """The run of this engine with these parameters over the corpus, created if new.

    Its parses are identified by the version, the method and a digest of the parameters.
    """
    text = json.dumps([engine, version, method, parameters], sort_keys=True)
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    joint_run, _ = JointRun.objects.get_or_create(
        corpus=corpus,
        digest=digest,
        defaults={
            "engine": engine,
            "version": f"{version} {method} {digest[:6]}",
            "method": method,
            "label": label[:120],
            "parameters": dict(parameters),
            "by_id": by_id,
        },
    )
    return joint_run


def store(run: JointRun, made: Sequence[JointAnswer], info: BackendInfo) -> int:
    """Add the rows of a batch, all or none; the number of pairs that were new.

    ``info``: of the parser whose analyses these are; its parses are stored as well
    where it has none here yet. Pairs that the run has already are left alone.
    """
    with write():
        JointRun.objects.select_for_update().get(pk=run.pk)  # one writer a run
        pairs = [one.pair.pk for one in made]
        there = JointPair.objects.filter(run=run, pair__in=pairs)
        known = set(there.values_list("pair_id", flat=True))
        new = [one for one in made if one.pair.pk not in known]
        results = JointPair.objects.bulk_create(_result(run, one) for one in new)
        trees = _Parses(run, info).trees(new, results)
        JointTree.objects.bulk_create(trees)
        changes = TreeChange.objects.bulk_create(
            change
            for one, result in zip(new, results, strict=True)
            for change in _changes(run, one, result)
        )
        ledger.compare(results)
        JointRun.objects.filter(pk=run.pk).update(
            n_pairs=F("n_pairs") + len(new), n_changes=F("n_changes") + len(changes)
        )
    return len(new)


def _result(run: JointRun, one: JointAnswer) -> JointPair:
    result = one.result
    return JointPair(
        run=run,
        pair=one.pair,
        rounds=[
            [_finite(r.dual), _finite(r.primal), r.disagreements] for r in result.rounds
        ],
        links=[_link(link) for link in result.links],
        before=result.agreement_before,
        after=result.agreement_after,
        exact=result.exact,
        gap=_finite(result.gap),
        gate=result.gate,
        kept=result.kept,
    )


def _finite(value: float) -> float | None:
    """None for what JSON cannot hold: no pair fits the hard constraints yet."""
    return value if math.isfinite(value) else None


def _link(link: Any) -> list[Any]:
    prob = link.attrs.get("prob")
    return [link.source, link.target, None if prob is None else round(float(prob), 4)]


def _changes(
    run: JointRun, one: JointAnswer, result: JointPair
) -> Iterator[TreeChange]:
    domain, operations = _about(one.pair)
    for name, _tree, analysis, side in one.sides:
        made = {"run": run, "result": result, "side": name}
        made |= {"domain": domain, "operations": operations}
        for arc in side.arcs:
            yield _arc(made, arc)
        stored = parsers.of_analysis(analysis) if side.spans else None
        sure = parsers.sureness(stored) if stored else {}
        for span in side.spans:
            key = span.start, span.end, span.label
            change = _span(made, span, sure.get(key, 0.0) if sure else None)
            change.because = _within(one.result, name, span)
            yield change


def _within(result: JointResult, side: str, span: SpanChange) -> list[list[Any]]:
    """The links of the bracket's words."""
    rows = [_link(link) for link in result.links]
    at = 0 if side == "s" else 1
    return [row for row in rows if span.start <= int(row[at][1:]) < span.end]


def _about(pair: Pair) -> tuple[str, str]:
    """Domain and operations of rewording, where the pair's further columns say so."""
    domain = str(pair.meta.get("domain") or pair.meta.get("corpus") or "")
    names = str(pair.meta.get("operations", "")).replace(",", " ").split()
    while names and len("".join(names)) + len(names) + 1 > 200:
        names.pop()
    return domain[:60], f"|{'|'.join(names)}|" if names else ""


def _arc(made: dict[str, Any], arc: ArcChange) -> TreeChange:
    return TreeChange(
        **made,
        kind=TreeChange.Kind.ARC,
        start=arc.word,
        end=arc.word + 1,
        head_before=arc.head_before,
        head_after=arc.head_after,
        label_before=arc.label_before[:60],
        label_after=arc.label_after[:60],
        prob_before=arc.prob_before,
        prob_after=arc.prob_after,
        confidence=arc.prob_after - arc.prob_before,
        because=[_link(link) for link in arc.because],
    )


def _span(made: dict[str, Any], span: SpanChange, p: float | None) -> TreeChange:
    """A bracket; ``p``: the parser's own probability of it, None if not known."""
    after = None if p is None else p if span.added else 1 - p
    return TreeChange(
        **made,
        kind=TreeChange.Kind.BRACKET,
        start=span.start,
        end=span.end,
        label_before="" if span.added else span.label[:60],
        label_after=span.label[:60] if span.added else "",
        prob_before=None if after is None else 1 - after,
        prob_after=after,
        confidence=0.0 if after is None else 2 * after - 1,
    )


class _Parses:
    """Stores the parses of a batch before and after, each once, and finds them."""

    def __init__(self, run: JointRun, info: BackendInfo) -> None:
        self.run, self.info = run, info
        self.mine = replace(info, name=run.engine, version=run.version)

    def trees(
        self, made: Sequence[JointAnswer], results: Sequence[JointPair]
    ) -> list[JointTree]:
        """The rows that say which parse became which; their parses are stored."""
        wanted: list[tuple[JointPair, str, Parse, Parse]] = []
        base = {}
        for one, result in zip(made, results, strict=True):
            for name, sentence, analysis, side in one.sides:
                parsed = parsers.parsed_text(sentence, analysis, self.info, 1)
                base[sentence.pk] = parsed
                old = {row.kind: row for row in (*parsed.trees, parsed.deps) if row}
                for row in self._after(one, sentence, analysis, side):
                    wanted.append((result, name, old[row.kind], row))
        parsers.store(self.info, list(base.values()), 1)
        before = self._stored([row for _, _, row, _ in wanted], self.info)
        after = self._stored([row for _, _, _, row in wanted], self.mine)
        return [
            JointTree(
                result=result,
                side=name,
                kind=new.kind,
                before=before[_key(old)],
                after=after[_key(new)],
            )
            for result, name, old, new in wanted
        ]

    def _after(
        self, one: JointAnswer, sentence: Sentence, analysis: Analysis, side: JointSide
    ) -> Iterator[Parse]:
        meta = {"pair": one.pair.code, "run": self.run.code}
        meta |= {"parser": f"{self.info.name} {self.info.version}"}
        if side.deps is not None:
            alone = replace(analysis, deps=side.deps, forest=None)
            row = parsers.parsed_text(sentence, alone, self.mine, 1).deps
            if row is not None:
                row.meta = meta
                yield row
        if side.tree is not None:
            text, notes = treetext.dump(side.tree)
            yield Parse(
                sentence=sentence,
                kind=Parse.Kind.CONSTITUENCY,
                origin=Origin.ENGINE,
                engine=self.mine.name,
                version=self.mine.version,
                text=text,
                digest=Sentence.key_of(text),
                meta=meta | notes,
            )

    def _stored(self, rows: Iterable[Parse], info: BackendInfo) -> dict[Key, Parse]:
        """The stored parses equal to ``rows``; what is not there is added.

        A parser's first tree may differ from the one stored before by the last digits
        of its scores: it is then kept among the run's own parses, as their second.
        """
        wanted = {_key(row): row for row in rows}
        stored = self._find(wanted, info.name, info.version)
        missing = {key: row for key, row in wanted.items() if key not in stored}
        for row in missing.values():
            row.rank = 1 if info is self.mine else SEPARATE
            row.engine, row.version = self.mine.name, self.mine.version
        Parse.objects.bulk_create(missing.values(), ignore_conflicts=True)
        return stored | self._find(missing, self.mine.name, self.mine.version)

    def _find(
        self, wanted: dict[Key, Parse], engine: str, version: str
    ) -> dict[Key, Parse]:
        rows = Parse.objects.filter(
            sentence__in={key[0] for key in wanted},
            origin=Origin.ENGINE,
            engine=engine,
            version=version,
        )
        return {_key(row): row for row in rows.order_by("-pk") if _key(row) in wanted}


def _key(row: Parse) -> Key:
    return row.sentence_id, row.kind, row.digest


BATCH = 32  # pairs: also the work lost at a crash, and the delay of a cancellation
NAMES = {
    "bp": gettext_noop("Belief propagation"),
    "mbr": gettext_noop("Minimum Bayes risk"),
    "soft": gettext_noop("Soft dual decomposition"),
    "hard": gettext_noop("Hard dual decomposition"),
    "pairs": gettext_noop("Pairs of n-best trees"),
    "spans": gettext_noop("Agreement of phrases"),
}

SWITCHES = {
    ("gate", True): "with the gate",
    ("gate", False): "without the gate",
    ("projective", True): "no crossing arcs",
    ("projective", False): "crossing arcs allowed",
}


def methods() -> dict[str, str]:
    """The methods there are: name and what people call it."""
    return {name: NAMES.get(name, name) for name in METHODS}


def settings_of(sent: Mapping[str, Any]) -> JointSettings:
    """Settings from plain values by name; what is not there is the engine's own.

    Raises BadRequest on an unknown name or a number out of range.
    """
    known = {one.name for one in fields(JointSettings)}
    if unknown := sorted(set(sent) - known):
        raise BadRequest(
            _("There is no setting %(name)s.") % {"name": repr(unknown[0])},
            field=unknown[0],
        )
    try:
        return JointSettings(**sent)
    except (InvalidValue, TypeError) as error:
        raise BadRequest(str(error), field="settings") from error


def start(
    corpus: Corpus,
    settings: JointSettings,
    *,
    parser: str = registry.DEFAULT,
    sets: bool = False,
    by: Anybody,
    enqueue: bool = True,
) -> Job:
    """A job that parses jointly the pairs that this run has not parsed yet.

    ``sets``: all paraphrases of a sentence are parsed together with it (Choe & McClosky
    2015, section 6). Raises NotAllowed; BadRequest on a parser that there is not, or
    that gives no arcs, or on sets with a method for pairs; Conflict while the same is
    at work on this corpus.
    """
    access.require(by, "run", corpus.project)
    backend = offered.chosen(corpus.project, parser, field="parser")
    if "dependencies" not in backend.info.capabilities:
        raise BadRequest(
            _(
                "%(parser)s produces no dependency trees, which joint parsing "
                "needs. Choose another parser."
            )
            % {"parser": parser},
            field="parser",
        )
    if sets and settings.method == "spans":
        raise BadRequest(_("This method parses pairs only."), field="sets")
    return jobs.start(
        corpus.project,
        "joint",
        title=f"Parse {corpus.name} jointly: {_label(settings, sets=sets)}",
        by=by,
        params={
            "corpus": corpus.code,
            "parser": parser,
            "settings": asdict(settings),
            "sets": sets,
        },
        engine=f"{ENGINE} {VERSION}",
        enqueue=enqueue,
    )


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Parse the remaining pairs, a batch at a time; a batch is stored whole or not at
    all.

    The parsers work outside of any transaction. A pair that cannot be parsed becomes
    an Issue; the others go on.
    """
    corpus = Corpus.objects.get(project=job.project, code=job.params["corpus"])
    given = dict(job.params["settings"])
    given.pop("in_view", None)  # of a job that an upgrade interrupted
    settings = JointSettings(**given)
    sets = bool(job.params.get("sets"))
    backend = offered.load(job.params["parser"], job.project)
    joint = JointParser.load()
    made_with = _made_with(joint, backend.info) | ({"sets": True} if sets else {})
    joint_run = open_run(
        corpus,
        engine=ENGINE,
        version=VERSION,
        method=settings.method,
        label=_label(settings, sets=sets),
        parameters=asdict(settings) | made_with,
        by_id=job.by_id,
    )
    pairs = _pairs(corpus, backend.info)
    left = _lacking(pairs, joint_run)
    total, n_left = pairs.count(), left.count()
    yield Step(
        total=total, done=total - n_left, note=f"{backend.info.name}, {joint_run}"
    )
    ledger.refresh(joint_run)
    beyond = 0  # pairs done with a set of an earlier batch

    def work(batch: list[Pair]) -> int:
        nonlocal beyond
        made = []
        groups = _sets(batch, left) if sets else [[pair] for pair in batch]
        for pair, answer in _parse(joint, backend, groups, settings):
            if isinstance(answer, JointAnswer):
                made.append(answer)
            else:
                _complain(job, pair, answer)
        store(joint_run, made, backend.info)
        asked = {pair.pk for pair in batch}
        n_asked = sum(one.pair.pk in asked for one in made)
        beyond += len(made) - n_asked
        return n_asked

    n_done, n_failed = yield from jobs.by_batches(left, BATCH, work)
    yield Step(done=beyond)
    parsers.mark_parsed(corpus)
    joint_run.refresh_from_db()
    result: dict[str, Any] = {"engine": joint_run.engine, "version": joint_run.version}
    result |= {"run": joint_run.code, "parsed": n_done + beyond, "failed": n_failed}
    result |= {"changes": joint_run.n_changes}
    return result | accuracy.of_corpus(corpus, joint_run.engine, joint_run.version)


def runs_of(corpus: Corpus) -> list[JointRun]:
    """The runs over a corpus, newest first, with ``n_judged``, ``n_fixed`` and
    ``n_broken``: changes with a verdict, and what gold says. One query."""
    judged = Count("changes", filter=~Q(changes__verdict=""))
    fixed = Count("changes", filter=Q(changes__gold="fixed"))
    broken = Count("changes", filter=Q(changes__gold="broken"))
    rows = corpus.joint_runs.annotate(n_judged=judged, n_fixed=fixed, n_broken=broken)
    return list(rows.order_by("-created_at", "-pk"))


def _label(settings: JointSettings, *, sets: bool = False) -> str:
    """The method, and what differs from its usual settings."""
    usual = JointSettings(method=settings.method)
    parts = [methods()[settings.method], *(["paraphrases in sets"] if sets else [])]
    for one in fields(JointSettings):
        value = getattr(settings, one.name)
        if value != getattr(usual, one.name):
            name = one.name.replace("_", " ")
            parts.append(SWITCHES.get((one.name, value), f"{name} {value}"))
    return ", ".join(parts)


def _made_with(joint: JointParser, info: BackendInfo) -> dict[str, Any]:
    """All that decides what comes out, next to the settings."""
    learned = hashlib.blake2b(digest_size=6)
    for path in (gate.WEIGHTS, word_aligner.WEIGHTS):
        learned.update(path.read_bytes())
    return {
        "parser": info.name,
        "parser_version": info.version,
        "weights": learned.hexdigest(),
        "thesaurus": getattr(joint.aligner, "thesaurus", None) is not None,
        "vectors": "vectors" in _want(joint, info),
    }


def _want(joint: JointParser, info: BackendInfo) -> frozenset[Capability]:
    """What to ask of the parser: its vectors only if the word aligner knows them."""
    aligner = joint.aligner
    is_known = isinstance(aligner, TrainedWordAligner) and aligner.knows(info)
    return (WANT if is_known else WANT - {"vectors"}) & info.capabilities


def _pairs(corpus: Corpus, info: BackendInfo) -> QuerySet[Pair]:
    """The pairs whose two languages the parser speaks."""
    both = parsers.spoken(info, "source__language")
    both &= parsers.spoken(info, "target__language")
    return Pair.objects.filter(both, corpus=corpus)


def _lacking(pairs: QuerySet[Pair], joint_run: JointRun) -> QuerySet[Pair]:
    there = JointPair.objects.filter(run=joint_run, pair=OuterRef("pk"))
    return pairs.filter(~Exists(there)).select_related("source", "target")


def has_sets(corpus: Corpus) -> bool:
    """Whether a sentence of the corpus has several paraphrases; in a large corpus as of
    a minute ago."""
    again = corpus.pairs.filter(source=OuterRef("source"), pk__gt=OuterRef("pk"))
    rows = corpus.pairs.filter(Exists(again))
    return kept(f"sets-{corpus.pk}", corpus.n_pairs, rows.exists)


MOST = 7  # paraphrases of one set: each two sentences are linked


def _sets(batch: Sequence[Pair], left: QuerySet[Pair]) -> Iterator[list[Pair]]:
    """The pairs of the batch with all others of their sources; a set is in the batch
    that has its first pair."""
    mine = {pair.source_id for pair in batch}
    of: dict[int, list[Pair]] = {}
    for pair in left.filter(source__in=mine).order_by("pk"):
        of.setdefault(pair.source_id, []).append(pair)
    for pairs in of.values():
        for start in range(0, len(pairs), MOST):
            yield pairs[start : start + MOST]


def _parse(
    joint: JointParser,
    backend: ParserBackend,
    groups: Iterable[Sequence[Pair]],
    settings: JointSettings,
) -> Generator[tuple[Pair, JointAnswer | GemelError], None, None]:
    """What each pair gives, or the reason why nothing; a sentence is parsed once. The
    pairs of a group have the same source."""
    groups = list(groups)
    batch = [pair for some in groups for pair in some]
    sides = {one.pk: one for pair in batch for one in (pair.source, pair.target)}
    wanted = [one.to_core() for one in sides.values()]
    answers = backend.analyse(wanted, want=_want(joint, backend.info))
    of = dict(zip(sides, answers, strict=True))
    for pairs in groups:
        try:
            some = [_analysis(of[pairs[0].source_id])]
            some += [_analysis(of[pair.target_id]) for pair in pairs]
            if len(pairs) == 1:
                results = [joint.parse(some[0], some[1], settings)]
            else:
                results = pairs_of(some, joint.parse_set(some, settings), settings)
            for pair, target, result in zip(pairs, some[1:], results, strict=True):
                yield pair, JointAnswer(pair, (some[0], target), result)
        except GemelError as error:
            for pair in pairs:
                yield pair, error


def _analysis(answer: Analysis | Exception) -> Analysis:
    if isinstance(answer, Exception):
        raise answer
    return answer


def _complain(job: Job, pair: Pair, error: GemelError) -> None:
    jobs.report_issue(
        job,
        f"{pair.ref or pair.code}: {error}",
        remedy="split the sentence, or take the pair out",
        excerpt=pair.source_text,
    )
