"""Colours, sizes and fonts of every drawing.

Colours are Okabe and Ito's, safe for the colour-blind; text has a contrast of 4.5 or
more on paper, lines of 3 or more. Meaning is never carried by colour alone: each state
has its own outline, each series its own dash and marker.
"""

from pathlib import Path
from xml.etree import ElementTree

# Okabe & Ito 2008
BLACK, ORANGE, SKY, GREEN = "#000000", "#e69f00", "#56b4e9", "#009e73"
YELLOW, BLUE, VERMILLION, PURPLE = "#f0e442", "#0072b2", "#d55e00", "#cc79a7"
SERIES = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)
DASHES = ("", "6 3", "2 2", "8 3 2 3", "1 3", "10 4")  # one for each series

PAPER, INK, MUTED = "#ffffff", "#1a1d21", "#555d68"
LINE, GRID = "#7a8491", "#e1e5ea"  # tree edges (3.9 : 1); lines behind charts
HATCH = "#c3cad2"  # beneath the text of a node without a counterpart
BAND = "#f4f6f8"  # the strip between two trees
SOURCE, TARGET = "#005a8f", "#a34700"  # text on paper: 7.2 : 1 and 6.4 : 1
TINT = "#e6f1f8"  # a linked node

FONT = 13.0  # px
FONT_NAME = "DejaVu Sans Condensed"
# Some readers know the condensed face as a width of "DejaVu Sans".
FONT_FAMILY = f"{FONT_NAME}, DejaVu Sans, Arial, Helvetica, sans-serif"
_FONTS = Path(__file__).parent / "fonts"
FONT_FILE = _FONTS / "DejaVuSansCondensed.ttf"
BOLD_FILE = _FONTS / "DejaVuSansCondensed-Bold.ttf"
SERIF_NAME = "DejaVu Serif Condensed"
SERIF_FAMILY = f"{SERIF_NAME}, DejaVu Serif, Times New Roman, Times, serif"
SERIF_FILE = _FONTS / "DejaVuSerifCondensed.ttf"
SERIF_BOLD_FILE = _FONTS / "DejaVuSerifCondensed-Bold.ttf"
FACES = (  # of all figures: the name, the weight, the file
    (FONT_NAME, "normal", FONT_FILE),
    (FONT_NAME, "bold", BOLD_FILE),
    (SERIF_NAME, "normal", SERIF_FILE),
    (SERIF_NAME, "bold", SERIF_BOLD_FILE),
)


def shade(share: float) -> tuple[str, str]:
    """Fill and text colour for a cell of a one-hue scale; ``share`` from 0 to 1."""
    part = min(max(share, 0.0), 1.0)
    low, high = (0xF7, 0xFA, 0xFC), (0x00, 0x45, 0x70)
    rgb = [round(a + (b - a) * part) for a, b in zip(low, high, strict=True)]
    return "#{:02x}{:02x}{:02x}".format(*rgb), PAPER if part > 0.5 else INK


_SPACE = "http://www.w3.org/2000/svg"
_INKS = ("fill", "stroke")
_NOT_IN_SERIF = frozenset("∅⚷")


def dressed(svg: str, *, in_grey: bool = False, serif: bool = False) -> str:
    """SVG text in this style; unchanged by default."""
    if not in_grey and not serif:
        return svg
    root = ElementTree.fromstring(svg)  # noqa: S314 - written by svg.writer
    if in_grey:
        for link in root.iterfind(".//*[@id='links']/*"):
            link.set("stroke", INK)
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
    """Signs missing in the serif font stay in the sans font."""
    if element.get("font-family"):
        element.set("font-family", SERIF_FAMILY)
    elif _NOT_IN_SERIF & set(element.text or "") and element.tag.endswith("}text"):
        element.set("font-family", FONT_FAMILY)
