"""A drawing in shades of grey, or in a serif: the same lines, other ink.

What colours tell apart, dashes, outlines and signs tell apart, too, so that nothing is
lost; a shade is as light as the colour was, so that contrasts stay. Links alone are as
dark as text, since the shade of their blue is that of edges.
"""

from xml.etree import ElementTree

from annotator.svg import theme

_SPACE = "http://www.w3.org/2000/svg"
_INKS = ("fill", "stroke")
_NOT_IN_SERIF = frozenset("∅⚷")


def dressed(svg: str, *, in_grey: bool = False, serif: bool = False) -> str:
    """SVG text of ours with this look. As it is, if neither is wanted."""
    if not in_grey and not serif:
        return svg
    root = ElementTree.fromstring(svg)  # noqa: S314 - written by svg.writer
    if in_grey:
        for link in root.iterfind(".//*[@id='links']/*"):
            link.set("stroke", theme.INK)
    for element in root.iter():
        if in_grey:
            _fade(element)
        if serif:
            _set(element)
    ElementTree.register_namespace("", _SPACE)
    return ElementTree.tostring(root, encoding="unicode")


def grey(colour: str) -> str:
    """The shade that is as light as ``#rrggbb`` (relative luminance, WCAG 2.2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    light = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    y = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]
    shade = 12.92 * y if y <= 0.0031308 else 1.055 * y ** (1 / 2.4) - 0.055
    return "#" + f"{round(255 * shade):02x}" * 3


def _fade(element: ElementTree.Element) -> None:
    for ink in _INKS:
        colour = element.get(ink, "")
        if colour.startswith("#"):
            element.set(ink, grey(colour))


def _set(element: ElementTree.Element) -> None:
    """Signs that the serif lacks stay in the sans."""
    if element.get("font-family"):
        element.set("font-family", theme.SERIF_FAMILY)
    elif _NOT_IN_SERIF & set(element.text or "") and element.tag.endswith("}text"):
        element.set("font-family", theme.FONT_FAMILY)
