"""What the docs promise names tests that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TESTS = {
    name
    for folder in ("tests", "lab/tests")
    for path in (ROOT / folder).rglob("test_*.py")
    for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)
}


@pytest.mark.parametrize("page", ["docs/guarantees.md", "lab/notes/reliability.md"])
def test_every_promise_names_a_test(page: str) -> None:
    text = (ROOT / page).read_text()
    rows = [one for one in text.splitlines() if one.startswith(("- ", "| "))]
    promises = [one for one in rows if not one.startswith("| attack")]
    assert promises
    for promise in promises:
        named = re.findall(r"`(test_\w+)`", promise)
        assert named, promise
        assert set(named) <= TESTS, promise
