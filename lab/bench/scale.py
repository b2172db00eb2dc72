"""How Gemel answers over a large PostgreSQL database; how fast rows come in and out.

    DATABASE_URL=postgres://…/EMPTY python -m lab bench scale --pairs 100000
    … python -m lab bench scale --pairs 1000000 --archive      with backup and restore

Fills the database (``scale_data``): ten parses and ten judgments to a pair,
unless --parses and --judgments say otherwise; one that is filled already is used as it
is. Starts the production server, asks for each page --requests times over HTTP, one
client, and prints median and 95th percentile in milliseconds next to the goal of 150;
then the seconds of an import, with --archive those of a backup and of its restore into
an empty database of the same server, and, where pg_stat_statements is there, the ten
statements that took most of the time.
"""

import argparse
import io
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from lab.bench.web import ask, list_urls, report, run_sql, start_server, wait_for

GOAL = 150  # ms, 95th percentile
WORST = """
SELECT round(total_exec_time::numeric), calls, round(mean_exec_time::numeric, 1), rows,
  regexp_replace(query, '\\s+', ' ', 'g')
FROM pg_stat_statements
WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
ORDER BY total_exec_time DESC LIMIT 10
"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--pairs", type=int, default=100_000)
    options.add_argument("--parses", type=int, help="by default ten for each pair")
    options.add_argument("--judgments", type=int, help="by default ten for each pair")
    options.add_argument("--requests", type=int, default=50, help="of each page")
    options.add_argument("--rows", type=int, default=20_000, help="that are imported")
    options.add_argument("--archive", action="store_true", help="backup and restore")
    options.add_argument("--port", type=int, default=8792)
    options.add_argument("--seed", type=int, default=7)
    asked = options.parse_args()
    if not os.environ.get("DATABASE_URL", "").startswith("postgres"):
        raise SystemExit("DATABASE_URL: an empty PostgreSQL database, please.")
    with tempfile.TemporaryDirectory() as home:
        os.environ["GEMEL_HOME"] = home
        os.environ["DJANGO_SETTINGS_MODULE"] = "annotator.settings"
        import django

        django.setup()
        measure(asked, Path(home))


def measure(asked: argparse.Namespace, home: Path) -> None:
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    there = filled(asked)
    forget_statements()
    pages(there, asked)
    print_worst()
    bring_in(there, asked.rows)
    if asked.archive:
        archive(home)


def filled(asked: argparse.Namespace) -> Any:
    """Return what an earlier run made, or make it now."""
    from annotator.models import Project
    from lab.bench import scale_data

    if project := Project.objects.filter(name="Scale").first():
        owner = project.memberships.get().user
        corpus, campaign = project.corpora.get(name="Scale"), project.campaigns.get()
        if campaign.state != campaign.State.OPEN:  # the last that is filled in
            raise SystemExit("DATABASE_URL: was not filled to its end; make it anew.")
        return scale_data.Filled(owner, project, corpus, campaign)
    return scale_data.fill(
        pairs=asked.pairs,
        parses=asked.parses or 10 * asked.pairs,
        judgments=asked.judgments or 10 * asked.pairs,
        seed=asked.seed,
    )


def pages(there: Any, asked: argparse.Namespace) -> None:
    from django.db import connection

    from tests.browser.conftest import _session_cookie

    session = _session_cookie(there.owner, "http://127.0.0.1")
    cookie = f"{session['name']}={session['value']}"
    base = f"http://127.0.0.1:{asked.port}"
    urls = dict(addresses(there))
    connection.close()
    server = start_server(asked.port)
    try:
        wait_for(base)
        for name, some in urls.items():
            report(name, ask(base, some, cookie, asked.requests), GOAL)
    finally:
        server.terminate()
        server.wait()


def addresses(there: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield by page the addresses that are requested in turn."""
    slug, campaign = there.project.slug, there.campaign.code
    corpus = f"/p/{slug}/corpus/{there.corpus.code}/"
    first = there.corpus.pairs.order_by("pk").values_list("pk", flat=True)[0]
    some = there.corpus.pairs.filter(pk__gt=first + there.corpus.n_pairs // 2)
    codes = list(some.order_by("pk").values_list("code", flat=True)[:50])
    for url in list_urls(corpus, codes):
        yield f"list {url.partition('?')[2][:38]}", [url]
    sentence = there.corpus.sentences.order_by("-pk").values_list("code", flat=True)[0]
    yield "editor of a pair", [f"/p/{slug}/pair/{code}/" for code in codes]
    yield "a sentence and its parses", [f"/p/{slug}/sentence/{sentence}/"]
    yield "sentences of a corpus", [f"{corpus}sentences/"]
    yield "parsers of a corpus", [f"{corpus}parses/"]
    yield "find anywhere", ["/find/?q=item4321", "/find/?q=river"]
    yield "home", ["/"]
    yield "dashboard", [f"/p/{slug}/"]
    yield "corpora", [f"/p/{slug}/corpora/"]
    yield "campaign", [f"/p/{slug}/campaign/{campaign}/"]
    yield "its items", [f"/p/{slug}/campaign/{campaign}/items/"]
    yield "its flags", [f"/p/{slug}/campaign/{campaign}/flags/"]
    yield "agreement, one line", [f"/p/{slug}/campaign/{campaign}/agreement/"]
    yield "report", [f"/p/{slug}/agreement/campaign/{campaign}/"]


def forget_statements() -> None:
    _statements("SELECT pg_stat_statements_reset()")


def print_worst() -> None:
    for row in _statements(WORST):
        print("{} ms in {} calls of {} ms, {} rows: {:.300}".format(*row))


def _statements(query: str) -> list[Any]:
    """Return what pg_stat_statements reports; nothing if it is not loaded."""
    from django.db import ProgrammingError, connection

    try:
        with connection.cursor() as cursor:
            cursor.execute(query)
            return list(cursor.fetchall())
    except ProgrammingError:
        return []


def bring_in(there: Any, n: int) -> None:
    """Import ``n`` pairs as the worker does."""
    from annotator.services import jobs
    from annotator.services.corpora import imports, storing

    lines = (f"n{i}\tthe nurse saw {i} .\tnumber {i} was seen .\n" for i in range(n))
    content = ("id\tsource\ttarget\n" + "".join(lines)).encode()
    kept = storing.keep(there.project, "new.tsv", io.BytesIO(content), by=there.owner)
    name = f"New {time.time():.0f}"
    how: dict[str, Any] = {"by": there.owner, "dry_run": False, "enqueue": False}
    job = imports.start(there.project, [kept], kind="pairs", corpus=name, **how)
    began = time.perf_counter()
    jobs.run(job.pk)
    took = time.perf_counter() - began
    job.refresh_from_db()
    assert job.state == "done", job.error
    print(f"import: {n:,} pairs in {took:.1f} s, {n / took:,.0f} a second")


def archive(home: Path) -> None:
    """Time a backup and its restore into a second database."""
    from django.core.management import call_command

    file = home / "all.zip"
    began = time.perf_counter()
    call_command("backup", str(file), verbosity=0)
    size = file.stat().st_size / 2**20
    print(f"backup: {time.perf_counter() - began:.0f} s, {size:,.0f} MB")
    url = os.environ["DATABASE_URL"]
    beside = f"{urlsplit(url).path.strip('/')}_restored"
    run_sql(url, f"CREATE DATABASE {beside}")
    try:
        _restore(file, urlunsplit(urlsplit(url)._replace(path=f"/{beside}")), home)
    finally:
        run_sql(url, f"DROP DATABASE {beside} WITH (FORCE)")


def _restore(file: Path, url: str, home: Path) -> None:
    import subprocess

    env = {**os.environ, "DATABASE_URL": url, "GEMEL_HOME": str(home / "restored")}
    began = time.perf_counter()
    command = [sys.executable, "manage.py", "restore", str(file)]
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    print(f"restore: {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
