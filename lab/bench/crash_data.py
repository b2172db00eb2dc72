"""What the crash bench builds inside an installation, and what must hold afterwards."""

import contextlib
import hashlib
import io
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.db import connections
from django.db.models import Model

from annotator.models import (
    AlignmentLayer,
    Corpus,
    Job,
    JointPair,
    LinkEvent,
    Membership,
    Pair,
    Parse,
    Project,
    TreeDraft,
    TreeEvent,
    Upload,
)
from annotator.services import accounts, jobs
from annotator.services.alignments import phrases
from annotator.services.corpora import imports, storing
from annotator.services.installation import archive_rows
from annotator.services.parses import joint, parsers
from lab.bench import judging_data
from lab.bench.crash_people import Editor, Place, TreeEditor

PARSER = "small"  # a grammar of thirty trees, in the folder of models
SECOND = "second"  # the installation that is restored into
Counts = dict[str, int]


def build(*, items: int, judges: int, editors: int) -> dict[str, Any]:
    """Build a campaign with judges, and editors with a pair and a tree each."""
    code, tokens = judging_data.build(items=items, people=judges, k=3, n=0)
    project = Project.objects.get(campaigns__code=code)
    corpus = _read_in(project, "Houses", editors)
    for job in _on(corpus, enqueue=False).values():
        jobs.run(job.pk)  # compiles what workers that are killed would compile again
    pairs = list(corpus.pairs.order_by("pk"))
    made: list[Place] = []
    for i, pair in enumerate(pairs):
        user = User.objects.create_user(f"editor{i}")
        Membership.objects.create(project=project, user=user, role="annotator")
        token = accounts.make_token(user, name="crash", scope="annotate")[1]
        made.append((f"Token {token}", pair.code, pair.source.code))
    return {"campaign": code, "judges": tokens, "editors": made}


def start(round_: int, *, pairs: int, rows: int) -> dict[str, Job]:
    """Start an import of ``rows`` pairs and three jobs on a corpus of ``pairs``."""
    project = Project.objects.get(name="Bench")
    owner = User.objects.get(username="owner")
    corpus = _read_in(project, f"Round {round_}", pairs)
    brought = _import(project, f"Import {round_}", rows, by=owner)
    return {"import": brought} | _on(corpus, enqueue=True)


def _on(corpus: Corpus, *, enqueue: bool) -> dict[str, Job]:
    """Start a job of each kind that computes."""
    owner = User.objects.get(username="owner")
    how: dict[str, Any] = {"by": owner, "enqueue": enqueue}
    soft = joint.settings_of({"method": "soft"})
    return {
        "parse": parsers.start(corpus, PARSER, n=1, **how),
        "align": phrases.start(corpus, PARSER, **how),
        "joint": joint.start(corpus, soft, **how),
    }


def _read_in(project: Project, name: str, n: int) -> Corpus:
    owner = User.objects.get(username="owner")
    jobs.run(_import(project, name, n, by=owner, enqueue=False).pk)
    return Corpus.objects.get(project=project, name=name)


def _import(
    project: Project, name: str, n: int, *, by: User, enqueue: bool = True
) -> Job:
    lines = (
        f"r{i}\tthe old woman saw a cat with telescope {i} .\t"
        f"a cat near garden {i} saw the old woman .\n"
        for i in range(n)
    )
    content = ("id\tsource\ttarget\n" + "".join(lines)).encode()
    kept = storing.keep(project, f"{name}.tsv", io.BytesIO(content), by=by)
    return imports.start(
        project, [kept], kind="pairs", corpus=name, by=by, dry_run=False,
        enqueue=enqueue,
    )  # fmt: skip


def outcome(kind: str, job: Job, *, n: int) -> Counts:
    """How many of the ``n`` results that were promised are missing, or there twice,
    and how many of the job's own counts are wrong."""
    job.refresh_from_db()
    rows, field = _results(kind, job)
    each = Counter(rows.values_list(field, flat=True))
    counted = [(job.state, Job.State.DONE)]
    if kind == "import":
        corpus = Corpus.objects.get(project=job.project, name=job.params["corpus"])
        new = job.result.get("new", {})
        counted += [(new.get("pairs"), n), (new.get("sentences"), 2 * n)]
        counted += [(corpus.n_pairs, n), (corpus.n_sentences, 2 * n)]
    else:
        counted += [(job.done, n), (job.failed, 0)]
    return {
        "acknowledged": n,
        "lost": n - len(each),
        "doubled": sum(times > 1 for times in each.values()),
        "wrong": sum(told != true for told, true in counted),
    }


def _results(kind: str, job: Job) -> tuple[Any, str]:
    name = job.params["corpus"]
    if kind == "import":
        return Pair.objects.filter(
            corpus__project=job.project, corpus__name=name
        ), "ref"
    if kind == "parse":
        mine = Parse.objects.filter(sentence__corpus__code=name, engine=PARSER)
        return mine.filter(rank=1, kind="constituency"), "sentence_id"
    if kind == "align":
        layers = AlignmentLayer.objects.filter(pair__corpus__code=name)
        return layers.filter(engine=phrases.ENGINE), "pair_id"
    return JointPair.objects.filter(run__corpus__code=name), "pair_id"


def edits(editors: Iterable[Editor]) -> Counts:
    """Count what became of the acknowledged operations."""
    counts = Counter[str]()
    for one in editors:
        rows = LinkEvent.objects.filter(layer__code=one.layer)
        layer = AlignmentLayer.objects.filter(code=one.layer).first()
        counts.update(_kept(one.acknowledged, rows, layer))
    return dict(counts)


def steps(editors: Iterable[TreeEditor]) -> Counts:
    """Count the acknowledged steps on trees in the same way."""
    counts = Counter[str]()
    for one in editors:
        rows = TreeEvent.objects.filter(draft__code=one.draft)
        draft = TreeDraft.objects.filter(code=one.draft).first()
        counts.update(_kept(one.acknowledged, rows, draft))
    return dict(counts)


def _kept(acknowledged: list[str], rows: Any, work: Any) -> Counts:
    kept = [str(uuid) for uuid in rows.values_list("uuid", flat=True)]
    return {
        "acknowledged": len(acknowledged),
        "lost": len(set(acknowledged) - set(kept)),
        "doubled": len(kept) - len(set(kept)),
        "wrong": int(work is None or work.revision != len(kept)),
    }


@contextlib.contextmanager
def _second(database: dict[str, Any]) -> Iterator[str]:
    connections.databases[SECOND] = {
        **connections["default"].settings_dict, **database,
        "ATOMIC_REQUESTS": False, "TEST": {},
    }  # fmt: skip
    try:
        yield SECOND
    finally:
        connections[SECOND].close()
        del connections[SECOND]
        del connections.databases[SECOND]


def fingerprint(database: dict[str, Any], media: Path) -> str:
    """Return a digest of all rows of the second installation; "" if an upload broke."""
    sha256 = hashlib.sha256()
    with _second(database) as using:
        for table in archive_rows.read(apps, using=using):
            for row in table.lines:
                sha256.update(row)
        uploads = _rows(Upload, using).values_list("file", "sha256")
        for name, digest in uploads:
            path = media / name
            if not path.exists():
                return ""
            if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
                return ""
    return sha256.hexdigest()


def _rows(model: type[Model], using: str) -> Any:
    return model._base_manager.using(using).all()
