"""Figures of pairs and sentences: the files that their pages give."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from annotator.api.layers import get_pair
from annotator.api.rows import sentence_of
from annotator.exchange import download
from annotator.forms.figures import choice, options_of
from annotator.pages import editor
from annotator.pages.figures import material, writing
from annotator.pages.figures.material import CHOICES, OF_PAIRS, FigureOptions, Material

SPANS = "only the links of these nodes, by words counted from 1: s1-2 t6"
_CHOSEN = {
    name: OpenApiParameter(
        name, str, enum=[*values], description=f"{values[0]} if not said"
    )
    for name, values in CHOICES.items()
}
_COMMON = [
    OpenApiParameter("to", str, enum=[*writing.FIGURES], description="svg if not said"),
    OpenApiParameter("folded", str, description="phrases that are folded: s5.t12"),
    *(one for name, one in _CHOSEN.items() if name not in OF_PAIRS),
]
_OF_PAIRS = [
    *(one for name, one in _CHOSEN.items() if name in OF_PAIRS),
    OpenApiParameter("layer", str, description="its code; else yours, else gold"),
    OpenApiParameter("across", str, enum=["0", "1"], description="left and right"),
    OpenApiParameter("nodes", str, description=SPANS),
]
_OF_SENTENCES = [OpenApiParameter("tree", str, description="the code of a parse")]
_FILES: Any = {(200, one): OpenApiTypes.BINARY for one in writing.FIGURES.values()}


class PairFigure(APIView):
    """A pair drawn, or for LaTeX: the bytes that its page and the command give."""

    @extend_schema(parameters=[*_COMMON, *_OF_PAIRS], responses=_FILES)
    def get(self, request: Request, code: str) -> HttpResponse:
        query = request.query_params.dict()
        options = options_of(query, {"to", "layer"})
        project = get_pair(request, code).corpus.project
        layer = query.get("layer", "")
        drawn = editor.load(project, code, layer=layer, by=request.user)
        shown = material.of_pair(drawn, options.side)
        return _file(shown, options, query)


class SentenceFigure(APIView):
    """A sentence drawn, or for LaTeX: its best trees that you may see, or one."""

    @extend_schema(parameters=[*_COMMON, *_OF_SENTENCES], responses=_FILES)
    def get(self, request: Request, code: str) -> HttpResponse:
        query = request.query_params.dict()
        options = options_of(query, {"to", "tree"}, of_pair=False)
        sentence = sentence_of(request, code)
        tree = query.get("tree", "")
        shown = material.of_sentence(sentence, tree=tree, by=request.user)
        return _file(shown, options, query)


def _file(
    shown: Material, options: FigureOptions, query: dict[str, str]
) -> HttpResponse:
    to = choice("to", query.get("to", ""), writing.FIGURES) or "svg"
    body = writing.written(shown, options, to)
    kind = writing.FIGURES[to]
    return download.figure(body, f"{shown.name}.{to}", kind, "attachment")
