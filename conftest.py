"""Fixtures for everybody, and the profile of Hypothesis."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

# Tests never touch the state of a real installation, nor that of another process that
# runs a part of them.
home = tempfile.mkdtemp(prefix="gemel-tests-")
os.environ["GEMEL_HOME"] = home
os.environ["GEMEL_API_RATE"] = "1000000000"  # thousands of calls; tests of it set it
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")
if not os.environ.get("DATABASE_URL"):
    # A file, as users have it: in memory, all threads of a live server would share one
    # connection, and with it each other's transactions.
    os.environ["GEMEL_TEST_DB"] = f"{home}/test.sqlite3"

import django  # noqa: E402
import pytest  # noqa: E402
from django.test import SimpleTestCase  # noqa: E402
from django.utils import translation  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

from hatch_build import compile_catalogues  # noqa: E402

compile_catalogues(Path(__file__).parent)
django.setup()  # here, not by pytest's settings, which are read before the lines above
# The first compiled call takes longer than Hypothesis' deadline.
settings.register_profile(
    "gemel",
    deadline=None,
    max_examples=100 if os.environ.get("CI") else 25,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
        HealthCheck.function_scoped_fixture,
    ],
)
settings.register_profile("few", settings.get_profile("gemel"), max_examples=25)
settings.load_profile("gemel")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """Give each worker its own folder: one that inherits this variable reads its
    settings before the lines above, and so shares our folder."""
    os.environ.pop("DJANGO_SETTINGS_MODULE", None)


def pytest_unconfigure() -> None:
    shutil.rmtree(home, ignore_errors=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regold", action="store_true", help="rewrite golden files")


DATABASE = {"db", "transactional_db", "django_db_setup"}
KERNELS = re.compile(
    "tests/(core/|annotator/(alignments|fuzzed|paraphrases|parses)/|test_library)|lab/"
)
COMPILED = "GEMEL_TEST_COMPILED"  # names the files that are there once all is compiled
compiling = pytest.StashKey[list[subprocess.Popen[bytes]]]()


def pytest_sessionstart(session: pytest.Session) -> None:
    """In a new clone two processes compile the kernels, beside tests that need none:
    else each process of tests would compile those that it meets."""
    root = session.config.rootpath
    is_new = not any(root.glob("core/*/kernels/__pycache__/*.nbi"))
    is_jit = not os.environ.get("NUMBA_DISABLE_JIT")
    if is_new and is_jit and session.config.getoption("numprocesses", None):
        signs = {part: f"{home}/compiled.{part}" for part in ("product", "tests")}
        os.environ[COMPILED] = ":".join(signs.values())
        program = [sys.executable, "-m", "tests.kernels"]
        session.config.stash[compiling] = [
            subprocess.Popen([*program, *one], cwd=root)  # noqa: S603
            for one in signs.items()
        ]


def pytest_sessionfinish(session: pytest.Session) -> None:
    for process in session.config.stash.get(compiling, []):
        process.terminate()
        process.wait()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Who needs kernels waits for them: no process compiles what another one does."""
    if COMPILED in os.environ and KERNELS.match(item.nodeid):
        signs = [Path(one) for one in os.environ.pop(COMPILED).split(":")]
        limit = time.monotonic() + 600
        while not all(map(Path.exists, signs)) and time.monotonic() < limit:
            time.sleep(0.2)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark ``once`` what never reaches a database, whose answer is the same on each;
    what needs kernels comes last."""
    for item in items:
        case = getattr(item, "cls", None) or object
        if not (
            DATABASE & set(getattr(item, "fixturenames", ()))
            or item.get_closest_marker("django_db")
            or issubclass(case, SimpleTestCase)
        ):
            item.add_marker(pytest.mark.once)
    items.sort(key=lambda one: bool(KERNELS.match(one.nodeid)))


@pytest.fixture
def golden(request: pytest.FixtureRequest):
    """Compare text with ``tests/golden/<name>``; ``--regold`` rewrites it."""
    folder = request.config.rootpath / "tests" / "golden"

    def check(name: str, text: str) -> None:
        path = folder / name
        if request.config.getoption("--regold"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"no golden file {name}: run pytest --regold and review"
        assert text == path.read_text(encoding="utf-8")

    return check


@pytest.fixture(scope="session")
def small_models(tmp_path_factory):
    """A models folder with a PCFG trained on sentences of ours."""
    from tests import small_pcfg

    folder = tmp_path_factory.mktemp("models")
    small_pcfg.written(folder / small_pcfg.NAME)
    return folder


@pytest.fixture
def small_parser(small_models, settings) -> str:
    """The name of that PCFG, which the installation has during the test."""
    from tests import small_pcfg

    settings.MODELS_DIR = small_models
    return small_pcfg.NAME


@pytest.fixture
def thesaurus(tmp_path_factory, monkeypatch) -> Iterator[None]:
    """The small one of the tests, whatever is installed."""
    from core.text import wordnet
    from tests import small_wordnet

    folder = tmp_path_factory.mktemp("wordnet")
    small_wordnet.write(folder)
    monkeypatch.setenv("WNHOME", str(folder))
    wordnet.thesaurus.cache_clear()
    yield
    wordnet.thesaurus.cache_clear()


@pytest.fixture
def cast(db):
    from tests.cast import Cast

    return Cast()


@pytest.fixture(autouse=True)
def _own_language() -> Iterator[None]:
    """A request in German leaves its thread in German; the next test begins anew."""
    yield
    translation.deactivate()


@pytest.fixture(autouse=True)
def _plain_passwords(settings) -> None:
    """Hashing for real costs a quarter of a second an account."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
