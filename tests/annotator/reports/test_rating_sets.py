"""Ratings collected elsewhere: uploaded, refused line by line, reported like ours."""

from urllib.parse import urljoin

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest
from annotator.services.reports import rating_tables
from tests.annotator.judged import links
from tests.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(client: Client, cast: Cast) -> Client:
    client.force_login(cast.ada)
    return client


def long_rows() -> str:
    rows = ["item\tannotator\tscale\tvalue\tcondition"]
    for i in range(12):
        made = "left | right" if i % 2 else "left"
        for who, bump in (("zoe", 0), ("yan", i % 4 == 0)):
            rows.append(f"i{i}\t{who}\tmeaning\t{1 + (i * 3 + bump) % 5}\t{made}")
    return "\n".join(rows) + "\n"


LONG = long_rows()


def sent(text: str = LONG) -> SimpleUploadedFile:
    return SimpleUploadedFile("ours.tsv", text.encode())


def test_outside_ratings_get_the_same_report(ada: Client, cast: Cast) -> None:
    answer = ada.post(
        reverse("agreement_upload", args=["windows"]),
        {"name": "Old round", "format": "long", "file": sent()},
    )
    page = ada.get(answer.url).content.decode()
    assert "zoe" in page
    assert 'id="conditions"' in page
    figures = [link for link in links(page) if "/cases/" in link]
    assert figures
    assert {ada.get(urljoin(answer.url, f)).status_code for f in set(figures)} == {200}


HOSTILE = ["<script>alert(1)</script>", "a, b", "c..d", "x:y", '"&amp;', "ünï"]


def test_labels_of_any_kind_are_shown_as_text_and_found_again(
    ada: Client, cast: Cast
) -> None:
    rows = ["item\tannotator\tscale\tvalue\tcondition\tsource"]
    for i, label in enumerate(HOSTILE * 2):
        other = HOSTILE[i % 5]
        rows += [f"<i>{i}\t<b>a, 1\t<s>:q\t{label}\t<c> & d\t<u>"]
        rows += [f"<i>{i}\t'x' b\t<s>:q\t{other}\t<c> & d\t<u>"]
    answer = ada.post(
        reverse("agreement_upload", args=["windows"]),
        {"name": "<img src=x>", "format": "long", "file": sent("\n".join(rows))},
    )
    page = ada.get(answer.url).content.decode()
    for bad in ("<script>alert", "<b>a", "<i>0", "<s>:q", "<c>", "<img src=x", "<u>"):
        assert bad not in page
    figures = {link for link in links(page) if "/cases/" in link}
    for link in figures:
        figure = ada.get(urljoin(answer.url, link))
        assert figure.status_code == 200, link
        assert "<i>" not in figure.content.decode()
    assert len(figures) > 10


def test_a_bad_file_is_refused_line_by_line(ada: Client, cast: Cast) -> None:
    where = reverse("agreement_upload", args=["windows"])
    answer = ada.post(
        where, {"name": "Bad", "format": "long", "file": sent(LONG + "only\n")}
    )
    assert answer.status_code == 400
    assert "ours.tsv:26:1: 1 cells" in answer.content.decode()
    assert not cast.project.rating_sets.exists()


def test_a_second_set_of_the_same_name_is_refused(cast: Cast) -> None:
    project, ada = cast.project, cast.ada
    rating_tables.add_as("long", project, sent(), name="Twice", by=ada)
    with pytest.raises(Exception, match="There is already a set named Twice"):
        rating_tables.add_as("long", project, sent(), name="Twice", by=ada)
    with pytest.raises(BadRequest, match="There is no format"):
        rating_tables.add_as("msr", project, sent(), name="New", by=ada)
