"""Environment variables, typed: an invalid value stops the start."""

import contextlib
import os
import secrets
import stat
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from annotator.serving.memory import LEAST_MB

_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}
KEY_FILE = "secret_key"
MIN_SIGNS = 12  # different ones: a random key of 40 has some 30
HERE = ("localhost", "127.0.0.1", "::1")
KNOWN_KEYS = {"changeme", "secret", "django-insecure", "insecure"}


def env_bool(name: str, *, default: bool = False) -> bool:
    value = os.environ.get(name)
    if value is None:
        return default
    word = value.strip().lower()
    if word in _TRUE | _FALSE:
        return word in _TRUE
    raise ImproperlyConfigured(f"{name}={value!r}: write true or false")


def env_int(name: str, *, default: int) -> int:
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    if not value.isascii() or not value.isdigit():
        raise ImproperlyConfigured(f"{name}={value!r}: write a whole number")
    return int(value)


def env_memory(name: str, *, default: int, least: int = LEAST_MB) -> int:
    """MB that a process may take."""
    value = env_int(name, default=default)
    if value < least:
        raise ImproperlyConfigured(f"{name}={value}: write {least} or more")
    return value


def env_choice(name: str, choices: tuple[str, ...]) -> str:
    """One of ``choices``, the first if nothing is said."""
    value = os.environ.get(name, "").strip().lower() or choices[0]
    if value not in choices:
        raise ImproperlyConfigured(f"{name}={value!r}: write {' or '.join(choices)}")
    return value


def env_several(name: str, choices: tuple[str, ...]) -> tuple[str, ...]:
    """Some of ``choices``, in their order; all if nothing is said."""
    wanted = env_list(name) or list(choices)
    if unknown := sorted(set(wanted) - set(choices)):
        known = ", ".join(choices)
        raise ImproperlyConfigured(f"{name}: {unknown[0]!r} is not one of {known}")
    return tuple(one for one in choices if one in wanted)


def metrics_token() -> str:
    """``GEMEL_METRICS_TOKEN``: who has it reads the figures; "": no one does."""
    token = os.environ.get("GEMEL_METRICS_TOKEN", "").strip()
    if token and (len(token) < 20 or len(set(token)) < 8):
        raise ImproperlyConfigured(
            "GEMEL_METRICS_TOKEN is too easy to guess: use 20 or more random "
            "characters, for example from `openssl rand -hex 20`."
        )
    return token


def mail(url: str) -> dict[str, Any]:
    """Django's settings of a mail server; {} for "".

    ``smtp://user:password@host:587`` encrypts by STARTTLS, ``smtps://`` from the first
    byte; ``smtp+plain://`` does not, for a server on this machine.
    """
    if not url:
        return {}
    parts = urlsplit(url)
    kinds = {"smtp": 587, "smtps": 465, "smtp+plain": 25}
    if parts.scheme not in kinds or not parts.hostname:
        raise ImproperlyConfigured(
            "GEMEL_MAIL: write smtp://user:password@host:587, smtps://… or "
            "smtp+plain://…"
        )
    return {
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or kinds[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
    }


def oidc() -> dict[str, str]:
    """The OpenID provider that people sign in by: ``issuer``, ``client_id``,
    ``client_secret``, and its ``name`` on the button; {}: none."""
    issuer = os.environ.get("GEMEL_OIDC_ISSUER", "").strip()
    if not issuer:
        return {}
    parts = urlsplit(issuer)
    is_here = parts.hostname in HERE
    if not parts.hostname or not (
        parts.scheme == "https" or (parts.scheme == "http" and is_here)
    ):
        raise ImproperlyConfigured(
            f"GEMEL_OIDC_ISSUER={issuer!r}: write the https:// address of the provider"
        )
    client_id = os.environ.get("GEMEL_OIDC_CLIENT_ID", "").strip()
    if not client_id:
        raise ImproperlyConfigured(
            "GEMEL_OIDC_CLIENT_ID is missing: set it to the client ID that the "
            "provider gave Gemel"
        )
    return {
        "issuer": issuer,
        "client_id": client_id,
        "client_secret": _secret(
            "GEMEL_OIDC_CLIENT_SECRET", "GEMEL_OIDC_CLIENT_SECRET_FILE"
        ),
        "name": os.environ.get("GEMEL_OIDC_NAME", "").strip() or parts.hostname,
    }


def ldap() -> dict[str, Any]:
    """The directory whose names and passwords are taken, too; {}: none.

    ``url``, ``is_plain`` (without TLS: on this machine only), ``base``, ``filter`` with
    the place of the name, ``id`` (the attribute that never changes), ``bind_dn`` and
    ``bind_password`` (as whom names are looked for; "": as no one), ``ca``.
    """
    url = os.environ.get("GEMEL_LDAP_URL", "").strip()
    if not url:
        return {}
    parts = urlsplit(url)
    if parts.scheme not in ("ldap", "ldaps") or not parts.hostname:
        raise ImproperlyConfigured(
            f"GEMEL_LDAP_URL={url!r}: write ldaps://host, or ldap://host for StartTLS"
        )
    is_plain = parts.scheme == "ldap" and not env_bool("GEMEL_LDAP_TLS", default=True)
    if is_plain and parts.hostname not in HERE:
        raise ImproperlyConfigured(
            "GEMEL_LDAP_TLS=false: without TLS, passwords may only go to this machine"
        )
    base = os.environ.get("GEMEL_LDAP_BASE", "").strip()
    if not base:
        raise ImproperlyConfigured(
            "GEMEL_LDAP_BASE is missing: set it to where people are, such as "
            "ou=people,dc=example,dc=org"
        )
    bind_dn = os.environ.get("GEMEL_LDAP_BIND_DN", "").strip()
    return {
        "url": url,
        "is_plain": is_plain,
        "base": base,
        "filter": _filter(),
        "id": os.environ.get("GEMEL_LDAP_ID", "").strip() or "entryUUID",
        "bind_dn": bind_dn,
        "bind_password": _bind_password() if bind_dn else "",
        "ca": os.environ.get("GEMEL_LDAP_CA", "").strip(),
    }


def machine() -> dict[str, str]:
    """The OpenAI-compatible endpoint that may judge items: ``url``, the base address,
    and ``key``, "" for one that asks for none; {}: machines judge nothing."""
    url = os.environ.get("GEMEL_LLM_URL", "").strip().rstrip("/")
    if not url:
        return {}
    parts = urlsplit(url)
    is_here = parts.scheme == "http" and parts.hostname in HERE
    is_plain = not parts.query and not parts.fragment and not parts.username
    if not parts.hostname or not is_plain or not (parts.scheme == "https" or is_here):
        raise ImproperlyConfigured(
            "GEMEL_LLM_URL: write the https:// base address of the endpoint, such as "
            "https://llm.example.org/v1; http:// only on this machine"
        )
    names = ("GEMEL_LLM_KEY", "GEMEL_LLM_KEY_FILE")
    has_key = any(os.environ.get(name, "").strip() for name in names)
    key = _secret(*names) if has_key else ""
    if not key.isascii() or not key.isprintable():
        raise ImproperlyConfigured("GEMEL_LLM_KEY has characters that no key has")
    return {"url": url, "key": key}


def _filter() -> str:
    wanted = os.environ.get("GEMEL_LDAP_FILTER", "").strip() or "(uid=%(name)s)"
    if "%(name)s" not in wanted or not wanted.startswith("("):
        raise ImproperlyConfigured(
            f"GEMEL_LDAP_FILTER={wanted!r}: write a filter with %(name)s in place of "
            "the name, such as (uid=%(name)s)"
        )
    return wanted


def _bind_password() -> str:
    return _secret("GEMEL_LDAP_BIND_PASSWORD", "GEMEL_LDAP_BIND_PASSWORD_FILE")


def _secret(name: str, of_file: str) -> str:
    """The value itself, or the content of the file that the second variable names."""
    secret = os.environ.get(name, "").strip()
    file = os.environ.get(of_file, "").strip()
    if bool(secret) == bool(file):
        raise ImproperlyConfigured(
            f"Write {name}, or {of_file} with the name of the file that holds it, but "
            "not both"
        )
    try:
        secret = secret or Path(file).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(
            f"{of_file}={file!r} cannot be read: {error}"
        ) from error
    if not secret:
        raise ImproperlyConfigured(f"{of_file}={file!r} is empty")
    return secret


def env_list(name: str) -> list[str]:
    return [
        part.strip() for part in os.environ.get(name, "").split(",") if part.strip()
    ]


def env_path(name: str, *, default: Path) -> Path:
    return Path(os.environ.get(name) or default).expanduser().resolve()


def env_folder(name: str) -> Path | None:
    """An existing folder; None if not set. A folder that another machine did not mount
    must not be taken for an empty one."""
    if not os.environ.get(name, "").strip():
        return None
    path = env_path(name, default=Path())
    if not path.is_dir() or not os.access(path, os.W_OK):
        raise ImproperlyConfigured(
            f"{name}={path}: create or mount it so that it is writable"
        )
    return path


def home(default: Path) -> Path:
    """``GEMEL_HOME``, the folder of all state; made if absent.

    Raises ImproperlyConfigured with the remedy if it cannot be written.
    """
    path = env_path("GEMEL_HOME", default=default)
    os.umask(0o077)  # what we write is for this account alone
    try:
        for name in ("broker/queue", "broker/control", "static"):
            (path / name).mkdir(parents=True, exist_ok=True)
        writable = os.access(path, os.W_OK)
    except OSError:
        writable = False
    if not writable:
        raise ImproperlyConfigured(
            f"{path} is not writable. Make it writable, or set GEMEL_HOME to a "
            "writable folder."
        )
    _close_to_others(path)
    return path


def _close_to_others(folder: Path) -> None:
    """0700 and 0600 for what an earlier start, or a copy, has left open.

    A folder that others share (sticky, or not ours) is left as it is.
    """
    own = folder.stat()
    if own.st_uid != os.geteuid() or own.st_mode & stat.S_ISVTX:
        return
    for path in (folder, *folder.iterdir()):
        if path.name == KEY_FILE:
            continue  # who could read it may have it: that is said, not fixed
        mode = path.lstat().st_mode
        if mode & 0o077 and not stat.S_ISLNK(mode):
            with contextlib.suppress(OSError):
                path.chmod(stat.S_IMODE(mode) & 0o700)


def secret_key(home: Path) -> str:
    """``GEMEL_SECRET_KEY``, otherwise the key file of this installation, created if
    absent.

    The file is made with mode 0600. A key that is short or known is refused: with it
    anyone could forge a session.
    """
    key = os.environ.get("GEMEL_SECRET_KEY") or _key_file(home / KEY_FILE)
    is_known = any(known in key.lower() for known in KNOWN_KEYS)
    if len(key) < 40 or len(set(key)) < MIN_SIGNS or is_known:
        raise ImproperlyConfigured(
            "GEMEL_SECRET_KEY is short, well known or has few different characters: "
            "unset it (a key is created for you) or use the output of: python -c "
            "'import secrets; print(secrets.token_urlsafe(50))'"
        )
    return key


def _key_file(path: Path) -> str:
    """The key in the file, which is made whole or not at all.

    Processes that start together all get the key of the first.
    """
    if not path.exists():
        _make_key_file(path)
    if path.stat().st_mode & 0o077:
        raise ImproperlyConfigured(
            f"{path} can be read by others, who could forge a session with it: "
            f"delete it (a new key is made; people sign in again), or if nobody "
            f"can have read it: chmod 600 {path}"
        )
    return path.read_text().strip()


def _make_key_file(path: Path) -> None:
    aside = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(50))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(aside, path)
        except FileExistsError:
            pass  # another process was first
        except OSError:  # a file system without links
            os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def require_extra(module: str, *, setting: str) -> None:
    """Raise ImproperlyConfigured if a setting needs a package that is not here."""
    if find_spec(module) is None:
        raise ImproperlyConfigured(
            f"{setting} needs the package {module}: pip install 'gemel[server]'"
        )


def database(url: str, home: Path) -> dict[str, Any]:
    """Django's setting for ``postgres://user:password@host:port/name``, or SQLite.

    SQLite runs with a write-ahead log, IMMEDIATE transactions and a busy timeout, so
    that web and worker share it without "database is locked".
    """
    parts = urlsplit(url)
    if not url or parts.scheme == "sqlite":
        return _sqlite(Path(unquote(parts.path)) if url else home / "gemel.sqlite3")
    if parts.scheme not in ("postgres", "postgresql"):
        raise ImproperlyConfigured(
            f"DATABASE_URL: {parts.scheme!r} is not postgres or sqlite"
        )
    require_extra("psycopg", setting="DATABASE_URL")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path[1:]),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": _options(parts.query),
    }


def _options(query: str) -> dict[str, Any]:
    """Of a connection to PostgreSQL: what the URL says, libpq's own names.

    ``prepare_threshold``: how often a statement is met before its plan is kept, by
    default 5; empty for poolers that cannot keep any.
    """
    options: dict[str, Any] = dict(parse_qsl(query, keep_blank_values=True))
    times = options.pop("prepare_threshold", "5")
    if times and not times.isdecimal():
        raise ImproperlyConfigured(
            f"DATABASE_URL: prepare_threshold={times!r}: give a number, or leave it "
            "empty"
        )
    return options | {"prepare_threshold": int(times) if times else None}


def _sqlite(path: Path) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        # Closing the last connection folds the whole log into the file: keep them.
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                "PRAGMA foreign_keys=ON; PRAGMA mmap_size=134217728;"
                "PRAGMA cache_size=-20000; PRAGMA journal_size_limit=67108864"
            ),
        },
    }
