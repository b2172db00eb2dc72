"""A training that goes on from a model folder's weights, with further labels."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper

from core.parsing.store import open_folder
from lab.training.model import Inventory, Parser

Arrays = dict[str, NDArray[Any]]
PRODUCTS = ("MatMul", "Gemm", "MatMulInteger")
BY_LABEL = {"upos": "upos", "xpos": "xpos", "spans": "spans"}  # layer: inventory


def start_from(parser: Parser, folder: Path, *, like: dict[str, str]) -> None:
    """Give ``parser`` the weights of the exported model in ``folder``, in place.

    int8 weights are multiplied out; the frozen word pieces stay the encoder's. Labels
    are met by name, new ones start from nothing; a treebank that the model does not
    know starts from that which ``like`` names for it, else from none in particular.
    Raises Unavailable if the folder is none.
    """
    opened = open_folder(folder)
    old = Inventory(**{k: tuple(v) for k, v in opened.json("labels.json").items()})
    weights = _weights(opened.file("model.onnx"))
    with torch.no_grad():
        for name, target in parser.named_parameters():
            if target.requires_grad and name in weights:
                value = torch.from_numpy(weights[name].copy()).to(target)
                _fill(name, target, value, old, parser.inventory, like)


def _fill(
    name: str,
    target: torch.Tensor,
    value: torch.Tensor,
    old: Inventory,
    new: Inventory,
    like: dict[str, str],
) -> None:
    layer = name.partition(".")[0]
    if layer in BY_LABEL:
        _rows(target, value, getattr(old, layer), getattr(new, layer))
    elif name == "labels.weight":
        width = target.shape[0]
        wide = target.view(width, -1, width).transpose(0, 1)
        _rows(
            wide, value.view(width, -1, width).transpose(0, 1), old.labels, new.labels
        )
    elif name == "encoder.treebank.weight":
        target[0] = value[0]
        for at, treebank in enumerate(new.treebanks, 1):
            source = like.get(treebank, treebank)
            known = source in old.treebanks
            target[at] = value[old.treebanks.index(source) + 1 if known else 0]
    else:
        target.copy_(value)


def _rows(
    target: torch.Tensor,
    value: torch.Tensor,
    old: tuple[str, ...],
    new: tuple[str, ...],
) -> None:
    """Copy the rows that both know; leave the rest of ``target``."""
    for at, label in enumerate(new):
        if label in old:
            target[at] = value[old.index(label)]


def _weights(path: Path) -> Arrays:
    """Return the parameters of an exported graph by their names in torch."""
    graph = onnx.load(path).graph
    stored = {x.name: numpy_helper.to_array(x) for x in graph.initializer}
    weights = {
        name.removeprefix("parser."): _plain(stored, name)
        for raw in stored
        if (name := raw.removesuffix("_quantized")).startswith("parser.")
        and not name.endswith(("_scale", "_zero_point"))
    }
    for node in graph.node:
        held = [name for name in node.input if name in stored]
        if node.op_type in PRODUCTS and held and node.name.startswith("/parser/"):
            module = ".".join(node.name.split("/")[2:-1])
            matrix = _plain(stored, held[0].removesuffix("_quantized"))
            if matrix.ndim == 2 and f"{module}.bias" in weights:
                weights[f"{module}.weight"] = matrix.T
    return weights


def _plain(stored: Arrays, name: str) -> NDArray[Any]:
    """Return an initializer, dequantised if int8 (one scale, or one per column)."""
    if name in stored:
        return stored[name]
    small = stored[f"{name}_quantized"].astype(np.float32)
    zero = stored[f"{name}_zero_point"].astype(np.float32)
    return np.asarray((small - zero) * stored[f"{name}_scale"], dtype=np.float32)
