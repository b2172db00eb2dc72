"""Parsing the sentences of a corpus, as a job; parsers compared with gold."""

from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q
from django.db.models.query import QuerySet
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest
from annotator.models import (
    Corpus,
    Issue,
    Job,
    JobChunk,
    Origin,
    PackedForest,
    Pair,
    Parse,
    Sentence,
)
from annotator.models.projects import Anybody
from annotator.services import chunks, jobs
from annotator.services.parses import accuracy, offered
from core.data.check import Floats
from core.data.tokens import Token
from core.errors import GemelError
from core.evaluation.parsers import Rates, knower
from core.forests.inside import bracket_chances
from core.forests.kbest import trees_of
from core.formats import conllu, forest_npz, treetext
from core.formats.forest_npz import StoredForest
from core.parsing import registry
from core.protocols import Analysis, BackendInfo, Capability, ParserBackend, Step
from core.text.scripts import foreign_script
from core.text.tokenize import tokenize

CHUNK = 500


def of_corpus(corpus: Corpus, backend: ParserBackend) -> dict[str, Any]:
    """``by_unknown``: sentences and F1 by their share of unknown words.

    {} if the parser does not list its training words; sentences that it was trained on
    do not count. Reads the corpus in chunks.
    """
    is_known = knower(backend)
    if is_known is None:
        return {}
    info, rates = backend.info, Rates()
    learnt = offered.trained_on(corpus.project, info.name)
    for chunk in jobs.in_batches(corpus.sentences.all(), CHUNK):
        new = [one for one in chunk if not accuracy.is_learnt(one, learnt)]
        for sides in accuracy.sides_of(new, info.name, info.version):
            brackets = sides.brackets if sides.tree else None
            rates.add(sides.sentence.forms, is_known, brackets)
    return {"by_unknown": rates.to_json()}


BATCH = 64
MAX_TREES = 50
MAX_TEXT = 2_000
WANT: frozenset[Capability] = frozenset(
    {"constituents", "dependencies", "tags", "forest"}
)


def start(
    corpus: Corpus, engine: str, *, n: int, by: Anybody, enqueue: bool = True
) -> Job:
    """A job that parses what this engine has not parsed yet, keeping ``n`` trees.

    Raises NotAllowed; BadRequest on an engine that there is not, or a number of trees
    that is not 1 to 50; Conflict while the engine is at work on this corpus.
    """
    access.require(by, "run", corpus.project)
    offered.require(corpus.project, engine, field="engine")
    check_n(n)
    return jobs.start(
        corpus.project,
        "parse",
        title=f"Parse {corpus.name}: {engine}, {n}-best",
        by=by,
        params={"corpus": corpus.code, "engine": engine, "n": n},
        engine=engine,
        enqueue=enqueue,
    )


def check_n(n: int) -> None:
    """Raises BadRequest at a number of trees that is not 1 to 50."""
    if not 1 <= n <= MAX_TREES:
        problem = _("Enter 1 to %(n)s trees per sentence.") % {"n": MAX_TREES}
        raise BadRequest(problem, field="n")


def try_out(text: str, backend: ParserBackend) -> Analysis:
    """A parser's output for one raw sentence; nothing is stored.

    Raises BadRequest on a text without a word or of more than 2,000 characters; the
    parser's own error if it cannot take the sentence.
    """
    if not text.strip() or len(text) > MAX_TEXT:
        problem = _("Enter a sentence of 1 to %(n)s characters.") % {"n": MAX_TEXT}
        raise BadRequest(problem, field="text")
    sentence = tokenize(text)
    (answer,) = backend.analyse([sentence], want=WANT & backend.info.capabilities)
    if isinstance(answer, Exception):
        raise answer
    return answer


def unreadable(text: str, info: BackendInfo) -> str:
    """Why a parser cannot make sense of a text, for people; "" if nothing tells."""
    script = foreign_script(text, info.languages)
    if not script:
        return ""
    return f"written in {script} script, and {info.name} reads {_listed(info)}"


def _listed(info: BackendInfo) -> str:
    return ", ".join(info.languages)


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Parse the remaining sentences; resumable."""
    corpus = Corpus.objects.get(project=job.project, code=job.params["corpus"])
    backend = offered.load(job.params["engine"], job.project)
    yield Step(total=corpus.sentences.count())
    return (yield from parse(job, corpus, backend, job.params["n"]))


def parse(
    job: Job, corpus: Corpus, backend: ParserBackend, n: int
) -> Generator[Step, None, dict[str, Any]]:
    """Parse the remaining sentences, in chunks that other workers may take; resumable.
    A sentence that cannot be parsed becomes an Issue; the others continue.
    """
    info = backend.info
    others = _other_languages(corpus, info)
    if not job.chunks.filter(part=info.name).exists():
        _tell_languages(job, info, others)
        left = _lacking(corpus, info, n).values_list("pk", flat=True)
        n_there = corpus.sentences.count() - left.count()
        chunks.split(job, info.name, left.iterator(), found=n_there)
    yield Step(note=f"{info.name} {info.version}")
    counts = yield from chunks.work(job, info.name)
    mark_parsed(corpus)
    result: dict[str, Any] = {"engine": info.name, "version": info.version}
    result |= {"parsed": counts.done, "failed": counts.failed}
    result |= {"in_other_languages": sum(others.values())} if others else {}
    result |= accuracy.of_corpus(corpus, info.name, info.version)
    return result | of_corpus(corpus, backend)


def run_chunk(job: Job, chunk: JobChunk) -> Generator[Step, None, None]:
    """Parse a chunk's remaining sentences, a batch at a time; a batch is stored whole
    or not at all. The parser works outside of any transaction."""
    corpus = Corpus.objects.get(project=job.project, code=job.params["corpus"])
    backend, n = offered.load(chunk.part, job.project), job.params["n"]
    info = backend.info
    is_own = info.name not in registry.names(settings.MODELS_DIR)
    left = _lacking(corpus, info, n).filter(pk__gte=chunk.first, pk__lte=chunk.last)
    chunks.note(chunk, found=chunk.n - left.count())
    issues = []
    for batch in jobs.in_batches(left, BATCH):
        answers = _analyse(backend, batch, n, check=not is_own)
        good = [one for one in answers if isinstance(one, ParsedText)]
        store(info, good, n)
        for sentence, answer in zip(batch, answers, strict=True):
            if isinstance(answer, str):
                issues.append(_issue(job, sentence, answer))
        chunks.note(chunk, done=len(good), failed=len(batch) - len(good))
        yield Step()
    chunks.close(chunk, issues)


@dataclass(frozen=True, slots=True)
class ParsedText:
    """An engine's output for one sentence, ready to be stored."""

    sentence: Sentence
    trees: list[Parse]
    deps: Parse | None
    forest: bytes


def parsed_text(
    sentence: Sentence, analysis: Analysis, info: BackendInfo, n: int
) -> ParsedText:
    """The rows for an analysis, not saved: up to ``n`` trees, arcs, the forest."""
    made = {"sentence": sentence, "origin": Origin.ENGINE}
    made |= {"engine": info.name, "version": info.version}
    trees = []
    for rank, (score, tree) in enumerate(trees_of(analysis, n), 1):
        text, notes = treetext.dump(tree)
        meta = notes | ({"nbest": n} | _advice(analysis) if rank == 1 else {})
        trees.append(
            Parse(
                **made,
                kind=Parse.Kind.CONSTITUENCY,
                rank=rank,
                score=score,
                text=text,
                digest=Sentence.key_of(text),
                meta=meta,
            )
        )
    return ParsedText(sentence, trees, _deps(analysis, made, n), _forest(analysis))


def _advice(analysis: Analysis) -> dict[str, Any]:
    """Which words the parser was helped with, or why with none, for ``Parse.meta``."""
    meta: dict[str, Any] = {}
    if analysis.advice:
        meta["advice"] = [asdict(one) for one in analysis.advice]
    if analysis.unhelped:
        meta["unhelped"] = analysis.unhelped
    return meta


def _deps(analysis: Analysis, made: dict[str, Any], n: int) -> Parse | None:
    if analysis.deps is None:
        return None
    tree, arcs = analysis.deps.tree, analysis.deps.arcs
    empty = ("",) * len(tree)
    columns = zip(
        analysis.sentence.forms,
        analysis.upos or empty,
        analysis.xpos or empty,
        strict=True,
    )
    tokens = tuple(Token(form, upos=upos, xpos=xpos) for form, upos, xpos in columns)
    text = conllu.lines_of(tokens, tree)
    score = None
    if arcs is not None:
        score = float(sum(arcs[h + 1, m + 1] for m, h in enumerate(tree.heads)))
    return Parse(
        **made,
        kind=Parse.Kind.DEPENDENCY,
        score=score,
        text=text,
        digest=Sentence.key_of(text),
        meta={"nbest": n},
    )


def _forest(analysis: Analysis) -> bytes:
    """The forest, with the arc weights; empty bytes if there is no forest."""
    if analysis.forest is None or analysis.edge_weights is None:
        return b""
    arcs: Floats | None = analysis.deps.arcs if analysis.deps else None
    return forest_npz.dump(analysis.forest, analysis.edge_weights, arcs=arcs)


def _lacking(corpus: Corpus, info: BackendInfo, n: int) -> QuerySet[Sentence]:
    """Sentences in the engine's languages without its parse, or with fewer trees."""
    there = Parse.objects.filter(
        sentence=OuterRef("pk"),
        engine=info.name,
        version=info.version,
        rank=1,
        meta__nbest__gte=n,
    )
    rows = Sentence.objects.filter(spoken(info), ~Exists(there), corpus=corpus)
    return rows.order_by("pk")


def _other_languages(corpus: Corpus, info: BackendInfo) -> dict[str, int]:
    """How many sentences are in which language here that the engine does not read."""
    rows = Sentence.objects.filter(corpus=corpus).exclude(spoken(info))
    counts = rows.values_list("language").annotate(n=Count("pk")).order_by("language")
    return dict(counts)


def _tell_languages(job: Job, info: BackendInfo, others: dict[str, int]) -> None:
    """An issue for each language whose sentences are left alone."""
    for language, n in others.items():
        read = f"in {language!r}, and {info.name} reads {_listed(info)}"
        jobs.report_issue(
            job,
            f"1 sentence is {read}" if n == 1 else f"{n} sentences are {read}",
            remedy="choose a parser of that language, or train one on its gold trees",
        )


def spoken(info: BackendInfo, field: str = "language") -> Q:
    """Whether ``field`` names a language of the engine, or a variety of one."""
    condition = Q()
    for language in info.languages:
        condition |= Q(**{field: language}) | Q(
            **{f"{field}__startswith": f"{language}-"}
        )
    return condition


def reads(info: BackendInfo, language: str) -> bool:
    """Whether a language is one of the engine's, or a variety of one."""
    return any(
        language == own or language.startswith(f"{own}-") for own in info.languages
    )


def _analyse(
    backend: ParserBackend, batch: Sequence[Sentence], n: int, *, check: bool
) -> list[ParsedText | str]:
    """What is found, or the reason why nothing is, for each sentence.

    ``check``: sentences in a script that the engine does not read are left alone. A
    project's own parser was trained on what the project has.
    """
    info = backend.info
    refused = [unreadable(one.text, info) if check else "" for one in batch]
    wanted = [s for s, reason in zip(batch, refused, strict=True) if not reason]
    answers = iter(
        backend.analyse(
            [sentence.to_core() for sentence in wanted], want=WANT & info.capabilities
        )
    )
    return [
        reason or _one(sentence, next(answers), info, n)
        for sentence, reason in zip(batch, refused, strict=True)
    ]


def _one(
    sentence: Sentence, answer: Analysis | Exception, info: BackendInfo, n: int
) -> ParsedText | str:
    if not isinstance(answer, Analysis):
        if not isinstance(answer, GemelError):
            raise answer
        return str(answer)
    made = parsed_text(sentence, answer, info, n)
    if not made.trees and made.deps is None:
        return "the parser finds no tree over this sentence"
    return made


def _issue(job: Job, sentence: Sentence, reason: str) -> Issue:
    return Issue(
        job=job,
        reason=f"{sentence.ref or sentence.code}: {reason}",
        remedy="split it, or import a tree for it",
        excerpt=sentence.text[:200],
    )


@transaction.atomic
def store(info: BackendInfo, parsed: Sequence[ParsedText], n: int) -> None:
    """Add the rows of a batch; trees of a rank that is there already stay."""
    of_engine = {"engine": info.name, "version": info.version}
    sentences = [one.sentence.pk for one in parsed]
    there = Parse.objects.filter(sentence_id__in=sentences, **of_engine)
    known = set(there.values_list("sentence_id", "kind", "rank"))
    # Asked for more trees than before: the best one remembers how many there are.
    fewer = list(there.filter(rank=1).exclude(meta__nbest__gte=n))
    for parse in fewer:
        parse.meta = parse.meta | {"nbest": n}
    Parse.objects.bulk_update(fewer, ["meta"])
    rows = [row for one in parsed for row in (*one.trees, one.deps) if row is not None]
    Parse.objects.bulk_create(
        [row for row in rows if (row.sentence_id, row.kind, row.rank) not in known],
        ignore_conflicts=True,
    )
    PackedForest.objects.bulk_create(
        [
            PackedForest(sentence=one.sentence, data=one.forest, **of_engine)
            for one in parsed
            if one.forest
        ],
        ignore_conflicts=True,
    )


def mark_parsed(corpus: Corpus) -> int:
    """Note which pairs have a tree on both sides by now; how many are new."""
    parsed = [
        Exists(Parse.objects.filter(sentence=OuterRef(side)))
        for side in ("source", "target")
    ]
    waiting = Pair.objects.filter(corpus=corpus, has_parse=False)
    return waiting.filter(*parsed).update(has_parse=True)


Sureness = dict[tuple[int, int, str], float]


def stored_forest(sentence: Sentence, engine: str, version: str) -> StoredForest | None:
    """The forest of an engine over the sentence; None if there is none to be read."""
    row = PackedForest.objects.filter(
        sentence=sentence, engine=engine, version=version
    ).first()
    return row.to_core() if row else None


def of_analysis(analysis: Analysis) -> StoredForest | None:
    """As ``stored_forest``, for an analysis that is not stored."""
    if analysis.forest is None or analysis.edge_weights is None:
        return None
    arcs = analysis.deps.arcs if analysis.deps else None
    return StoredForest(analysis.forest, analysis.edge_weights, arcs)


def sureness(stored: StoredForest) -> Sureness:
    """The probability of each label of each span, over all trees of the forest."""
    return bracket_chances(stored.forest, stored.weights)
