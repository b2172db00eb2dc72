"""SVG text to the bytes of a file: SVG, PDF or PNG; same drawing, same bytes.

Both renderers use only the fonts that come with Gemel, and the PDF is written without
dates, so a figure is the same from the page and the command line. Letters that the
fonts do not have (such as Chinese) become boxes in PDF and PNG. The renderers are
large, and imported on demand.
"""

import io
import threading

from annotator.svg import theme

FORMATS = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
ZOOM = 2.0  # PNG pixels for one px
_lock = threading.Lock()  # reportlab keeps its fonts in module globals


def convert(svg: str, to: str) -> bytes:
    """The bytes of a figure. ``svg`` is one of ours: titled, of known size.

    ``to``: one of FORMATS; KeyError on anything else.
    """
    return {"svg": _svg, "pdf": _pdf, "png": _png}[to](svg)


def _svg(svg: str) -> bytes:
    return ('<?xml version="1.0" encoding="UTF-8"?>\n' + svg + "\n").encode()


def _png(svg: str) -> bytes:
    import resvg_py

    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            zoom=ZOOM,
            skip_system_fonts=True,
            font_files=[str(path) for _, _, path in theme.FACES],
        )
    )


def _pdf(svg: str) -> bytes:
    from reportlab.graphics import renderPDF
    from reportlab.pdfgen.canvas import Canvas
    from svglib.svglib import svg2rlg

    with _lock:
        _register_fonts()
        drawing = svg2rlg(io.BytesIO(svg.encode()))
        out = io.BytesIO()
        page = (drawing.width, drawing.height)
        canvas = Canvas(out, pagesize=page, invariant=1, pageCompression=1)
        renderPDF.draw(drawing, canvas, 0, 0)
        canvas.showPage()
        canvas.save()
    return out.getvalue()


def _register_fonts() -> None:
    """Anew for each file: an embedded subset is numbered by what came before it."""
    from svglib import fonts

    for name, weight, path in theme.FACES:
        fonts.register_font(name, str(path), weight=weight)
