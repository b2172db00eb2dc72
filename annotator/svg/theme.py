"""Colours, sizes and fonts of every drawing.

Colours are Okabe and Ito's, safe for the colour-blind; text has a contrast of 4.5 or
more on paper, lines of 3 or more. Meaning is never carried by colour alone: each state
has its own outline, each series its own dash and marker.
"""

from pathlib import Path

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
