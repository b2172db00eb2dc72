"""Container, compose and systemd files say what this Gemel understands.

No container engine is needed: names, options, settings and addresses are held against
the program, and systemd's own reader checks its units where it is installed.
"""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands, load_command_class
from django.urls import resolve

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
SETTINGS = set(re.findall(r"`([A-Z_]{6,})`", (ROOT / "docs/reference.md").read_text()))
LINES = (DEPLOY / "Containerfile").read_text().replace("\\\n", " ").splitlines()
STEPS = [line for line in LINES if line and not line.startswith("#")]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    told: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return told


def check_words(words: list[str]) -> None:
    """A command line of ``gemel``; SystemExit at an option that it does not have."""
    name, *rest = words
    command = load_command_class(get_commands()[name], name)
    command.create_parser("gemel", name).parse_args(rest)


def final_stage() -> list[str]:
    last = max(n for n, step in enumerate(STEPS) if step.startswith("FROM "))
    return STEPS[last:]


def test_the_image_holds_no_tool_and_runs_as_nobody_special() -> None:
    assert not any("requirements-dev" in step or "[dev]" in step for step in STEPS)
    (install,) = [step for step in STEPS if "-r requirements-server.lock" in step]
    assert "--require-hashes" in install
    stage = final_stage()
    user = next(n for n, step in enumerate(stage) if step.startswith("USER "))
    assert stage[user] not in ("USER root", "USER 0")
    assert not any(step.startswith(("RUN ", "COPY ", "ADD ")) for step in stage[user:])
    assert not any(re.search(r"(KEY|PASSWORD|TOKEN)=", step) for step in STEPS)


def test_what_the_image_copies_is_there() -> None:
    copied = [step.split()[1:-1] for step in STEPS if step.startswith("COPY ")]
    own = [one for words in copied if not words[0].startswith("--") for one in words]
    assert own
    assert all((ROOT / one).exists() for one in own)


def test_the_image_asks_whether_it_is_well_where_it_is_told() -> None:
    (check,) = [step for step in STEPS if step.startswith("HEALTHCHECK")]
    address = re.search(r"http://localhost:(\d+)(/\w+)", check)
    assert address
    assert resolve(address[2]).view_name == "health"
    assert f"EXPOSE {address[1]}" in STEPS


def test_the_image_starts_a_command_that_there_is() -> None:
    stage = final_stage()
    (entry,) = [step for step in stage if step.startswith("ENTRYPOINT")]
    assert entry == 'ENTRYPOINT ["gemel"]'
    assert 'gemel = "annotator.__main__:main"' in (ROOT / "pyproject.toml").read_text()
    (command,) = [step for step in stage if step.startswith("CMD ")]
    check_words(yaml.safe_load(command.removeprefix("CMD ")))


def test_services_name_only_what_there_is(compose: dict[str, Any]) -> None:
    services = compose["services"]
    for name, service in services.items():
        assert set(service.get("depends_on", [])) <= set(services), name
        assert set(service["networks"]) <= set(compose["networks"])
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            kept = (DEPLOY / source).exists() if "/" in source else False
            assert kept or source in compose["volumes"], volume
        if service.get("image") == "gemel":
            check_words(service["command"])
            assert set(service["environment"]) <= SETTINGS
            build = service["build"]
            assert (DEPLOY / build["context"] / build["dockerfile"]).exists()


def test_only_the_proxy_is_reached_from_outside(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert [name for name, one in services.items() if "ports" in one] == ["proxy"]
    assert compose["networks"]["inner"]["internal"] is True
    assert (
        "outer" not in services["database"]["networks"] + services["queue"]["networks"]
    )
    assert "path /metrics /ready" in (DEPLOY / "Caddyfile").read_text()


def test_a_message_may_wait_for_a_long_job(compose: dict[str, Any]) -> None:
    """RabbitMQ cuts off who holds one for half an hour, unless it is told otherwise."""
    told = compose["services"]["queue"]["environment"]
    said = told["RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS"]
    (waits,) = re.findall(r"^-rabbit consumer_timeout (\d+)$", said)
    assert int(waits) >= 24 * 3600 * 1000
    line = f"consumer_timeout = {waits}"
    assert line in (ROOT / "docs" / "deployment.md").read_text()


def test_no_password_is_a_default() -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    for variable in re.findall(r"\$\{([^}]+)\}", text):
        name, _, rest = variable.partition(":")
        assert rest == "?" or (name, rest) == ("GEMEL_METRICS_TOKEN", "-"), variable
    asked = set(re.findall(r"\$\{(\w+):\?\}", text))
    head = text.partition("x-gemel")[0]
    assert asked == set(re.findall(r"\b[A-Z]+_[A-Z_]+\b", head))


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_units_start_what_there_is(unit: Path, tmp_path: Path) -> None:
    (start,) = re.findall(r"^ExecStart=(.+)$", unit.read_text(), re.MULTILINE)
    program, *words = shlex.split(start)
    assert program.endswith("/bin/gemel")
    check_words(words)
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    copy = tmp_path / unit.name
    copy.write_text(unit.read_text().replace(program, sys.executable))
    told = subprocess.run(
        ["systemd-analyze", "verify", "--recursive-errors=no", str(copy)],
        capture_output=True,
        text=True,
    )
    assert unit.name not in told.stderr, told.stderr
    assert told.returncode == 0, told.stderr


def test_settings_of_the_units_are_known() -> None:
    lines = (DEPLOY / "gemel.env").read_text().splitlines()
    names = {line.partition("=")[0] for line in lines if line and line[0] != "#"}
    assert names
    assert names <= SETTINGS


def test_the_lock_of_a_server_holds_the_lock_of_everyone() -> None:
    pins = {
        name: set(re.findall(r"^\S+==\S+", (ROOT / name).read_text(), re.MULTILINE))
        for name in ("requirements.lock", "requirements-server.lock")
    }
    more = pins["requirements-server.lock"] - pins["requirements.lock"]
    assert pins["requirements.lock"] < pins["requirements-server.lock"]
    assert {one.split("==")[0] for one in more} >= {
        "psycopg",
        "psycopg-binary",
        "redis",
    }
