"""Linking corpora: a project's plain text counted, as a job, and stored.

Each is in the models folder, under ``projects/<code>/linking/<name>/``: its counts, and
a manifest with the SHA-256, its sources, and the licence.
"""

import io
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db.models import Max
from django.utils.text import slugify
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, Conflict
from annotator.models import Corpus, Job, Project, Upload
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.parses import offered
from core.parsing import registry
from core.parsing.store import open_folder, write_manifest
from core.protocols import Step
from core.substitution import linking
from core.substitution.linking import LinkingCounts, Recorder, sentences_in

KIND = "linking"
FILES = ("linking.npz",)
MAX_TOKENS = 50_000_000  # about 1 GB while they are counted
TOLD = 2_000  # sentences between two progress reports
_NAME = re.compile(r"[a-z0-9][-a-z0-9]{0,19}")


@dataclass(frozen=True, slots=True)
class LinkingCorpus:
    """A linking corpus that is there. ``digest``: of its text, hexadecimal."""

    name: str
    tokens: int
    kinds: int
    digest: str
    licence: str
    sources: tuple[str, ...]


def of_project(project: Project) -> list[LinkingCorpus]:
    """The project's linking corpora, by name."""
    manifests = sorted(_folder(project).glob("[!.]*/manifest.json"))
    facts = (registry.facts_of(path.parent) for path in manifests)
    return [
        LinkingCorpus(
            str(one["name"]),
            int(one["tokens"]),
            int(one["kinds"]),
            str(one["digest"]),
            str(one["licence"]),
            tuple(one["sources"]),
        )
        for one in facts
        if one.get("kind") == KIND
    ]


def load(project: Project, name: str) -> LinkingCounts:
    """The counts; raises BadRequest if there are none of that name, Unavailable or
    FormatError if they cannot be read."""
    known = [one.name for one in of_project(project)]
    if name not in known:
        there = ", ".join(known) or _("none yet")
        choices = _("Linking corpora: %(known)s.") % {"known": there}
        raise BadRequest(choices, field="linking")
    folder = open_folder(_folder(project) / name, needed=FILES)
    return linking.load(folder.file(FILES[0]))


def start(
    project: Project,
    name: str,
    *,
    corpora: Sequence[Corpus] = (),
    uploads: Sequence[Upload] = (),
    licence: str = "",
    page: Corpus | None = None,
    by: Anybody,
    enqueue: bool = True,
) -> Job:
    """A job that counts the sentences of these corpora, and the text of these files.

    ``page``: the corpus that asks for it, to which the job leads back. Raises
    NotAllowed (managers may, as they may train); BadRequest on a name that is none or
    taken, or without any text; Conflict while one of that name is counted.
    """
    access.require(by, "manage", project)
    name = slugify(name)
    if not _NAME.fullmatch(name):
        raise BadRequest(_("Enter a name of 1 to 20 letters and digits."), field="name")
    if not corpora and not uploads:
        raise BadRequest(_("Choose a corpus or a file to count."), field="corpora")
    owners = {one.project_id for one in corpora} | {one.project_id for one in uploads}
    if owners != {project.pk}:
        raise BadRequest(_("Only text of this project."), field="corpora")
    if name in [one.name for one in of_project(project)]:
        problem = _("There is already a linking corpus %(name)s.") % {"name": name}
        raise BadRequest(problem, field="name")
    params = {
        "name": name,
        "corpus": page.code if page else "",
        "corpora": [corpus.code for corpus in corpora],
        "uploads": [upload.code for upload in uploads],
        "licence": licence[:200],
    }
    title = f"Count the linking corpus {name}"
    return jobs.start(project, KIND, title=title, by=by, params=params, enqueue=enqueue)


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Count, and put the counts in their place; what was counted before is copied.

    Cancelled, or run again: it begins again, and no half of it is left. Raises Conflict
    beyond 50 million tokens.
    """
    project, name = job.project, job.params["name"]
    corpora = list(
        project.corpora.filter(code__in=job.params["corpora"]).order_by("pk")
    )
    uploads = list(
        project.uploads.filter(code__in=job.params["uploads"]).order_by("pk")
    )
    made_of = _made_of(corpora, uploads)
    total = sum(corpus.sentences.count() for corpus in corpora) + len(uploads)
    yield Step(total=total, note="Counting")
    before = next(_counted(project, made_of), None)
    if before is not None:
        counts = load(project, before)
        yield Step(done=total, note=f"as {before}")
    else:
        recorder = Recorder()
        for corpus in corpora:
            yield from _add_corpus(recorder, corpus)
        for upload in uploads:
            yield from _add_file(recorder, upload)
        sources = [one.name for one in corpora] + [one.name for one in uploads]
        licences = {corpus.licence for corpus in corpora if corpus.licence}
        licence = job.params["licence"] or "; ".join(sorted(licences))
        counts = recorder.freeze(licence=licence, sources=sources)
    _write(_folder(project), name, counts, made_of)
    report = {"linking": name, "tokens": counts.n_tokens, "kinds": len(counts.words)}
    report |= {"digest": counts.digest[:16], "licence": counts.licence or "not stated"}
    return report | {"counted_before": before is not None}


def _add_corpus(recorder: Recorder, corpus: Corpus) -> Generator[Step, None, None]:
    rows = corpus.sentences.order_by("pk").values_list("tokens", flat=True)
    yield from _add(
        recorder, (text.split("\n") for text in rows.iterator(chunk_size=TOLD))
    )


def _add_file(recorder: Recorder, upload: Upload) -> Generator[Step, None, None]:
    """Plain text, UTF-8; the whole file is one step."""
    with upload.file.storage.open(str(upload.file.name), "rb") as raw:
        lines = io.TextIOWrapper(raw, encoding="utf-8", errors="replace")
        for _step in _add(recorder, sentences_in(lines)):
            yield Step()
    yield Step(done=1, note=upload.name)


def _add(
    recorder: Recorder, sentences: Iterable[Sequence[str]]
) -> Generator[Step, None, None]:
    k = 0
    for k, forms in enumerate(sentences, 1):
        recorder.add(forms)
        if recorder.n_tokens > MAX_TOKENS:
            raise Conflict(f"More than {MAX_TOKENS:,} tokens. Count less text.")
        if k % TOLD == 0:
            yield Step(done=TOLD)
    yield Step(done=k % TOLD)


def _made_of(corpora: Iterable[Corpus], uploads: Iterable[Upload]) -> list[list[Any]]:
    """What identifies the same text: corpora in their present state, files by their
    SHA-256."""
    sources: list[list[Any]] = [
        [
            corpus.code,
            corpus.sentences.count(),
            corpus.sentences.aggregate(m=Max("pk"))["m"],
        ]
        for corpus in corpora
    ]
    return sources + [[upload.sha256] for upload in uploads]


def _counted(project: Project, made_of: list[list[Any]]) -> Iterator[str]:
    """The names of linking corpora of exactly this text."""
    return (
        one.name
        for one in of_project(project)
        if registry.facts_of(_folder(project) / one.name).get("made_of") == made_of
    )


def _write(
    folder: Path, name: str, counts: LinkingCounts, made_of: list[list[Any]]
) -> None:
    """It appears whole, by renaming; raises Conflict if the name is taken by now."""
    facts: dict[str, Any] = {
        "kind": KIND,
        "name": name,
        "version": counts.digest[:8] or "empty",
    }
    facts |= {"digest": counts.digest, "licence": counts.licence}
    facts |= {"tokens": counts.n_tokens, "kinds": len(counts.words)}
    facts |= {"sources": list(counts.sources), "made_of": made_of}
    with offered.appearing(folder / name) as making:
        linking.save(counts, making / FILES[0])
        write_manifest(making, facts, files=FILES)
        if (folder / name).exists():
            raise Conflict(f"There is already a linking corpus {name}.")


def _folder(project: Project) -> Path:
    return offered.folder_of(project) / "linking"
