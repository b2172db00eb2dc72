"""The client for programs, against a server that runs."""

import json
import math
import urllib.error
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BytesIO
from pathlib import Path
from threading import Event, Thread

import pytest
from django.db import connection

import gemel_client
from annotator.models import Job
from annotator.services import accounts, jobs
from gemel_client import Client, JobFailed, Refused, to_pandas
from tests import cast as made_by
from tests.examples import failures_of
from tests.running import WAIT_S

NOTEBOOK = Path(__file__).parents[2] / "docs" / "trees.ipynb"


@pytest.fixture
def live(transactional_db, live_server) -> str:
    return live_server.url


@pytest.fixture
def ours(live) -> made_by.Cast:
    return made_by.Cast()


@pytest.fixture
def bob(live: str, ours: made_by.Cast) -> Client:
    return Client(live, token_of(ours.bob), timeout=WAIT_S)


def token_of(user, scope: str = "annotate") -> str:
    return accounts.make_token(user, name="client", scope=scope, days=1)[1]


def test_what_is_there_is_listed_page_after_page(
    bob: Client, ours: made_by.Cast
) -> None:
    for at in range(120):
        made_by.sentence(ours.corpus, f"Window number {at} was open .")
    (corpus,) = bob.corpora()
    assert (corpus.code, corpus.name) == (ours.corpus.code, "Houses")
    (pair,) = bob.pairs(corpus.code)
    assert (pair.code, pair.source) == (ours.pair.code, ours.pair.source.text)
    assert bob.sentence(pair.target_code).text == pair.target == ours.pair.target.text
    assert list(bob.pairs(corpus.code, q="zebra")) == []
    sentences = list(bob.sentences(corpus.code))
    assert len(sentences) == 122
    assert sentences[-1].tokens == ("Window", "number", "119", "was", "open", ".")
    assert list(to_pandas(sentences)["code"]) == [one.code for one in sentences]


def test_a_figure_is_what_its_page_gives(
    bob: Client, ours: made_by.Cast, client
) -> None:
    client.force_login(ours.bob)
    drawn = bob.figure("pairs", ours.pair.code, colour="grey", side="source")
    url = f"/p/windows/pair/{ours.pair.code}/figure.svg?colour=grey&side=source"
    assert drawn == client.get(url).content
    sentence = ours.pair.source.code
    assert b"\\begin{forest}" in bob.figure("sentences", sentence, "forest.tex")
    with pytest.raises(Refused, match="colour, grey") as refused:
        bob.figure("pairs", ours.pair.code, colour="red")
    assert refused.value.status == 400


@pytest.fixture
def worker() -> Iterator[None]:
    """Someone who does the jobs of the live server, as the worker process would."""
    stop = Event()

    def work() -> None:
        while not stop.wait(0.2):
            for pk in Job.objects.filter(state=Job.State.QUEUED).values_list("pk"):
                jobs.run(pk[0])
        connection.close()

    thread = Thread(target=work)
    thread.start()
    yield
    stop.set()
    thread.join()


def test_the_tutorial_runs_against_a_live_server(
    live: str, ours: made_by.Cast, worker, monkeypatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GEMEL_URL", live)
    monkeypatch.setenv("GEMEL_TOKEN", token_of(ours.ada, "manage"))
    monkeypatch.chdir(tmp_path)
    assert failures_of("programs", {}) == []


def test_waiting_draws_a_bar_and_raises_where_the_job_fails(
    live: str, ours: made_by.Cast, capsys
) -> None:
    ada = Client(live, token_of(ours.ada, "manage"), timeout=WAIT_S)
    row = jobs.create(
        ours.project, "parse", title="Parse Houses", by=ours.ada, enqueue=False
    )
    Job.objects.filter(pk=row.pk).update(state="done", total=4, done=2)
    assert ada.wait(ada.job(row.code)).done == 2
    half = "█" * 15 + "░" * 15
    assert capsys.readouterr().err == f"\rParse Houses: {half} 2/4 done     \n"
    Job.objects.filter(pk=row.pk).update(state="failed")
    with pytest.raises(JobFailed, match="Parse Houses: failed"):
        ada.wait(ada.job(row.code), progress=False)
    assert capsys.readouterr().err == ""


def test_a_sentence_as_a_table_has_its_words(bob: Client, ours: made_by.Cast) -> None:
    sentence = bob.sentence(ours.pair.source.code)
    table = sentence.to_pandas()
    assert list(table["word"]) == list(sentence.tokens)
    assert list(table["tag"])[:2] == ["DT", "NN"]
    assert sentence.words("w1") == ("nurse", "")
    with pytest.raises(ValueError, match="no node n99"):
        sentence.words("n99", sentence.gold.code)


def test_a_sentence_has_its_forests(bob: Client, ours: made_by.Cast) -> None:
    sentence = ours.pair.source
    other = made_by.SOURCE.replace("(NP (DT the) (NN window))", "(DT the) (NN window)")
    trees = (math.log(0.75), made_by.SOURCE), (math.log(0.25), other)
    made_by.forest(sentence, *trees, engine="small")
    (forest,) = bob.forests(sentence.code)
    assert forest["engine"] == "small"
    phrases = {(one["label"], *one["span"]): one["p"] for one in forest["phrases"]}
    assert phrases["NP", 3, 5] == pytest.approx(0.75)
    assert phrases["VP", 2, 5] == pytest.approx(1)
    assert forest["nodes"][-1] == ["S", 0, 6]
    root = len(forest["nodes"]) - 1
    edges = [one for one in forest["edges"] if one["node"] == root]
    assert all(part < root for one in edges for part in one["parts"])
    assert {one["node"] for one in forest["edges"]} == set(range(root + 1))
    assert bob.forests(ours.pair.target.code) == []


def test_a_sentence_has_its_trees(bob: Client, ours: made_by.Cast) -> None:
    sentence = bob.sentence(ours.pair.source.code)
    assert sentence.gold is not None
    tree = sentence.gold.to_nltk()
    assert tree.leaves() == list(sentence.tokens)
    labels = [node.label for node in sentence.gold.nodes]
    assert labels[:4] == ["S", "NP", "DT", "NN"]
    phrase = sentence.gold.nodes[1]
    assert (phrase.span, phrase.words, phrase.mother) == ((0, 2), (0, 1), 0)
    assert sentence.gold.ref_of(0, 2) == phrase.ref == "n1"
    assert sentence.gold.ref_of(1, 2, "NN") == "w1"
    with pytest.raises(ValueError, match="no node at all"):
        sentence.gold.ref_of(1, 3)
    with pytest.raises(ValueError, match="to_nltk"):
        sentence.gold.to_conllu()


def test_trees_of_other_annotators_stay_theirs(
    live: str, bob: Client, ours: made_by.Cast
) -> None:
    sentence = ours.pair.source
    drawn = {"kind": "constituency", "text": made_by.SOURCE.replace("(S ", "(X ")}
    for author in (ours.bob, ours.ada):
        sentence.parses.create(
            origin="annotator", author=author, rank=author.pk, **drawn
        )
    seen = [one.made_by for one in bob.sentence(sentence.code).parses]
    assert ("bob" in seen, "ada" in seen) == (True, False)
    ada = Client(live, token_of(ours.ada), timeout=WAIT_S)
    seen = [one.made_by for one in ada.sentence(sentence.code).parses]
    assert ("bob" in seen, "ada" in seen) == (True, True)


def test_dependencies_have_arcs_and_lines(bob: Client, ours: made_by.Cast) -> None:
    rows = [("Rain", 2, "nsubj"), ("fell", 0, "root")]
    lines = [
        f"{at}\t{form}\t_\t_\t_\t_\t{head}\t{relation}\t_\t_"
        for at, (form, head, relation) in enumerate(rows, 1)
    ]
    sentence = made_by.sentence(ours.corpus, "Rain fell")
    sentence.parses.create(kind="dependency", origin="gold", text="\n".join(lines))
    gold = bob.sentence(sentence.code).gold
    assert gold is not None
    assert [(arc.head, arc.relation) for arc in gold.arcs] == [
        (1, "nsubj"),
        (-1, "root"),
    ]
    assert gold.to_conllu() == "\n".join(lines) + "\n\n"
    with pytest.raises(ValueError, match="to_conllu"):
        gold.to_nltk()


def test_links_are_made_by_span_and_conflicts_are_told(
    bob: Client, ours: made_by.Cast
) -> None:
    layer = bob.start_layer(ours.pair.code)
    source, target = (
        bob.sentence(one.code).gold for one in (ours.pair.source, ours.pair.target)
    )
    assert source is not None
    assert target is not None
    s, t = source.ref_of(0, 2), target.ref_of(5, 7)
    linked = bob.link(layer, s, t, kind="possible")
    assert (s, t, "possible") in linked.links
    assert bob.layer(layer.code) == linked
    with pytest.raises(Refused) as told:
        bob.link(layer, s, t)  # made from what was there before
    assert told.value.status == 409
    assert bob.step(linked, "unlink", s=s, t=t).links == layer.links


def test_what_one_may_not_do_is_refused_in_words(live: str, ours: made_by.Cast) -> None:
    reader = Client(live, token_of(ours.bob, "read"), timeout=WAIT_S)
    with pytest.raises(Refused, match="token") as told:
        reader.start_layer(ours.pair.code)
    assert told.value.status == 403
    stranger = Client(live, token_of(ours.cyd), timeout=WAIT_S)
    with pytest.raises(Refused) as unseen:
        stranger.sentence(ours.pair.source.code)
    assert (unseen.value.status, unseen.value.code) == (404, "not_found")
    with pytest.raises(ValueError, match="https"):
        Client("gemel.example.org", "x")


def test_a_busy_server_is_called_again_when_it_says(monkeypatch) -> None:
    waits: list[float] = []
    answers = [
        urllib.error.HTTPError("", 429, "", {"Retry-After": "7"}, BytesIO(b"")),
        urllib.error.HTTPError("", 503, "", {}, BytesIO(b"")),
        urllib.error.HTTPError("", 503, "", {"Retry-After": "9" * 30}, BytesIO(b"")),
        urllib.error.HTTPError(
            "", 503, "", {"Retry-After": "Fri, 1 Jan 2100 00:00:00 GMT"}, BytesIO(b"")
        ),
        BytesIO(b'{"results": [], "next": null}'),
    ]

    def opened(request, timeout):
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(gemel_client._OPENER, "open", opened)
    monkeypatch.setattr(gemel_client.time, "sleep", waits.append)
    assert list(Client("https://gemel.example.org", "x").corpora()) == []
    assert waits == [7, 1, gemel_client.MAX_WAIT_S, 1]


@pytest.fixture
def elsewhere() -> Iterator[tuple[str, list[str]]]:
    """A server that sends everybody to another path, and the headers that it got."""
    seen: list[str] = []

    class Sends(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(str(self.headers["Authorization"]))
            self.send_response(302)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Sends)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", seen
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_redirection_is_not_followed_with_the_token(elsewhere) -> None:
    address, seen = elsewhere
    with pytest.raises(Refused) as refused:
        list(Client(address, "x").corpora())
    assert refused.value.status == 302
    assert seen == ["Token x"]


def test_a_manager_s_program_renames_deletes_and_restores(
    live: str, ours: made_by.Cast
) -> None:
    ada = Client(live, token_of(ours.ada, "manage"), timeout=WAIT_S)
    code = ours.corpus.code
    changed = ada.change("corpora", code, name="Doors", archived=True)
    assert (changed["name"], changed["archived_at"] is not None) == ("Doors", True)
    with pytest.raises(Refused) as refused:
        ada.delete("corpora", code)
    assert refused.value.facts["holds"][0] == {"n": 1, "what": "pair"}
    gone = ada.delete("corpora", code, confirm="Doors")
    assert gone["until"] > gone["at"]
    assert list(ada.corpora()) == []
    assert ada.restore(gone["code"])["name"] == "Doors"
    assert [corpus.code for corpus in ada.corpora()] == [code]


def test_a_token_for_annotating_deletes_nothing(live: str, ours: made_by.Cast) -> None:
    ada = Client(live, token_of(ours.ada), timeout=WAIT_S)
    with pytest.raises(Refused) as refused:
        ada.delete("corpora", ours.corpus.code, confirm="Houses")
    assert refused.value.status == 403
    assert [corpus.name for corpus in ada.corpora()] == ["Houses"]


def test_every_cell_of_the_tutorial_s_notebook_runs(
    live: str, ours: made_by.Cast, monkeypatch, capsys
) -> None:
    other = made_by.SOURCE.replace("(NP (DT the) (NN window))", "(DT the) (NN window)")
    trees = (math.log(0.75), made_by.SOURCE), (math.log(0.25), other)
    made_by.forest(ours.pair.source, *trees, engine="small")
    monkeypatch.setenv("GEMEL_URL", live)
    monkeypatch.setenv("GEMEL_TOKEN", token_of(ours.bob))
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    names: dict[str, object] = {}
    for at, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"cell {at}", "exec"), names)
    said = capsys.readouterr().out
    assert "'label': 'NP', 'span': [3, 5]" in said  # the phrase that may not be one
    assert "409" in said
    assert "VP-PRD" in said
    assert "\\begin{forest}" in said
    (link,) = names["layer"].links
    assert link == ("n1", "n0", "possible")
    assert ours.pair.source.parses.get(author=ours.bob).text == made_by.SOURCE
    assert len(names["page"]["matches"]) == 4
