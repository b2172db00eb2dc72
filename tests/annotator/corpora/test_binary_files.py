"""A file that is no text is refused at the door, whatever it is sent as."""

import gzip
import io
import struct
import zipfile
import zlib

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotator.exchange.files import no_text
from annotator.exchange.registry import FORMATS
from annotator.models import Job, Upload
from annotator.services import jobs
from tests.annotator.campaigns_cast import campaign
from tests.annotator.corpora.test_uploads import form
from tests.cast import Cast


def _png() -> bytes:
    """One black dot; its brackets are what a reader of trees would take for rows."""
    parts = b"\x89PNG\r\n\x1a\n"
    for kind, body in (
        (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)),
        (b"tEXt", b"Comment\0" + b"(S (NN a))\n" * 20),
        (b"IDAT", zlib.compress(b"\0\0")),
        (b"IEND", b""),
    ):
        parts += struct.pack(">I", len(body)) + kind + body
        parts += struct.pack(">I", zlib.crc32(kind + body))
    return parts


def _zip() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("tree.mrg", "(S (NN a))\n")
    return packed.getvalue()


ROWS = b"(S (NN a))\n" * 40
BINARY = {
    "a picture (PNG)": _png(),
    "an archive (zip)": _zip(),
    "a document (PDF)": b"%PDF-1.7\n" + ROWS,
    "binary data": b"\x7fELF\2\1\1" + b"\0" * 60 + ROWS + b"\0" * 200,
}
NOISE = {
    "tape archive": b"trees/wsj.mrg" + b"\0" * 87 + b"0000644\0" * 3 + b"\0" * 388,
    "sound": b"RIFF\x24\x08\0\0WAVEfmt \x10\0\0\0\1\0\2\0" + bytes(range(256)) * 8,
    "bitmap": b"BM" + struct.pack("<IHHI", 1162, 0, 0, 138) + b"\0\xff\xff\0" * 256,
    "numbers": struct.pack("<200d", *(n / 7 for n in range(200))),
    "noise that begins like UTF-16": b"\xff\xfe" + bytes(range(256)) * 8,
}  # fmt: skip


@pytest.mark.parametrize("kind", sorted(NOISE))
def test_binary_files_of_no_known_kind_are_told_from_text(kind: str) -> None:
    assert no_text(NOISE[kind]) == "binary data"


TEXT = "(S (NN Café))\n(S (NN Weiß) (NN „x“))\n" * 5
WIDE = "他上班去了。\n一个人在家里看书,还没有吃饭。\n" * 9


@pytest.mark.parametrize(
    "content",
    [
        TEXT.encode(), TEXT.encode("utf-8-sig"), TEXT.encode("utf-16"),
        TEXT.encode("utf-16-le"), TEXT.encode("utf-16-be"), TEXT.encode("cp1252"),
        WIDE.encode(), WIDE.encode("utf-16"), WIDE.encode("utf-16-le"),
        WIDE.encode("utf-16-be"), "😂 a\n".encode("utf-16-le") * 2048,
        "aa 😂\n".encode("utf-16-le") * 1024, b"(S (NN a\0))\n", b"a\x1b[0m\tb\x0c\n",
    ],
)  # fmt: skip
def test_text_is_text_in_any_encoding_and_with_a_stray_sign(content: bytes) -> None:
    assert no_text(content[:8192]) == ""


@pytest.fixture
def ada(cast: Cast, client: Client) -> Client:
    client.force_login(cast.ada)
    return client


def sent(what: str, content: bytes | None = None) -> SimpleUploadedFile:
    return SimpleUploadedFile("odd.dat", BINARY[what] if content is None else content)


@pytest.mark.parametrize("what", sorted(BINARY.keys() - {"an archive (zip)"}))
@pytest.mark.parametrize("kind", sorted(FORMATS))
def test_no_corpus_is_read_out_of_it(ada: Client, kind: str, what: str) -> None:
    _is_refused(
        ada.post("/p/windows/upload/", form(format=kind, files=sent(what))), what
    )
    fields = form(format=kind, files=sent(what))
    answer = ada.post("/api/projects/windows/imports/", fields)
    assert answer.status_code == 400
    assert f"odd.dat is {what}" in answer.json()["error"]["message"]


def zipped(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


@pytest.mark.parametrize(
    "way", ["/p/windows/upload/", "/api/projects/windows/imports/"]
)
def test_an_archive_of_a_corpus_is_read_as_its_files(ada: Client, way: str) -> None:
    files = {
        "bank/one.mrg": b"(S (NN a))\n",
        "bank/two.mrg": b"(S (NN b))\n(S (NN c))\n",
        "__MACOSX/bank/._one.mrg": b"\0",
    }
    archive = SimpleUploadedFile("bank.zip", zipped(**files))
    answer = ada.post(way, form(format="ptb", files=archive))
    assert answer.status_code in (201, 302)
    assert sorted(Upload.objects.values_list("name", flat=True)) == [
        "one.mrg",
        "two.mrg",
    ]
    job = Job.objects.get()
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.result["sentences"], job.result["issues"]) == (3, 0)


@pytest.mark.parametrize(
    ("files", "refusal"),
    [
        ({"a.mrg": ROWS, "b.png": BINARY["a picture (PNG)"]}, "b.png is a picture"),
        ({"a.mrg": ROWS, "more.zip": _zip()}, "more.zip is an archive (zip)"),
        ({"[Content_Types].xml": ROWS, "x.xml": ROWS}, "odd.dat is an archive (zip)"),
        ({"a.mrg": b" " * 3_000_000}, "odd.dat unpacks to more than 2 MB"),
    ],
)
def test_an_archive_with_something_else_in_it_is_refused(
    ada: Client, settings, files: dict[str, bytes], refusal: str
) -> None:
    settings.MAX_UNPACKED_MB = 2
    answer = ada.post(
        "/p/windows/upload/",
        form(format="ptb", files=sent("", zipped(**files))),
    )
    assert answer.status_code == 400
    assert refusal in answer.content.decode()
    assert not Job.objects.exists()


@pytest.mark.parametrize("what", sorted(BINARY))
def test_no_parallel_text_is_read_out_of_it(ada: Client, what: str) -> None:
    fields = {
        "format": "moses", "name": "Mine", "source_language": "en",
        "target_language": "de", "source_text": sent(what),
        "target_text": SimpleUploadedFile("mine.de", b"Ein Tor\n"),
    }  # fmt: skip
    _is_refused(ada.post("/p/windows/bitexts/upload/", fields), what)
    fields["source_text"] = sent(what, gzip.compress(BINARY[what]))
    fields["target_text"] = SimpleUploadedFile("mine.de", b"Ein Tor\n")
    _is_refused(ada.post("/p/windows/bitexts/upload/", fields), what)


@pytest.mark.parametrize("what", sorted(BINARY))
def test_no_items_are_read_out_of_it(ada: Client, cast: Cast, what: str) -> None:
    made = campaign(cast, n=0, is_open=False)
    page = f"/p/windows/campaign/{made.code}/items/"
    told = "a zip archive, no workbook" if "zip" in what else what
    _is_refused(ada.post(page, {"file": sent(what)}), told)


@pytest.mark.parametrize("what", sorted(BINARY))
def test_no_ratings_are_read_out_of_it(ada: Client, what: str) -> None:
    fields = {"name": "Old", "format": "long", "file": sent(what)}
    _is_refused(ada.post("/p/windows/agreement/upload/", fields), what)


def _is_refused(answer, what: str) -> None:
    text = answer.content.decode()
    assert answer.status_code == 400
    assert f"odd.dat is {what}" in text
    assert "Send " in text.partition(f"odd.dat is {what}")[2]
    assert not Upload.objects.filter(name="odd.dat").exists()
    assert not Job.objects.exists()
