"""Tables of paraphrases: equal to the equations, proven, resumable."""

import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from core.errors import InvalidValue, Unavailable
from core.formats import ptb
from core.pivoting.bitext import BitextParse, parses_of, write_parses
from core.pivoting.building.engines import DuckEngine
from core.pivoting.building.pipeline import build_table
from core.pivoting.building.settings import BuildSettings, PairsFile
from core.pivoting.table import Table, open_table
from tests.core.pivoting import small_bitext
from tests.oracles.pivoting import pivots as oracle

SMALL = {"buckets": 2, "chunk": 4, "max_length": 4}


def built(
    folder: Path, *, parsed: int = len(small_bitext.TREES), **settings: object
) -> Table:
    sources = small_bitext.sources(folder, parsed=parsed)
    rules = BuildSettings(**{**SMALL, **settings})  # type: ignore[arg-type]
    assert list(build_table(folder / "table", sources, rules))
    return open_table(folder / "table")


def by_hand(
    *, parsed: int = len(small_bitext.TREES)
) -> dict[tuple[str, str], dict[str, float]]:
    rows = []
    for corpus, pairs in small_bitext.CORPORA.items():
        for at, (foreign, links) in enumerate(pairs):
            tree = ptb.parse_one(small_bitext.TREES[at]) if at < parsed else None
            cells = {tuple(map(int, link.split("-"))) for link in links.split()}
            rows.append((corpus, small_bitext.english(at), foreign, cells, tree))
    return oracle.paraphrases(rows, SMALL["max_length"])


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return built(tmp_path_factory.mktemp("pivoting"), parsed=5, best=1000, widest=0)


def contents(table: Table) -> list[list[tuple[object, ...]]]:
    kinds = ("paraphrases", "heads", "pivots", "places")
    sql = "SELECT * FROM read_parquet(?) ORDER BY ALL"
    return [table.engine.rows(sql, [table.files(kind)]) for kind in kinds]


def test_every_probability_is_that_of_the_equations(table: Table) -> None:
    wanted = by_hand(parsed=5)
    stored: dict[tuple[str, str], dict[str, float]] = {}
    sql = "SELECT phrase, label, paraphrase, p FROM read_parquet(?)"
    for e1, label, e2, p in table.engine.rows(sql, [table.files("paraphrases")]):
        stored.setdefault((e1, label), {})[e2] = p
    assert stored.keys() == wanted.keys()
    for key, under in wanted.items():
        assert stored[key] == pytest.approx(dict(under), abs=1e-12)


OTHER = "(S (NP (DT The)) (VP (JJ old) (NN sea)) (VP (VBZ is) (ADJP (JJ calm))) (. .))"


def of_forests(folder: Path, **settings: object) -> Table:
    """The table of sentences of which the first has two trees, .6 and .2 likely."""
    sources = small_bitext.sources(folder)
    parses = sources[0].parses[0]
    rows = [
        BitextParse(
            row.source, row.tree, 0.6 if row.tree == small_bitext.TREES[0] else 1
        )
        for row in parses_of(parses)
    ]
    write_parses(parses, [BitextParse(rows[0].source, OTHER, 0.2), *rows])
    rules = BuildSettings(**{**SMALL, **settings}, best=1000, widest=0)
    assert list(build_table(folder / "table", sources, rules))
    return open_table(folder / "table")


def test_labels_of_a_forest_count_for_the_share_of_their_trees(tmp_path: Path) -> None:
    table = of_forests(tmp_path, forest=True)
    rows = []
    for corpus, pairs in small_bitext.CORPORA.items():
        for at, (foreign, links) in enumerate(pairs):
            tree: object = ptb.parse_one(small_bitext.TREES[at])
            if at == 0:
                tree = [(0.75, tree), (0.25, ptb.parse_one(OTHER))]
            cells = {tuple(map(int, link.split("-"))) for link in links.split()}
            rows.append((corpus, small_bitext.english(at), foreign, cells, tree))
    wanted = oracle.paraphrases(rows, SMALL["max_length"])
    stored: dict[tuple[str, str], dict[str, float]] = {}
    sql = "SELECT phrase, label, paraphrase, p FROM read_parquet(?)"
    for e1, label, e2, p in table.engine.rows(sql, [table.files("paraphrases")]):
        stored.setdefault((e1, label), {})[e2] = p
    assert stored.keys() == wanted.keys()
    for key, under in wanted.items():
        assert stored[key] == pytest.approx(dict(under), abs=1e-12)


def test_without_labels_there_is_the_baseline_alone(tmp_path: Path) -> None:
    table = built(tmp_path / "none", labels="none", best=1000, widest=0)
    usual = built(tmp_path / "ccg", best=1000, widest=0)
    rows = [row for row in contents(usual)[0] if not row[1]]
    assert contents(table)[0] == rows


def test_of_several_trees_the_likeliest_is_taken(tmp_path: Path) -> None:
    table = of_forests(tmp_path / "two", forest=False)
    usual = built(tmp_path / "one", best=1000, widest=0)
    assert contents(table)[:3] == contents(usual)[:3]


def test_the_pivots_of_a_paraphrase_add_up_to_its_probability(table: Table) -> None:
    for phrase in ("calm", "the old", "we like the"):
        for label in ["", *table.labels(phrase)]:
            for paraphrase in table.lookup(phrase, label, k=50):
                behind = table.why(phrase, paraphrase.text, label=label)
                assert len(behind) == paraphrase.pivots
                assert sum(pivot.p for pivot in behind) == pytest.approx(paraphrase.p)


def test_examples_hold_the_phrase(table: Table) -> None:
    examples = table.examples("the old")
    assert 1 <= len(examples) <= 3
    for example in examples:
        words = example.source.split(" ")
        held = " ".join(words[example.start : example.end])
        assert held.lower() == "the old"
    assert {example.source[:3] for example in examples} == {"The"}  # as in the text


def test_a_label_that_the_phrase_never_had_has_no_paraphrases(table: Table) -> None:
    assert table.lookup("calm", "NP") == []
    assert [paraphrase.text for paraphrase in table.lookup("calm", "ADJP")] == ["quiet"]


def test_letter_case_and_blanks_do_not_matter(table: Table) -> None:
    assert table.lookup(" The  Old ") == table.lookup("the old") != []


def test_averages_divide_by_the_corpora_that_hold_the_phrase(table: Table) -> None:
    whole = table.lookup("the old", k=1)[0]
    mean = table.lookup("the old", k=1, average=True)[0]
    assert (mean.text, mean.p) == (whole.text, pytest.approx(whole.p / 2))


def test_what_is_pruned_is_bounded_and_ranks_said_to_hold_do(tmp_path: Path) -> None:
    whole = by_hand()
    pruned = built(tmp_path, best=2, widest=1)
    proven = 0
    for phrase, label in whole:
        head = pruned.heads(phrase).get(label)
        if head is None:
            continue
        true = whole[phrase, label]
        rows = pruned.lookup(phrase, label, k=2) if label else pruned.lookup(phrase)
        stored = {row.text: row.p for row in rows}
        for text, p in true.items():
            low = stored.get(text, 0.0)
            beyond = 0.0 if text in stored else head.next
            assert low - 1e-12 <= p <= low + beyond + head.lost + 1e-12
        ranked = sorted(true.values(), reverse=True)
        for place, row in enumerate(rows):
            if row.proven:
                proven += 1
                assert true[row.text] == pytest.approx(ranked[place])
    assert proven > 10


def test_wanted_phrases_alone_are_paraphrased(tmp_path: Path) -> None:
    table = built(tmp_path, wanted=("The old", "calm"))
    sql = "SELECT DISTINCT phrase FROM read_parquet(?) ORDER BY 1"
    rows = table.engine.rows(sql, [table.files("paraphrases")])
    assert rows == [("calm",), ("the old",)]
    whole = by_hand()
    assert table.lookup("calm")[0].p == pytest.approx(whole["calm", ""]["quiet"])


def test_counts_of_parsed_sentences_alone(tmp_path: Path) -> None:
    table = built(tmp_path, parsed=4, parsed_only=True)
    assert table.lookup("ocean") == []
    assert table.lookup("calm")[0].text == "quiet"


def test_a_build_that_was_stopped_anywhere_ends_in_the_same_table(
    tmp_path: Path,
) -> None:
    whole = built(tmp_path / "whole")
    sources = small_bitext.sources(tmp_path / "whole")
    rules = BuildSettings(**SMALL)  # type: ignore[arg-type]
    pieces = 0
    while True:  # a new process each time, as it were: one more piece, then stopped
        steps = list(islice(build_table(tmp_path / "broken", sources, rules), 1))
        if (tmp_path / "broken" / "manifest.json").exists():
            break
        pieces += len(steps)
        for half in (tmp_path / "broken" / "work").glob("*/"):
            (half / ".terms-0001.parquet.part").write_bytes(b"half a file")
    assert pieces > 15
    assert contents(open_table(tmp_path / "broken")) == contents(whole)


def test_a_stage_that_has_not_changed_is_not_done_again(tmp_path: Path) -> None:
    built(tmp_path)
    sources = small_bitext.sources(tmp_path)
    rules = BuildSettings(**SMALL, best=3)  # type: ignore[arg-type]
    notes = [step.note for step in build_table(tmp_path / "table", sources, rules)]
    assert {note.split()[0] for note in notes} == {"rank", "finish", "done"}


def test_other_links_make_another_table(tmp_path: Path) -> None:
    built(tmp_path)
    sources = small_bitext.sources(tmp_path)[:1]
    rules = BuildSettings(**SMALL)  # type: ignore[arg-type]
    notes = [step.note for step in build_table(tmp_path / "table", sources, rules)]
    assert notes[0].startswith("prepare")
    assert len(list((tmp_path / "table").glob("table-*"))) == 1


def test_pairs_without_links_are_refused(tmp_path: Path) -> None:
    from core.pivoting.bitext import BitextPair, write_pairs

    write_pairs(tmp_path / "x.parquet", [BitextPair(0, "x.de", "a b", "c d")])
    with pytest.raises(InvalidValue, match="word links"):
        list(build_table(tmp_path / "table", [PairsFile(tmp_path / "x.parquet")]))
    with pytest.raises(Unavailable, match="not a paraphrase table"):
        open_table(tmp_path / "table")


def test_links_outside_a_sentence_name_file_and_pair(tmp_path: Path) -> None:
    from core.pivoting.bitext import BitextPair, write_pairs

    write_pairs(tmp_path / "x.parquet", [BitextPair(0, "x.de", "a b", "c d", "0-7")])
    with pytest.raises(InvalidValue, match=r"x\.parquet, pairs from 0: pair 0"):
        list(build_table(tmp_path / "table", [PairsFile(tmp_path / "x.parquet")]))


def test_the_engine_writes_a_file_whole_or_not_at_all(tmp_path: Path) -> None:
    engine = DuckEngine(tmp_path)
    path = tmp_path / "x.parquet"
    with pytest.raises(Exception, match="no such thing"):
        engine.write("SELECT error('no such thing') FROM range(3)", path)
    assert not path.exists()
    engine.close()


def test_a_spawned_database_leaves_standard_output_to_results(tmp_path: Path) -> None:
    """DuckDB takes a process without a main file for a person at a prompt."""
    code = (
        "import sys; from pathlib import Path\n"
        "from core.pivoting.building.engines import DuckEngine\n"
        "engine = DuckEngine(Path(sys.argv[1]))\n"
        "print(engine.rows('SELECT current_setting(?)', ['enable_progress_bar']))"
    )
    words = [sys.executable, "-c", code, str(tmp_path)]
    assert subprocess.check_output(words, text=True) == "[(False,)]\n"


def test_two_builds_in_one_folder_do_not_meet(tmp_path: Path) -> None:
    sources = small_bitext.sources(tmp_path)
    rules = BuildSettings(**SMALL)  # type: ignore[arg-type]
    first = build_table(tmp_path / "table", sources, rules)
    next(first)
    with pytest.raises(InvalidValue, match="another build"):
        next(build_table(tmp_path / "table", sources, rules))
    first.close()
    assert next(build_table(tmp_path / "table", sources, rules))
