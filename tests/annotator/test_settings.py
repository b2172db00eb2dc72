"""Settings: typed, safe by default, loud when they make no sense."""

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from annotator import checks, env

ROOT = Path(__file__).resolve().parents[2]
SERVER = {
    "GEMEL_SITE_URL": "https://gemel.example.org",
    "GEMEL_ALLOWED_HOSTS": "gemel.example.org",
}


def test_each_test_process_has_its_own_folder() -> None:
    assert str(settings.GEMEL_HOME) == os.environ["GEMEL_HOME"]


@pytest.mark.parametrize(
    ("word", "meaning"),
    [
        ("1", True),
        ("TRUE", True),
        ("on", True),
        ("0", False),
        ("False", False),
        ("", False),
    ],
)
def test_spellings_of_true_and_false(monkeypatch, word: str, meaning: bool) -> None:
    monkeypatch.setenv("GEMEL_X", word)
    assert env.env_bool("GEMEL_X") is meaning


@pytest.mark.parametrize("word", ["maybe", "2", "Flase"])
def test_nonsense_stops_the_start(monkeypatch, word: str) -> None:
    monkeypatch.setenv("GEMEL_X", word)
    with pytest.raises(ImproperlyConfigured):
        env.env_bool("GEMEL_X")


OIDC = {
    "GEMEL_OIDC_ISSUER": "https://login.example.org/realms/people",
    "GEMEL_OIDC_CLIENT_ID": "gemel",
}


def test_nobody_signs_in_by_a_provider_unless_one_is_set(monkeypatch) -> None:
    for name in (*OIDC, "GEMEL_OIDC_CLIENT_SECRET", "GEMEL_OIDC_CLIENT_SECRET_FILE"):
        monkeypatch.delenv(name, raising=False)
    assert env.oidc() == {}


def test_the_secret_of_a_provider_may_stand_in_a_file(
    monkeypatch, tmp_path: Path
) -> None:
    for name, value in OIDC.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "secret").write_text("of the client\n")
    monkeypatch.setenv("GEMEL_OIDC_CLIENT_SECRET_FILE", str(tmp_path / "secret"))
    read = env.oidc()
    assert (read["client_secret"], read["name"]) == (
        "of the client",
        "login.example.org",
    )


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"GEMEL_OIDC_ISSUER": "http://login.example.org"}, "https://"),
        ({"GEMEL_OIDC_ISSUER": "login.example.org"}, "https://"),
        ({"GEMEL_OIDC_CLIENT_ID": " "}, "CLIENT_ID"),
        ({"GEMEL_OIDC_CLIENT_SECRET": ""}, "but not both"),
        ({"GEMEL_OIDC_CLIENT_SECRET_FILE": "/dev/null"}, "but not both"),
        (
            {
                "GEMEL_OIDC_CLIENT_SECRET": "",
                "GEMEL_OIDC_CLIENT_SECRET_FILE": "/dev/null",
            },
            "is empty",
        ),
        (
            {
                "GEMEL_OIDC_CLIENT_SECRET": "",
                "GEMEL_OIDC_CLIENT_SECRET_FILE": "/nowhere",
            },
            "cannot be read",
        ),
    ],
)
def test_half_a_provider_stops_the_start(
    monkeypatch, change: dict[str, str], word: str
) -> None:
    whole = OIDC | {"GEMEL_OIDC_CLIENT_SECRET": "of the client"}
    for name, value in (whole | change).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=word):
        env.oidc()


def test_a_provider_without_the_extra_is_named_with_the_remedy(
    monkeypatch, settings
) -> None:
    settings.OIDC = {"issuer": "https://login.example.org"}
    monkeypatch.setattr(checks, "find_spec", lambda name: None)
    (problem,) = checks.provider_can_be_asked()
    assert problem.id == "gemel.E006"
    assert "gemel[oidc]" in str(problem.hint)
    settings.OIDC = {}
    assert checks.provider_can_be_asked() == []


def test_each_installation_has_its_own_key_for_its_eyes_only(tmp_path: Path) -> None:
    keys = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        keys.append(env.secret_key(tmp_path / name))
        mode = stat.S_IMODE((tmp_path / name / "secret_key").stat().st_mode)
        assert mode == 0o600
        assert env.secret_key(tmp_path / name) == keys[-1]
    assert keys[0] != keys[1]


@pytest.mark.parametrize(
    "key", ["short", "django-insecure-" + "x" * 50, "changeme" * 8]
)
def test_known_keys_are_refused(monkeypatch, tmp_path: Path, key: str) -> None:
    monkeypatch.setenv("GEMEL_SECRET_KEY", key)
    with pytest.raises(ImproperlyConfigured, match="GEMEL_SECRET_KEY"):
        env.secret_key(tmp_path)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("", ("sqlite3", "gemel.sqlite3")),
        ("sqlite:////data/x.db", ("sqlite3", "x.db")),
        ("postgres://u:p%40ss@h:1234/name", ("postgresql", "name")),
    ],
)
def test_database_urls(tmp_path: Path, url: str, expected: tuple[str, str]) -> None:
    made = env.database(url, tmp_path)
    assert (made["ENGINE"].rpartition(".")[2], Path(made["NAME"]).name) == expected
    if "p%40ss" in url:
        assert (made["PASSWORD"], made["PORT"]) == ("p@ss", "1234")


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("", {"prepare_threshold": 5}),
        ("?sslmode=require", {"sslmode": "require", "prepare_threshold": 5}),
        ("?prepare_threshold=2", {"prepare_threshold": 2}),
        ("?prepare_threshold=", {"prepare_threshold": None}),
    ],
)
def test_plans_are_kept_unless_a_pooler_forbids_it(
    tmp_path: Path, query: str, options: dict[str, Any]
) -> None:
    made = env.database(f"postgres://h/name{query}", tmp_path)
    assert made["OPTIONS"] == options


def test_a_threshold_that_is_no_number_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="prepare_threshold='few'"):
        env.database("postgres://h/name?prepare_threshold=few", tmp_path)


def test_other_databases_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="mysql"):
        env.database("mysql://x", tmp_path)


def manage(
    home: Path, *words: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    plain = {
        k: v for k, v in os.environ.items() if not k.startswith(("GEMEL", "DJANGO"))
    }
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env={**plain, "GEMEL_HOME": str(home), **variables},
        capture_output=True,
        text=True,
        timeout=600,
    )


def test_the_deployment_check_is_clean(tmp_path: Path) -> None:
    done = manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **SERVER)
    assert done.returncode == 0, done.stderr


def test_debug_on_a_server_is_an_error(tmp_path: Path) -> None:
    done = manage(
        tmp_path,
        "check",
        DATABASE_URL="postgres://x@localhost/y",
        GEMEL_DEBUG="true",
    )
    assert "gemel.E001" in done.stderr


def test_a_folder_that_is_none_gets_a_clear_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    done = manage(tmp_path / "file" / "home", "check")
    assert done.returncode != 0
    assert "set GEMEL_HOME to a writable folder" in done.stderr


def test_no_migration_is_missing(tmp_path: Path) -> None:
    done = manage(tmp_path, "makemigrations", "--check", "--dry-run")
    assert done.returncode == 0, done.stdout


def test_who_starts_together_gets_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        for n in range(200):
            home = tmp_path / str(n)
            home.mkdir()
            keys = list(pool.map(lambda _, at=home: env.secret_key(at), range(8)))
            assert len(set(keys)) == 1
            assert [path.name for path in home.iterdir()] == ["secret_key"]


LDAP = {
    "GEMEL_LDAP_URL": "ldaps://ldap.example.org",
    "GEMEL_LDAP_BASE": "ou=people,dc=example,dc=org",
}


def ldap_with(monkeypatch, more: dict[str, str]) -> dict[str, Any]:
    for name in ("FILTER", "BIND_DN", "BIND_PASSWORD", "BIND_PASSWORD_FILE", "TLS"):
        monkeypatch.delenv(f"GEMEL_LDAP_{name}", raising=False)
    for name, value in (LDAP | more).items():
        monkeypatch.setenv(name, value)
    return env.ldap()


def test_no_directory_is_asked_unless_one_is_set(monkeypatch) -> None:
    assert ldap_with(monkeypatch, {"GEMEL_LDAP_URL": ""}) == {}


def test_a_directory_is_asked_by_tls_as_nobody_unless_told(monkeypatch) -> None:
    read = ldap_with(monkeypatch, {})
    assert (read["is_plain"], read["bind_dn"]) == (False, "")
    assert (read["filter"], read["id"]) == ("(uid=%(name)s)", "entryUUID")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"GEMEL_LDAP_URL": "http://ldap.example.org"}, "ldaps://"),
        ({"GEMEL_LDAP_URL": "ldap.example.org"}, "ldaps://"),
        ({"GEMEL_LDAP_BASE": " "}, "GEMEL_LDAP_BASE"),
        ({"GEMEL_LDAP_FILTER": "(uid=*)"}, "GEMEL_LDAP_FILTER"),
        ({"GEMEL_LDAP_FILTER": "uid=%(name)s"}, "GEMEL_LDAP_FILTER"),
        ({"GEMEL_LDAP_BIND_DN": "cn=gemel"}, "but not both"),
        (
            {"GEMEL_LDAP_URL": "ldap://ldap.example.org", "GEMEL_LDAP_TLS": "false"},
            "only go to this machine",
        ),
    ],
)
def test_a_directory_that_is_half_set_stops_the_start(
    monkeypatch, more: dict[str, str], said: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match=said):
        ldap_with(monkeypatch, more)


def test_a_key_that_others_could_read_is_refused_at_the_next_start(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setenv("GEMEL_HOME", str(tmp_path))
    monkeypatch.delenv("GEMEL_SECRET_KEY", raising=False)
    env.secret_key(env.home(tmp_path))
    (tmp_path / "secret_key").chmod(0o644)
    with pytest.raises(ImproperlyConfigured, match="can be read by others"):
        env.secret_key(env.home(tmp_path))


def test_a_bad_file_of_parsers_is_told_at_the_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "parsers.toml"
    monkeypatch.setenv("GEMEL_PARSERS", str(file))
    (problem,) = checks.parsers_of_the_operator_are_named_well()
    assert "No such file" in problem.msg
    file.write_text("[mine]\nkind = 'magic'")
    (problem,) = checks.parsers_of_the_operator_are_named_well()
    assert "known: program, spacy, stanza" in problem.msg
    file.write_text("")
    assert checks.parsers_of_the_operator_are_named_well() == []


@pytest.mark.parametrize(
    ("name", "url"),
    [("psycopg", "postgres://gemel@localhost/gemel"), ("redis", "redis://localhost")],
)
def test_a_package_that_only_servers_need_is_named(name, url) -> None:
    setting = "DATABASE_URL" if name == "psycopg" else "CELERY_BROKER_URL"
    env.require_extra(name, setting=setting)
    run = f"import sys; sys.modules['{name}'] = None; import annotator.settings"
    done = subprocess.run(
        [sys.executable, "-c", run],
        env=os.environ | {setting: url},
        capture_output=True,
        text=True,
    )
    assert f"{setting} needs the package {name}" in done.stderr
    assert "gemel[server]" in done.stderr
