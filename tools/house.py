"""``python -m tools.house``: the house as a drawing, off its imports.

An arrow goes from a folder to one that it imports. What follows from two other arrows
is left out (the transitive reduction), so that the drawing can be read.
"""

from dataclasses import dataclass
from graphlib import TopologicalSorter
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from tools.floors import (
    ANNOTATOR_FLOORS,
    CORE_FLOORS,
    ROOT,
    folder_of,
    imports,
    modules,
)

PATH = ROOT / "docs" / "img" / "house.svg"
WIDTH, ROW, BOX, GAP, LEFT, TOP = 1160, 64, 26, 10, 70, 34
CHARACTER = 6.6  # px of a letter, about
STYLE = """
svg { background: #ffffff; font: 12px sans-serif; }
text { fill: #1b1b1b; text-anchor: middle; } .floor, .title { text-anchor: start; }
.floor { fill: #5a5a5a; font-size: 11px; }
.title { font-weight: bold; font-size: 14px; }
.row { fill: #f3f4f6; } .box { fill: #ffffff; stroke: #1f4e79; }
.arrow { fill: none; stroke: #1f4e79; stroke-opacity: .45; } .head { fill: #1f4e79; }
@media (prefers-color-scheme: dark) {
svg { background: #16181c; } text { fill: #eceff4; } .floor { fill: #b4bac4; }
.row { fill: #20242b; } .box { fill: #16181c; stroke: #8fc1f0; }
.arrow { stroke: #8fc1f0; } .head { fill: #8fc1f0; } }
"""
Arrows = dict[str, set[str]]


@dataclass(frozen=True, slots=True)
class FolderBox:
    """Where a folder is drawn: the middle of its top edge, and how wide it is."""

    x: float
    y: float
    width: float


def arrows(top: str, floors: list[set[str]]) -> Arrows:
    """Return what each folder of ``top`` imports from neighbours and from below."""
    known = set().union(*floors)
    imported: Arrows = {name: set() for name in known}
    for path in modules(top):
        here = path.relative_to(ROOT / top).parts[0].removesuffix(".py")
        if here in known:
            imported[here] |= {
                folder_of(one) for one in imports(path) if one.startswith(f"{top}.")
            }
    return {
        name: {other for other in to if other in known and other != name}
        for name, to in imported.items()
    }


def reduced(full: Arrows) -> Arrows:
    """Remove arrows that a longer path implies; raise CycleError on a cycle."""
    below: Arrows = {}
    for name in TopologicalSorter(full).static_order():
        below[name] = full[name].union(*(below[other] for other in full[name]))
    return {
        name: to - set().union(*(below[other] for other in to))
        for name, to in full.items()
    }


def placed(floors: list[set[str]], top: float) -> dict[str, FolderBox]:
    """Return the boxes, floor 0 at the bottom, each floor spread over the width."""
    boxes = {}
    for n, names in enumerate(floors):
        y = top + (len(floors) - 1 - n) * ROW + (ROW - BOX) / 2
        widths = {name: len(name) * CHARACTER + 14 for name in sorted(names)}
        free = WIDTH - LEFT - sum(widths.values())
        space = max(free / (len(names) + 1), GAP)
        x = LEFT + space
        for name, width in widths.items():
            boxes[name] = FolderBox(round(x + width / 2, 1), y, round(width, 1))
            x += width + space
    return boxes


def _floors(parent: Element, title: str, floors: list[set[str]], top: float) -> None:
    SubElement(
        parent, "text", {"class": "title", "x": "8", "y": f"{top - 10}"}
    ).text = title
    for n in range(len(floors)):
        y = top + (len(floors) - 1 - n) * ROW
        row = {"x": "0", "y": f"{y + 2}", "width": f"{WIDTH}", "height": f"{ROW - 4}"}
        SubElement(parent, "rect", {"class": "row", **row})
        place = {"class": "floor", "x": "8", "y": f"{y + ROW / 2 + 4}"}
        SubElement(parent, "text", place).text = f"floor {n}"


def _arrow(parent: Element, name: str, other: str, boxes: dict[str, FolderBox]) -> None:
    a, b = boxes[name], boxes[other]
    if a.y == b.y:  # neighbours: a bow below both
        start, end = a.y + BOX, b.y + BOX + 3
        bow = f"M{a.x} {start}C{a.x} {start + 16} {b.x} {end + 13} {b.x} {end}"
    else:
        start, end = a.y + BOX, b.y - 3
        half = (end - start) / 2
        bow = f"M{a.x} {start}C{a.x} {start + half} {b.x} {end - half} {b.x} {end}"
    curve = {"class": "arrow", "d": bow, "marker-end": "url(#head)"}
    SubElement(
        SubElement(parent, "path", curve), "title"
    ).text = f"{name} imports {other}"


def _house(parent: Element, title: str, floors: list[set[str]], top: float) -> str:
    """Draw one package; return a description of its arrows."""
    package = title.split("/")[0]
    shown, boxes = reduced(arrows(package, floors)), placed(floors, top)
    _floors(parent, title, floors, top)
    for name in sorted(shown):
        for other in sorted(shown[name]):
            _arrow(parent, name, other, boxes)
    for name, box in sorted(boxes.items()):
        frame = {"x": f"{box.x - box.width / 2:.1f}", "y": f"{box.y}", "rx": "4"}
        size = {"width": f"{box.width}", "height": f"{BOX}"}
        SubElement(parent, "rect", {"class": "box", **frame, **size})
        place = {"x": f"{box.x}", "y": f"{box.y + BOX / 2 + 4}"}
        SubElement(parent, "text", place).text = name
    said = (
        f"{name}: {', '.join(sorted(to))}" for name, to in sorted(shown.items()) if to
    )
    return f"{package}: " + "; ".join(said) + "."


def drawing() -> str:
    """Return the SVG, always the same for the same imports."""
    middle = TOP + len(ANNOTATOR_FLOORS) * ROW + 40
    height = middle + len(CORE_FLOORS) * ROW + 10
    svg = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {WIDTH} {height}",
            "role": "img",
            "aria-labelledby": "title desc",
        },
    )
    SubElement(
        svg, "title", {"id": "title"}
    ).text = "The floors of Gemel, off its imports"
    words = SubElement(svg, "desc", {"id": "desc"})
    SubElement(svg, "style").text = STYLE
    marker = {"id": "head", "markerWidth": "7", "markerHeight": "7", "refX": "5"}
    head = SubElement(
        SubElement(svg, "defs"), "marker", {**marker, "refY": "3.5", "orient": "auto"}
    )
    SubElement(head, "path", {"class": "head", "d": "M0 0L7 3.5L0 7z"})
    web = _house(
        svg, "annotator/ (imports core/ from any floor)", ANNOTATOR_FLOORS, TOP
    )
    engine = _house(svg, "core/ (knows nothing of the web)", CORE_FLOORS, middle)
    words.text = f"Who imports whom, longer ways left out. {web} {engine}"
    indent(svg)
    return tostring(svg, encoding="unicode") + "\n"


if __name__ == "__main__":
    PATH.write_text(drawing(), encoding="utf-8")
