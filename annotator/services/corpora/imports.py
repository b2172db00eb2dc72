"""Bringing corpora in: a job that checks every row first, then writes in batches.

The rows of a batch are stored together, each identified by a key made of its content:
existing rows are left unchanged, so a job whose worker died continues where it ended. A
job that is cancelled, or fails, undoes its additions.
"""

from collections.abc import Generator, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import OperationalError, transaction
from django.db.models import F, Model, Q, Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, Conflict
from annotator.exchange import registry
from annotator.exchange.files import ENCODINGS, Source
from annotator.models import (
    AlignmentLayer,
    Corpus,
    Issue,
    Job,
    LinkEvent,
    PackedForest,
    Pair,
    Parse,
    Project,
    Sentence,
    Upload,
)
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.alignments import phrases
from annotator.services.corpora.batches import Loader, RecordLoader, languages_of
from annotator.services.corpora.bundles import BundleLoader
from annotator.services.corpora.storing import format_of, opened, uploads_of
from annotator.services.parses import parsers
from core.formats.gemel import GemelItem
from core.formats.ptb import bracket
from core.formats.records import (
    BadLine,
    Format,
    PairRecord,
    Record,
    RecordHeader,
    SentenceRecord,
)
from core.parsing.registry import DEFAULT
from core.protocols import Step

BATCH = 1000
CORPUS = "corpus_code"  # of a job: the row that it writes to


def take_back(job: Job) -> int:
    """Delete the rows this job brought; how many pairs stay, since others use them."""
    named = Corpus.objects.filter(project=job.project, name=job.params["corpus"])
    if code := job.params.get(CORPUS):  # even if it was renamed or deleted meanwhile
        named = Corpus.objects.filter(code=code)
    corpus = named.first()
    if corpus is None:
        return 0
    of_sentence = {"sentence__corpus": corpus}
    for rows in (
        AlignmentLayer.objects.filter(pair__corpus=corpus),
        Pair.objects.filter(corpus=corpus),
        PackedForest.objects.filter(**of_sentence),
        Parse.objects.filter(**of_sentence),
        Sentence.objects.filter(corpus=corpus),
    ):
        for part in jobs.in_batches(rows.filter(job=job).only("pk"), BATCH):
            _delete(rows.model, [one.pk for one in part], job)
    left = {"n_sentences": corpus.sentences.count(), "n_pairs": corpus.pairs.count()}
    Corpus.objects.filter(pk=corpus.pk).update(**left)
    if corpus.job_id == job.pk and not any(left.values()):
        _delete(Corpus, [corpus.pk], job)
    return corpus.pairs.filter(job=job).count()


def brought(job: Job, held: Mapping[str, int]) -> dict[str, int]:
    """The number of rows of this job, over all its runs; ``held``: how many its files
    hold; if none, no search among millions is made."""
    of = {
        "sentences": Sentence.objects,
        "pairs": Pair.objects,
        "parses": Parse.objects,
        "layers": AlignmentLayer.objects,
    }
    counts = {
        name: rows.filter(job=job).count() if held[name] else 0
        for name, rows in of.items()
    }
    mine = AlignmentLayer.objects.filter(job=job).order_by()
    links = mine.aggregate(n=Sum("n_links"))["n"] if counts["layers"] else 0
    return counts | {"links": links}


@transaction.atomic
def _delete(model: type[Model], keys: list[int], job: Job) -> None:
    """Those of these rows that no one uses. Locked, they get no new users."""
    rows = model._default_manager.filter(pk__in=keys)
    free = set(rows.select_for_update().values_list("pk", flat=True))
    if model is AlignmentLayer:
        free -= _worked_on(keys, job)
        own = LinkEvent.objects.filter(layer__in=free, job=job)
        own.update(undoes=None)  # they go together, in whatever order
        _raw_delete(own)
    free -= _used(model, free)
    _raw_delete(model._default_manager.filter(pk__in=free))


def _worked_on(layers: list[int], job: Job) -> set[int]:
    """Those of these layers that someone has changed, opened or closed here."""
    changed = Q(updated_at__gt=F("created_at"), updated_at__gte=job.created_at)
    rows = AlignmentLayer.objects.filter(pk__in=layers)
    events = LinkEvent.objects.filter(layer__in=layers).exclude(job=job)
    return {
        *rows.filter(changed).values_list("pk", flat=True),
        *events.values_list("layer", flat=True),
    }


def _used(model: type[Model], keys: set[int]) -> set[int]:
    """Those of these rows that any row of any table names."""
    used: set[int] = set()
    for column in model._meta.get_fields(include_hidden=True):
        if column.auto_created and not column.concrete:
            users: Any = column.related_model
            name = column.remote_field.name  # type: ignore[union-attr]
            rows = users._base_manager.filter(**{f"{name}__in": keys})
            used |= set(rows.values_list(name, flat=True))
    return used


def _raw_delete(rows: Any) -> None:
    rows._raw_delete(rows.db)


ROWS = 3
TEXTS = 200  # of a side, for its language
SHOWN = 300  # characters of a cell
SHOWN_CELL, MAX_COLUMNS = 60, 100  # of a first row
LEAST_WORDS = 8
NO_LANGUAGE = ("zxx", "und")  # codes that ISO 639 has for this
MARGIN = 2.0
"""By how much another language must be likelier, in nats a word. English and German
sentences of ten words lie 9 to 14 apart; names alone stay below 1."""


@dataclass(slots=True)
class Glance:
    rows: list[dict[str, str]] = field(default_factory=list)
    texts: dict[str, list[str]] = field(
        default_factory=lambda: {"source": [], "target": []}
    )

    def see(self, record: Record | GemelItem) -> None:
        if isinstance(record, PairRecord):
            self._see({"source": record.source, "target": record.target})
        elif isinstance(record, SentenceRecord):
            self._see({"source": record})

    def _see(self, sides: Mapping[str, SentenceRecord]) -> None:
        for side, sentence in sides.items():
            if len(self.texts[side]) < TEXTS:
                self.texts[side].append(_text(sentence))
        if len(self.rows) < ROWS:
            row = {side: _text(one)[:SHOWN] for side, one in sides.items()}
            parse = sides["source"].parse
            if parse is not None and parse.tree is not None:
                row["tree"] = bracket(parse.tree)[:SHOWN]
            self.rows.append(row)

    def as_dict(self, about: Mapping[str, str]) -> dict[str, Any]:
        """``rows``; ``languages``: the likelier language of each side that is asked
        about, ``about`` naming what was said."""
        questions = {
            side: likelier(" ".join(texts), about.get(f"{side}_language", ""))
            for side, texts in self.texts.items()
        }
        return {
            "rows": self.rows,
            "languages": {side: code for side, code in questions.items() if code},
        }


def likelier(text: str, declared: str) -> str:
    """The code of the language that a text is much likelier in than in the one that was
    said; "" if there is none, or too few words to tell."""
    import py3langid  # its model takes memory, which only an import needs

    n = len(text.split())
    if n < LEAST_WORDS or not declared:
        return ""
    ranked = [one for one in py3langid.rank(text) if one[0] not in NO_LANGUAGE]
    scores = dict(ranked)
    best, score = ranked[0]
    known = scores.get(declared.split("-")[0].lower())
    return str(best) if known is not None and score - known > MARGIN * n else ""


def _text(sentence: SentenceRecord) -> str:
    return sentence.text or " ".join(sentence.forms)


MAX_FILES = 5_000
DOUBLE_CLICK_S = 10  # a form that is sent again within this time was sent twice


def start(
    project: Project,
    uploads: list[Upload],
    *,
    kind: str,
    corpus: str,
    by: Anybody | None,
    about: dict[str, str] | None = None,
    encoding: str = "",
    dry_run: bool = True,
    partial: bool = False,
    is_ours: bool = False,
    align: bool = False,
    tokenised: bool = False,
    columns: dict[str, int] | None = None,
    enqueue: bool = True,
) -> Job:
    """A job that reads these files into the corpus of this name.

    ``about``: licence, provenance and languages for a corpus that is new. ``partial``:
    good rows go in even if others are bad. ``is_ours``: a bundle's names are members';
    for no file that a person sends. ``kind``: "" to find out. ``align``: its pairs are
    then parsed and aligned, by a job that ``result["align"]`` names. ``tokenised``: raw
    text has spaces between its tokens. ``columns``: of a table of pairs, which is which
    (``core.formats.pairs``). Raises NotAllowed, BadRequest, Conflict.
    """
    if by is not None:
        access.require(by, "import", project)
    name = _checked(kind, corpus, uploads, encoding)
    params = {
        "format": kind or format_of(uploads, encoding).name,
        "corpus": name,
        "about": about or {},
        "encoding": encoding,
        "dry_run": dry_run,
        "partial": partial,
        "is_ours": is_ours,
        "align": align,
        "tokenised": tokenised,
        "columns": columns or {},
        "uploads": [upload.code for upload in uploads],
    }
    there = Corpus.objects.filter(project=project, name=name).first()
    if there is not None and not dry_run:
        params[CORPUS] = there.code
    more = f" and {len(uploads) - 1} more" if len(uploads) > 1 else ""
    title = f"{'Check' if dry_run else 'Import'} {uploads[0].name}{more}"
    with jobs.one_after_the_other(project):
        if (again := _same_job(project, params, uploads)) is not None:
            return again
        return jobs.create(
            project, "import", title=title, by=by, params=params, enqueue=enqueue
        )


def _checked(kind: str, corpus: str, uploads: list[Upload], encoding: str) -> str:
    """The name of the corpus as it is kept; raises BadRequest on what cannot be."""
    if kind:
        registry.find(kind)
    name = " ".join(corpus.split())[:120]
    if not name or not uploads or len(uploads) > MAX_FILES:
        raise BadRequest(
            _("Enter a corpus name and choose one to %(n)s files.") % {"n": MAX_FILES},
            field="corpus",
        )
    if encoding not in ("", *ENCODINGS):
        problem = _("Encodings: %(known)s.") % {"known": ", ".join(ENCODINGS)}
        raise BadRequest(problem, field="encoding")
    return name


def go_on(
    job: Job,
    *,
    by: Anybody,
    partial: bool,
    align: bool = False,
    languages: dict[str, str] | None = None,
) -> Job:
    """The import that this dry run was for, of the same files; ``align`` as in `start`,
    ``languages``: ``source_language`` and ``target_language``, where others were meant.

    Raises NotAllowed, or Conflict if the job is not a finished dry run.
    """
    about = job.params.get("about", {}) | (languages or {})
    how: dict[str, Any] = {"partial": partial, "align": align, "about": about}
    return _after_check(job, by=by, dry_run=False, **how)


def check_again(job: Job, *, by: Anybody, columns: dict[str, int]) -> Job:
    """Another dry run of the same files, with these columns of the table.

    Raises NotAllowed, or Conflict if the job is not a finished dry run.
    """
    return _after_check(job, by=by, columns=columns)


def _after_check(job: Job, *, by: Anybody, **how: Any) -> Job:
    """What follows a dry run: the same files read in the same way but for ``how``."""
    is_check = job.kind == "import" and job.params.get("dry_run")
    if not is_check or job.state != Job.State.DONE:
        raise Conflict(_("Only a finished dry run can be followed by its import."))
    same: dict[str, Any] = {
        name: job.params[name]
        for name in ("corpus", "about", "encoding", "tokenised", "columns")
        if name in job.params
    }
    kind = job.params["format"]
    return start(job.project, uploads_of(job), kind=kind, by=by, **same | how)


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Check all rows; then, unless it is a dry run, write them.

    Raises Conflict if rows are bad and a partial import was not asked for, or if the
    files hold nothing.
    """
    try:
        return (yield from _work(job))
    except OperationalError:
        raise  # it will be run again, and go on
    except (Exception, GeneratorExit) as error:
        if _is_given_up(job, error):
            _undo(job)
        raise


def _work(job: Job) -> Generator[Step, None, dict[str, Any]]:
    kind = registry.find(job.params["format"])
    sources = _sources(job, kind)
    corpus = _corpus(job)
    planned = corpus or Corpus(project=job.project, name=job.params["corpus"])
    checking, seen = _loader(job, planned, kind, sources, write=False), Glance()
    n_records, n_bad = yield from _read(
        job, kind, sources, checking, note="Checking", seen=seen
    )
    result: dict[str, Any] = {"dry_run": True, "corpus": job.params["corpus"]}
    result |= checking.counts.as_dict() | {"issues": n_bad}
    del checking  # with all the keys it has seen
    if job.params["dry_run"]:
        if kind.name == "pairs":
            result["columns"] = _first_row(sources[0])
        if kind.holds == "corpus":  # what is new is known once its parts are stored
            del result["new"]
        return result | seen.as_dict({} if corpus else job.params["about"])
    if not (n_bad or result["sentences"] or kind.holds == "corpus"):
        raise Conflict("There is nothing to import: the files hold no sentence.")
    if n_bad and not job.params["partial"]:
        raise Conflict(
            f"Rows that cannot be read: {n_bad}; so nothing was imported. Fix them, or "
            "import the other rows without them."
        )
    if n_bad and not result["sentences"]:
        raise Conflict("There is nothing to import: no row can be read.")
    corpus = corpus or _new_corpus(job)
    _hold(job, corpus)
    yield Step(total=2 * n_records)
    writing = _loader(job, corpus, kind, sources, write=True)
    for step in _read(job, kind, sources, writing, note="Writing"):
        _corpus(job)
        yield step
    _finish(_corpus(job) or corpus, writing, sources)
    result |= {"dry_run": False, "new": brought(job, result)}
    return result | (_align(job, corpus) if job.params.get("align") else {})


def _first_row(source: Source) -> list[str]:
    """The cells of the first row, whatever they are, by which columns are chosen."""
    for line in source.lines():
        if line.strip() and not line.startswith("# "):
            cells = line.rstrip("\r\n").split("\t")
            return [cell.replace("\0", "")[:SHOWN_CELL] for cell in cells[:MAX_COLUMNS]]
    return []


def _align(job: Job, corpus: Corpus) -> dict[str, str]:
    """The job that continues from here, if its requester still has the right."""
    by = job.by
    if (
        by is None
        or not access.may(by, "run", job.project)
        or not corpus.pairs.exists()
    ):
        return {}
    with suppress(Conflict):  # one is at work, and sees the new pairs too
        return {"align": phrases.start(corpus, DEFAULT, by=by).code}
    return {}


def _read(
    job: Job,
    kind: Format,
    sources: list[Source],
    loader: Loader,
    *,
    note: str,
    seen: Glance | None = None,
) -> Generator[Step, None, tuple[int, int]]:
    """Feed the loader; the numbers of records and of bad rows. ``seen``: what is kept
    of a first reading, whose issues are reported."""
    report = seen is not None
    n_records, n_bad, held = 0, 0, 0
    issues: list[Issue] = []

    def complain(lines: Iterable[BadLine], file: str) -> int:
        new = [_issue(job, line, file) for line in lines]
        issues.extend(new)
        return len(new)

    is_cut = job.params.get("tokenised", False)
    for index, read in registry.read(kind, sources, job.params.get("columns")):
        record = registry.tokenised(read) if is_cut else read
        file = sources[min(index, len(sources) - 1)].name
        if isinstance(record, BadLine):
            n_bad += complain([record], record.file or file)
        else:
            n_records += 1
            held += 1
            if seen:
                seen.see(record)
            n_bad += complain(loader.take(index, record), file)
        if loader.is_full or len(issues) >= 500:
            n_bad += complain(loader.flush(), file)
            issues = _save_issues(job, issues, report=report)
            yield Step(done=held, note=f"{note} {file}")
            held = 0
    n_bad += complain(loader.flush(), "")
    _save_issues(job, issues, report=report)
    yield Step(done=held, failed=n_bad if report else 0, note=note)
    return n_records, n_bad


def _issue(job: Job, line: BadLine, file: str) -> Issue:
    return Issue(
        job=job,
        file=(line.file or file)[:255],
        line=line.line,
        column=line.column,
        reason=line.reason,
        remedy=line.remedy,
        excerpt=line.excerpt[:200],
    )


def _save_issues(job: Job, issues: list[Issue], *, report: bool) -> list[Issue]:
    """Write them as long as there is room; nothing is left."""
    room = jobs.MAX_ISSUES - job.issues.count() if report and issues else 0
    Issue.objects.bulk_create(issues[: max(0, room)])
    return []


def _sources(job: Job, kind: Format) -> list[Source]:
    uploads = uploads_of(job)
    fallback = "latin-1" if kind.name == "ptb" else ""
    return registry.arrange(kind, opened(uploads, job.params["encoding"], fallback))


def _loader(
    job: Job, corpus: Corpus, kind: Format, sources: list[Source], *, write: bool
) -> Loader:
    if kind.holds == "corpus":
        return BundleLoader(corpus, job, sources[0].name, write=write)
    names = [source.name for source in sources]
    return RecordLoader(corpus, kind, names, job=job if write else None)


@transaction.atomic
def _new_corpus(job: Job) -> Corpus:
    about = job.params["about"]
    names = ("licence", "provenance", "source_language", "target_language")
    fields = {name: about[name] for name in names if about.get(name)}
    corpus, _is_new = Corpus.objects.get_or_create(
        project=job.project,
        name=job.params["corpus"],
        defaults={**fields, "created_by_id": job.by_id, "job": job},
    )
    return corpus


def _hold(job: Job, corpus: Corpus) -> None:
    """From now on the job means this row, however the corpus is called."""
    job.params = job.params | {CORPUS: corpus.code}
    Job.objects.filter(pk=job.pk, claim=job.claim).update(params=job.params)


def _corpus(job: Job) -> Corpus | None:
    """The corpus that the job writes to; None: it is still to be made.

    Raises Conflict if it was deleted since.
    """
    if not (code := job.params.get(CORPUS)):
        rows = Corpus.objects.filter(project=job.project, name=job.params["corpus"])
        return rows.first()
    corpus = Corpus.objects.filter(project=job.project, code=code).first()
    if corpus is None:
        raise Conflict("The corpus was deleted meanwhile, so nothing was imported.")
    return corpus


@transaction.atomic
def _finish(corpus: Corpus, loader: Loader, sources: list[Source]) -> None:
    """Note the files, and which pairs have become parsed."""
    project = corpus.project_id
    corpus = Corpus.objects.select_for_update().get(pk=corpus.pk)
    if corpus.project_id != project:
        raise Conflict("The corpus was deleted meanwhile, so nothing was imported.")
    files = list(corpus.meta.get("files", []))
    new = getattr(loader, "files", [])
    for entry in new:
        source = next((one for one in sources if one.name == entry["name"]), None)
        if source is not None:
            entry |= {"encoding": source.encoding, "bom": source.bom}
            entry["sha256"] = source.digest()
    known = [_mark(one) for one in files]
    if any(_mark(one) not in known for one in new) or any(loader.counts.new.values()):
        corpus.meta = corpus.meta | {"files": files + new}
        _take_languages(corpus, new)
        corpus.save(update_fields=["meta", "source_language", "target_language"])
    parsers.mark_parsed(corpus)


def _take_languages(corpus: Corpus, entries: list[dict[str, Any]]) -> None:
    """A corpus that is new speaks as its treebanks say."""
    metas = [entry.get("meta", {}) for entry in entries]
    banks = next((meta for meta in metas if "treebanks" in meta), None)
    if banks is not None and not corpus.meta.get("files", [])[len(entries) :]:
        for side, language in languages_of(corpus, RecordHeader(meta=banks)).items():
            setattr(corpus, f"{side}_language", language)


def _mark(entry: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(entry.get(name) for name in ("format", "name", "sha256"))


def _is_given_up(job: Job, error: BaseException) -> bool:
    """Whether no one will go on with it: it was cancelled, or it fails now."""
    fresh = Job.objects.get(pk=job.pk)
    stopped = not isinstance(error, GeneratorExit) or fresh.cancel_asked
    return fresh.claim == job.claim and stopped


def _undo(job: Job) -> None:
    """Take back what this job brought, and say what has to stay."""
    kept = take_back(job)
    if kept:
        note = f"Pairs that stay, since others have worked with them: {kept}."
        Job.objects.filter(pk=job.pk).update(note=note)


def _same_job(
    project: Project, params: dict[str, Any], uploads: list[Upload]
) -> Job | None:
    """The job that does this very thing already: asking twice is asking once.

    A dry run that has just ended counts, too, unless another import came after it: a
    small file is read before the second click of a double click arrives.
    Raises Conflict if another import into this corpus is running.
    """
    if (last := _just_checked(project)) and _is_same(last, params, uploads):
        return last
    for job in Job.objects.active().filter(project=project, kind="import"):
        if job.params["corpus"] != params["corpus"]:
            continue
        if _is_same(job, params, uploads):
            return job
        if not (params["dry_run"] or job.params["dry_run"]):
            name = params["corpus"]
            message = _("An import into %(name)s is running. Wait until it finishes.")
            raise Conflict(message % {"name": name})
    return None


def _just_checked(project: Project) -> Job | None:
    """The dry run that has ended within the time of a double click, as the last one."""
    last = project.jobs.filter(kind="import").order_by("-pk").first()
    if last is None or last.state != Job.State.DONE or not last.params["dry_run"]:
        return None
    since = timezone.now() - timedelta(seconds=DOUBLE_CLICK_S)
    return last if last.ended_at and last.ended_at > since else None


def _is_same(job: Job, params: dict[str, Any], uploads: list[Upload]) -> bool:
    """Whether the job was asked for the same with the same files, sent again or not."""
    if _comparable(job.params) != _comparable(params):
        return False
    sent = job.project.uploads.filter(code__in=job.params["uploads"])
    known = {one.code: one.sha256 for one in sent}
    digests = [known.get(code) for code in job.params["uploads"]]
    return digests == [one.sha256 for one in uploads]


def _comparable(params: dict[str, Any]) -> dict[str, Any]:
    """What was asked for, whatever the files are called here."""
    return {k: v for k, v in params.items() if k not in ("uploads", CORPUS)}
