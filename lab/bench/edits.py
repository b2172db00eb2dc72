"""Whether a corpus that was edited in one sentence differs in that sentence alone.

    python -m lab bench edits DATA                  every treebank below the folder
    python -m lab bench edits DATA --only gum       those whose folder holds this word

The treebanks of a folder are its files of one suffix, or a TreeAligner file with the
TigerXML files that it names. Each goes into a project of a fresh SQLite, and is
exported in its own format. Then a label and a bracket (of arcs: a relation and a head)
of one sentence each are edited as an annotator does it, saved as gold, and the corpus
is exported again; the bracket in a sentence whose words occur twice, if there is one.

A line of JSON for each edit: ``same_before``: files that came back byte for byte
before it, of how many; ``changed``: files that differ after it, an alignment not
counted; ``outside``: changed characters outside the sentence; ``as_edited``: whether
the sentence reads back as edited, all else of it as before; ``links``: links that left
the alignment; ``dangling``: deleted nodes that are still in it. Ends with 1 on a fault.
"""

import argparse
import gzip
import io
import json
import os
import random
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SUFFIXES = {".conllu": "conllu", ".penn": "ptb"}
SUFFIXES |= dict.fromkeys((".ptb", ".mrg", ".tree", ".trees"), "ptb")
TREEBANK, ATTRIBUTE = re.compile("<treebank [^>]*>"), re.compile('(\\w+)="([^"]*)"')
ARCS, TREES = ("relation", "attach"), ("relabel", "delete")
Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Treebank:
    """Files of one folder and format; ``name``: the folder below the data."""

    name: str
    format: str
    files: Files


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("data", type=Path)
    options.add_argument("--only", default="", help="a word of the folder")
    options.add_argument("--edits", type=int, default=1, help="of each kind")
    options.add_argument("--seed", type=int, default=7)
    asked = options.parse_args()
    faults = 0
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"GEMEL_HOME": home, "DATABASE_URL": "", "GEMEL_LOG": "error"}
        os.environ["DJANGO_SETTINGS_MODULE"] = "annotator.settings"
        import django

        django.setup()
        for bank in treebanks(asked.data):
            if asked.only in bank.name:
                for row in edited(bank, random.Random(asked.seed), asked.edits):
                    print(json.dumps(row, ensure_ascii=False), flush=True)
                    faults += not is_sound(row)
    return int(faults > 0)


def treebanks(data: Path) -> Iterator[Treebank]:
    """Yield the treebanks below a folder, by name."""
    from core.formats.alignments import treealigner

    for folder in sorted([data, *(one for one in data.rglob("*") if one.is_dir())]):
        name = str(folder.relative_to(data))
        by_format: dict[str, dict[str, bytes]] = {}
        for path in sorted(one for one in folder.iterdir() if one.is_file()):
            plain = path.with_suffix("") if path.suffix == ".gz" else path
            if kind := SUFFIXES.get(plain.suffix):
                opened = gzip.decompress if path.suffix == ".gz" else bytes
                by_format.setdefault(kind, {})[plain.name] = opened(path.read_bytes())
            elif path.suffix == ".xml":
                lines = path.read_text("utf-8", "replace").splitlines(keepends=True)
                if named := treealigner.filenames(lines):
                    paths = [path, *(folder / one for one in named)]
                    files = {one.name: one.read_bytes() for one in paths}
                    yield Treebank(f"{name}/{path.stem}", "treealigner", files)
        for kind, files in by_format.items():
            yield Treebank(name, kind, files)


def edited(bank: Treebank, rng: random.Random, n: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each edit, one after the other, ``n`` of each of two kinds."""
    from annotator.models import Corpus, Parse

    corpus: Corpus = imported(bank)
    before = exported(corpus, bank.format)
    same = sum(before.get(name) == content for name, content in bank.files.items())
    is_arcs = bank.format == "conllu"
    kind = Parse.Kind.DEPENDENCY if is_arcs else Parse.Kind.CONSTITUENCY
    rows = {"corpus": bank.name, "format": bank.format, "files": len(bank.files)}
    rows["sentences"] = corpus.sentences.count()
    rows["same_before"] = same
    for op in n * (ARCS if is_arcs else TREES):
        parse, step = chosen(corpus, kind, op, rng)
        place = place_of(parse, bank)
        expected = saved(parse, step)
        after = exported(corpus, bank.format)
        yield rows | {"edit": op} | compared(before, after, place, expected, bank)
        before = after


def is_sound(row: Mapping[str, Any]) -> bool:
    whole = row["same_before"] == row["files"]
    is_apart = not row["outside"] and not row.get("dangling") and row["changed"] == 1
    return bool(whole and row["as_edited"] and is_apart)


def imported(bank: Treebank, into: Any = None) -> Any:
    """Return the corpus: of a new project, or ``into`` with more."""
    from django.core.management import call_command

    from annotator.services import jobs
    from annotator.services.corpora import imports, storing
    from annotator.services.projects import members

    call_command("migrate", verbosity=0, interactive=False)
    owner, _ = members.ensure_owner()
    project = into.project if into else members.create(bank.name[:60], by=owner)
    uploads = [
        storing.keep(project, name, io.BytesIO(content), by=owner)
        for name, content in bank.files.items()
    ]
    how: dict[str, Any] = {"by": owner, "dry_run": False, "enqueue": False}
    job = imports.start(project, uploads, kind=bank.format, corpus="Edited", **how)
    jobs.run(job.pk)
    job.refresh_from_db()
    if job.state != job.State.DONE or job.issues.exists():
        told = [str(one) for one in job.issues.all()[:5]]
        print(f"{bank.name}: {job.note} {told}", file=sys.stderr)
    return project.corpora.get()


def exported(corpus: Any, format: str) -> dict[str, bytes]:
    """Return the files of an export by name, one for each that was imported."""
    from annotator.services.corpora import exports

    corpus.refresh_from_db()
    made = exports.parts(corpus, format, by=None, split=True, exact=True)
    return {part.name: b"".join(part.chunks()) for part in made}


def chosen(corpus: Any, kind: str, op: str, rng: random.Random) -> tuple[Any, Any]:
    """Return a gold parse and the step to do with it."""
    from annotator.models import Origin, Parse

    golds = Parse.objects.filter(sentence__corpus=corpus, kind=kind, origin=Origin.GOLD)
    rows = list(golds.order_by("pk").values_list("pk", "sentence__tokens"))
    rng.shuffle(rows)
    if op in ("delete", "attach"):
        seen: set[str] = set()
        again = [row for row in rows if row[1] in seen or seen.add(row[1])]  # type: ignore[func-returns-value]
        rows = again + rows
    for key, _ in rows:
        parse = golds.select_related("sentence__corpus").get(pk=key)
        if step := step_in(parse, op, rng):
            return parse, step
    raise SystemExit(f"{corpus}: no sentence where {op} is possible")


def step_in(parse: Any, op: str, rng: random.Random) -> Any:
    """Return an edit of this kind, or None where the tree has no room for it."""
    from core.trees import arcs, editing
    from core.trees.arc_lines import Arcs

    if op in ARCS:
        tree = Arcs(parse.text)
        heads = tree.deps.heads
        free = [m for m, head in enumerate(heads) if head >= 0]
        if len(free) < 3:
            return None
        token = rng.choice(free)
        if op == "relation":
            return arcs.Relation(token, "dep")
        above = [h for h in free if h != heads[token] and not below(heads, h, token)]
        return arcs.Attach(token, rng.choice(above)) if above else None
    made = parse.to_tree()
    phrases = [v for v in range(1, len(made)) if not made.is_leaf(v)]
    if not phrases:
        return None
    node = rng.choice(phrases)
    return editing.Relabel(node, "XX") if op == "relabel" else editing.Delete(node)


def below(heads: tuple[int, ...], word: int, other: int) -> bool:
    """Return whether ``word`` is ``other`` or depends on it, by whatever path."""
    while word >= 0 and word != other:
        word = heads[word]
    return word == other


def saved(parse: Any, step: Any) -> Any:
    """Edit and save as gold, through the services; return the tree it must be."""
    from uuid import uuid4

    from annotator.models import Parse
    from annotator.services.parses import arc_drafts, drafts, gold
    from annotator.services.projects import members
    from core.trees.arc_lines import Arcs

    owner, _ = members.ensure_owner()
    is_arcs = parse.kind == Parse.Kind.DEPENDENCY
    start = arc_drafts.start if is_arcs else drafts.start
    draft = start(parse.sentence, by=owner, base=parse.code)
    drafts.play(draft, drafts.DraftStep(uuid4(), 0, step.op, step), by=owner)
    gold.save_as_gold(draft, by=owner, seen=parse.code)
    draft.delete()
    return step.on(Arcs(parse.text) if is_arcs else parse.to_tree()).tree


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence in its file: which with these words, from 0."""

    file: str
    words: tuple[str, ...]
    nth: int


def place_of(parse: Any, bank: Treebank) -> Place:
    from annotator.exchange.rows import FILE
    from annotator.models import Parse

    sentence = parse.sentence
    same = Parse.objects.filter(
        sentence__corpus=sentence.corpus, sentence__tokens=sentence.tokens,
        sentence__pk__lt=sentence.pk, kind=parse.kind, origin=parse.origin,
    )  # fmt: skip
    file = parse.meta[FILE]
    nth = sum(one.meta[FILE] == file for one in same)
    entry = sentence.corpus.meta["files"][file]
    return Place(entry["name"], tuple(sentence.forms), nth)


def compared(
    before: Files, after: Files, place: Place, expected: Any, bank: Treebank
) -> dict[str, Any]:
    """Return what changed between two exports, as facts of a row."""
    from annotator.exchange import registry

    is_aligned = bank.format == "treealigner"
    alignment = next(iter(bank.files)) if is_aligned else ""
    kind = registry.find("tigerxml" if is_aligned else bank.format)
    changed = [name for name in before if before[name] != after.get(name)]
    was, now = (decoded(one[place.file]) for one in (before, after))
    old, new = (records(kind, text) for text in (was, now))
    same = [i for i, one in enumerate(old) if one.forms == place.words]
    at = same[place.nth]
    start = was.find(old[at].raw, sum(len(one.raw) for one in old[:at]))
    low = n_alike(was, now)
    high = len(was) - n_alike(was[low:][::-1], now[low:][::-1])
    outside = max(0, start - low) + max(0, high - start - len(old[at].raw))
    is_as_edited = len(old) == len(new) and is_edited(old[at], new[at], expected)
    facts: dict[str, Any] = {"changed": sum(name != alignment for name in changed)}
    facts |= {"outside": outside, "as_edited": is_as_edited}
    if is_aligned:
        lines = [one[alignment].decode().split("<align ") for one in (before, after)]
        assert {*lines[1][1:]} <= {*lines[0]}, "a link was changed"  # [0]: the head
        facts["links"] = len(lines[0]) - len(lines[1])
        gone = set(old[at].parse.meta["ids"]) - set(new[at].parse.meta["ids"]) - {""}
        text = after[alignment].decode()
        name = named_bank(text, place.file)
        ends = [f'treebank_id="{name}" node_id="{one}"' for one in gone]
        facts["dangling"] = sum(one in text for one in ends)
    return facts


def named_bank(text: str, file: str) -> str:
    """Return the id that an alignment gives to a treebank."""
    names = (dict(ATTRIBUTE.findall(one)) for one in TREEBANK.findall(text))
    return next(str(one["id"]) for one in names if one["filename"] == file)


def decoded(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def n_alike(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    differ = (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differ, min(len(one), len(other)))


def records(kind: Any, text: str) -> list[Any]:
    from core.formats.records import SentenceRecord

    read = kind.read(text.splitlines(keepends=True))
    return [one for one in read if isinstance(one, SentenceRecord)]


def is_edited(old: Any, new: Any, expected: Any) -> bool:
    """Return whether the sentence is as expected, and all else of it as it was."""
    metas = [dict(one.parse.meta) for one in (old, new)]
    ids, kept = (one.pop("ids", []) for one in metas)
    if (old.id, old.text, metas[0]) != (new.id, new.text, metas[1]):
        return False
    if ids and not (set(kept[1:]) <= set(ids) and len(kept) == len(expected)):
        return False
    if new.parse.tree is not None:
        names = ("labels", "parents", "tokens", "forms", "edges")
        return all(getattr(new.parse.tree, x) == getattr(expected, x) for x in names)
    return new.parse.lines == expected.lines and untouched(old.parse.lines) == (
        untouched(expected.lines)
    )


def untouched(lines: str) -> list[list[str]]:
    """Return the columns of CoNLL-U but HEAD, DEPREL and DEPS."""
    rows = [line.split("\t") for line in lines.splitlines()]
    return [[*row[:6], *row[9:]] for row in rows]


if __name__ == "__main__":
    sys.exit(main())
