"""What a figure shows is chosen: sentences, links, ink and font; data go along."""

import json
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command

from annotator.models import Parse, Sentence
from annotator.pages.figures.writing import FIGURES
from annotator.svg import theme
from annotator.svg.theme import dressed, grey
from core.data.alignment import Alignment, Link
from tests.cast import SOURCE, Cast

SVG = "{http://www.w3.org/2000/svg}"
LINKS = Alignment(
    (
        Link("n1", "n10"),
        Link("w2", "w3", "possible"),
        Link("n6", "n1", crossing=True),
        Link("w4", "w1", "possible", crossing=True),
    ),
    frozenset({"w0"}),
)
ARCS = "\n".join(
    f"{at}\t{word}\t_\t_\t_\t_\t{head}\t{label}\t_\t_"
    for at, (word, head, label) in enumerate(
        [("The", 2, "det"), ("nurse", 3, "nsubj"), ("opened", 0, "root"),
         ("the", 5, "det"), ("window", 3, "obj"), (".", 3, "punct")], 1)
)  # fmt: skip
PARKED = {"s": "n4", "t": {"span": [0, 1]}, "kind": "sure"}


@pytest.fixture
def here(cast: Cast, client) -> str:
    """The address of the figures of a pair with four links; Bob has signed in."""
    cast.layer.links = LINKS.to_json()
    cast.layer.save()
    client.force_login(cast.bob)
    return f"/p/windows/pair/{cast.pair.code}/figure"


@pytest.fixture
def alone(cast: Cast, client) -> str:
    """That of a sentence with a tree and arcs."""
    sentence = cast.pair.source
    Parse.objects.create(
        sentence=sentence,
        kind="dependency",
        origin="gold",
        text=ARCS,
        digest=Sentence.key_of(ARCS),
    )
    client.force_login(cast.bob)
    return f"/p/windows/sentence/{sentence.code}/figure"


def drawn(client, url: str) -> ElementTree.Element:
    answer = client.get(url)
    assert answer.status_code == 200, answer.content[:300]
    return ElementTree.fromstring(answer.content)


def texts(root: ElementTree.Element) -> list[str]:
    return [each.text for each in root.iter(f"{SVG}text") if each.text]


def lines(root: ElementTree.Element) -> list[ElementTree.Element]:
    return [each for each in root.iter(f"{SVG}path") if "k " in each.get("class", "")]


def data(root: ElementTree.Element) -> dict:
    return json.loads(root.find(f"{SVG}metadata").text)


def test_a_shade_is_as_light_as_its_colour() -> None:
    assert grey("#ffffff") == "#ffffff"
    assert grey("#000000") == "#000000"
    assert grey("#808080") == "#808080"
    assert grey(theme.VERMILLION) > grey(theme.BLUE)  # lighter


def test_a_drawing_that_needs_no_other_ink_stays_as_it_is() -> None:
    assert dressed("<svg/>") == "<svg/>"


@pytest.mark.django_db
def test_greyscale_has_shades_alone_and_tells_links_apart_by_dashes(
    client, here: str, cast: Cast
) -> None:
    cast.layer.parked = [PARKED]
    cast.layer.save()
    root = drawn(client, f"{here}.svg?colour=grey")
    inks = {each.get(ink) for each in root.iter() for ink in ("fill", "stroke")}
    shades = {ink for ink in inks if ink and ink.startswith("#")}
    assert shades
    assert all(len({ink[1:3], ink[3:5], ink[5:7]}) == 1 for ink in shades)
    dashes = {line.get("stroke-dasharray") for line in lines(root)}
    assert len(dashes) == 4
    assert None not in dashes  # as edges are
    edges = {each.get("stroke") for each in root.iter() if each.get("class") == "edges"}
    assert {line.get("stroke") for line in lines(root)} == {grey(theme.INK)}
    assert grey(theme.INK) < min(edges)  # darker
    (parked,) = (g for g in root.iter(f"{SVG}g") if "parked" in g.get("class", ""))
    assert parked.find(f"{SVG}rect").get("stroke-dasharray") == "5 3"
    assert "⚷" in texts(parked)


@pytest.mark.django_db
def test_a_serif_figure_names_the_serif_and_keeps_signs_it_lacks(
    client, here: str
) -> None:
    root = drawn(client, f"{here}.svg?font=serif")
    assert root.get("font-family") == theme.SERIF_FAMILY
    signs = [each for each in root.iter(f"{SVG}text") if "∅" in (each.text or "")]
    assert signs
    assert {sign.get("font-family") for sign in signs} == {theme.FONT_FAMILY}


@pytest.mark.django_db
@pytest.mark.parametrize("side", ["source", "target"])
def test_one_tree_of_a_pair_stands_alone(client, here: str, cast: Cast, side) -> None:
    root = drawn(client, f"{here}.svg?side={side}")
    words = getattr(cast.pair, side).forms
    assert [text for text in texts(root) if text in words[:-1]] == words[:-1]
    assert lines(root) == []
    assert "∅" not in "".join(texts(root))
    kept = data(root)
    assert {"source", "target"} & kept.keys() == {side}
    assert "links" not in kept


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "links"),
    [
        ("links=all", {"n1-n10", "w2-w3", "n6-n1", "w4-w1"}),
        ("links=phrases", {"n1-n10", "n6-n1"}),
        ("links=words", {"w2-w3", "w4-w1"}),
        ("links=none", set()),
        ("nodes=s1-2", {"n1-n10"}),
        ("nodes=s4-5+t2", {"n6-n1", "w4-w1"}),
        ("nodes=t1-2.s3&links=words", {"w2-w3"}),
    ],
)
def test_links_are_chosen_by_kind_and_by_words(client, here, query, links) -> None:
    root = drawn(client, f"{here}.svg?{query}")
    assert len(lines(root)) == len(links)
    assert {f"{s}-{t}" for s, t, *_ in data(root)["links"]} == links
    tex = client.get(f"{here}.forest.tex?{query}").content.decode()
    assert tex.count(r"\textsubscript") == 2 * len(links)


@pytest.mark.django_db
def test_a_node_whose_link_is_not_chosen_is_not_called_undecided(client, here) -> None:
    root = drawn(client, f"{here}.svg?links=words")
    nodes = [each.get("class", "") for each in root.iter(f"{SVG}g")]
    assert nodes.count("n p plain") == 4
    assert "n p linked" not in nodes


@pytest.mark.django_db
def test_without_marks_there_are_trees_and_lines_and_no_signs(client, here) -> None:
    root = drawn(client, f"{here}.svg?marks=no")
    states = {each.get("class", "").split()[-1] for each in root.iter(f"{SVG}g")}
    assert not states & {"undecided", "linked", "null", "null-strip"}
    assert len(lines(root)) == 4
    assert not [text for text in texts(root) if text.isdigit() or "∅" in text]
    with_marks = drawn(client, f"{here}.svg")
    assert float(root.get("height")) < float(with_marks.get("height"))
    tex = client.get(f"{here}.forest.tex?marks=no").content.decode()
    assert "textsubscript" not in tex


@pytest.mark.django_db
def test_a_figure_holds_its_address_and_its_data(
    client, here: str, cast: Cast, settings
) -> None:
    settings.SITE_URL = "https://gemel.example.org"
    kept = data(drawn(client, f"{here}.svg?layer={cast.layer.code}"))
    page = kept["permalink"].removeprefix("https://gemel.example.org")
    assert client.get(page).status_code == 200
    assert page.endswith(f"?layer={cast.layer.code}")
    assert kept["source"]["brackets"] == SOURCE
    assert kept["target"]["words"] == cast.pair.target.forms
    assert Alignment.from_json(kept) == LINKS
    assert (kept["pair"], kept["layer"]) == (cast.pair.code, cast.layer.code)
    assert f"% {kept['permalink']}\n" in client.get(
        f"{here}.qtree.tex?layer={cast.layer.code}"
    ).content.decode()  # fmt: skip


@pytest.mark.django_db
def test_data_of_a_figure_stay_text_whatever_the_words_are(client, cast: Cast) -> None:
    word = "</metadata><script>alert(1)</script>"
    sentence = cast.pair.source
    sentence.tokens = sentence.tokens.replace("nurse", word)
    sentence.save()
    client.force_login(cast.bob)
    root = drawn(client, f"/p/windows/sentence/{sentence.code}/figure.svg")
    assert word in data(root)["source"]["words"]
    assert not list(root.iter(f"{SVG}script"))


@pytest.mark.django_db
def test_a_sentence_without_a_pair_has_every_kind_of_figure(
    client, alone: str, cast: Cast
) -> None:
    kept = data(drawn(client, f"{alone}.svg"))
    assert kept["source"]["brackets"] == SOURCE
    assert kept["source"]["heads"] == [1, 2, -1, 4, 2, 2]
    assert client.get(kept["permalink"]).status_code == 200
    for to, kind in FIGURES.items():
        answer = client.get(f"{alone}.{to}")
        assert (answer.status_code, answer["Content-Type"]) == (200, kind)
    arcs = client.get(f"{alone}.tikz-dependency.tex").content.decode()
    assert r"\depedge{2}{1}{det}" in arcs
    forest = client.get(f"{alone}.forest.tex").content.decode()
    assert r"[NN [nurse]]" in forest


@pytest.mark.django_db
def test_a_pair_with_its_links_is_drawn_by_tikz(client, here: str) -> None:
    text = client.get(f"{here}.tikz.tex?links=words").content.decode()
    n_words = text.count(r"\draw[sure") + text.count(r"\draw[possible")
    assert text.startswith("% \\usepackage{tikz}")
    whole = client.get(f"{here}.tikz.tex").content.decode()
    assert 0 < n_words < whole.count(r"\draw[sure") + whole.count(r"\draw[possible")
    assert whole.rstrip().endswith(r"\end{tikzpicture}")


@pytest.mark.django_db
def test_a_sentence_is_drawn_as_trees_or_as_arcs(client, alone: str) -> None:
    labels = {view: texts(drawn(client, f"{alone}.svg?view={view}"))
              for view in ("constituency", "dependency", "both")}  # fmt: skip
    assert "NP" in labels["constituency"]
    assert "nsubj" not in labels["constituency"]
    assert "NP" not in labels["dependency"]
    assert {"NP", "nsubj"} <= set(labels["both"])


@pytest.mark.django_db
def test_a_sentence_that_has_arcs_alone_is_drawn_as_arcs(client, alone, cast) -> None:
    sentence = cast.pair.source
    deps = sentence.parses.get(kind="dependency")
    assert "NP" not in texts(drawn(client, f"{alone}.svg?tree={deps.code}"))
    assert "nsubj" in texts(drawn(client, f"{alone}.svg?tree={deps.code}"))
    refused = client.get(f"{alone}.qtree.tex?tree={deps.code}")
    assert refused.status_code == 400
    assert "no constituents" in refused.content.decode()
    assert client.get(f"{alone}.svg?tree={'0' * 16}").status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "known"),
    [
        ("colours=grey", "colour"),
        ("colour=red", "colour, grey"),
        ("font=comic", "sans, serif"),
        ("side=left", "both, source, target"),
        ("links=some", "all, phrases, words, none"),
        ("view=%3Cscript%3E", "constituency, dependency, both"),
        ("marks=2", "yes, no"),
        ("across=yes", "0, 1"),
        ("nodes=n5", "s1-2 t6"),
        ("nodes=s2-1", "s1-2 t6"),
        ("nodes=s0", "s1-2 t6"),
        ("nodes=s1-99999", "No node"),
        ("nodes=s2-3", "No node covers just the words s2-3"),
        ("nodes=" + "s1." * 50, "at most 40"),
        ("folded=s%C2%B2", "s5.t12"),
    ],
)
def test_what_is_not_known_is_refused_naming_what_is(
    client, here, query, known
) -> None:
    answer = client.get(f"{here}.svg?{query}")
    assert answer.status_code == 400
    assert known in answer.content.decode()
    page = client.get(f"{here}/?{query}")
    assert page.status_code == 400
    assert known in page.content.decode()


@pytest.mark.django_db
def test_the_page_offers_what_can_be_written_and_shows_it(client, here, alone) -> None:
    page = client.get(f"{here}/?colour=grey&links=words&nodes=").content.decode()
    assert 'figure.pdf?colour=grey&amp;links=words"' in page
    assert "figure.tikz-dependency.tex" not in page  # the target has no arcs
    assert 'figure.svg?show=1&amp;colour=grey&amp;links=words"' in page
    page = client.get(f"{alone}/").content.decode()
    assert "figure.tikz-dependency.tex" in page
    assert 'name="links"' not in page
    shown = client.get(alone.removesuffix("figure")).content.decode()
    assert f'href="{alone}/"' in shown


@pytest.mark.django_db
def test_page_command_and_api_give_the_same_bytes(
    client, here, alone, cast, capsysbinary
) -> None:
    query = "side=both&links=words&colour=grey&font=serif&marks=no&nodes=s3"
    answer = client.get(f"{here}.svg?{query}&layer={cast.layer.code}")
    asked = [f"--{each}" for each in query.split("&")]
    call_command("figure", cast.layer.code, *asked)
    assert capsysbinary.readouterr().out == answer.content
    url = f"/api/pairs/{cast.pair.code}/figure/?{query}&layer={cast.layer.code}"
    assert client.get(url).content == answer.content
    call_command("figure", cast.pair.source.code, "--format", "pdf")
    pdf = client.get(f"{alone}.pdf").content
    api = client.get(f"/api/sentences/{cast.pair.source.code}/figure/?to=pdf")
    assert capsysbinary.readouterr().out == pdf == api.content
    assert api["Content-Type"] == "application/pdf"


@pytest.mark.django_db
def test_the_command_refuses_with_the_words_of_the_page(cast: Cast) -> None:
    with pytest.raises(CommandError, match="s1-2 t6"):
        call_command("figure", cast.layer.code, "--nodes", "words")
    with pytest.raises(CommandError, match="no such tree"):
        call_command("figure", cast.pair.source.code, "--tree", "0" * 16)


@pytest.mark.django_db
def test_a_call_that_is_not_known_is_refused_naming_what_is(client, cast: Cast) -> None:
    client.force_login(cast.bob)
    for kind, code in (("pairs", cast.pair), ("sentences", cast.pair.source)):
        url = f"/api/{kind}/{code.code}/figure/"
        refused = client.get(f"{url}?to=gif").json()["error"]
        assert refused["facts"]["known"][:3] == ["svg", "pdf", "png"]
        refused = client.get(f"{url}?ink=grey").json()["error"]
        assert "colour" in refused["facts"]["known"]
        client.force_login(cast.cyd)
        assert client.get(url).status_code == 404
        client.force_login(cast.bob)


@pytest.mark.django_db
def test_a_sentence_without_a_pair_has_no_options_of_links(client, alone, cast) -> None:
    for name in ("links=all", "side=both", "marks=no", "across=1", "nodes=s1"):
        for url in (f"{alone}.svg", f"{alone}/"):
            answer = client.get(f"{url}?{name}")
            assert answer.status_code == 400
            assert "Known here: colour, fold" in answer.content.decode()
        url = f"/api/sentences/{cast.pair.source.code}/figure/"
        known = client.get(f"{url}?{name}").json()["error"]["facts"]["known"]
        assert known == ["colour", "folded", "font", "to", "tree", "view"]


@pytest.mark.django_db
def test_a_stranger_finds_no_figure_of_a_sentence(client, alone, cast: Cast) -> None:
    client.force_login(cast.cyd)
    for url in (f"{alone}.svg", f"{alone}/"):
        assert client.get(url).status_code == 404
