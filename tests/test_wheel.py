"""What is installed from a wheel runs like a clone: templates, statics, sample."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    wheel = next(folder.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_wheel_and_sdist_are_the_same_bytes_wherever_they_are_made(
    tmp_path: Path,
) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone: there is no commit to build from")
    clone = tmp_path / "a clone elsewhere"
    subprocess.run(
        ["git", "clone", "--quiet", str(ROOT), str(clone)], check=True, umask=0o077
    )
    (clone / "core" / "not_of_the_commit.py").write_text("left lying about")
    for path in clone.rglob("*.py"):
        os.utime(path, (0, 0))
    made = []
    for folder, zone, umask in ((ROOT, "UTC", 0o022), (clone, "Asia/Tokyo", 0o077)):
        out = tmp_path / zone.replace("/", "-")
        subprocess.run(
            [sys.executable, "-m", "tools.wheel", "--out", str(out)],
            cwd=folder,
            env=os.environ | {"TZ": zone, "PYTHONHASHSEED": str(umask)},
            umask=umask,
            check=True,
            capture_output=True,
        )
        made.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert sorted(Path(name).suffix for name in made[0]) == [".gz", ".whl"]
    assert made[0].keys() == made[1].keys()
    assert all(made[0][name] == made[1][name] for name in made[0])


def named(requirement: str) -> str:
    match = re.match(r"[\w.-]+", requirement)
    assert match, requirement
    return match.group().lower().replace("_", "-")


def test_a_wheel_asks_for_no_development_tool(installed: Path) -> None:
    metadata = next(installed.glob("*.dist-info/METADATA")).read_text()
    asked = re.findall(r"^Requires-Dist: (.+)$", metadata, re.MULTILINE)
    always = {named(one) for one in asked if "extra ==" not in one}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    tools = {named(one) for one in project["optional-dependencies"]["dev"]}
    assert "django" in always
    assert "schemathesis" in tools
    assert not always & tools
    locked = {
        named(line)
        for line in (ROOT / "requirements.lock").read_text().splitlines()
        if "==" in line and line[0].isalpha()
    }
    assert always <= locked
    assert not locked & tools


def test_a_wheel_holds_the_program_alone(installed: Path) -> None:
    tops = {path.name for path in installed.iterdir()}
    assert {one for one in tops if not one.endswith(".dist-info")} == {
        "annotator",
        "core",
        "gemel.py",
        "gemel_client.py",
    }


def test_the_client_is_a_package_of_one_module_without_dependencies(
    tmp_path: Path,
) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path)],
        cwd=ROOT / "client",
        check=True,
        capture_output=True,
    )
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = wheel.namelist()
        metadata = wheel.read(next(n for n in names if n.endswith("METADATA"))).decode()
    assert [name for name in names if ".dist-info/" not in name] == ["gemel_client.py"]
    asked = re.findall(r"^Requires-Dist: (.+)$", metadata, re.MULTILINE)
    assert [one for one in asked if "extra ==" not in one] == []


HIDE = """
import importlib.metadata, re, sys
locked = {"gemel", *open("locked").read().split()}
gone = {"tests", "bench", "tools"} | {
    top
    for top, owners in importlib.metadata.packages_distributions().items()
    if not {re.sub("[-_.]+", "-", one).lower() for one in owners} & locked
}

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in gone:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""


def run(code: str, installed: Path, here: Path) -> str:
    """What it prints where there is the wheel and what its lock names, nothing else."""
    lock = (ROOT / "requirements.lock").read_text().splitlines()
    names = [named(line) for line in lock if "==" in line and line[0].isalpha()]
    (here / "locked").write_text(" ".join(names))
    done = subprocess.run(
        [sys.executable, "-c", HIDE + code],
        cwd=here,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(installed),
            "GEMEL_HOME": str(here / "home"),
            "DJANGO_SETTINGS_MODULE": "annotator.settings",
        },
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


START = """
import importlib

def is_there(name):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        return False
    return True

print([name for name in TOOLS if is_there(name)])
from annotator.__main__ import main

for words in ("--help", "up --help", "migrate -v0", "check", "check --deploy",
              "backup one.zip", "backup --verify one.zip"):
    sys.argv = ["gemel", *words.split()]
    try:
        main()
    except SystemExit as end:
        assert not end.code, (words, end.code)
"""


def test_a_wheel_starts_without_any_development_tool(
    installed: Path, tmp_path: Path
) -> None:
    tools = ["pytest", "hypothesis", "schemathesis", "mypy", "ruff", "tests", "bench"]
    code = f"TOOLS = {tools}\n{START}"
    said = run(code, installed, tmp_path)
    assert said.startswith("[]")
    assert "one.zip can be restored" in said


def test_a_wheel_serves_its_pages(installed: Path, tmp_path: Path) -> None:
    asked = (
        "from django.core.management import call_command;"
        "call_command('migrate', verbosity=0);"
        "from annotator.services.projects import members;"
        "from annotator.services.corpora import sample;"
        "sample.load(members.ensure_owner()[0]);"
        "from django.test import Client;"
        "from annotator.models import Pair;"
        "page = Client().get('/sign-in/', SERVER_NAME='localhost');"
        "from django.contrib.staticfiles import finders;"
        "css = bool(finders.find('css/gemel.css'));"
        "help_page = Client().get('/help/glossary/', SERVER_NAME='localhost');"
        "picture = bool(finders.find('docs/screens/home-wide.png'));"
        "print(page.status_code, css, Pair.objects.count(),"
        " help_page.status_code, picture)"
    )
    code = f"import django; django.setup(); {asked}"
    status, static, n_pairs, of_help, picture = run(code, installed, tmp_path).split()
    assert (status, static, of_help, picture) == ("200", "True", "200", "True")
    assert int(n_pairs) >= 60


def test_the_words_of_other_languages_are_compiled(installed: Path) -> None:
    sources = list((installed / "annotator" / "locale").rglob("*.po"))
    assert sources
    assert all(path.with_suffix(".mo").stat().st_size > 1000 for path in sources)
