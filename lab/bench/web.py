"""How long the pairs list and the editor page take at size.

    python lab/bench/web.py                    SQLite, 100,000 pairs
    DATABASE_URL=postgres://… python lab/bench/web.py --pairs 1000000

Builds a project of its own in a fresh database (PostgreSQL: in a database that it
makes and drops), starts the production server, and asks over HTTP, one client. Prints
the median and the 95th percentile in milliseconds, next to the goals.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
NAME = "gemel_bench_web"
LIST_GOAL, EDITOR_GOAL = 150, 200  # ms, 95th percentile
NOUNS = "nurse window door house river bridge letter teacher garden lamp".split()
VERBS = "opened closed saw painted found crossed lost liked carried moved".split()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pairs", type=int, default=100_000)
    options.add_argument("--requests", type=int, default=200)
    options.add_argument("--port", type=int, default=8791)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["GEMEL_HOME"] = home
        os.environ["DJANGO_SETTINGS_MODULE"] = "annotator.settings"
        server_url = os.environ.get("DATABASE_URL", "")
        if server_url:
            make_database(server_url)
        try:
            measure(asked)
        finally:
            if server_url:
                drop_database(server_url)


def make_database(url: str) -> None:
    run_sql(url, f"DROP DATABASE IF EXISTS {NAME}")
    run_sql(url, f"CREATE DATABASE {NAME}")
    parts = urlsplit(url)
    os.environ["DATABASE_URL"] = urlunsplit(parts._replace(path=f"/{NAME}"))


def drop_database(url: str) -> None:
    run_sql(url, f"DROP DATABASE IF EXISTS {NAME} WITH (FORCE)")


def run_sql(url: str, statement: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement)


def measure(asked: argparse.Namespace) -> None:
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    began = time.perf_counter()
    cookie, slug, corpus, pairs = build(asked.pairs)
    print(f"{asked.pairs:,} pairs built in {time.perf_counter() - began:.0f} s")
    base = f"http://127.0.0.1:{asked.port}"
    server = start_server(asked.port)
    try:
        wait_for(base)
        urls = list(list_urls(f"/p/{slug}/corpus/{corpus}/", pairs))
        report("pairs list", ask(base, urls, cookie, asked.requests), LIST_GOAL)
        for url in urls:
            times = ask(base, [url], cookie, asked.requests // 10)
            report(f"  {url[url.find('?') :][:40]}", times, LIST_GOAL)
        editors = [f"/p/{slug}/pair/{code}/" for code in pairs]
        report("editor page", ask(base, editors, cookie, asked.requests), EDITOR_GOAL)
    finally:
        server.terminate()
        server.wait()


def build(n: int) -> tuple[str, str, str, list[str]]:
    """Fill the database; return cookie, project slug, corpus code, some pairs."""
    from django.contrib.auth.models import User

    from annotator.models import Corpus, Pair
    from annotator.services.projects import members
    from tests.browser.conftest import _session_cookie

    ada = User.objects.create_user("ada")
    project = members.create("Bench", by=ada)
    corpus = Corpus.objects.create(project=project, name="Bench")
    sides = sentences(corpus)
    for batch in batches(rows(corpus, sides, n), 5000):
        Pair.objects.bulk_create(batch)
    Corpus.objects.filter(pk=corpus.pk).update(n_pairs=n)
    analyse()
    codes = list(corpus.pairs.order_by("code").values_list("code", flat=True)[:50])
    cookie = _session_cookie(ada, "http://127.0.0.1")
    return f"{cookie['name']}={cookie['value']}", project.slug, corpus.code, codes


def sentences(corpus) -> list:
    """Create a thousand parsed sentences of 15 to 24 words."""
    from tests import cast

    made = []
    for i in range(1000):
        a, b, c = NOUNS[i % 10], NOUNS[i // 10 % 10], NOUNS[i // 100]
        middle = (
            f"(NP (DT the) (NN {b})) (PP (IN near) (NP (DT the) (JJ old) (NN {c})))"
        )
        tail = " ".join(f"(ADVP (RB very{k}))" for k in range(i % 10))
        tree = (
            f"(S (NP (DT The) (NN {a})) (VP (VBD {VERBS[i % 10]}) {middle} {tail}"
            f" (SBAR (IN before) (S (NP (PRP we)) (VP (VBD came))))) (. .))"
        )
        words = cast.ptb_words(tree)
        side = cast.sentence(corpus, f"{words} {i}")
        cast.parse(side, tree.replace("(. .))", f"(. .) (CD {i}))"))
        made.append(side)
    return made


def rows(corpus, sides, n: int) -> Iterator:
    from annotator.models import Pair, Sentence

    labels, states = ("paraphrase", "other", ""), list(Pair.State.values)
    for i in range(n):
        s, t = sides[i % 1000], sides[(i * 7 + i // 1000) % 1000]
        yield Pair(
            corpus=corpus,
            ref=f"b{i}",
            source=s,
            target=t,
            text=f"{s.text} item{i}\n{t.text}",
            label=labels[i % 3],
            n_source=s.n_tokens,
            n_target=t.n_tokens,
            state=states[i % len(states)],
            has_parse=i % 2 == 0,
            key=Sentence.key_of("bench", str(i)),
        )


def batches(items: Iterator, size: int) -> Iterator[list]:
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def analyse() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def list_urls(base: str, codes: list[str]) -> Iterator[str]:
    """Yield addresses of the list: pages, filters, rare and frequent words."""
    yield base
    yield f"{base}?after={codes[0]}"
    yield f"{base}?q=item4321"
    yield f"{base}?q=nurse"
    yield f"{base}?q=river+crossed"
    yield f"{base}?state=done&parsed=true"
    yield f"{base}?label=paraphrase&min_words=20"
    yield f"{base}?label=paraphrase&state=none&parsed=true"
    yield f"{base}?state=done&after={codes[1]}"


def start_server(port: int) -> subprocess.Popen[bytes]:
    from annotator.management.commands.up import web_command

    return subprocess.Popen(web_command("127.0.0.1", port, 2), cwd=ROOT)


def wait_for(base: str) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(f"{base}/sign-in/")
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("the server does not answer")


def ask(base: str, urls: list[str], cookie: str, n: int) -> list[float]:
    """Return the milliseconds of ``n`` requests, after a warm-up round."""
    times = []
    for i in range(n + len(urls)):
        request = urllib.request.Request(base + urls[i % len(urls)])
        request.add_header("Cookie", cookie)
        began = time.perf_counter()
        with urllib.request.urlopen(request) as answer:
            assert answer.geturl() == request.full_url, "not signed in"
            answer.read()
        times.append(1000 * (time.perf_counter() - began))
    return times[len(urls) :]


def report(what: str, times: list[float], goal: int) -> None:
    ordered = sorted(times)
    median, p95 = ordered[len(ordered) // 2], ordered[int(0.95 * (len(ordered) - 1))]
    print(f"{what:44} median {median:7.1f} ms   p95 {p95:7.1f} ms   goal {goal} ms")


if __name__ == "__main__":
    main()
