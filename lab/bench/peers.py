"""Gemel next to two peers, doccano and Potato: what a group of annotators sees.

    python -m lab bench peers                              Gemel alone
    python -m lab bench peers --doccano FOLDER --potato FOLDER

FOLDER: a virtual environment with ``pip install doccano``, ``potato-annotation``. Each
tool is started as its documentation says, with SQLite or files in a new folder: first
start, import of 10,000 items, 20 annotators who judge without a pause for --seconds,
export, second start. All of that --times times, the tools in turn; printed are the
median, the least and the most.

A turn stores an answer and brings the next item, in the fewest requests with which a
tool's own page does that: Gemel one, doccano two (label, next example), Potato two
(answer, next page). Gemel's answer has two ratings, the others' one. Everyone may
judge every item. Answers are compared with the tool's own export: *lost* were
acknowledged and are not in it, *doubled* are in it twice. Clients and server share the
machine. Ends with 1 if Gemel lost or doubled an answer.
"""

import argparse
import csv
import io
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from lab.bench.judging import READY_S, Server, percentiles
from lab.bench.load_people import Guest, Judger, in_threads, multipart
from tests.running import free_port, variables

PASSWORD = "roses behind the little house"
POLL_S = 0.1
Answers = Counter[tuple[str, str]]  # annotator and item
Row = dict[str, float]  # by the keys of ROWS
ROWS = {
    "cold_s": "first start, empty state: seconds to the first page",
    "again_s": "next start, with items and answers: seconds to the first page",
    "import_s": "import of the items, seconds",
    "per_s": "judgments stored a second",
    "p95_ms": "answer and next item, 95 %, ms",
    "failed": "requests that failed",
    "export_s": "export of the answers, seconds",
    "answers": "answers in the export",
    "rest_mb": "memory at rest, MB PSS",
    "after_mb": "memory after the judging, MB PSS",
    "lost": "answers lost",
    "doubled": "answers doubled",
}


@dataclass(kw_only=True)
class Annotator(Guest):
    """Judges item after item without a pause."""

    turns_ms: list[float] = field(default_factory=list)
    judged: list[str] = field(default_factory=list)

    def begin(self) -> None:
        """Open the screen with the first item."""
        raise NotImplementedError

    def turn(self) -> str:
        """Answer the item, get the next one; return what the export calls the item."""
        raise NotImplementedError

    def work(self) -> None:
        while self.is_staying():
            began = time.perf_counter()
            if item := self.turn():
                self.turns_ms.append(1000 * (time.perf_counter() - began))
                self.judged.append(item)

    def form(self, path: str, **fields: object) -> bytes:
        head = {"Content-Type": "application/x-www-form-urlencoded"}
        head["X-CSRFToken"] = self.cookies.get("csrftoken", "")
        return self.send("form", "POST", path, urlencode(fields), head)

    def upload(self, path: str, name: str, file: str, content: str) -> bytes:
        body, head = multipart({}, name, file, content)
        head["X-CSRFToken"] = self.cookies.get("csrftoken", "")
        return self.send("upload", "POST", path, body, head)


class Tool(Server):
    """A tool in a folder of its own, and the person who set it up."""

    page = "/"

    def __init__(self, home: Path, people: int, folder: Path | None = None) -> None:
        self.home, self.people, self.program = home, people, folder
        self.log = home / "tool.log"
        self.env: dict[str, str] = variables(home)
        self.env.pop("PYTHONDONTWRITEBYTECODE", None)  # as installed
        port = free_port()
        self.owner = Annotator(**self.whom("admin", port))
        super().__init__(port)

    def whom(self, name: str, port: int | None = None) -> dict[str, Any]:
        place = {"port": port or self.port, "project": "", "pause_s": 0.0}
        return {"name": name, "password": PASSWORD, **place}

    def prepare(self) -> None:
        """Make what items are imported into."""

    def load(self, items: list[str]) -> None:
        raise NotImplementedError

    def annotators(self) -> list[Annotator]:
        """Return ``people`` annotators, signed in."""
        raise NotImplementedError

    def export(self) -> Answers:
        raise NotImplementedError

    def stop(self) -> None:
        """End all its processes."""
        group = self.process.pid
        os.killpg(group, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(30)
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


class Gemel(Tool):
    page = "/sign-in/"

    def command(self) -> list[str]:
        return [sys.executable, "manage.py", "up", f"--port={self.port}"]

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(READY_S)

    def prepare(self) -> None:
        link = "/join/" + self._printed(r"/join/(\S+)")
        self.owner.get("link", link)
        self.owner.form(link)
        slug = self.owner.post("project", "/api/projects/", {"name": "Bench"})["slug"]
        self.owner.form(f"/p/{slug}/campaigns/new/", name="Bench")
        found = re.search(r"/campaign/([0-9a-f]+)/", self.owner.location)
        assert found, self.owner.refused
        self.slug, self.code = slug, found[1]
        self.place = f"/p/{slug}/campaign/{self.code}/"
        rules = {"k": self.people, "overlap_share": 0, "check_every": 0}
        self.owner.form(f"{self.place}rules/", **rules)

    def _printed(self, pattern: str) -> str:
        """What ``up`` prints once the web server answers."""
        limit = time.monotonic() + READY_S
        while time.monotonic() < limit:
            assert self.log
            if found := re.search(pattern, self.log.read_text()):
                return found[1]
            time.sleep(POLL_S)
        raise RuntimeError(f"{pattern} is not in {self.log}")

    def load(self, items: list[str]) -> None:
        rows = "".join(f"{text}\tdeveloped\t{text}\n" for text in items)
        rows = f"sentence\tphrase\tparaphrase\n{rows}"
        self.owner.upload(f"{self.place}items/", "file", "items.tsv", rows)
        check = self.owner.location
        self.owner.get("check", check)
        self.owner.form(check)
        found = re.search(r"/jobs/([0-9a-f]+)/", self.owner.location)
        while found:  # few rows need no job
            job = json.loads(self.owner.get("job", f"/api/jobs/{found[1]}/"))
            if job["ended_at"]:
                break
            time.sleep(POLL_S)
        there = self.owner.get("campaign", f"/api/campaigns/{self.code}/")
        assert json.loads(there)["n_items"] == len(items)

    def annotators(self) -> list[Annotator]:
        made = []
        for i in range(self.people):
            role = {"role": "annotator"}
            asked = f"/api/projects/{self.slug}/invitations/"
            link = self.owner.post("invitation", asked, role)["link"]
            one = GemelAnnotator(
                **self.whom(f"annotator{i}") | {"project": self.slug},
                campaign=self.code,
            )
            path = "/join/" + link.partition("/join/")[2]
            one.get("link", path)
            one.form(path, username=one.name, password=PASSWORD)
            made.append(one)
        names = {"usernames": [one.name for one in made]}
        self.owner.post("people", f"/api/campaigns/{self.code}/people/", names)
        action = {"action": "open"}
        self.owner.post("open", f"/api/campaigns/{self.code}/act/", action)
        return [*made]

    def export(self) -> Answers:
        path = f"{self.place}judgments.csv?names=yes"
        return gemel_answers(self.owner.get("export", path).decode())


@dataclass(kw_only=True)
class GemelAnnotator(Annotator, Judger):
    def begin(self) -> None:
        Judger.begin(self)

    def turn(self) -> str:
        return str(self.judge().get("paraphrase", ""))


class Doccano(Tool):
    FIRST = '"$0" init && "$0" createuser --username admin --password "$1" && '
    SERVE = '{ "$0" task & exec "$0" webserver --port "$2"; }'

    def command(self) -> list[str]:
        assert self.program
        state = self.home / "state"
        self.env |= {"DOCCANO_HOME": str(state)}
        script = self.SERVE if state.exists() else self.FIRST + self.SERVE
        program = str(self.program / "bin/doccano")
        return ["sh", "-c", script, program, PASSWORD, str(self.port)]

    def prepare(self) -> None:
        self._sign_in(self.owner)
        kind = "DocumentClassification"
        about = {"name": "Bench", "description": "Bench", "project_type": kind}
        about |= {"resourcetype": "TextClassificationProject"}
        more = {"single_class_classification": True}
        made = self.owner.post("project", "/v1/projects", about | more)
        self.place = f"/v1/projects/{made['id']}"
        self.labels = [
            self.owner.post(
                "label",
                f"{self.place}/category-types",
                {"text": str(n), "background_color": "#209cee", "suffix_key": str(n)},
            )["id"]
            for n in range(1, 6)
        ]

    def _sign_in(self, one: Annotator) -> None:
        words = {"username": one.name, "password": PASSWORD}
        one.post("sign in", "/v1/auth/login/", words)

    def load(self, items: list[str]) -> None:
        rows = "".join(json.dumps({"text": one, "label": []}) + "\n" for one in items)
        sent = self.owner.upload("/v1/fp/process/", "filepond", "items.jsonl", rows)
        asked = {
            "format": "JSONL",
            "uploadIds": [sent.decode()],
            "task": "DocumentClassification",
            "column_data": "text",
            "column_label": "label",
            "encoding": "utf_8",
        }
        task = self.owner.post("import", f"{self.place}/upload", asked)["task_id"]
        while True:
            said = json.loads(self.owner.get("task", f"/v1/tasks/status/{task}"))
            if said["ready"]:
                assert said["result"] == {"error": []}, said
                break
            time.sleep(POLL_S)
        there = self.owner.get("examples", f"{self.place}/examples?limit=1")
        assert json.loads(there)["count"] == len(items)

    def annotators(self) -> list[Annotator]:
        roles = json.loads(self.owner.get("roles", "/v1/roles"))
        role = next(one["id"] for one in roles if one["name"] == "annotator")
        made = []
        for i in range(self.people):
            one = DoccanoAnnotator(
                **self.whom(f"annotator{i}"), place=self.place, labels=self.labels
            )
            words = {"username": one.name, "password1": PASSWORD}
            words["password2"] = PASSWORD
            user = self.owner.post("account", "/v1/users/create", words)["id"]
            member = {"user": user, "role": role}
            self.owner.post("member", f"{self.place}/members", member)
            self._sign_in(one)
            made.append(one)
        return [*made]

    def export(self) -> Answers:
        asked = {"format": "JSONL", "exportApproved": False}
        task = self.owner.post("export", f"{self.place}/download", asked)["task_id"]
        while True:
            said = self.owner.get("export", f"{self.place}/download?taskId={task}")
            if said.startswith(b"PK"):  # a ZIP file
                return doccano_answers(said)
            time.sleep(POLL_S)


@dataclass(kw_only=True)
class DoccanoAnnotator(Annotator):
    """Goes from example to example; the page asks for them by their number."""

    place: str
    labels: list[int]
    number: int = 0
    example: dict[str, Any] = field(default_factory=dict)

    def begin(self) -> None:
        path = f"{self.place}/examples?limit=1&offset={self.number}"
        said = self.get("example", path)
        self.example = {} if self.refused else json.loads(said)["results"][0]

    def turn(self) -> str:
        text = str(self.example["text"])
        path = f"{self.place}/examples/{self.example['id']}/categories"
        self.post("label", path, {"label": self.chance.choice(self.labels)})
        self.number += 1
        self.begin()
        return "" if self.refused else text


class Potato(Tool):
    """Its items are files that it reads at each start."""

    CONFIG = """\
annotation_task_name: Bench
task_dir: {home}
output_annotation_dir: {home}/annotation_output
output_annotation_format: json
data_files: [{home}/items.jsonl]
item_properties: {{id_key: id, text_key: text}}
require_password: false
assignment_strategy: fixed_order
max_annotations_per_item: {people}
annotation_schemes:
  - annotation_type: likert
    name: meaning
    description: How much of the meaning is kept?
    min_label: nothing
    max_label: all
    size: 5
"""

    def command(self) -> list[str]:
        assert self.program
        self.config = self.home / "config.yaml"
        if not self.config.exists():
            words = self.CONFIG.format(home=self.home, people=self.people)
            self.config.write_text(words)
            self._write(["The only item."])
        self.cwd = self.home
        program = [str(self.program / "bin/potato"), "start", str(self.config)]
        return [*program, "--host=127.0.0.1", f"--port={self.port}"]

    def _write(self, items: list[str]) -> None:
        rows = [json.dumps({"id": one, "text": one}) + "\n" for one in items]
        (self.home / "items.jsonl").write_text("".join(rows))

    def load(self, items: list[str]) -> None:
        self._write(items)
        self.stop()
        self.start()

    def annotators(self) -> list[Annotator]:
        made = [
            PotatoAnnotator(**self.whom(f"annotator{i}")) for i in range(self.people)
        ]
        for one in made:
            one.form("/auth", email=one.name, action="login", **{"pass": ""})
        return [*made]

    def export(self) -> Answers:
        assert self.program
        out = self.home / "exported"
        words = ["--config", str(self.config), "--format", "jsonl", "--output"]
        program = [str(self.program / "bin/python"), "-m", "potato.export"]
        subprocess.run(
            [*program, *words, str(out)],
            cwd=self.home,
            env=self.env,
            check=True,
            capture_output=True,
        )
        return potato_answers((out / "annotations.jsonl").read_text())


@dataclass(kw_only=True)
class PotatoAnnotator(Annotator):
    """Each page holds one item."""

    item: str = ""

    def begin(self) -> None:
        self._read(self.get("page", "/annotate"))

    def _read(self, page: bytes) -> None:
        found = re.search(rb'id="instance_id"[^>]*value="([^"]+)"', page)
        self.item = found[1].decode() if found else ""
        if not found:
            self.refused = self.refused or f"no item in {page[:300]!r}"

    def turn(self) -> str:
        item, value = self.item, str(self.chance.randint(1, 5))
        answer = {"instance_id": item, "annotations": {f"meaning:{value}": value}}
        self.post("answer", "/updateinstance", answer | {"span_annotations": []})
        self._read(self.form("/annotate", action="next_instance"))
        return "" if self.refused else item


def gemel_answers(text: str) -> Answers:
    """Count the answers of a judgments table, in which each rating is a row."""
    rows = csv.DictReader(io.StringIO(text))
    ratings = Counter((r["name"], r["paraphrase"], r["scale"]) for r in rows)
    answers: Answers = Counter()
    for (name, item, _scale), n in ratings.items():
        answers[name, item] = max(answers[name, item], n)
    return answers


def doccano_answers(content: bytes) -> Answers:
    """Count the labels in a ZIP of a JSON-lines file for each member."""
    answers: Answers = Counter()
    with zipfile.ZipFile(io.BytesIO(content)) as files:
        for name in files.namelist():
            for line in files.read(name).decode().splitlines():
                row = json.loads(line)
                if row["label"]:
                    answers[Path(name).stem, row["text"]] += len(row["label"])
    return answers


def potato_answers(text: str) -> Answers:
    """Count the labels of JSON lines, a line for each annotator and item."""
    answers: Answers = Counter()
    for line in text.splitlines():
        row = json.loads(line)
        answers[row["user_id"], row["instance_id"]] += len(row["labels"]["meaning"])
    return answers


Make = Callable[[Path, int], Tool]
PEERS = {
    "doccano": (Doccano, "doccano"),
    "potato": (Potato, "potato-annotation"),
}


def measure(make: Make, options: argparse.Namespace) -> Row:
    """Run one tool from its first start to its second; return a value for each of
    ``ROWS``."""
    with tempfile.TemporaryDirectory(prefix="gemel-peers-") as home:
        row, began = {}, time.perf_counter()
        tool = make(Path(home), options.users)
        row["cold_s"] = time.perf_counter() - began
        try:
            row |= used(tool, options)
            tool.stop()
            row["again_s"] = timed(tool.start)
        finally:
            tool.stop()
    return row


def used(tool: Tool, options: argparse.Namespace) -> Row:
    tool.rest()
    row = {"rest_mb": tool.pss_mb()}
    tool.prepare()
    items = [f"The village developed slowly, item {i}." for i in range(options.items)]
    row["import_s"] = timed(partial(tool.load, items))
    everybody = tool.annotators()
    for one in everybody:
        one.begin()
        one.asked = []
    tool.rest()
    end = time.perf_counter() + options.seconds
    for one in everybody:
        one.leaves_at = end
    wall = timed(partial(in_threads, [one.work for one in everybody]))
    row |= {"after_mb": tool.pss_mb()}
    row["per_s"] = sum(len(one.judged) for one in everybody) / wall
    row["p95_ms"] = percentiles([ms for one in everybody for ms in one.turns_ms])["p95"]
    row["failed"] = sum(asked.has_failed for one in everybody for asked in one.asked)
    began = time.perf_counter()
    answers = tool.export()
    row["export_s"] = time.perf_counter() - began
    refused = [one.refused for one in (tool.owner, *everybody) if one.refused]
    if refused:
        print(*refused[:3], sep="\n", file=sys.stderr)
    return row | compared(answers, everybody)


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def compared(answers: Answers, everybody: list[Annotator]) -> Row:
    """Compare the exported answers with those that were acknowledged."""
    known = {(one.name, item) for one in everybody for item in one.judged}
    return {
        "answers": sum(answers.values()),
        "lost": len(known - set(answers)),
        "doubled": sum(n > 1 for n in answers.values()),
    }


def table(rows: dict[str, list[Row]]) -> str:
    """Return a Markdown table: a column for each tool, medians with least and most."""
    lines = [f"| | {' | '.join(rows)} |", "|---" * (len(rows) + 1) + "|"]
    for key, title in ROWS.items():
        cells = [cell([row[key] for row in runs]) for runs in rows.values()]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def cell(values: list[float]) -> str:
    digits = 0 if max(values) >= 100 or all(v == int(v) for v in values) else 1
    low, middle, high = (
        f"{f(values):,.{digits}f}" for f in (min, statistics.median, max)
    )
    return middle if low == high else f"{middle} ({low} to {high})"


def version(folder: Path, package: str) -> str:
    """Return the version of a package in a virtual environment."""
    asked = f"import importlib.metadata as m; print(m.version({package!r}))"
    done = subprocess.run(
        [str(folder / "bin/python"), "-c", asked],
        check=True,
        capture_output=True,
        text=True,
    )
    return f"{package} {done.stdout.strip()}"


def chosen(folders: dict[str, Path | None]) -> dict[str, Make]:
    """Return Gemel and each peer with a folder, by name and version; say which are
    left out."""
    tools: dict[str, Make] = {"Gemel": Gemel}
    for name, (kind, package) in PEERS.items():
        if folder := folders[name]:
            tools[version(folder, package)] = partial(kind, folder=folder)
        else:
            print(f"Left out: {name} (--{name} FOLDER, with pip install {package})")
    return tools


def main() -> int:
    options = _options()
    tools = chosen({"doccano": options.doccano, "potato": options.potato})
    rows: dict[str, list[Row]] = {name: [] for name in tools}
    for n in range(options.times):
        for name, make in tools.items():
            load = os.getloadavg()[0]
            print(f"{n + 1} of {options.times}: {name}, load {load:.1f}", flush=True)
            rows[name].append(measure(make, options))
    print(f"\n{options.items:,} items, {options.users} annotators, ", end="")
    print(f"{options.seconds:g} s; medians of {options.times} (least to most)\n")
    print(table(rows))
    return int(any(row["lost"] or row["doubled"] for row in rows["Gemel"]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--doccano", type=Path, help="virtual environment of doccano")
    parser.add_argument("--potato", type=Path, help="virtual environment of Potato")
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--times", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
