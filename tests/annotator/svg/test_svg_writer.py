"""Nothing that runs or loads gets into a drawing, whatever the data say."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.svg.writer import ATTRIBUTES, ELEMENTS, Element, Svg, clean, num

SPACE = "{http://www.w3.org/2000/svg}"
NASTY = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "]]></text><script/>",
    "&lt;&amp;\x00\x1b\ud800",
    "' onload='alert(1)",
)


def drawing(text: str) -> ElementTree.Element:
    svg = Svg(10, 10, title=text, desc=text)
    node = svg.group(class_="node", data_ref=text, aria_label=text)
    node.text(0, 0, text).title(text)
    return ElementTree.fromstring(svg.render())


@pytest.mark.parametrize("text", NASTY)
def test_payloads_stay_text(text: str) -> None:
    root = drawing(text)
    assert {e.tag.removeprefix(SPACE) for e in root.iter()} <= ELEMENTS
    assert not any(k.startswith("on") for e in root.iter() for k in e.attrib)
    assert root.find(f"{SPACE}title").text == clean(text)


@given(st.text())
def test_any_text_comes_back_as_it_was(text: str) -> None:
    root = drawing("x" + text)
    label = root.find(f"{SPACE}g/{SPACE}text")
    assert label.text == clean("x" + text).replace("\r\n", "\n").replace("\r", "\n")


@given(st.text(min_size=1))
def test_only_names_on_the_list_pass(name: str) -> None:
    key = name.rstrip("_").replace("_", "-")
    if key in ATTRIBUTES or key.startswith(("aria-", "data-")):
        return
    with pytest.raises(ValueError, match="not on the list"):
        Element("g", **{name: "1"})


@pytest.mark.parametrize("name", ["onclick", "onload", "href", "xlink:href", "style"])
def test_handlers_and_addresses_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not on the list"):
        Element("g", **{name: "alert(1)"})


@pytest.mark.parametrize("name", ["script", "a", "image", "use", "foreignObject"])
def test_elements_that_load_or_run_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not on the list"):
        Svg(1, 1, title="x").add(name)


@pytest.mark.parametrize("value", ["url(http://x)", "JavaScript:x", "url(data:x)"])
def test_values_that_load_are_refused(value: str) -> None:
    with pytest.raises(ValueError, match="could load"):
        Element("rect", fill=value)
    Element("rect", fill="url(#hatch)")


def test_numbers_are_short() -> None:
    assert [num(x) for x in (3.0, 0.25, -0.001, 1 / 3)] == ["3", "0.25", "0", "0.33"]
