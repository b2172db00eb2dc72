"""The bill of materials is that of the lock; a known weakness fails the check."""

import json

from lab.bench.supply import LOCK, locked, sbom, verdict


def test_the_bill_holds_every_locked_package_with_its_digests() -> None:
    text = LOCK.read_text()
    made = sbom(text)
    pins = [line for line in text.splitlines() if "==" in line.split("#")[0]]
    assert len(made["components"]) == len(pins) > 40
    assert all(one["hashes"] for one in made["components"])
    assert sum(len(d) for *_, d in locked(text)) == text.count("--hash=sha256:")
    names = {one["name"] for one in made["components"]}
    assert {"django", "numpy", "gunicorn"} <= names
    assert not names & {"pytest", "mypy", "ruff", "playwright", "hypothesis"}
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.5")


def told(*ids: str) -> str:
    vulns = [{"id": one, "fix_versions": ["2"]} for one in ids]
    return json.dumps({"dependencies": [{"name": "x", "version": "1", "vulns": vulns}]})


def test_a_known_weakness_fails_and_is_named() -> None:
    status, words = verdict(told("PYSEC-1"))
    assert status == 1
    assert "x 1: PYSEC-1 (mended in 2)" in words
    assert verdict(told())[0] == 0


def test_without_an_index_it_says_that_nothing_was_checked() -> None:
    status, words = verdict("")
    assert (status, "NOTHING WAS CHECKED" in words) == (0, True)
