"""How wide a string is, from a table of glyph advances."""

import unicodedata

__all__ = ["GlyphTable"]

# DejaVu Sans Condensed, U+0020 to U+017F, thousandths of the font size
_TABLE = (
    "286 360 414 754 572 855 702 247 351 351 450 754 286 325 286 303 "
    "572 572 572 572 572 572 572 572 572 572 303 303 754 754 754 478 "
    "900 615 617 628 693 568 518 697 677 265 265 590 501 776 673 708 "
    "542 708 625 571 549 659 615 890 616 549 616 351 303 351 754 450 "
    "450 551 571 495 571 554 316 571 570 250 250 521 250 876 570 550 "
    "571 571 370 469 353 570 532 736 532 532 472 572 303 572 754 0 "
    "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
    "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
    "286 360 572 572 572 572 303 450 450 900 424 550 754 325 900 450 "
    "450 754 360 360 450 572 572 286 450 360 424 550 872 872 872 478 "
    "615 615 615 615 615 615 876 628 568 568 568 568 265 265 265 265 "
    "697 673 708 708 708 708 708 754 708 659 659 659 659 549 544 567 "
    "551 551 551 551 551 551 883 495 554 554 554 554 250 250 250 250 "
    "550 570 550 550 550 550 550 754 550 570 570 570 570 532 571 532 "
    "615 551 615 551 615 551 628 495 628 495 628 495 628 495 693 571 "
    "697 571 568 554 568 554 568 554 568 554 568 554 697 571 697 571 "
    "697 571 697 571 677 570 824 625 265 250 265 250 265 250 265 250 "
    "265 250 531 500 265 250 590 521 521 501 250 501 250 501 337 501 "
    "308 505 255 673 570 673 570 673 570 732 673 570 708 550 708 550 "
    "708 550 962 920 625 370 625 370 625 370 571 469 571 469 571 469 "
    "571 469 549 353 549 353 549 353 659 570 659 570 659 570 659 570 "
    "659 570 659 570 890 736 549 532 549 616 472 616 472 616 472 316 "
)
_ADVANCES = tuple(int(width) for width in _TABLE.split())
_FIRST = 0x20
_OTHER = 640  # Greek 568, Cyrillic 622, arrows 754 on average
_WIDE = 1000


class GlyphTable:
    """A TextMeasure for the condensed sans that drawings are set in.

    ``stretch``: what to allow for a browser that falls back to another font.
    """

    def __init__(self, *, stretch: float = 1.06) -> None:
        self._stretch = stretch

    def width(self, text: str, *, size: float) -> float:
        """Width in px at ``size`` px. Kerning is ignored, marks have no width."""
        return sum(map(_advance, text)) * size / 1000 * self._stretch


def _advance(char: str) -> int:
    place = ord(char) - _FIRST
    if 0 <= place < len(_ADVANCES):
        return _ADVANCES[place]
    if unicodedata.combining(char) or unicodedata.category(char) == "Cf":
        return 0
    return _WIDE if unicodedata.east_asian_width(char) in "WF" else _OTHER
