"""What came in goes out the same; only a declared loss is lost."""

import contextlib
import io
import json
import threading
import zipfile
from functools import partial

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest, NotAllowed
from annotator.exchange import reading, registry
from annotator.exchange.files import Source
from annotator.models import (
    AlignmentLayer,
    Corpus,
    LinkEvent,
    Pair,
    Parse,
    Project,
    Sentence,
)
from annotator.services import jobs
from annotator.services.corpora import exports, imports, storing
from annotator.services.parses import drafts, gold
from core.data.alignment import Alignment, Link
from core.data.tree import TreeBuilder
from core.formats import gemel, treetext
from core.formats.records import BadLine, PairRecord
from tests import cast as people
from tests import hostile
from tests.annotator.corpora.test_importing import BRACKETS, CONLLU, TSV, bring_in, sent
from tests.annotator.parses.test_tree_drafts import step
from tests.cast import Cast
from tests.core.formats.test_formats_pairs import RTE
from tests.core.formats.test_formats_trees import GRAPH, MANY, TIGER

MSRPC = (
    '\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n1\t7\t8\t"Yes\tNo  way"\r\n'
)
MWA = """0:0\ta b\tN/A\tc d\tN/A\t1\t1\t1-1 0-0\t0-1\t\t
1:1\te\tN/A\tf\tN/A\t1\t1\t\t\t\tx
"""
JSONL = (
    '{"target": "b",  "source": "a"}\n{"source":"c d","target":"e","links":"0-0 1?0"}\n'
)
LAYOUT = (
    "\n( (S\n    (NP (DT A) (NN cat) )\n    (VP (VBZ naps) )) )\n(S1 (X (NN b)))  \n"
)
CAME = {
    "pairs": "# mine\ntarget\tnote\tsource\r\nb\tx\ta\r\nd\ty\tc\r\n",
    "jsonl": JSONL,
    "msrpc": MSRPC,
    "multimwa": MWA,
    "rte": RTE,
    "ptb": LAYOUT,
    "conllu": MANY,
    "tigerxml": TIGER,
}


def out(cast, kind: str, *, corpus: str = "News", **asked) -> dict[str, bytes]:
    """Name and bytes of each file of the export."""
    row = Corpus.objects.get(name=corpus, project=cast.project)
    made = exports.parts(row, kind, by=cast.ada, **asked)
    return {part.name: b"".join(part.chunks()) for part in made}


@pytest.mark.parametrize("kind", sorted(CAME))
def test_bytes_come_back_as_they_were(cast, kind: str) -> None:
    content = CAME[kind].encode()
    bring_in(cast, content, kind=kind, name="it.came")
    assert out(cast, kind) == {"it.came": content}


def test_latin_1_goes_out_as_latin_1(cast) -> None:
    content = "(S (NN Café))\n".encode("latin-1")
    bring_in(cast, content, kind="ptb", name="a.mrg")
    assert out(cast, "ptb") == {"a.mrg": content}


def test_files_go_out_one_by_one(cast) -> None:
    bring_in(cast, LAYOUT, kind="ptb", name="one.mrg")
    bring_in(cast, BRACKETS, kind="ptb", name="two.ptb")
    assert out(cast, "ptb", split=True) == {
        "one.mrg": LAYOUT.encode(),
        "two.ptb": BRACKETS.encode(),
    }
    assert out(cast, "ptb") == {"News.ptb": (LAYOUT + BRACKETS).encode()}


def test_each_file_is_made_of_its_own_rows_alone(cast, monkeypatch) -> None:
    files = {f"{name}.ptb": f"(S (NN {name}))\n" for name in ("one", "two", "three")}
    for name, text in files.items():
        bring_in(cast, text, kind="ptb", name=name)
    corpus = Corpus.objects.get(name="News")
    new = Sentence.objects.create(
        corpus=corpus, text="four", tokens="four", n_tokens=1, key="of no file"
    )
    Parse.objects.create(
        sentence=new, kind="constituency", origin="gold", text="(S (NN four))"
    )
    read: list[str] = []
    made = reading._sentence
    monkeypatch.setattr(
        reading,
        "_sentence",
        lambda one, *rest, **how: read.append(one.text) or made(one, *rest, **how),
    )
    files["three.ptb"] += "(S (NN four))\n"
    assert out(cast, "ptb", split=True) == {n: t.encode() for n, t in files.items()}
    assert sorted(read) == ["four", "one", "three", "two"]


ALIGNED = """<?xml version="1.0" encoding="UTF-8"?>
<treealign subversion="3" version="2">
<head>
<alignment-metadata><license>CC0</license><size>3</size></alignment-metadata>
<treebanks>
<treebank id="de" language="de_DE" filename="de.xml"/>
<treebank id="sv" language="sv_SE" filename="sv.xml"/>
</treebanks>
</head>
<alignments>
<sen-align>
<node treebank_id="de" node_id="s1_VROOT"/>
<node treebank_id="sv" node_id="s1_VROOT"/>
</sen-align>
<align type="fuzzy" last_change="2009-05-13" author="nat" prob="0.7">
<node treebank_id="de" node_id="p1"/>
<node treebank_id="sv" node_id="w2"/>
</align>
<align type="good">
<node treebank_id="de" node_id="w1"/>
<node treebank_id="sv" node_id="w1"/>
</align>
<align comment="odd: &lt;'&gt;" type="comment">
<node treebank_id="de" node_id="w1"/>
<node treebank_id="sv" node_id="w1"/>
</align>
<to-empty empty-in="sv" author="ann" tb-id="de" root-id="s2_VROOT"/>
</alignments>
</treealign>
"""
BANKS = {
    "de.xml": TIGER.replace(GRAPH, GRAPH + GRAPH.replace('"s1"', '"s2"')
                            .replace('"w', '"x').replace('"p', '"q')),
    "sv.xml": TIGER.replace("Das", "Det"),
}  # fmt: skip


@pytest.fixture
def aligned(cast):
    from annotator.services import jobs
    from annotator.services.corpora import imports

    files = {**BANKS, "links.xml": ALIGNED}  # the alignment need not come first
    uploads = [
        storing.keep(cast.project, name, io.BytesIO(text.encode()), by=cast.ada)
        for name, text in files.items()
    ]
    job = imports.start(cast.project, uploads, kind="treealigner", corpus="News",
                          by=cast.ada, dry_run=False, enqueue=False)  # fmt: skip
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == "done", job.note + job.error
    names = ("sentences", "pairs", "parses", "layers", "links")
    assert [job.result[name] for name in names] == [3, 1, 3, 2, 3]
    return cast


def test_treealigner_and_its_treebanks_come_back(aligned) -> None:
    wanted = {name: text.encode() for name, text in BANKS.items()}
    assert out(aligned, "treealigner") == wanted | {"links.xml": ALIGNED.encode()}


def test_treealigner_links_stand_on_the_right_nodes(aligned) -> None:
    pair = Pair.objects.get(corpus__name="News")
    gold, notes = pair.layers.order_by("pk")
    cells = {
        link.cell: (link.kind, link.attrs.get("author"))
        for link in gold.to_core().links
    }
    assert cells == {("n1", "w1"): ("possible", "nat"), ("w0", "w0"): ("sure", None)}
    assert (notes.name, notes.n_links) == ("comments", 1)
    assert pair.has_parse


def test_a_link_more_goes_to_the_end_and_the_size_counts_on(aligned) -> None:
    layer = AlignmentLayer.objects.get(pair__corpus__name="News", name="")
    layer.links = layer.to_core().with_link(Link("w1", "w2")).to_json()
    layer.save()
    text = out(aligned, "treealigner")["links.xml"].decode()
    assert "<size>4</size>" in text
    nodes = ['<node treebank_id="de" node_id="w2"/>']
    nodes += ['<node treebank_id="sv" node_id="w3"/>']
    new = "\n".join(['<align type="good">', *nodes, "</align>\n"])
    assert text.replace(new, "").replace("<size>4<", "<size>3<") == ALIGNED


def test_changed_links_are_written_anew_and_the_rest_as_it_came(cast) -> None:
    bring_in(cast, MWA, kind="multimwa", name="it.came")
    layer = AlignmentLayer.objects.get(pair__ref="0:0", pair__corpus__name="News")
    layer.links = Alignment((Link("w0", "w1"),)).to_json()
    layer.save()
    first, second = out(cast, "multimwa")["it.came"].decode().splitlines()
    assert first.split("\t")[7:9] == ["0-1", ""]
    assert second == MWA.splitlines()[1]


def test_pharaoh_comes_as_three_files(cast) -> None:
    bring_in(cast, MWA, kind="multimwa")
    assert out(cast, "pharaoh") == {
        "News.align": b"0-0 0?1 1-1\n\n",
        "News.source.txt": b"a b\ne\n",
        "News.target.txt": b"c d\nf\n",
    }


def test_every_format_goes_out_and_comes_in_again(cast) -> None:
    """One corpus in each format of pairs: texts and ids survive."""
    bring_in(cast, TSV)
    for kind in ("pairs", "jsonl", "rte"):
        (content,) = out(cast, kind).values()
        bring_in(cast, content, kind=kind, corpus=f"As {kind}")
        rows = Corpus.objects.get(name=f"As {kind}").pairs.values_list("ref", "text")
        assert list(rows) == list(
            Corpus.objects.get(name="News").pairs.values_list("ref", "text")
        )


@pytest.fixture
def worked_on(cast):
    """A project with trees, two parses of a sentence, links, nulls and a ledger."""
    layer = cast.layer
    links = Alignment((Link("w0", "w0"), Link("n0", "n0", "possible", True)))
    layer.links = links.with_null(source=["w3"]).to_json()
    layer.n_links, layer.revision = 2, 2
    layer.save()
    for revision, undoes in ((1, None), (2, 1)):
        first = LinkEvent.objects.filter(layer=layer, revision=undoes).first()
        LinkEvent.objects.create(layer=layer, revision=revision, op="link", by=cast.bob,
                                 after={"links": []}, undoes=first)  # fmt: skip
    bring_in(cast, BRACKETS, kind="ptb", name="doc.ptb", corpus="Houses")
    bring_in(cast, CONLLU, kind="conllu", name="doc.conllu", corpus="Houses")
    return cast


def test_a_bundle_comes_back_identical(worked_on) -> None:
    (text,) = out(worked_on, "gemel", corpus="Houses").values()
    other = Project.objects.create(name="Other", slug="other")
    other.memberships.create(user=worked_on.ada, role="manager")
    other.memberships.create(user=worked_on.bob, role="annotator")
    worked_on.project = other
    job = bring_in(worked_on, text, kind="gemel", name="a.gemel", corpus="Houses")
    assert job.state == "done", job.note + job.error
    (again,) = out(worked_on, "gemel", corpus="Houses").values()
    assert again == text
    layer = AlignmentLayer.objects.get(pair__corpus__project=other)
    assert (layer.author, layer.events.count()) == (None, 2)
    assert layer.events.last().undoes.revision == 1
    assert layer.pair.has_parse
    job = bring_in(worked_on, text, kind="gemel", name="a.gemel", corpus="Houses")
    assert not any(job.result["new"].values())


@pytest.mark.parametrize("who", ["bob", "cyd"])
def test_only_those_who_may_take_a_corpus_out(cast, who: str) -> None:
    with pytest.raises(NotAllowed):
        exports.parts(cast.corpus, "gemel", by=getattr(cast, who))


def test_links_of_one_author_can_be_asked_for(worked_on) -> None:
    made = out(worked_on, "pharaoh", corpus="Houses", author="bob")
    assert made["Houses.align"] == b"0-0\n"
    with pytest.raises(BadRequest, match="No one called"):
        out(worked_on, "pharaoh", corpus="Houses", author="nobody")


def test_a_download_is_an_attachment_that_nobody_shows(cast, client) -> None:
    payload = f"source\ttarget\tlabel\n{hostile.PAYLOAD}\tb\tx\n"
    bring_in(cast, payload, corpus=hostile.PAYLOAD[:100])
    corpus = Corpus.objects.get(name=hostile.PAYLOAD[:100])
    client.force_login(cast.ada)
    for kind in ("pairs", "gemel", "pharaoh"):
        answer = client.get(reverse("export_file", args=["windows", corpus.code, kind]))
        assert answer.status_code == 200
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Disposition"].startswith('attachment; filename="')
        assert "<" not in answer["Content-Disposition"]
        assert answer["Content-Type"] in ("application/octet-stream", "application/zip")
        content = b"".join(answer.streaming_content)
        if kind == "pharaoh":
            assert len(zipfile.ZipFile(io.BytesIO(content)).namelist()) == 3


def test_the_command_writes_to_a_folder_a_file_or_the_terminal(
    cast, tmp_path, capfdbinary
):
    bring_in(cast, LAYOUT, kind="ptb", name="one.mrg")
    bring_in(cast, BRACKETS, kind="ptb", name="two.ptb")
    call_command(
        "export_corpus", "News", "--format", "ptb", "--out", f"{tmp_path}/trees/"
    )
    assert (tmp_path / "trees" / "one.mrg").read_text() == LAYOUT
    call_command("export_corpus", "News", "--format", "ptb", "--out", f"{tmp_path}/all")
    assert (tmp_path / "all").read_text() == LAYOUT + BRACKETS
    capfdbinary.readouterr()
    call_command("export_corpus", "News", "--format", "gemel")
    first = capfdbinary.readouterr().out.splitlines()[0]
    assert json.loads(first) == {"type": "bundle", "gemel": 1}
    with pytest.raises(CommandError, match="no corpus 'Nothing'"):
        call_command("export_corpus", "Nothing", "--format", "ptb")


def test_treealigner_sentences_have_the_languages_of_their_treebanks(aligned) -> None:
    corpus = Corpus.objects.get(name="News")
    pair = corpus.pairs.get()
    assert (pair.source.language, pair.target.language) == ("de-DE", "sv-SE")
    assert (corpus.source_language, corpus.target_language) == ("de-DE", "sv-SE")


def test_treealigner_sides_have_the_languages_that_were_asked_for(cast) -> None:
    from annotator.services import jobs
    from annotator.services.corpora import imports

    links = ALIGNED.replace('language="de_DE"', 'language=""')
    files = {**BANKS, "links.xml": links.replace('language="sv_SE"', 'language="?"')}
    uploads = [
        storing.keep(cast.project, name, io.BytesIO(text.encode()), by=cast.ada)
        for name, text in files.items()
    ]
    about = {"source_language": "de", "target_language": "sv"}
    asked = {"kind": "treealigner", "corpus": "News", "about": about, "dry_run": False}
    job = imports.start(cast.project, uploads, by=cast.ada, enqueue=False, **asked)
    jobs.run(job.pk)
    pair = Pair.objects.get(corpus__name="News")
    assert (pair.source.language, pair.target.language) == ("de", "sv")


def test_a_parser_s_brackets_go_out_readable(cast) -> None:
    from core.data.tree import TreeBuilder
    from core.formats import treetext
    from tests.cast import parse, sentence

    made = sentence(cast.corpus, "a ( b / :-) [ 🙂 ) ] { } \\ \" ' `` '' “ ” «")
    builder = TreeBuilder()
    builder.open("NP")
    for form in made.forms:
        builder.leaf(form, form)
    builder.close()
    text, notes = treetext.dump(builder.freeze())
    row = parse(made, text, engine="toy")
    row.meta = notes
    row.save()
    written = out(cast, "ptb", corpus=cast.corpus.name).popitem()[1].decode()
    assert "(-LRB- -LRB-) (b b) (/ /) (:--RRB- :--RRB-)" in written
    bring_in(cast, written, kind="ptb", name="again.ptb")
    again = Corpus.objects.get(name="News").sentences.get(text__startswith="a (")
    assert again.forms == made.forms


def test_what_is_left_of_a_partial_import_goes_out_without_the_refused(cast) -> None:
    lines = ["(S (NN one))\n", "(S (NN two)\n () (NN x)\n (NN y))\n", "(S (NN four))\n"]
    bring_in(cast, "".join(lines), kind="ptb", name="a.ptb", partial=True)
    assert out(cast, "ptb") == {"a.ptb": (lines[0] + lines[2]).encode()}


def test_what_a_format_cannot_hold_is_said_before_the_first_byte(cast: Cast) -> None:
    tree = TreeBuilder()
    tree.open("S")
    tree.leaf("PRP", "He")
    tree.open("VP")
    tree.leaf("VBD", "woke", token=1)
    tree.leaf("RP", "up", token=3)
    tree.close()
    tree.leaf("PRP", "her", token=2)
    tree.close()
    text, meta = treetext.dump(tree.freeze())
    row = people.sentence(cast.corpus, "He woke her up")
    row.ref = "gapped-7"
    row.save()
    Parse.objects.create(
        sentence=row, kind="constituency", origin="gold", text=text, meta=meta,
        digest=Sentence.key_of(text),
    )  # fmt: skip
    client = Client()
    client.force_login(cast.ada)
    for url in (
        f"/api/corpora/{cast.corpus.code}/export/ptb/",
        f"/p/windows/corpus/{cast.corpus.code}/export/ptb/",
    ):
        answer = client.get(url)
        assert answer.status_code == 400
        assert "gapped-7" in answer.content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_bundle_is_of_one_moment_while_people_link(cast: Cast) -> None:
    """Every row that a bundle names is in it."""
    over, faults = threading.Event(), []

    def write() -> None:
        n = 0
        while not over.is_set():
            n += 1
            with contextlib.suppress(OperationalError):
                pair = people.pair(
                    cast.corpus, f"(S (A It) (B {n}))", f"(S (A That) (B {n}))"
                )
                people.layer(pair, author=cast.bob)
        connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    client = Client()
    client.force_login(cast.ada)
    try:
        for _ in range(8):
            answer = client.get(f"/api/corpora/{cast.corpus.code}/export/gemel/")
            lines = b"".join(answer.streaming_content).decode().splitlines()
            faults += [one for one in gemel.read(lines) if isinstance(one, BadLine)]
            rows = [json.loads(line) for line in lines]
            ids = {row["id"] for row in rows if "id" in row}
            named = {
                row[name]
                for row in rows
                for name in ("source", "target", "pair", "sentence")
                if isinstance(row.get(name), str)
            }
            faults += sorted(named - ids)
    finally:
        over.set()
        writer.join()
    assert faults == []


def exported(corpus: Corpus) -> dict[str, str]:
    parts = exports.parts(corpus, "treealigner", by=None)
    return {part.name: b"".join(part.chunks()).decode() for part in parts}


def joined(files: dict[str, str]) -> set[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Of each link, the words of both phrases, as the exported files say."""
    alignment = next(text for text in files.values() if "<treealign" in text)
    kind = registry.find("treealigner")
    given = [
        Source(name, partial(io.BytesIO, text.encode())) for name, text in files.items()
    ]
    found = set()
    n = 0
    for _, record in registry.read(kind, registry.arrange(kind, given)):
        assert not isinstance(record, BadLine), record
        if isinstance(record, PairRecord):
            for link in record.layers[0].alignment.links if record.layers else ():
                n += 1
                sides = []
                for half, ref in ((record.source, link.source),
                                  (record.target, link.target)):  # fmt: skip
                    tree = half.parse.tree
                    at = int(ref[1:])
                    tokens = [at] if ref[0] == "w" else tree.yield_of(at)
                    sides.append(tuple(half.forms[t] for t in tokens))
                found.add(tuple(sides))
    assert n == alignment.count("<align ")
    return found


WORDS_LINKED = """<align type="good"><node treebank_id="a" node_id="a1_1"/>
<node treebank_id="b" node_id="b1_1"/></align>
"""


@pytest.fixture
def linked_phrases(cast: Cast) -> Corpus:
    """A pair whose trees are linked: a word with a word, a phrase with a sentence."""
    texts = registry.FORMATS["treealigner"].example
    whole = WORDS_LINKED.replace('_1"', '_500"')
    whole = whole.replace("a1_500", "a1_501")
    verb = '<edge label="HD" idref="a1_2"/></nt>'
    phrase = f'<edge label="HD" idref="a1_501"/></nt><nt id="a1_501" cat="VP">{verb}'
    texts = texts | {
        "links.xml": texts["links.xml"].replace(WORDS_LINKED, WORDS_LINKED + whole),
        "source.xml": texts["source.xml"].replace(verb, phrase),
    }
    uploads = [sent(cast, text, name) for name, text in texts.items()]
    job = imports.start(
        cast.project, uploads, kind="treealigner", corpus="News", by=cast.ada,
        dry_run=False, enqueue=False,
    )  # fmt: skip
    jobs.run(job.pk)
    return Corpus.objects.get(name="News")


def edit_source(cast: Cast, corpus: Corpus, op: str, **values) -> None:
    """Edit the tree of the linked source sentence, and save it as gold."""
    sentence = corpus.pairs.filter(layers__isnull=False).first().source
    former = gold.gold_of(sentence)
    draft = drafts.start(sentence, by=cast.ada, base=former.code)
    drafts.play(draft, step(draft, op, **values), by=cast.ada)
    draft.refresh_from_db()
    gold.save_as_gold(draft, by=cast.ada, seen=former.code)


def test_links_still_join_their_phrases_after_a_tree_was_edited(
    cast: Cast, linked_phrases: Corpus
) -> None:
    """Nodes keep their ids, so that alignment and treebanks mean the same phrases."""
    corpus = linked_phrases
    before = joined(exported(corpus))
    assert before == {(("She",), ("He",)), (("sleeps",), ("He", "sleeps"))}
    edit_source(cast, corpus, "insert", first=1, last=1, label="NP")
    assert joined(exported(corpus)) == before


@pytest.mark.parametrize("state", ["open", "done"])
def test_a_link_to_a_deleted_phrase_is_in_no_alignment_file(
    cast: Cast, linked_phrases: Corpus, state: str
) -> None:
    """A finished layer keeps the earlier tree; the treebank has the new one."""
    AlignmentLayer.objects.update(state=state)
    phrase = gold.gold_of(linked_phrases.pairs.first().source).to_tree()
    edit_source(cast, linked_phrases, "delete", node=phrase.labels.index("VP"))
    files = out(cast, "treealigner")
    (links,) = [text for name, text in files.items() if name == "links.xml"]
    assert b'node_id="a1_501"' not in links
    assert joined(exported(linked_phrases)) == {(("She",), ("He",))}


def test_an_export_that_would_be_empty_names_the_formats_that_work(cast: Cast) -> None:
    bring_in(cast, CONLLU, kind="conllu", name="a.conllu", corpus="Arcs")
    bring_in(cast, TSV, corpus="Plain pairs")
    arcs, plain = (cast.project.corpora.get(name=n) for n in ("Arcs", "Plain pairs"))
    client = Client()
    client.force_login(cast.ada)
    for kind in ("pairs", "pharaoh", "ptb", "treealigner"):
        answer = client.get(f"/p/windows/corpus/{arcs.code}/export/{kind}/")
        assert answer.status_code == 400
        assert "Formats that work: conllu, lines, gemel." in answer.content.decode()
    for kind in ("ptb", "tigerxml", "treealigner"):
        with pytest.raises(BadRequest, match="holds constituency trees"):
            exports.parts(plain, kind, by=cast.ada)
    page = client.get(f"/p/windows/corpus/{plain.code}/export/").content.decode()
    assert "/export/jsonl/" in page
    assert "/export/ptb/" not in page
    assert len(exports.offered(cast.corpus)) == len(registry.FORMATS)


@pytest.mark.parametrize("kind", registry.FORMATS.values(), ids=lambda one: one.name)
def test_a_corpus_goes_out_in_every_format_under_its_ending(cast, kind) -> None:
    """A record that lacks what an export needs would fail here, not for its users."""
    parts = exports.parts(cast.corpus, kind.name, by=cast.ada)
    assert parts[0].name.endswith(kind.suffixes[0])
    assert b"".join(chunk for part in parts for chunk in part.chunks())


def test_the_check_of_a_bundle_says_nothing_of_what_is_new(cast: Cast) -> None:
    (part,) = exports.parts(cast.corpus, "gemel", by=cast.ada)
    bundle = b"".join(part.chunks())
    checked = bring_in(cast, bundle, name="a.gemel", kind="gemel", dry_run=True)
    assert checked.result["sentences"] == 2
    assert "new" not in checked.result, "not none: nobody has looked"
    written = bring_in(cast, bundle, name="a.gemel", kind="gemel")
    assert written.result["new"]["sentences"] == 2


RICH = """<?xml version="1.0"?>
<corpus id="c">
<head/>
<body>
<s id="s1"><graph root="p2">
<terminals>
<t word="Eva" morph="--" pos="NE" type="person" id="w1"/>
<t word="will" morph="--" pos="VMFIN" type="--" id="w2"/>
<t word="baden" morph="--" pos="VVINF" type="--" id="w3">
<secedge label="SB" idref="w1"/></t>
<t word="." pos="$." id="w4"/>
</terminals>
<nonterminals>
<nt id="p1" cat="VP" status="checked"><edge label="HD" idref="w3"/></nt>
<nt id="p2" cat="S" status="open"><edge label="SB" idref="w1"/>
<edge label="HD" idref="w2"/><edge label="OC" idref="p1"/></nt>
</nonterminals>
</graph></s>
</body>
</corpus>
"""


def edit_gold(cast: Cast, op: str, **values) -> None:
    """Edit the gold tree of the only sentence, and save it as gold."""
    (sentence,) = Sentence.objects.filter(corpus__name="News")
    draft = drafts.start(sentence, by=cast.ada)
    drafts.play(draft, step(draft, op, **values), by=cast.ada)
    seen = gold.gold_of(sentence).code
    gold.save_as_gold(draft, by=cast.ada, seen=seen)
    draft.delete()


def test_an_edited_tigerxml_sentence_keeps_other_attributes_and_secondary_edges(
    cast: Cast,
) -> None:
    bring_in(cast, RICH.encode(), kind="tigerxml", name="it.xml")
    for label in ("SX", "SY"):  # what the first edit keeps, the second keeps, too
        edit_gold(cast, "relabel", node=1, label=label)
    text = out(cast, "tigerxml")["it.xml"].decode()
    assert '<t word="Eva" morph="--" pos="NE" type="person" id="w1"/>' in text
    assert '<t word="baden" morph="--" pos="VVINF" type="--" id="w3">' in text
    assert '<secedge label="SB" idref="w1"/>' in text
    assert '<nt id="p1" cat="VP" status="checked">' in text
    assert '<nt id="p2" cat="SY" status="open">' in text


def test_a_secondary_edge_to_a_deleted_phrase_is_gone(cast: Cast) -> None:
    came = RICH.replace('idref="w1"/></t>', 'idref="p1"/></t>')
    bring_in(cast, came.encode(), kind="tigerxml", name="it.xml")
    edit_gold(cast, "delete", node=4)
    text = out(cast, "tigerxml")["it.xml"].decode()
    assert "p1" not in text
    assert "secedge" not in text


def test_edge_labels_below_a_virtual_root_are_written(cast: Cast) -> None:
    bring_in(cast, RICH.encode(), kind="tigerxml", name="it.xml")
    edit_gold(cast, "delete", node=1)  # the S: its children are now below the root
    text = out(cast, "tigerxml")["it.xml"].decode()
    assert 'cat="VROOT"' in text
    assert '<edge label="SB" idref="w1"/>' in text
    assert '<edge label="OC" idref="p1"/>' in text


def test_a_function_alone_can_be_saved_as_gold(cast: Cast) -> None:
    bring_in(cast, RICH.encode(), kind="tigerxml", name="it.xml")
    for label in ("OA", "OG"):
        edit_gold(cast, "edge", node=2, edge=label)
    text = out(cast, "tigerxml")["it.xml"].decode()
    assert '<edge label="OG" idref="w1"/>' in text
