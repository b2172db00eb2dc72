"""The only module that imports svgwrite: elements and attributes from a closed list.

svgwrite escapes text and attribute values, but it would pass ``onclick=`` and a
``javascript:`` address as they come, and its own checks refuse ``role`` and ``data-*``;
so they are off (``debug=False``) and ours are here. A name that is not on the list is
a bug in our code and raises ValueError; text may come from anyone and is only cleaned
of characters that XML cannot hold.
"""

import re
from typing import Any, Self

from svgwrite.base import BaseElement
from svgwrite.params import Parameter

from annotator.svg import theme
from core.layout.links import FONT
from core.layout.scene import Rect, Scene

ELEMENTS = frozenset(
    [
        "svg",
        "g",
        "rect",
        "circle",
        "line",
        "path",
        "polyline",
        "polygon",
        "text",
        "title",
        "desc",
        "metadata",
    ]
)
ATTRIBUTES = frozenset(
    [
        "id",
        "class",
        "role",
        "tabindex",
        "x",
        "y",
        "x1",
        "y1",
        "x2",
        "y2",
        "cx",
        "cy",
        "r",
        "rx",
        "d",
        "points",
        "width",
        "height",
        "viewBox",
        "transform",
        "fill",
        "fill-opacity",
        "stroke",
        "stroke-width",
        "stroke-dasharray",
        "font-family",
        "font-size",
        "font-weight",
        "font-style",
        "text-anchor",
        "dominant-baseline",
        "version",
        "xmlns",
    ]
)
_OPEN = re.compile(r"(?:aria|data)-[a-z][a-z0-9-]*")
_URL = re.compile(r"url\(#[A-Za-z][\w-]*\)")
_UNSAFE = re.compile(r"url\(|script:|data:|expression\(|@import", re.IGNORECASE)
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PLAIN_TEXT = ("aria-", "data-")  # values no one resolves as an address
_QUIET = Parameter(debug=False, profile="full")


class Element:
    """One element; ``add`` appends a child and returns the child."""

    __slots__ = ("_base",)

    def __init__(self, name: str, text: str = "", **attributes: Any) -> None:
        if name not in ELEMENTS:
            raise ValueError(f"svg element {name!r} is not on the list")
        self._base = _Base(name, clean(text))
        self.set(**attributes)

    def set(self, **attributes: Any) -> Self:
        """Set attributes: ``stroke_width`` is stroke-width, ``class_`` is class.

        None omits an attribute. Raises ValueError on a name that is not on the list,
        and on a value that could load or run something.
        """
        for key, value in attributes.items():
            if value is not None:
                name = key.rstrip("_").replace("_", "-")
                self._base.attribs[name] = _checked(name, value)
        return self

    def add(self, name: str, text: str = "", **attributes: Any) -> "Element":
        child = Element(name, text, **attributes)
        self._base.elements.append(child._base)
        return child

    def group(self, **attributes: Any) -> "Element":
        return self.add("g", **attributes)

    def rect(self, x: float, y: float, w: float, h: float, **more: Any) -> "Element":
        return self.add("rect", x=x, y=y, width=max(w, 0), height=max(h, 0), **more)

    def box(self, rect: Rect, **more: Any) -> "Element":
        return self.rect(rect.x, rect.y, rect.w, rect.h, **more)

    def line(self, x1: float, y1: float, x2: float, y2: float, **a: Any) -> "Element":
        return self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, **a)

    def circle(self, cx: float, cy: float, r: float, **more: Any) -> "Element":
        return self.add("circle", cx=cx, cy=cy, r=r, **more)

    def path(self, d: str, **more: Any) -> "Element":
        return self.add("path", d=d, **more)

    def text(self, x: float, y: float, text: str, **more: Any) -> "Element":
        return self.add("text", text, x=x, y=y, **more)

    def title(self, text: str) -> "Element":
        return self.add("title", text)


class Svg(Element):
    """A drawing of this size in px, with its title (and description) for all readers.

    Charts: ``drawing = Svg(400, 200, title="…", desc="…")``, then ``drawing.rect(…)``
    and so on, at last ``drawing.render()``.
    """

    __slots__ = ()

    def __init__(
        self, width: float, height: float, *, title: str, desc: str = "", **more: Any
    ) -> None:
        more.setdefault("role", "img")
        super().__init__(
            "svg",
            xmlns="http://www.w3.org/2000/svg",
            width=width,
            height=height,
            viewBox=f"0 0 {num(width)} {num(height)}",
            **more,
        )
        self.title(title)
        if desc:
            self.add("desc", desc)

    @classmethod
    def of_scene(cls, scene: Scene, *, title: str, desc: str = "", **more: Any) -> Self:
        """A drawing of the size of ``scene``, in the font it was laid out for."""
        more |= {"font_family": theme.FONT_FAMILY, "font_size": FONT, "fill": theme.INK}
        return cls(scene.width, scene.height, title=title, desc=desc, **more)

    def render(self) -> str:
        """The drawing as text, without an XML declaration: fit for HTML and files."""
        return str(self._base.tostring())


class _Base(BaseElement):
    """An svgwrite element of any name, with text."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(factory=_Factory)
        self.elementname = name
        self.content = text

    def get_xml(self) -> Any:
        xml = super().get_xml()
        if self.content:
            xml.text = self.content
        return xml


class _Factory:
    _parameter = _QUIET


def clean(text: str) -> str:
    """The text with U+FFFD for every character that XML cannot hold."""
    return _NOT_XML.sub("\ufffd", str(text))


def num(value: float) -> str:
    """A number as short as two decimals allow: 3.0 is "3", 0.25 is "0.25"."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _checked(name: str, value: Any) -> str:
    if name not in ATTRIBUTES and not _OPEN.fullmatch(name):
        raise ValueError(f"svg attribute {name!r} is not on the list")
    if isinstance(value, float | int) and not isinstance(value, bool):
        return num(value)
    text = clean(str(value))
    if name == "xmlns" or name.startswith(_PLAIN_TEXT):
        return text
    if _UNSAFE.search(text) and not _URL.fullmatch(text):
        raise ValueError(f"svg attribute {name}={text[:40]!r} could load something")
    return text
