"""Tables of any kind: told apart, decoded, cut into rows; hostile ones refused."""

import io
import json
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from openpyxl import Workbook

from annotator.errors import BadRequest
from annotator.exchange import tables
from annotator.exchange.files import Source
from annotator.exchange.items import guess
from annotator.exchange.tables import Sheet, rows_of
from core.formats.records import BadLine

ROWS = [["Satz", "Ausdruck"], ["Größe, «zählt».", "Größe"], ['er sagte "ja"', "ja"]]


def sheet(content: bytes, name: str = "file", **how: object) -> Sheet:
    return Sheet(Source(name, lambda: io.BytesIO(content)), **how).settle()  # type: ignore[arg-type]


def cells(table: Sheet) -> list[list[str]]:
    rows = [row for _, row, _ in table.rows()]
    assert not [row for row in rows if isinstance(row, BadLine)]
    return [list(table.columns()), *(list(row.values()) for row in rows)]  # type: ignore[union-attr]


def as_csv(sign: str) -> str:
    quoted = [['"' + cell.replace('"', '""') + '"' for cell in row] for row in ROWS]
    return "".join(sign.join(row) + "\r\n" for row in quoted)


def book(rows: list[list[object]]) -> bytes:
    made = Workbook()
    for row in rows:
        made.active.append(row)
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


@pytest.mark.parametrize("sign", [",", ";", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_csv_in_any_encoding_and_with_any_delimiter(sign: str, encoding: str) -> None:
    table = sheet(as_csv(sign).encode(encoding))
    assert (table.form, table.delimiter) == ("csv", sign)
    assert cells(table) == ROWS


def test_a_western_encoding_is_recognised() -> None:
    text = "Satz\tAusdruck\n" + "Die Größe zählt für Bürger\tGröße\n" * 30
    table = sheet(text.encode("cp1252"))
    assert cells(table)[1] == ["Die Größe zählt für Bürger", "Größe"]


def test_the_encoding_that_was_chosen_is_taken() -> None:
    source = Source(
        "x", lambda: io.BytesIO("a\tb\né\tè\n".encode("latin-1")), "latin-1"
    )
    assert cells(Sheet(source).settle()) == [["a", "b"], ["é", "è"]]


def test_a_line_that_is_not_in_the_chosen_encoding_is_named() -> None:
    content = b"a\tb\n1\t2\n" + b"\xe9\t3\n4\t5\n"
    source = Source("x", lambda: io.BytesIO(content), "utf-8")
    rows = [row for _, row, _ in Sheet(source).settle().rows()]
    assert [type(row).__name__ for row in rows] == ["dict", "BadLine", "dict"]
    assert isinstance(rows[1], BadLine)
    assert (rows[1].line, "0xE9" in rows[1].reason) == (3, True)


def test_lines_of_old_macs_end_too() -> None:
    assert cells(sheet(b"a,b\rc,d\r")) == [["a", "b"], ["c", "d"]]


def test_quoted_cells_hold_line_breaks_and_lines_are_counted() -> None:
    rows = list(rows_of(["a,b\n", '"one\n', 'two",x\n', "3,4,5\n"], "csv", ","))
    assert rows[0][:2] == (2, {"a": "one\ntwo", "b": "x"})
    assert isinstance(rows[1][1], BadLine)
    assert rows[1][1].line == 4


def test_a_workbook_gives_its_first_sheet() -> None:
    made = book([["Satz", "Zahl", "Wann"], ["Er ging.", 3.0, None], [None, None, None],
                 ["Sie ging.", 2.5, True]])  # fmt: skip
    assert cells(sheet(made, "x.xlsx")) == [
        ["Satz", "Zahl", "Wann"],
        ["Er ging.", "3", ""],
        ["Sie ging.", "2.5", "True"],
    ]


def test_json_as_a_list_and_by_lines() -> None:
    objects = [dict(zip(ROWS[0], row, strict=True)) for row in ROWS[1:]]
    by_lines = "\n".join(json.dumps(one) for one in objects)
    assert cells(sheet(json.dumps(objects, indent=1).encode(), "x.json")) == ROWS
    assert cells(sheet(by_lines.encode())) == ROWS


def test_columns_without_a_name_or_with_the_same_are_told_apart() -> None:
    assert cells(sheet(b"a\t\ta\n1\t2\t3\n"))[0] == ["a", "Column 2", "a (3)"]
    assert cells(sheet(b"a\tb\nc\td\n", has_header=False)) == [
        ["Column 1", "Column 2"], ["a", "b"], ["c", "d"],
    ]  # fmt: skip


def bomb() -> bytes:
    file = io.BytesIO()
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as parts,
        parts.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as one,
    ):
        for _ in range(500):
            one.write(b"\0" * 2**20)
    return file.getvalue()


def other_zip() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as parts:
        parts.writestr("notes.txt", "hello")
    return file.getvalue()


def with_entities() -> bytes:
    """A workbook whose sheet asks for a file of the server."""
    file = io.BytesIO(book([["sentence"], ["x"]]))
    out = io.BytesIO()
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name.startswith("xl/worksheets/"):
                start = b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'
                data = start + data.replace(b"<sheetData>", b"<sheetData>&b;", 1)
            new.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (bomb, "unpacks to more than"),
        (other_zip, "no workbook"),
        (lambda: book([["a"]])[:300], "broken"),
        (lambda: b"PK\x03\x04" + b"x" * 200, "broken"),
        (with_entities, "cannot be read"),
    ],
)
def test_a_hostile_or_broken_workbook_is_refused(
    content: Callable[[], bytes], told: str
) -> None:
    with pytest.raises(BadRequest, match=told):
        list(sheet(content(), "x.xlsx").rows())


@example(b"a\rb")
@example(b"a" * 200_000)
@given(st.binary(max_size=400))
def test_any_bytes_give_rows_or_a_refusal(content: bytes) -> None:
    try:
        rows = list(sheet(content).rows())
    except BadRequest:
        return
    assert rows
    assert all(isinstance(row, dict | BadLine) for _, row, _ in rows)


def test_fields_are_guessed_by_the_names_people_use() -> None:
    names = [
        "Item ID",
        "Source",
        "Target phrase",
        "Substitute",
        "System",
        "gold_x",
    ]
    assert guess(names, ["x"]) == {
        "id": "Item ID", "sentence": "Source", "phrase": "Target phrase",
        "paraphrase": "Substitute", "condition": "System", "gold_x": "gold_x",
    }  # fmt: skip


def test_a_workbook_that_claims_a_million_rows_of_cells_is_refused_at_once() -> None:
    made = Workbook()
    made.active.cell(row=1_048_576, column=16_384).value = "x"
    file = io.BytesIO()
    made.save(file)
    with pytest.raises(BadRequest, match="more than 1,000 columns"):
        list(sheet(file.getvalue(), "x.xlsx").rows())


def test_a_sheet_that_claims_more_than_it_has_is_read_as_it_is() -> None:
    content = changed(
        book(ROWS), b'<dimension ref="A1:B3"', b'<dimension ref="A1:XFD1048576"'
    )
    assert cells(sheet(content, "x.xlsx")) == ROWS


def test_a_cell_without_end_is_refused_before_it_is_parsed() -> None:
    content = changed(book(ROWS), b"Ausdruck", b"a" * 3_000_000)
    assert len(content) < 20_000
    with pytest.raises(BadRequest, match="a cell of more than 1 MB"):
        list(sheet(content, "x.xlsx").rows())


def with_sheet(rows: bytes, strings: bytes = b"") -> bytes:
    """A workbook whose first sheet has these rows, as XML, and these shared strings."""
    main = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(book([["a"]]))) as old,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            data = old.read(name)
            if name == "xl/worksheets/sheet1.xml":
                data = b"<worksheet %s><sheetData>%s</sheetData></worksheet>" % (
                    main, rows
                )  # fmt: skip
            new.writestr(name, data)
        if strings:
            new.writestr("xl/sharedStrings.xml", b"<sst %s>%s</sst>" % (main, strings))
    return file.getvalue()


@pytest.mark.parametrize(
    ("rows", "strings"),
    [
        (b'<row r="999999999999"><c t="n"><v>1</v></c></row>', b""),
        (b"<row spans='1:2' r='999999999999'><c t='n'><v>1</v></c></row>", b""),
        (b"<row/>" * 2_000_000, b""),
        (b"<x:row xmlns:x='y'/>" * 300_000, b""),
        (b"", b"<si><t/></si>" * 2_000_000),
        pytest.param(
            b'<row r="1">' + b'<c r="A1"/>' * 13_000_000 + b"</row>",
            b"",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_workbook_whose_rows_or_strings_never_end_is_refused(
    rows: bytes, strings: bytes
) -> None:
    content = with_sheet(rows, strings)
    assert len(content) < 500_000
    with pytest.raises(BadRequest, match="more than 200,000 rows"):
        list(sheet(content, "x.xlsx").rows())


def test_a_workbook_in_utf_16_is_refused() -> None:
    content = with_sheet(b"<row/>")
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(file, "w") as new,
    ):
        for name in old.namelist():
            text = old.read(name).decode()
            new.writestr(name, text.encode("utf-16"))
    with pytest.raises(BadRequest, match="save it as CSV"):
        list(sheet(file.getvalue(), "x.xlsx").rows())


def test_a_row_far_below_the_others_keeps_its_number() -> None:
    cell = b'<row r="%d"><c r="A%d" t="n"><v>7</v></c></row>'
    content = with_sheet(cell % (1, 1) + cell % (2000, 2000))
    (row,) = (n for n, _, _ in sheet(content, "x.xlsx").rows())
    assert row == 2000


def changed(workbook: bytes, old: bytes, new: bytes) -> bytes:
    """The workbook with other bytes in its parts."""
    file, seen = io.BytesIO(), False
    with (
        zipfile.ZipFile(io.BytesIO(workbook)) as parts,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as anew,
    ):
        for name in parts.namelist():
            text = parts.read(name)
            seen |= old in text
            anew.writestr(name, text.replace(old, new))
    assert seen
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("blank.csv", b"a,b\n" + b"\n" * 60),
        ("old-mac.csv", b"a,b\r" + b"\r" * 60),
        ("one-cell.tsv", b"a\tb\n" + b"x\ty\n" * 60),
        ("rows.json", b"[" + b",\n".join([b'{"a": 1}'] * 60) + b"]"),
        ("rows.jsonl", b'{"a": 1}\n' * 60),
    ],
)
def test_a_table_has_no_more_lines_than_can_be_tried_out(
    monkeypatch, name: str, content: bytes
) -> None:
    monkeypatch.setattr(tables, "MAX_LINES", 50)
    with pytest.raises(BadRequest, match="more than 50 lines"):
        list(sheet(content, name).rows())


def test_a_json_file_that_is_no_list_is_named() -> None:
    table = sheet(b"5", "a.json")
    table.form = "json"
    ((_, refused, _),) = table.rows()
    assert isinstance(refused, BadLine)
    assert refused.reason == "expected a list of objects"
