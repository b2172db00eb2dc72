"""Files and brackets of any bytes: each ends in words about the file, never in a fault
of the program."""

import contextlib
import gzip
import io
import json
import zipfile
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.errors import Refusal
from annotator.exchange.bitexts import FORMATS, BitextReading
from annotator.exchange.files import ENCODINGS, Source
from annotator.exchange.items import guess
from annotator.exchange.tables import Sheet
from annotator.models import Job, TreeDraft
from annotator.services import jobs
from annotator.services.paraphrases import bitexts
from annotator.services.parses import drafts
from core.errors import GemelError
from core.formats import ptb
from tests import cast as people
from tests.annotator.campaigns.test_item_tables import as_csv, book

EXAMPLES = settings.default.max_examples
TMX = b"""<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>A gate
<ph>x</ph> opens</seg></tuv><tuv xml:lang="de"><seg>Ein Tor</seg></tuv></tu></body>
</tmx>
"""
TEXTS = {
    "moses": [b"A gate opens\nshe slept\n", b"Ein Tor\nsie schlief\n", b"0-0 1-1\n\n"],
    "tsv": [b"A gate opens\tEin Tor\t0-0 2-1\nshe slept\tsie schlief\t0-0\n"],
    "tmx": [TMX],
}
HARSH = [b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"\t" * 9, b'"',
         b"&x;", b"<!DOCTYPE a [<!ENTITY x 'y'>]>", b'encoding="idna"', b"1e999",
         b"99999999999999999999-0", b"-1-0", b"(", b")" * 40,
         "\u2028\u202e".encode()]  # fmt: skip
READING = st.builds(
    BitextReading,
    format=st.none(),
    source_language=st.sampled_from(["en", "", "x" * 35]),
    target_language=st.sampled_from(["de", "en", "*"]),
    raw=st.booleans(),
    linked=st.booleans(),
    escaped=st.booleans(),
)


@st.composite
def spoilt(draw: Any, whole: bytes) -> bytes:
    """Nearly these bytes, or any: some left out, put in, doubled or cut off."""
    if not draw(st.integers(0, 9)):
        return draw(st.binary(max_size=200))
    content = whole
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(content)))
        upto = draw(st.integers(at, min(len(content), at + 40)))
        there = st.one_of(st.sampled_from(HARSH), st.binary(max_size=8))
        content = (
            content[:at] + draw(there) + content[draw(st.sampled_from([at, upto])) :]
        )
    return content


@pytest.mark.parametrize("form", FORMATS)
def test_parallel_text_of_any_bytes_ends_in_words(
    cast: people.Cast, settings: Any, tmp_path: Any, form: str
) -> None:
    settings.MEDIA_ROOT = tmp_path

    @_many
    @given(st.data(), READING, st.sampled_from(["", *ENCODINGS]))
    def check(data: st.DataObject, how: BitextReading, encoding: str) -> None:
        files = []
        for n, whole in enumerate(TEXTS[form]):
            content = data.draw(spoilt(whole), label=f"file {n}")
            if not data.draw(st.integers(0, 3)):
                content = data.draw(spoilt(gzip.compress(content)), label="packed")
            files.append(SimpleUploadedFile(f"{n}.txt", content))
        wanted = {name: getattr(how, name) for name in BitextReading.__slots__}
        reading = BitextReading(**(wanted | {"format": form}))
        with transaction.atomic():
            job = _imported(cast, files, reading, encoding)
            transaction.set_rollback(True)
        assert job is None or job.error == ""

    check()


def _many(test: Any) -> Any:
    return settings(max_examples=EXAMPLES)(test)


def _imported(
    cast: people.Cast, files: list[Any], reading: BitextReading, encoding: str
) -> Job | None:
    try:
        kept = bitexts.keep(cast.project, files, by=cast.ada)
        job = bitexts.start(
            cast.project, kept, name="Any", reading=reading, by=cast.ada,
            encoding=encoding, dry_run=False, partial=True, enqueue=False,
        )  # fmt: skip
    except Refusal:
        return None
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.is_over
    return job


ITEMS = [["sentence", "phrase", "paraphrase"], ["A gate opens.", "opens", "is opened"]]
TABLES = {
    "csv": as_csv(",").encode(),
    "xlsx": book(ITEMS),
    "json": json.dumps([dict(zip(*ITEMS, strict=True))]).encode(),
    "jsonl": json.dumps(dict(zip(*ITEMS, strict=True))).encode() + b"\n" + b"{}\n",
}


@st.composite
def workbook(draw: Any) -> bytes:
    """A workbook, one of whose parts is spoilt."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(TABLES["xlsx"])) as old:
        which = draw(st.sampled_from(old.namelist()))
        with zipfile.ZipFile(made, "w") as new:
            for name in old.namelist():
                part = old.read(name)
                new.writestr(name, draw(spoilt(part)) if name == which else part)
    return made.getvalue()


@pytest.mark.parametrize("form", TABLES)
def test_a_table_of_any_bytes_ends_in_words(form: str) -> None:
    content = spoilt(TABLES[form])
    if form == "xlsx":
        content = st.one_of(content, workbook())

    @_many
    @given(content, st.sampled_from(["", *ENCODINGS]), st.booleans())
    def check(content: bytes, encoding: str, named: bool) -> None:
        name = f"items.{form}" if named else "items"
        with contextlib.suppress(Refusal, GemelError):
            sheet = Sheet(Source(name, lambda: io.BytesIO(content), encoding)).settle()
            guess(sheet.columns())
            list(sheet.rows())

    check()


def test_brackets_of_any_bytes_leave_a_tree(cast: people.Cast, client: Any) -> None:
    draft = drafts.start(cast.pair.source, by=cast.bob)
    client.force_login(cast.bob)

    @_many
    @given(spoilt(people.SOURCE.encode()))
    def check(content: bytes) -> None:
        text = content.decode("utf-8", "surrogateescape")
        revision = TreeDraft.objects.get(pk=draft.pk).revision
        body = {"uuid": str(uuid4()), "base_rev": revision, "op": "replace"}
        sent = json.dumps(body | {"text": text})
        where = f"/api/tree-drafts/{draft.code}/ops/"
        answer = client.post(where, sent, "application/json")
        assert answer.status_code in (200, 400), answer.content
        now = TreeDraft.objects.get(pk=draft.pk)
        assert ptb.parse_one(now.text).words == ptb.parse_one(people.SOURCE).words
        assert now.revision == revision + (answer.status_code == 200)

    check()
