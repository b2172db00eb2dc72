"""The interface speaks the reader's language; English is what the sources say."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.template import Context, Template
from django.utils import translation

from annotator.numbers import as_number, as_percent, local
from hatch_build import compile_catalogues

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.django_db


def test_the_browser_says_which_language(client) -> None:
    page = client.get("/sign-in/", headers={"accept-language": "de-AT,de;q=0.9"})
    text = page.content.decode()
    assert '<html lang="de"' in text
    assert ">Sprache<" in text
    assert "/words/de.js" in text
    assert "Accept-Language" in page["Vary"]


def test_english_where_nothing_is_said_or_nobody_translated(client) -> None:
    for header in ({}, {"accept-language": "fi"}):
        text = client.get("/sign-in/", headers=header).content.decode()
        assert '<html lang="en"' in text
        assert ">Language<" in text
        assert "/words/" not in text


def test_a_choice_in_this_browser_wins(client) -> None:
    answer = client.post("/language/", {"language": "de", "next": "/sign-in/"})
    assert (answer.status_code, answer["Location"]) == (302, "/sign-in/")
    cookie = answer.cookies["gemel_language"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    text = client.get("/sign-in/", headers={"accept-language": "en"}).content.decode()
    assert '<html lang="de"' in text


def test_nobody_is_sent_away_by_it_nor_to_no_language(client) -> None:
    away = client.post(
        "/language/", {"language": "de", "next": "https://evil.example/"}
    )
    assert away["Location"] == "/"
    client.post("/language/", {"language": "xx", "next": "/sign-in/"})
    assert '<html lang="de"' in client.get("/sign-in/").content.decode()


def test_words_of_scripts_are_a_script_of_our_own(client) -> None:
    answer = client.get("/words/de.js")
    assert answer["Content-Type"].startswith("text/javascript")
    assert "gettext" in answer.content.decode()
    assert "max-age=3600" in answer["Cache-Control"]
    assert client.get("/words/xx.js").status_code == 404


def test_figures_have_a_decimal_comma_but_not_in_attributes() -> None:
    values = Context({"x": 0.5, "n": 12345})
    with translation.override("de"):
        text = Template(
            "{{ x }} {{ n }} {{ x|floatformat:2 }} {{ x|unlocalize }}"
        ).render(values)
        written = local("-1,234.50"), as_number(-0.001), as_percent(0.4784)
    assert text == "0,5 12345 0,50 0.5"
    assert written == ("−1.234,50", "0,00", "47,8 %")


def test_processes_that_start_together_compile_the_same_words(tmp_path: Path) -> None:
    made = tmp_path / "annotator" / "locale" / "de" / "LC_MESSAGES" / "django.mo"
    made.parent.mkdir(parents=True)
    words = "".join(f'msgid "word {n}"\nmsgstr "Wort {n}"\n\n' for n in range(400))
    made.with_suffix(".po").write_text(words)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(compile_catalogues, [tmp_path] * 4))
    assert sorted(path.name for path in made.parent.iterdir()) == [
        "django.mo",
        "django.po",
    ]


def test_each_catalogue_says_what_the_sources_say_and_is_compiled() -> None:
    run = [sys.executable, "-m", "tools.messages", "--check"]
    answer = subprocess.run(run, cwd=ROOT, capture_output=True, text=True)
    assert (answer.returncode, answer.stdout) == (0, "")


def test_no_template_writes_days_in_words_by_a_format_of_its_own() -> None:
    """Such a format is English wherever it is read; the catalogue has it instead."""
    names = [
        path.name
        for path in (ROOT / "templates").rglob("*.html")
        if 'date:"j ' in path.read_text()
    ]
    assert names == []
