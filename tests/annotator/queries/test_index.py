"""The index follows the trees and layers, whoever changes them and however."""

import io
import json
from dataclasses import replace
from threading import Event, Thread
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from annotator.errors import BadRequest
from annotator.management.database import bring_up_to_date
from annotator.models import AlignmentLayer, Origin, Parse, Project, TreeDraft
from annotator.services import archives
from annotator.services.alignments import links, operations
from annotator.services.corpora import imports
from annotator.services.parses import gold
from annotator.services.queries import in_chunks, index, running, tables
from core.data.alignment import Alignment, Link
from core.formats import ptb, treetext
from tests import cast as people
from tests.annotator.corpora.test_importing import BRACKETS, bring_in

LINKED = Alignment((Link("n1", "n10"), Link("w1", "w6")), null_source=frozenset({"w0"}))


def n_of(cast, text: str, user=None) -> int:
    return len(running.search(text, [cast.corpus], user).page().matches)


def test_examples_of_the_language_work(cast) -> None:
    AlignmentLayer.objects.filter(pk=cast.layer.pk).update(links=LINKED.to_json())
    assert n_of(cast, "NP ~ NP") == 2  # seen from either side
    assert n_of(cast, "NP << NN ~ NP !<< VBN") == 2
    assert n_of(cast, "determiner ~ null") == 1
    assert n_of(cast, "verb ~ null") == 0
    assert n_of(cast, "verb ~ undecided") == 3
    assert n_of(cast, "NP !~ __") == 2


def test_a_new_tree_is_found_and_a_deleted_one_is_not(cast) -> None:
    assert n_of(cast, "FRAG") == 0
    lone = people.sentence(cast.corpus, "Indeed")
    parse = people.parse(lone, "(FRAG (RB Indeed))")
    assert n_of(cast, "FRAG") == 1
    parse.delete()
    assert n_of(cast, "FRAG") == 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM search_node WHERE tree = %s", [parse.pk])
        assert cursor.fetchone() == (0,)


def test_a_gold_tree_stands_for_its_sentence_before_a_parser_s(cast) -> None:
    lone = people.sentence(cast.corpus, "Indeed")
    people.parse(lone, "(FRAG (RB Indeed))", engine="chart")
    assert n_of(cast, "FRAG") == 1
    people.parse(lone, "(ADVP (RB Indeed))")
    assert (n_of(cast, "FRAG"), n_of(cast, "ADVP")) == (0, 1)
    assert n_of(cast, "FRAG where trees=parser") == 1
    assert n_of(cast, "FRAG where trees=all") == 1


def test_a_tree_saved_as_gold_takes_the_place_of_the_former(cast) -> None:
    sentence = cast.pair.source
    assert n_of(cast, "NP , VBD") == 1
    draft = TreeDraft.objects.create(
        sentence=sentence,
        author=cast.ada,
        text=people.SOURCE.replace(
            "(NP (DT the) (NN window))", "(XP (DT the) (NN window))"
        ),
    )
    gold.save_as_gold(draft, by=cast.ada, seen=gold.gold_of(sentence).code)
    assert (n_of(cast, "NP , VBD"), n_of(cast, "XP")) == (0, 1)


@pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite has one writer at a time"
)
@pytest.mark.django_db(transaction=True)
def test_a_tree_that_changes_while_it_is_indexed_is_not_forgotten(cast) -> None:
    lone = people.sentence(cast.corpus, "Indeed")
    parse = people.parse(lone, "(FRAG (RB Indeed))")
    changed, looked = Event(), Event()

    def change() -> None:
        with transaction.atomic():
            Parse.objects.filter(pk=parse.pk).update(text="(ADVP (RB Indeed))")
            changed.set()
            looked.wait(600)
        connection.close()

    thread = Thread(target=change)
    thread.start()
    changed.wait(600)
    index.catch_up()  # does not see the change, and leaves the note of it
    looked.set()
    thread.join()
    assert (n_of(cast, "FRAG"), n_of(cast, "ADVP")) == (0, 1)


def test_a_step_in_the_editor_is_found_at_once(cast) -> None:
    assert n_of(cast, "NN ~ NN") == 0
    step = {"uuid": uuid4(), "base_rev": 0, "op": "link", "s": "w1", "t": "w6"}
    links.play(cast.layer, operations.LayerStep.read(step), by=cast.bob)
    assert n_of(cast, "NN ~ NN") == 2


def test_others_layers_and_trees_are_not_found(cast) -> None:
    AlignmentLayer.objects.filter(pk=cast.layer.pk).update(links=LINKED.to_json())
    eve = people.person("eve")
    cast.project.memberships.create(user=eve, role="annotator")
    mine = Parse.objects.create(
        sentence=cast.pair.source, kind="constituency", origin=Origin.ANNOTATOR,
        author=cast.bob, text=people.SOURCE.replace("(VP", "(VQ", 1), digest="own",
    )  # fmt: skip
    for person, n in ((cast.ada, 2), (cast.bob, 2), (eve, 0)):
        assert n_of(cast, "NP ~ NP", person) == n
        assert n_of(cast, "VQ where trees=all", person) == (1 if n else 0)
    assert n_of(cast, "VQ where trees=mine", cast.bob) == 1
    assert n_of(cast, "VQ where trees=mine", cast.ada) == 0
    assert mine.code


@pytest.mark.parametrize("author", ["bob", None])
def test_a_layer_on_a_tree_of_somebody_else_is_not_found(cast, author) -> None:
    """Its drawing would be refused."""
    eve = people.person("eve")
    cast.project.memberships.create(user=eve, role="annotator")
    of_bob = Parse.objects.create(
        sentence=cast.pair.source, kind="constituency", origin=Origin.ANNOTATOR,
        author=cast.bob if author else None, text=people.SOURCE, digest="own",
    )  # fmt: skip
    AlignmentLayer.objects.filter(pk=cast.layer.pk).update(
        links=LINKED.to_json(), origin=Origin.ENGINE, author=None, source_parse=of_bob
    )
    for person, n in ((cast.ada, 2), (cast.bob, 2 if author else 0), (eve, 0)):
        assert n_of(cast, "NP ~ NP", person) == n


def test_conditions_narrow_a_search(cast) -> None:
    other = people.corpus(cast.project, "Doors")
    people.pair(other, "(S (NP (NN door)))", "(S (NP (NN gate)))")
    both = [cast.corpus, other]

    def n(where: str) -> int:
        return len(running.search(f"S where {where}", both, cast.ada).page().matches)

    assert (n("length<2"), n("length>=2")) == (2, 2)
    assert n(f"corpus={other.code}") == n("corpus=Doors") == 2
    assert n("corpus!=Doors") == 2
    type(cast.pair.source).objects.filter(pk=cast.pair.source_id).update(ref="w-7")
    assert (n("id=w-7"), n("id=/^w/"), n("id!=/^w/")) == (1, 1, 3)
    with pytest.raises(BadRequest, match="There is no corpus"):
        n("corpus=nowhere")


def test_pages_follow_each_other_without_gap_or_repetition(cast) -> None:
    for n in range(7):
        people.pair(cast.corpus, f"(S (NP (NN door{n})))", f"(S (NP (NN gate{n})))")
    search = running.search("NN", [cast.corpus], cast.ada)
    whole = [match.key for match in search.page(size=100).matches]
    seen, after = [], ""
    while True:
        page = search.page(after, size=4)
        seen += [match.key for match in page.matches]
        after = page.after
        if not after:
            break
    assert seen == whole
    assert len(whole) == 18
    for bad in (
        "x",
        f"{cast.corpus.code}-1-x",
        f"{cast.corpus.code}-1",
        "0" * 16 + "-1-1",
    ):
        with pytest.raises(BadRequest):
            search.page(bad)


def test_counts_are_those_of_the_matches(cast) -> None:
    counts = running.search("@NP|VP", [cast.corpus], cast.ada).counts()
    assert (counts.matches, counts.sentences, counts.pairs) == (7, 2, 1)
    assert counts.by_label == {"NP": 4, "VP": 3}
    assert counts.by_corpus == {"Houses": 7}


def test_pairs_are_counted_while_the_time_lasts(cast, monkeypatch) -> None:
    search = running.search("@NP|VP", [cast.corpus], cast.ada)
    monkeypatch.setattr(running.Search, "_windows", lambda *_, **__: [(0, 2**62)])
    limit = tables.within

    def expired(seconds):
        return limit(seconds if len(ended) == 0 and not ended.append(1) else 1e-9)

    ended: list[int] = []
    monkeypatch.setattr(running, "within", expired)
    slow = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9"
    monkeypatch.setattr(
        running, "one_of",
        lambda column, keys: (f"1 IN ({slow}99999) SELECT i FROM n)", []),
    )  # fmt: skip
    counts = search.counts()
    assert (counts.matches, counts.pairs, counts.is_whole) == (7, 0, False)


def test_an_index_that_fails_ends_no_job(cast, monkeypatch) -> None:
    def fails(*_):
        raise ValueError("broken")
        yield

    monkeypatch.setattr(in_chunks, "follow", fails)
    done = bring_in(cast, BRACKETS, kind="ptb", name="doc.ptb")
    assert done.state == "done"


def test_what_takes_too_long_is_stopped_and_says_so(cast, settings) -> None:
    for n in range(30):
        people.pair(
            cast.corpus, f"(S (NP (NN a{n})) {'(NP (NN b)) ' * 12})", "(S (X x))"
        )
    search = running.search("__ : __ : __ : __ : __ : __", [cast.corpus], None)
    search.seconds = 0.05
    with pytest.raises(tables.QueryTooSlow, match="stopped after"):
        search.page(size=10**6)
    assert n_of(cast, "VP") == 3  # and the connection lives


def test_an_import_leaves_nothing_to_be_indexed(cast) -> None:
    bring_in(cast, BRACKETS, kind="ptb", name="doc.ptb")
    corpora = list(cast.project.corpora.values_list("pk", flat=True))
    assert index.waiting(corpora) == 0


def test_what_an_import_brought_is_taken_back_from_the_index(cast) -> None:
    n_of(cast, "VP")  # a search brings the index up to date
    there = _indexed()
    job = bring_in(cast, BRACKETS, kind="ptb", name="doc.ptb")
    n_of(cast, "VP")
    assert _indexed() > there
    imports.take_back(job)
    assert _indexed() == there


def _indexed() -> set[int]:
    """The parses whose trees are in the index."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT parse FROM search_tree")
        return {parse for (parse,) in cursor.fetchall()}


def test_after_a_restore_the_trees_are_indexed_anew(cast, settings, tmp_path) -> None:
    settings.MEDIA_ROOT = tmp_path / "uploads"
    archives.backup(tmp_path / "one.zip")
    assert n_of(cast, "VP") == 3
    archives.restore(tmp_path / "one.zip", replace=True)
    assert index.waiting() > 0
    assert n_of(cast, "VP") == 3


def test_the_commands_index_and_search(cast) -> None:
    AlignmentLayer.objects.filter(pk=cast.layer.pk).update(links=LINKED.to_json())
    out = io.StringIO()
    call_command("index", "--rebuild", stdout=out)
    assert "indexed" in out.getvalue()
    out = io.StringIO()
    call_command("query", cast.corpus.code, "NP ~ NP", "--json", stdout=out)
    said = json.loads(out.getvalue())
    assert (said["matches"], said["sentences"], said["pairs"]) == (2, 2, 1)
    out = io.StringIO()
    call_command("query", cast.corpus.code, "NP ~ NP", stdout=out)
    assert "[NP The nurse] opened the window ." in out.getvalue()
    with pytest.raises(CommandError, match="Column 6"):
        call_command("query", cast.corpus.code, "NP ~ ", stdout=out)
    with pytest.raises(CommandError, match=r"no corpus 'nowhere'\. Corpora: Houses"):
        call_command("query", "nowhere", "NP", stdout=out)


def test_commands_take_names_and_codes_and_list_two_of_one_name(cast, tmp_path) -> None:
    pairs, file = tmp_path / "a.tsv", str(tmp_path / "out.jsonl")
    pairs.write_text("It rained .\tRain fell .\n")

    def commands(corpus: str) -> str:
        out = io.StringIO()
        call_command("query", corpus, "NP", "--json", stdout=out)
        call_command("index", corpus, stdout=out)
        call_command("export_corpus", corpus, "--format", "jsonl", "--out", file)
        call_command(
            "import_corpus", str(pairs), "--format", "pairs", "--corpus", corpus,
            "--source-language", "en", stdout=out,
        )  # fmt: skip
        return out.getvalue()

    assert '"matches": 4' in commands("Houses")
    assert '"matches": 4' in commands(cast.corpus.code)
    assert cast.corpus.pairs.count() == 2, "one pair came in, once"
    theirs = Project.objects.create(name="Theirs", slug="theirs")
    other = people.corpus(theirs, "Houses")
    for command in (
        ["query", "Houses", "NP"],
        ["index", "Houses"],
        ["export_corpus", "Houses", "--format", "jsonl"],
        ["import_corpus", str(pairs), "--format", "pairs", "--corpus", "Houses"],
    ):
        with pytest.raises(CommandError) as refused:
            call_command(*command)
        assert f"{cast.corpus.code}  windows" in str(refused.value)
        assert f"{other.code}  theirs" in str(refused.value)
    assert '"matches": 4' in commands(cast.corpus.code)


def test_triggers_that_a_migration_drops_come_back(cast) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite makes tables anew")
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER search_parse_new")
    call_command("migrate", verbosity=0, interactive=False)
    people.parse(people.sentence(cast.corpus, "Indeed"), "(FRAG (RB Indeed))")
    assert n_of(cast, "FRAG") == 1


def test_an_index_without_heads_gets_them_when_it_is_migrated(cast) -> None:
    assert n_of(cast, "VP <# VBD") == 2
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE search_node DROP COLUMN head")
    if connection.vendor == "postgresql":
        with pytest.raises(CommandError, match=r"run manage\.py migrate first"):
            bring_up_to_date()
        call_command("migrate", verbosity=0, interactive=False)
    bring_up_to_date()
    assert n_of(cast, "VP <# VBD") == 2


def test_edges_name_heads_before_the_rules_do(cast) -> None:
    """In TIGER, and its like, the edge HD leads to the head."""
    tree = "(S (NP (NN Rain)) (VP (VBZ falls) (NP (NN today))))"
    text, notes = treetext.dump(
        replace(ptb.parse_one(tree), edges=("", "", "", "", "MO", "HD", ""))
    )
    sentence = people.sentence(cast.corpus, "Rain falls today")
    Parse.objects.create(
        sentence=sentence, kind="constituency", origin="gold", text=text, meta=notes
    )
    assert n_of(cast, "VP <# NP") == 1
    assert n_of(cast, "VP <# VBZ") == 0
