"""Items through the pages: any table, one by hand, corrected, withdrawn, given back."""

import io
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from openpyxl import Workbook

from annotator.models import Campaign, Credit, Item
from annotator.services.campaigns import items, setup
from tests.annotator.campaigns_cast import campaign, draw
from tests.cast import Cast

pytestmark = pytest.mark.django_db

CSV = 'Kontext,Alt,Neu,System\n"He left, she said.",left,went,A\nHe left.,left,quit,B\n'
FIELDS = {"field-sentence": "Kontext", "field-phrase": "Alt", "field-paraphrase": "Neu",
          "field-condition": "System"}  # fmt: skip


@pytest.fixture
def cast() -> Cast:
    return Cast()


@pytest.fixture
def made(cast: Cast) -> Campaign:
    return setup.create(cast.project, "Round one", by=cast.ada)


@pytest.fixture
def ada(cast: Cast, client: Client) -> Client:
    client.force_login(cast.ada)
    return client


def at(made: Campaign, rest: str = "") -> str:
    return f"/p/{made.project.slug}/campaign/{made.code}/items/{rest}"


def send(client: Client, made: Campaign, content: bytes, name: str) -> Any:
    file = SimpleUploadedFile(name, content)
    return client.post(at(made), {"file": file}, follow=True)


def workbook() -> bytes:
    book = Workbook()
    for line in CSV.replace('"He left, she said."', "He left").splitlines():
        book.active.append(line.split(","))
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (CSV.encode(), "items.csv"),
        (CSV.encode("utf-16"), "items.csv"),
        (CSV.replace(",", ";").replace("left; she", "left, she").encode(), "items.txt"),
        (workbook(), "items.xlsx"),
    ],
)
def test_columns_of_any_name_are_said_on_the_check_page(
    ada: Client, made: Campaign, content: bytes, name: str
) -> None:
    page = send(ada, made, content, name)
    assert page.status_code == 200
    assert "Choose columns for the sentence" in page.content.decode()
    where = page.request["PATH_INFO"]
    assert "selected>UTF" not in page.content.decode()  # as recognised, until chosen
    again = ada.get(where, FIELDS).content.decode()
    assert "Import 2" in again
    ada.post(where, FIELDS)
    assert set(made.items.values_list("paraphrase", flat=True)) == {"went", "quit"}
    assert set(Credit.objects.values_list("condition__name", flat=True)) == {"A", "B"}


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "xlsx"])
def test_each_sample_file_can_be_sent_as_it_is(
    ada: Client, made: Campaign, form: str
) -> None:
    sample = ada.get(at(made, f"sample.{form}"))
    assert f'filename="items.{form}"' in sample["Content-Disposition"]
    page = send(ada, made, sample.content, f"items.{form}").content.decode()
    assert "Import 4" in page
    assert "Rows that cannot be read</dt><dd>0" in page


@pytest.mark.parametrize(
    ("content", "name", "told"),
    [
        (b"", "x.csv", "is empty"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 60, "x.png", "a picture (PNG)"),
        (b"PK\x03\x04" + b"x" * 90, "x.xlsx", "broken"),
        (b"\xd0\xcf\x11\xe0" + b"x" * 90, "x.xls", "a document (doc, xls)"),
    ],
)
def test_what_is_no_table_is_refused_in_words(
    ada: Client, made: Campaign, content: bytes, name: str, told: str
) -> None:
    assert told in send(ada, made, content, name).content.decode()


def test_another_encoding_or_delimiter_can_be_chosen(
    ada: Client, made: Campaign
) -> None:
    text = "sentence|phrase|paraphrase\nÉa, b left.|left|went\n".encode("latin-1")
    where = send(ada, made, text, "x.csv").request["PATH_INFO"]
    assert "Éa, b left." in ada.get(where, {"encoding": "latin-1"}).content.decode()
    cut = ada.get(where, {"delimiter": ",", "encoding": "latin-1"}).content.decode()
    assert "Choose columns" in cut
    refused = ada.get(where, {"encoding": "punycode"}, follow=True)
    assert "Encodings:" in refused.content.decode()


def test_an_encoding_that_is_a_guess_is_shown_with_a_line_to_check(
    ada: Client, made: Campaign
) -> None:
    text = (
        "sentence,phrase,paraphrase\nHe left.,left,went\nShe naïvely left.,left,went\n"
    )
    page = send(ada, made, text.encode("cp1252"), "x.csv").content.decode()
    assert "It was read as CP1252, which is a guess." in page
    assert "She naïvely left." in page
    sure = send(ada, made, text.encode(), "y.csv").content.decode()
    assert "which is a guess" not in sure


def test_an_item_is_written_by_hand(ada: Client, made: Campaign) -> None:
    cells = {"sentence": "He left.", "phrase": "left", "paraphrase": "went"}
    assert ada.post(at(made, "add/"), cells).status_code == 302
    assert made.items.get().paraphrase == "went"
    again = ada.post(at(made, "add/"), cells)
    assert "already" in again.content.decode()
    wrong = ada.post(at(made, "add/"), cells | {"phrase": "came"})
    assert wrong.status_code == 400
    text = wrong.content.decode()
    assert "is not in the sentence" in text
    assert 'value="came"' in text


def act(client: Client, made: Campaign, item: Item, do: str, **more: str) -> str:
    sent = {"item": item.code, "do": do, "back": "q=x\r\nX: y", **more}
    return client.post(at(made, "do/"), sent, follow=True).content.decode()


def test_an_item_is_corrected_until_somebody_has_it(ada: Client, cast: Cast) -> None:
    made = campaign(cast, n=2, is_open=False)
    one, other = made.items.order_by("pk")
    act(ada, made, one, "correct", paraphrase="  much   better ")
    one.refresh_from_db()
    assert one.paraphrase == "much better"
    setup.open_campaign(made, by=cast.ada)
    draw(made, cast.bob, 2)
    told = act(ada, made, other, "correct", paraphrase="late")
    assert "is judging or has judged this item" in told
    other.refresh_from_db()
    assert other.paraphrase != "late"


def test_a_withdrawn_item_is_given_out_again(ada: Client, cast: Cast) -> None:
    made = campaign(cast, n=2)
    item = made.items.order_by("pk")[0]
    need = item.need
    act(ada, made, item, "withdraw")
    item.refresh_from_db()
    assert (item.is_withdrawn, item.need) == (True, 0)
    assert "Withdrawn" in ada.get(at(made), {"state": "withdrawn"}).content.decode()
    act(ada, made, item, "restore")
    item.refresh_from_db()
    assert (item.is_withdrawn, item.need) == (False, need)


def test_items_are_searched(ada: Client, cast: Cast) -> None:
    made = campaign(cast, n=3, is_open=False)
    first = made.items.order_by("pk")[0]
    items.correct(first, "wholly other", by=cast.ada)
    text = ada.get(at(made), {"q": "wholly"}).content.decode()
    assert "1 of 3" in " ".join(text.split())
    assert "No items match" in ada.get(at(made), {"q": "zzz"}).content.decode()
