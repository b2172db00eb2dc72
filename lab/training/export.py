"""A trained parser as ONNX: float32, and int8 with the scorers left in float32."""

import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from lab.training.model import Parser

INPUTS = ("ids", "shapes", "mask", "first", "last", "starts", "ends")
STYLE = "treebank"
OUTPUTS = ("upos", "xpos", "arcs", "labels", "spans", "middle")
OPSET = 17


class _Exported(nn.Module):
    """The parser with one treebank's style built in, or, without, as one more input."""

    def __init__(self, parser: Parser, treebank: str | None) -> None:
        super().__init__()
        self.parser = parser
        names = parser.inventory.treebanks
        self.style = names.index(treebank) + 1 if treebank else 0
        self.is_free = treebank is None

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        batch = dict(zip((*INPUTS, STYLE), inputs, strict=False))
        if not self.is_free:
            batch[STYLE] = torch.full_like(batch["ids"][:, 0], self.style)
        return tuple(self.parser(batch))


def write_float(parser: Parser, treebank: str | None, path: Path) -> None:
    """Write the float32 graph; axes: B sentences, T pieces, N + 2 words, P spans.

    Without a ``treebank`` the graph has an input more, ``treebank`` (B,): 1 + its
    place among the parser's treebanks, 0 for none in particular.
    """
    parser.eval()
    starts, ends = (torch.from_numpy(a) for a in np.triu_indices(4, 1))
    words = torch.tensor([[0, 1, 2, 4, 5]] * 2)
    free = treebank is None
    inputs = (*INPUTS, STYLE) if free else INPUTS
    example = (
        torch.ones(2, 6, dtype=torch.int64),
        torch.ones(2, 6, dtype=torch.int64),
        torch.ones(2, 6),
        words,
        words,
        starts,
        ends,
        *([torch.ones(2, dtype=torch.int64)] if free else []),
    )
    axes = {
        **{name: {0: "B", 1: "T"} for name in INPUTS[:3]},
        **{name: {0: "B", 1: "N+2"} for name in INPUTS[3:5]},
        **{name: {0: "P"} for name in INPUTS[5:]},
        **({STYLE: {0: "B"}} if free else {}),
        **{name: {0: "B", 1: f"{name}_1"} for name in OUTPUTS},
    }
    axes["arcs"][2] = axes["labels"][2] = "N+1"
    with torch.no_grad():
        torch.onnx.export(
            _Exported(parser, treebank),
            example,
            str(path),
            input_names=list(inputs),
            output_names=list(OUTPUTS),
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )


def write_int8(source: Path, path: Path) -> None:
    """Quantise the encoder of ``source`` by channel; heads and scorers stay float32.

    Weights of matrix products and embeddings become int8, activations are quantised
    as they come (dynamically). LAS falls by half a point if the heads are done too.
    """
    graph = onnx.load(source).graph
    heads = [
        node.name
        for node in graph.node
        if node.op_type in ("MatMul", "Gemm") and "/layers." not in node.name
    ]
    quantize_dynamic(
        source,
        path,
        op_types_to_quantize=["MatMul", "Gather"],
        nodes_to_exclude=heads,
        per_channel=True,
        reduce_range=False,
        weight_type=QuantType.QInt8,
        extra_options={"MatMulConstBOnly": True},
    )


def copy_vocabulary(parser: Parser, tokenizer: Path, out: Path) -> None:
    """Write the tokenizer and the label sets next to the weights."""
    shutil.copyfile(tokenizer, out / "tokenizer.json")
    text = json.dumps(parser.inventory.to_json(), indent=1, ensure_ascii=False)
    (out / "labels.json").write_text(text + "\n", encoding="utf-8")
