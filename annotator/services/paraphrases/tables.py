"""Paraphrase tables, built by a job from aligned parallel text."""

import shutil
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, Conflict
from annotator.models import Bitext, Corpus, Job, ParaphraseTable, Project
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.paraphrases import bitext_links, bitext_parses, own_pairs
from core.pivoting.bitext import Bitext as BitextFile
from core.protocols import Step

if TYPE_CHECKING:
    from core.pivoting.building.settings import PairsFile
    from core.pivoting.language_model import TrigramModel
    from core.pivoting.table import Table


KIND = "paraphrases"
LENGTHS = (5, 7, 10)  # words of the longest phrase
MODEL = "english.arpa.gz"
OWN = "own"  # the folder of a table's own pairs while it is built
MOST_BUCKETS = 64
PAIRS_OF_A_BUCKET = 4_000


def start(
    project: Project,
    name: str,
    bitexts: Sequence[str],
    *,
    by: Anybody,
    corpora: Sequence[str] = (),
    max_length: int = LENGTHS[0],
    prepare: bool = True,
    enqueue: bool = True,
) -> ParaphraseTable:
    """Build a table from these bitexts and corpora, by code; its job is queued.

    ``corpora``: of their linked pairs, each phrase goes with its counterpart in the
    same language, see ``own_pairs``.

    ``prepare``: where the words are not linked, or the English is not parsed, the job
    does that first, with the embedded aligner and the shipped parser.

    If the name exists, the table is rebuilt: unchanged parts are reused, and searches
    read the old one until the new one is complete. Raises NotAllowed; BadRequest
    without a name, on missing text, or on unaligned words unless ``prepare``;
    Conflict while it is being built.
    """
    access.require(by, "run", project)
    name = " ".join(name.split())[:120]
    if not name:
        raise BadRequest(_("Enter a name for the table."), field="name")
    if max_length not in LENGTHS:
        reason = _("Lengths: %(names)s.") % {"names": ", ".join(map(str, LENGTHS))}
        raise BadRequest(reason, field="length")
    chosen = _chosen(project, bitexts, linked=not prepare)
    own = _own(project, corpora)
    if not chosen and not own:
        reason = _("Choose parallel text or linked pairs of this project.")
        raise BadRequest(reason, field="bitexts")
    rules = {
        "bitexts": [one.code for one in chosen],
        "corpora": [one.code for one in own],
        "max_length": max_length,
        "prepare": prepare,
    }
    with transaction.atomic():
        table = _row(project, name, by)
        if table.job and not table.job.is_over:
            reason = _(
                "%(name)s is being created. Wait until it finishes, or cancel its job."
            )
            raise Conflict(reason % {"name": name})
        table.rules = rules
        table.job = jobs.create(
            project,
            KIND,
            title=f"Paraphrases: {name}",
            by=by,
            params={"table": table.code, **rules},
            enqueue=enqueue,
        )
        table.save(update_fields=["rules", "job"])
    return table


def _row(project: Project, name: str, by: Anybody) -> ParaphraseTable:
    try:
        with transaction.atomic():
            return ParaphraseTable.objects.create(
                project=project, name=name, created_by_id=by.pk
            )
    except IntegrityError:
        rows = ParaphraseTable.objects.select_related("job")
        return rows.get(project=project, name=name)


def _chosen(
    project: Project, codes: Sequence[str], *, linked: bool = True
) -> list[Bitext]:
    """The bitexts of these codes; ``linked``: with links, or BadRequest."""
    bitexts = list(project.bitexts.filter(code__in=codes).order_by("name"))
    if len(bitexts) != len(set(codes)):
        raise BadRequest(_("Choose parallel text of this project."), field="bitexts")
    for one in bitexts:
        if linked and not one.aligner:
            reason = _("The words of %(name)s are not aligned yet: do that first.")
            raise BadRequest(reason % {"name": one.name}, field="bitexts")
    return bitexts


def _own(project: Project, codes: Sequence[str]) -> list[Corpus]:
    corpora = list(own_pairs.linked_corpora(project).filter(code__in=codes))
    if len(corpora) != len(set(codes)):
        reason = _("Choose corpora of this project with linked pairs of one language.")
        raise BadRequest(reason, field="corpora")
    return corpora


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Stage by stage; resumable."""
    table = ParaphraseTable.objects.get(project=job.project, code=job.params["table"])
    prepare = job.params.get("prepare", False)
    chosen = _chosen(job.project, job.params["bitexts"], linked=not prepare)
    own = _own(job.project, job.params.get("corpora", ()))
    prepared = _prepare(job, chosen) if prepare else ()
    yield from in_turn((*prepared, _build(job, table, chosen, own)))
    yield Step(note="training the language model")
    texts = [one.pairs for one in chosen]
    texts += [BitextFile(_own_path(table, one)) for one in own]
    n_words = _train_model(texts, table.folder / MODEL)
    names = [one.name for one in chosen] + [one.name for one in own]
    made = {"bitexts": names, "language_model_words": n_words}
    shutil.rmtree(table.folder / OWN, ignore_errors=True)
    ParaphraseTable.objects.filter(pk=table.pk).update(
        made_at=timezone.now(), facts=made
    )
    return made


def _prepare(job: Job, chosen: Sequence[Bitext]) -> Iterator[Iterator[Step]]:
    for one in chosen:
        if not one.aligner:
            yield bitext_links.link(one)
        if not one.parser:
            yield bitext_parses.parse(job, one)


def _build(
    job: Job,
    table: ParaphraseTable,
    chosen: Sequence[Bitext],
    own: Sequence[Corpus],
) -> Iterator[Step]:
    from core.pivoting.building.pipeline import NOTES, build_table  # DuckDB: when used
    from core.pivoting.building.settings import BuildSettings

    buckets = _buckets([*chosen, *own])
    rules = BuildSettings(max_length=job.params["max_length"], buckets=buckets)
    table.folder.mkdir(parents=True, exist_ok=True)
    sources = _sources(chosen)
    for one in own:
        sources.append(own_pairs.write_corpus(one, _own_path(table, one)))
    yield from by_stage(build_table(table.folder, sources, rules), NOTES)


def _buckets(chosen: "Sequence[Bitext | Corpus]") -> int:
    """One for every few thousand pairs: each costs time, and bounds memory."""
    n_pairs = sum(one.n_pairs for one in chosen)
    return min(MOST_BUCKETS, 1 << (n_pairs // PAIRS_OF_A_BUCKET).bit_length())


def _sources(chosen: Sequence[Bitext]) -> "list[PairsFile]":
    from core.pivoting.building.settings import PairsFile

    return [
        PairsFile(one.pairs_path, (one.parses_path,) if one.parser else ())
        for one in chosen
    ]


def _own_path(table: ParaphraseTable, corpus: Corpus) -> Path:
    return table.folder / OWN / f"{corpus.code}.parquet"


def _train_model(texts: Sequence[BitextFile], path: Path) -> int:
    """The trigram model of the English sides, each distinct sentence of one once."""
    from core.pivoting.language_model import train, write_arpa

    n_words = 0

    def sentences() -> Iterator[list[str]]:
        nonlocal n_words
        for one in texts:
            for text in one.sources():
                words = text.lower().split(" ")
                n_words += len(words)
                yield words

    model = train(sentences())
    part = path.with_name(f"part-{path.name}")
    write_arpa(model, part)
    part.replace(path)
    return n_words


def files_of(table: ParaphraseTable) -> list[Path]:
    """The files that readers of the table need; none before its first build."""
    from core.pivoting.table import files

    model = table.folder / MODEL
    return [*files(table.folder), *([model] if model.is_file() else [])]


def bring_in(
    project: Project, name: str, folder: Path, *, by: Anybody | None
) -> ParaphraseTable:
    """Copy a table that was built elsewhere into the project, under a new name; with
    its language model, if it has one. ``by`` None: the command line.

    Raises NotAllowed, Conflict if the name is taken; Unavailable if the folder holds no
    table of this version.
    """
    from core.pivoting.table import files, open_table

    if by is not None:
        access.require(by, "run", project)
    open_table(folder)
    if ParaphraseTable.objects.filter(project=project, name=name).exists():
        raise Conflict(_("There is a table called %(name)s.") % {"name": name})
    table = ParaphraseTable(project=project, name=name)
    table.created_by_id = by.pk if by is not None else None
    model = folder / MODEL
    _copy([*files(folder), *([model] if model.is_file() else [])], folder, table.folder)
    table.made_at = timezone.now()
    table.save()
    return table


def give_out(table: ParaphraseTable, folder: Path) -> list[Path]:
    """Copy the table, and its language model, as ``pivot build`` would make it; return
    the files. Raises Conflict before its first build."""
    made = files_of(table)
    if not made:
        reason = _("%(name)s is not built yet.") % {"name": table.name}
        raise Conflict(reason)
    return _copy(made, table.folder, folder)


def _copy(paths: Iterable[Path], start: Path, to: Path) -> list[Path]:
    """Copy files with their places below ``start``; none may lie elsewhere."""
    copied = []
    for path in paths:
        target = to / path.resolve().relative_to(start.resolve())
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        copied.append(target)
    return copied


def remove(table: ParaphraseTable, *, by: Anybody) -> None:
    """Take table and files away. Raises NotAllowed; Conflict while it is being made."""
    access.require(by, "manage", table.project)
    if table.job and not table.job.is_over:
        raise Conflict(f"{table.name} is being created. Cancel its job first.")
    folder = table.folder
    table.delete()
    transaction.on_commit(lambda: shutil.rmtree(folder, ignore_errors=True))


def in_turn(works: Iterable[Iterable[Step]]) -> Iterator[Step]:
    """The steps of each, with totals that add up."""
    before = 0
    for work in works:
        done = 0
        for step in work:
            done += step.done + step.failed
            whole = None if step.total is None else before + step.total
            yield replace(step, total=whole)
        before += done


def by_stage(steps: Iterable[Step], stages: Sequence[str]) -> Iterator[Step]:
    """Steps whose notes begin with their stage, and say nothing of how many come: of
    ``stages`` each counts as one, done when the next begins or all ends."""
    done = 0
    yield Step(total=len(stages))
    for step in steps:
        before = stages.index(step.note.split(" ")[0])
        yield Step(done=before - done, note=step.note)
        done = before
    yield Step(done=len(stages) - done)


def made_at(table: ParaphraseTable) -> datetime:
    """When the table was built last. Raises Conflict if it has not been."""
    if table.made_at is None:
        reason = _("%(name)s has not been created yet; see its job.")
        raise Conflict(reason % {"name": table.name})
    return table.made_at


_lock = threading.Lock()  # a table answers one thread at a time


@dataclass(frozen=True, slots=True)
class Opened:
    """``model``: None where none was made with the table."""

    table: "Table"
    model: "TrigramModel | None"


@contextmanager
def opened(row: ParaphraseTable, *, model: bool = False) -> "Iterator[Opened]":
    """The files of a table, for this thread alone while it reads.

    ``model``: the language model too, which takes seconds the first time. Raises
    Conflict while the table has not been made yet, Unavailable if its files are gone.
    """
    made = made_at(row).isoformat()
    with _lock:
        yield Opened(
            _table(row.folder, made), _model(row.folder, made) if model else None
        )


@lru_cache(maxsize=4)
def _table(folder: Path, made: str) -> "Table":
    """``made`` tells a table from the one that was there before."""
    from core.pivoting.table import open_table  # DuckDB: only when it is used

    return open_table(folder)


@lru_cache(maxsize=2)
def _model(folder: Path, made: str) -> "TrigramModel | None":
    from core.pivoting.language_model import read_arpa

    path = folder / MODEL
    return read_arpa(path) if path.is_file() else None
