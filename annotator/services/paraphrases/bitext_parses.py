"""Parsing the English side of a bitext, as a job: each distinct sentence once.

Trees are written in parts, which a job that is run again finds; at the end the parts
become one file. A sentence that another bitext of the project has a tree of by the same
parser is not parsed again.
"""

import shutil
from collections.abc import Generator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from annotator import access
from annotator.models import Bitext, Job
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.parses import offered
from core.data.tokens import Sentence, Token
from core.errors import GemelError
from core.forests.kbest import trees_of
from core.formats import ptb
from core.parsing import registry
from core.pivoting.bitext import BitextParse, join_files, trees_in, write_parses
from core.protocols import Analysis, ParserBackend, Step

KIND = "bitext_parses"
PART = 512  # sentences


def start(bitext: Bitext, engine: str, *, by: Anybody, enqueue: bool = True) -> Job:
    """A job that parses the English side.

    Raises NotAllowed; BadRequest on a parser that there is not; Conflict while the
    bitext is being parsed.
    """
    access.require(by, "run", bitext.project)
    offered.require(bitext.project, engine, field="engine")
    return jobs.start(
        bitext.project,
        KIND,
        title=f"Parse the English of {bitext.name}: {engine}",
        by=by,
        params={"bitext": bitext.code, "engine": engine},
        engine=engine,
        enqueue=enqueue,
    )


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """The job's face of ``parse``."""
    bitext = Bitext.objects.get(project=job.project, code=job.params["bitext"])
    return (yield from parse(job, bitext, job.params["engine"]))


def parse(
    job: Job, bitext: Bitext, engine: str = registry.DEFAULT
) -> Generator[Step, None, dict[str, Any]]:
    """Parse one part after another; a part is complete or absent. ``job`` records
    sentences without a tree."""
    backend = offered.load(engine, job.project)
    name = f"{backend.info.name} {backend.info.version}"
    yield Step(total=bitext.n_sentences, note=f"Parsing {bitext.name}: {name}")
    others = [
        one.parses_path
        for one in bitext.project.bitexts.filter(parser=name).exclude(pk=bitext.pk)
    ]
    folder = bitext.folder / f"parses-{name.replace(' ', '-').replace('/', '-')}"
    sentences, n_failed = bitext.pairs.sources(), 0
    parts: list[Path] = []
    while some := list(islice(sentences, PART)):
        path = folder / f"part-{len(parts):06d}.parquet"
        parts.append(path)
        failed = 0 if path.is_file() else _parse(job, backend, some, others, path)
        n_failed += failed
        yield Step(done=len(some) - failed, failed=failed)
    join_files(parts, bitext.parses_path)
    shutil.rmtree(folder)
    bitext.n_parsed, bitext.parser = bitext.n_sentences, name
    bitext.save(update_fields=["n_parsed", "parser"])
    return {"parser": name, "sentences": bitext.n_sentences, "failed": n_failed}


def _parse(
    job: Job,
    backend: ParserBackend,
    sentences: Sequence[str],
    others: Sequence[Path],
    path: Path,
) -> int:
    """Write the trees of these sentences; how many have none."""
    known = trees_in(others, sentences)
    new = [one for one in sentences if one not in known]
    unparsed = [Sentence(tuple(map(Token, one.split(" "))), one) for one in new]
    failed = 0
    answers = backend.analyse(unparsed, want=frozenset({"constituents"}))
    for text, sentence, answer in zip(new, unparsed, answers, strict=True):
        if isinstance(answer, Exception) and not isinstance(answer, GemelError):
            raise answer
        tree = _tree_of(sentence, answer)
        known[text] = tree
        if not tree:
            failed += 1
            why = str(answer) if isinstance(answer, Exception) else "no tree is found"
            jobs.report_issue(job, why, excerpt=text)
    write_parses(path, [BitextParse(one, known[one]) for one in sentences])
    return failed


def _tree_of(sentence: Sentence, answer: Analysis | Exception) -> str:
    """On one line, brackets among the words escaped; "" without a tree."""
    if isinstance(answer, Exception):
        return ""
    trees = trees_of(answer, 1, words=list(map(ptb.escape, sentence.forms)))
    return ptb.bracket(trees[0][1]) if trees else ""
