"""Many people at once over HTTP, at their own pace: how long each request takes.

    python -m lab bench load --users 20 --seconds 30       SQLite, in a new folder
    DATABASE_URL=postgres://…/EMPTY CELERY_BROKER_URL=redis://… \\
        python -m lab bench load --users 500 --minutes 10
    python -m lab bench load --users 20 --minutes 60 --mixed          a soak

Of a hundred people 85 judge, 10 edit links, 5 are managers who read dashboard, campaign
and report. Each signs in with a password, as a class does before it begins: within
--arrive seconds, by default a quarter of a second for each, which is told apart; with
--late some time in the first --arrive seconds of the work itself. Then everyone reads,
acts, pauses (log-normal, median --pause seconds), and goes when the time is over. The
server is gunicorn as ``manage.py up`` starts it; this driver runs on the same machine
and counts as load. Prints a table by kind of request, one by route as the server
counted, and what must hold in the database: all that was acknowledged is there, nothing
twice, no item over k, no answer 5xx. Ends with 1 if something does not hold.

With --mixed all that ``manage.py up`` starts runs, a tenth of the people are
researchers (they try sentences, edit trees, search, import pairs), and the memory of
all processes is measured every half minute (PSS).

With --rush everyone is signed in already and opens the project's page in the same
moment, nothing else: how long until the last one has it, and by person.

Threads over ``http.client``, not Locust: that brings 25 packages (Flask, gevent,
ZeroMQ), replaces Python's sockets and threads as it is imported, and enters itself
into pytest.
"""

import argparse
import http.client
import math
import os
import random
import re
import secrets
import statistics
import sys
import tempfile
import threading
import time
from collections import defaultdict
from typing import Any

from lab.bench.judging import SETTLE_S, Installation, Server, percentiles
from lab.bench.load_people import (
    Asked,
    Guest,
    Judger,
    Linker,
    Manager,
    Researcher,
    in_threads,
)

PASSWORD = "roses behind the little house"
EDITORS, MANAGERS, RESEARCHERS = 0.10, 0.05, 0.10  # of all people
WEIGH_S = 30.0  # between two measurements of memory
_SECONDS = re.compile(r'^gemel_request_seconds_(sum|count)\{route="([^"]+)"\} (\S+)$')


def main() -> int:
    options = _options()
    os.environ.setdefault("GEMEL_HOME", tempfile.mkdtemp(prefix="gemel-load-"))
    os.environ["GEMEL_METRICS_TOKEN"] = secrets.token_urlsafe(32)
    os.environ["DJANGO_SETTINGS_MODULE"] = "annotator.settings"
    import django

    django.setup()
    from django.db import connection

    from lab.bench import load_data

    n = people(options.users, mixed=options.mixed)
    items = max(1000, int(options.users * options.seconds / options.pause / 2))
    place = load_data.build(items=items, password=PASSWORD, **n)
    server = (Installation if options.mixed else Server)(options.port)
    weights = Weights(server) if options.mixed else None
    try:
        server.rest()
        load, everybody = os.getloadavg()[0], visitors(place, n, options)
        about = f"{options.users} people {n}, {options.seconds:.0f} s"
        print(f"{about}, {connection.vendor}; load {load:.1f} before\n")
        if options.rush:
            return rushed(everybody, load_data.sessions(), server)
        before = [] if options.late else signed_in(everybody, server, options)
        asked = worked(everybody, server, options)
        routes = by_route(options.port)
    finally:
        if weights:
            weights.print()
        server.stop()
    print_routes(routes)
    judges = [one for one in everybody if isinstance(one, Judger)]
    editors = [one for one in everybody if isinstance(one, Linker)]
    right = load_data.verify(place.campaign, judges, editors)
    right["no answer 5xx, no connection broken"] = not any(
        one.status == 0 or one.status >= 500 for one in [*before, *asked]
    )
    refused = [one.refused for one in everybody if one.refused]
    right["nobody was refused"] = not refused
    for name, holds in right.items():
        print(f"{'yes' if holds else 'NO':4}{name}")
    print(*refused[:5], sep="\n")
    return 0 if all(right.values()) else 1


class Weights:
    """The memory of a server, measured every ``WEIGH_S`` seconds in a thread."""

    def __init__(self, server: Server) -> None:
        self._server, self._mb = server, [server.pss_mb()]
        threading.Thread(target=self._weigh, daemon=True).start()

    def _weigh(self) -> None:
        while True:
            time.sleep(WEIGH_S)
            self._mb.append(self._server.pss_mb())

    def print(self) -> None:
        """Medians of tenths of the time, and the most."""
        size = max(1, len(self._mb) // 10)
        tenths = [
            statistics.median(self._mb[at : at + size])
            for at in range(0, len(self._mb), size)
        ]
        shown = " ".join(f"{mb:.0f}" for mb in tenths)
        print(f"\nMemory of all processes, MB PSS: {shown}; most {max(self._mb):.0f}")


def people(users: int, *, mixed: bool = False) -> dict[str, int]:
    """Return how many people of each kind there are, at least one."""
    editors, managers = max(1, int(EDITORS * users)), max(1, int(MANAGERS * users))
    researchers = max(1, int(RESEARCHERS * users)) if mixed else 0
    judges = max(1, users - editors - managers - researchers)
    counts = {"judges": judges, "editors": editors, "managers": managers}
    return counts | {"researchers": researchers}


def signed_in(
    everybody: list[Guest], server: Server, options: argparse.Namespace
) -> list[Asked]:
    """Sign everyone in before anything else; return their requests."""
    invite(everybody, within=options.arrive, stay=options.arrive)
    cpu, began = server.cpu_s(), time.perf_counter()
    in_threads([one.come for one in everybody])
    seconds = time.perf_counter() - began
    spent = server.cpu_s() - cpu
    print(
        f"Before: all signed in in {seconds:.0f} s, {spent:.0f} s of the server's CPU"
    )
    asked = [one for person in everybody for one in person.asked]
    print_kinds(asked, seconds, math.inf)
    for person in everybody:
        person.asked = []
    return asked


def rushed(everybody: list[Guest], sessions: dict[str, str], server: Server) -> int:
    """Let everyone open the project's page at once, three times; return how many times
    someone did not get it."""
    failed = 0
    for one in everybody:
        one.cookies["sessionid"] = sessions[one.name]
    for _ in range(3):
        cpu, began = server.cpu_s(), time.perf_counter()
        in_threads([one.open_project for one in everybody])
        seconds = time.perf_counter() - began
        spent = server.cpu_s() - cpu
        print(f"The last has it after {seconds:.1f} s; {spent:.1f} s of server's CPU")
        asked = [one for person in everybody for one in person.asked]
        print_kinds(asked, seconds, math.inf)
        failed += sum(one.has_failed for one in asked)
        for person in everybody:
            person.asked = []
    return failed


def worked(
    everybody: list[Guest], server: Server, options: argparse.Namespace
) -> list[Asked]:
    """Let everyone work until the time is over; return their requests."""
    within = options.arrive if options.late else min(options.pause, options.seconds)
    invite(everybody, within=within, stay=options.seconds)
    cpu = server.cpu_s()
    in_threads([one.run for one in everybody])
    spent = server.cpu_s() - cpu
    print(f"\nWork: {options.seconds:.0f} s, {spent:.0f} s of the server's CPU")
    asked = [one for person in everybody for one in person.asked]
    print_kinds(asked, options.seconds, max(one.comes_at for one in everybody))
    return asked


def invite(everybody: list[Guest], *, within: float, stay: float) -> None:
    """From now on: each comes some time within so many seconds, the same in every run,
    and leaves when ``stay`` seconds are over."""
    chance, now = random.Random(7), time.perf_counter()
    for one in everybody:
        one.comes_at, one.leaves_at = now + chance.uniform(0, within), now + stay


def visitors(place: Any, n: dict[str, int], options: argparse.Namespace) -> list[Guest]:
    """Return everyone, before anyone signs in."""

    def whom(name: str) -> dict[str, Any]:
        return {
            "name": name,
            "password": PASSWORD,
            "port": options.port,
            "project": place.project,
            "pause_s": options.pause,
        }

    campaign = place.campaign
    return [
        *(
            Judger(campaign=campaign, **whom(f"annotator{i}"))
            for i in range(n["judges"])
        ),
        *(
            Linker(pair=pair, trees=trees, **whom(f"editor{i}"))
            for i, (pair, trees) in enumerate(place.pairs)
        ),
        *(
            Manager(campaign=campaign, **whom(f"manager{i}"))
            for i in range(n["managers"])
        ),
        *(
            Researcher(sentence=place.sentences[i], **whom(f"researcher{i}"))
            for i in range(n["researchers"])
        ),
    ]


def by_route(port: int) -> dict[str, tuple[float, int]]:
    """Return seconds and requests by route, as the server counted them."""
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    token = os.environ["GEMEL_METRICS_TOKEN"]
    asking.request("GET", "/metrics", headers={"Authorization": f"Bearer {token}"})
    sums: dict[str, dict[str, float]] = defaultdict(dict)
    for line in asking.getresponse().read().decode().splitlines():
        if told := _SECONDS.match(line):
            sums[told[2]][told[1]] = float(told[3])
    return {route: (of["sum"], int(of["count"])) for route, of in sums.items()}


def print_kinds(asked: list[Asked], seconds: float, all_there: float) -> None:
    """``all_there``: when the last had come; the last column is of what came later."""
    kinds: dict[str, list[Asked]] = defaultdict(list)
    for one in asked:
        kinds[one.kind].append(one)
    print(f"{'kind of request':22}{'count':>8}{'failed':>8}", end="")
    print(f"{'a second':>10}{'median':>9}{'p95':>9}{'p99 ms':>9}{'p95 later':>11}")
    for kind, ones in {**kinds, "all": asked}.items():
        p = percentiles([one.ms for one in ones])
        later = percentiles([one.ms for one in ones if one.at > all_there + SETTLE_S])
        failed = sum(one.has_failed for one in ones)
        print(f"{kind:22}{len(ones):8}{failed:8}{len(ones) / seconds:10.1f}", end="")
        print(f"{p['p50']:9.1f}{p['p95']:9.1f}{p['p99']:9.1f}", end="")
        print(f"{later['p95']:11.1f}" if later else f"{'':11}")


def print_routes(routes: dict[str, tuple[float, int]]) -> None:
    print(f"\n{'route, in the server':28}{'count':>8}{'mean ms':>9}{'all s':>8}")
    for route, (spent, n) in sorted(routes.items(), key=lambda one: -one[1][0])[:15]:
        print(f"{route:28}{n:8}{1000 * spent / max(n, 1):9.1f}{spent:8.1f}")
    print()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seconds", type=float, help="instead of minutes")
    parser.add_argument("--arrive", type=float, help="seconds until all are there")
    parser.add_argument("--late", action="store_true", help="sign in while others work")
    parser.add_argument("--mixed", action="store_true", help="researchers, too")
    parser.add_argument("--rush", action="store_true", help="one page, all at once")
    parser.add_argument("--pause", type=float, default=8.0, help="seconds, median")
    parser.add_argument("--port", type=int, default=8766)
    options = parser.parse_args()
    options.seconds = options.seconds or 60 * options.minutes
    if options.arrive is None:
        options.arrive = options.users / 4
        if options.late:
            options.arrive = min(options.arrive, options.seconds / 4)
    return options


if __name__ == "__main__":
    sys.exit(main())
