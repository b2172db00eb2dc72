"""An installed Gemel, with nothing of this folder in sight, serves the sample.

``GEMEL_INSTALLED`` names the program ``gemel`` of an environment that the wheel was
installed into, and nothing else but what it asks for (``.ci/run`` makes one).
"""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.running import ROOT, Running

PROGRAM = os.environ.get("GEMEL_INSTALLED", "")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.skipif(not PROGRAM, reason="GEMEL_INSTALLED names no program"),
]
LEAK = "import annotator, importlib.util as u; print(annotator.__file__);"
LEAK += "print([one for one in ('pytest', 'tests', 'bench') if u.find_spec(one)])"


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("elsewhere")


@pytest.fixture(scope="module")
def gemel(empty: Path) -> Iterator[Running]:
    class Installed(Running):
        program = (PROGRAM,)
        folder = empty

    home = empty / "home"
    home.mkdir()
    started = Installed(home, PATH="/usr/bin:/bin")
    try:
        yield started.ready()
    finally:
        if started.process.poll() is None:
            started.stop()


@pytest.fixture(scope="module")
def owner(gemel: Running, chromium: Browser) -> Iterator[Page]:
    """Signed in by the link that the start printed."""
    context = chromium.new_context(base_url=gemel.base)
    context.set_default_timeout(60_000)
    page = context.new_page()
    faults: list[str] = []
    page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(gemel.owner_link())
    page.get_by_role("button", name="Sign in as owner").click()
    expect(page.get_by_role("link", name="Sample project")).to_be_visible()
    yield page
    context.close()
    assert not faults, faults


def python(code: str, folder: Path) -> str:
    python_of = str(Path(PROGRAM).with_name("python"))
    asked = {"cwd": folder, "capture_output": True, "text": True, "check": True}
    return subprocess.run([python_of, "-c", code], env={}, **asked).stdout


def test_nothing_of_this_folder_or_for_development_is_there(empty: Path) -> None:
    where, leaked = python(LEAK, empty).splitlines()
    assert not Path(where).is_relative_to(ROOT)
    assert leaked == "[]"


def test_it_says_its_commands_and_parses(empty: Path) -> None:
    env = {"PATH": "/usr/bin:/bin", "GEMEL_HOME": str(empty / "other")}
    asked = {"cwd": empty, "env": env, "capture_output": True, "text": True}
    said = subprocess.run([PROGRAM, "help"], **asked).stdout
    assert {"up", "import_corpus", "backup"} <= set(said.split())
    parsed = subprocess.run(
        [PROGRAM, "parse"], input="The nurse opened the window .\n", **asked
    )
    assert parsed.stdout.startswith("(S (NP (DT The) (NN nurse))"), parsed.stderr


def test_an_item_of_the_sample_is_judged_by_keys(owner: Page) -> None:
    owner.goto("/p/sample/")
    owner.get_by_role("link", name="Start judging").first.click()
    owner.locator("#guideline-close").click()  # they come before the first item
    expect(owner.locator("#card")).to_be_visible()
    expect(owner.locator("#count")).to_have_text("Training 1 of 4")
    owner.keyboard.type("45")
    owner.keyboard.press("Enter")
    expect(owner.locator("#chip")).to_have_text(re.compile("^Saved"))
    owner.reload()
    expect(owner.locator("#count")).to_have_text("Training 2 of 4")


def test_two_trees_of_the_sample_are_drawn_and_linked(owner: Page) -> None:
    owner.goto("/p/sample/corpora/")
    owner.get_by_role("link", name="Sample pairs").first.click()
    owner.locator("main a[href*='/pair/']").first.click()
    expect(owner.locator("#canvas svg")).to_be_visible()
    assert owner.locator("#canvas svg path").count() > 10


def test_the_report_of_the_sample_opens(owner: Page) -> None:
    owner.goto("/p/sample/agreement/")
    owner.get_by_role("link", name="Substitution test").first.click()
    expect(owner.locator("main")).to_contain_text("Krippendorff")


def test_a_sentence_is_parsed_by_the_model_inside(owner: Page) -> None:
    # The first after an installation waits until the kernels are compiled.
    owner.goto("/try/?text=The+nurse+opened+the+window+.", timeout=600_000)
    expect(owner.locator("main svg").first).to_be_visible()
    expect(owner.locator("main")).to_contain_text("NOUN")


def test_help_with_its_pictures_is_inside(owner: Page, gemel: Running) -> None:
    owner.goto("/help/projects/")
    expect(owner.locator("main img").first).to_be_visible()
    owner.wait_for_function("document.querySelector('main img').naturalWidth > 0")


def test_it_stops_and_leaves_nothing_running(gemel: Running) -> None:
    assert gemel.stop() == 0
    assert gemel.children("celery") == gemel.children("gunicorn") == []
