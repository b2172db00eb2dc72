"""Drawings are golden; figures are the same bytes from the page and the command."""

import io
from contextlib import redirect_stdout
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command

from annotator.pages import canvas
from annotator.svg import editable, parse
from annotator.svg.figure import FORMATS, convert
from annotator.svg.links import draw, marks_of
from core.data.alignment import Alignment, Link
from core.data.deps import DepTree
from core.formats import ptb
from core.layout.links import LinkedSide, link_scene, parse_scene
from tests import cast as people

SOURCE, TARGET = ptb.parse_one(people.SOURCE), ptb.parse_one(people.TARGET)
DEPS = DepTree((1, 2, -1, 4, 2, 2), ("det", "nsubj", "root", "det", "obj", "punct"))
ALIGNMENT = Alignment(
    (
        Link("n1", "n10"),
        Link("w2", "w3", "possible"),
        Link("n6", "n1", crossing=True),
        Link("w4", "w1"),
    ),
    frozenset({"w0"}),
    frozenset({"w2", "w4"}),
)
NASTY = '<script>alert(1)</script>"onload="x'


def figure(*, view="constituency", across=False, marks=True, folded=()) -> str:
    source = LinkedSide(SOURCE.words, SOURCE, DEPS, frozenset(folded))
    scene = link_scene(
        source, LinkedSide(TARGET.words, TARGET), view=view, across=across
    )
    shown = marks_of(ALIGNMENT, SOURCE, TARGET) if marks else None
    return draw(scene, title="The nurse and the window", marks=shown)


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("trees", {}),
        ("trees-across", {"across": True}),
        ("trees-and-arcs", {"view": "both"}),
        ("arcs", {"view": "dependency"}),
        ("trees-folded", {"folded": [6]}),
        ("trees-bare", {"marks": False}),
    ],
)
def test_the_drawing_is_golden(golden, name: str, how: dict) -> None:
    golden(f"svg/{name}.svg", figure(**how).replace("><", ">\n<") + "\n")


def test_a_secondary_edge_is_told_by_its_dashes_its_curve_and_its_head() -> None:
    """In a page, in the editor and in a figure: nothing of it is a colour alone."""
    tree = replace(SOURCE, secondary=((1, 4, "SB"),))
    side = LinkedSide(tree.words, tree)
    drawn = (
        parse.draw(parse_scene(side), title="x"),
        editable.draw(parse_scene(side), tree, title="x"),
        draw(link_scene(side, side), title="x", marks=marks_of(Alignment())),
    )
    for text in drawn:
        group = next(
            g for g in ElementTree.fromstring(text) if g.get("class") == "secedges"
        )
        line, head, *_ = (one for one in group if one.tag.endswith("path"))
        assert line.get("stroke-dasharray")
        assert "C" in line.get("d")
        assert head.get("d").endswith("Z")
        assert "SB" in [one.text for one in group]
    assert "secondary edge SB to VP “opened the window”" in drawn[1]
    assert "secedges" not in figure()


def test_a_payload_in_a_tree_stays_text() -> None:
    words = (NASTY, "javascript:alert(1)")
    tree = SOURCE.__class__(
        (NASTY, "NN", "NN"), (-1, 0, 0), (-1, 0, 1), ("", *words), ("", NASTY, "")
    )
    scene = link_scene(LinkedSide(words, tree), LinkedSide(words))
    for marks in (None, marks_of(Alignment())):
        root = ElementTree.fromstring(draw(scene, title=NASTY, marks=marks))
        tags = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert "script" not in tags
        assert not any(k.startswith("on") for e in root.iter() for k in e.attrib)


@pytest.mark.parametrize("to", sorted(FORMATS))
def test_a_figure_has_the_same_bytes_each_time(to: str) -> None:
    first = convert(figure(), to)
    assert first == convert(figure(), to)
    magic = {"svg": b"<?xml", "pdf": b"%PDF-", "png": b"\x89PNG"}
    assert first.startswith(magic[to])


class _Out(io.StringIO):
    def __init__(self) -> None:
        super().__init__()
        self.buffer = io.BytesIO()


@pytest.mark.django_db
@pytest.mark.parametrize("to", sorted(FORMATS))
def test_page_and_command_write_the_same_bytes(cast, client, to: str) -> None:
    cast.layer.links = ALIGNMENT.to_json()
    cast.layer.save()
    client.force_login(cast.bob)
    url = f"/p/windows/pair/{cast.pair.code}/figure.{to}?layer={cast.layer.code}"
    response = client.get(url)
    assert response.status_code == 200
    assert response["Content-Type"] == FORMATS[to]
    assert "attachment" in response["Content-Disposition"]
    out = _Out()
    with redirect_stdout(out):
        call_command("figure", cast.layer.code, "--format", to)
    assert out.buffer.getvalue() == response.content


@pytest.mark.django_db
def test_a_pair_is_written_for_latex_by_page_and_command(cast, client) -> None:
    cast.layer.links = ALIGNMENT.to_json()
    cast.layer.save()
    client.force_login(cast.bob)
    here = f"/p/windows/pair/{cast.pair.code}"
    page = client.get(f"{here}/").content.decode()
    assert f"{here}/figure.forest.tex" in page
    response = client.get(f"{here}/figure.forest.tex?layer={cast.layer.code}")
    text = response.content.decode()
    assert response["Content-Type"] == "application/x-tex"
    assert f"layer {cast.layer.code}" in text
    assert text.count("\\textsubscript") == 2 * len(ALIGNMENT.links)
    out = _Out()
    with redirect_stdout(out):
        call_command("figure", cast.layer.code, "--format", "forest.tex")
    assert out.buffer.getvalue() == response.content
    assert client.get(f"{here}/figure.qtree.tex").content.count(b"\\Tree") == 2
    refused = client.get(f"{here}/figure.tikz-dependency.tex")
    assert refused.status_code == 400
    assert "no arcs on both sides" in refused.content.decode()
    assert client.get(f"{here}/figure.other.tex").status_code == 404


@pytest.mark.django_db
def test_the_command_knows_pairs_files_and_its_own_errors(cast, tmp_path) -> None:
    path = tmp_path / "fig.svg"
    call_command("figure", cast.pair.code, "--across", "--out", str(path))
    assert b"nurse" in path.read_bytes()
    with pytest.raises(CommandError, match="no layer, no pair"):
        call_command("figure", "0" * 16)


@pytest.mark.django_db
def test_a_figure_of_another_project_is_not_found(cast, client) -> None:
    client.force_login(cast.cyd)
    url = f"/p/windows/pair/{cast.pair.code}/figure.svg"
    assert client.get(url).status_code == 404


@pytest.mark.django_db
def test_a_dependency_parse_over_other_tokens_is_left_out(cast) -> None:
    people.parse(cast.pair.source, "(S (NN too) (NN short))", rank=2)
    scene = canvas.load(cast.pair, cast.layer, user=cast.bob)
    assert scene.notes == []
    cast.layer.source_parse = cast.pair.source.parses.get(rank=2)
    cast.layer.save()
    scene = canvas.load(cast.pair, cast.layer, user=cast.bob)
    assert "has other tokens" in scene.notes[0]
    assert scene.trees["s"] is None
    assert "nurse" in scene.svg(canvas.ViewOptions())


def test_a_link_to_a_trace_is_drawn() -> None:
    tree = ptb.parse_one("(S (NP (-NONE- *)) (VP (VB go) (NP (-NONE- *T*))))")
    scene = link_scene(LinkedSide(tree.words, tree), LinkedSide(("va",)))
    marks = marks_of(Alignment((Link("n2", "w0"), Link("w0", "w0"))), tree)
    assert draw(scene, title="go", marks=marks).count('<path class="k ') == 2


def test_more_numbers_than_there_is_room_for_are_the_first_and_a_star() -> None:
    words = [f"(NN house{i})" for i in range(14)]
    tree = ptb.parse_one(f"(S {' '.join(words)})")
    ones = [Link(f"w{i}", f"w{i}") for i in range(11)]
    marks = marks_of(Alignment((*ones, Link("w11", "w11"), Link("w12", "w11"))), tree)
    assert marks.nodes["s:w11"].partners == "12"
    assert marks.nodes["t:w11"].partners == "12*"
    marks = marks_of(Alignment((Link("w0", "w0"), Link("w1", "w0"))), tree)
    assert marks.nodes["t:w0"].partners == "1,2"
