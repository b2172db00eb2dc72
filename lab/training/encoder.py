"""A BERT encoder in torch, read from a safetensors file; letter case added to it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from core.errors import Unavailable
from core.text.subwords import SHAPES


@dataclass(frozen=True, slots=True)
class EncoderShape:
    """The sizes of an encoder; the defaults are MiniLM-L6's."""

    vocabulary: int = 30522
    width: int = 384
    inner: int = 1536
    layers: int = 6
    heads: int = 12
    positions: int = 512

    @classmethod
    def read(cls, path: Path) -> "EncoderShape":
        """Read the sizes in a Hugging Face config.json; raises Unavailable."""
        if not path.is_file():
            raise Unavailable(f"{path}: the encoder's config.json is missing")
        config = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            config["vocab_size"],
            config["hidden_size"],
            config["intermediate_size"],
            config["num_hidden_layers"],
            config["num_attention_heads"],
            config["max_position_embeddings"],
        )


class _Layer(nn.Module):
    """Post-norm transformer layer (Devlin et al. 2019)."""

    def __init__(self, shape: EncoderShape, dropout: float) -> None:
        super().__init__()
        self.heads = shape.heads
        self.qkv = nn.Linear(shape.width, 3 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)
        self.inner = nn.Linear(shape.width, shape.inner)
        self.outer = nn.Linear(shape.inner, shape.width)
        self.norm_1 = nn.LayerNorm(shape.width, eps=1e-12)
        self.norm_2 = nn.LayerNorm(shape.width, eps=1e-12)
        self.dropout = dropout

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """``x`` (B, T, d); ``mask`` (B, 1, 1, T), 0 to attend and -inf not to."""
        size, length, width = x.shape
        qkv = self.qkv(x).view(size, length, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-1, -2) * (width // self.heads) ** -0.5
        mixed = (scores + mask.to(q.dtype)).softmax(-1).to(v.dtype) @ v
        mixed = self.out(mixed.transpose(1, 2).reshape(size, length, width))
        x = self.norm_1(x + self._drop(mixed))
        return self.norm_2(x + self._drop(self.outer(functional.gelu(self.inner(x)))))

    def _drop(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.dropout, self.training)


class Encoder(nn.Module):
    """Word-piece vectors; letter case and treebank are learned offsets from zero."""

    def __init__(
        self, shape: EncoderShape, *, treebanks: int, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.shape = shape
        self.pieces = nn.Embedding(shape.vocabulary, shape.width)
        self.places = nn.Embedding(shape.positions, shape.width)
        self.case = nn.Embedding(len(SHAPES), shape.width)
        self.treebank = nn.Embedding(
            treebanks + 1, shape.width
        )  # 0: none in particular
        nn.init.normal_(self.pieces.weight, std=0.02)
        nn.init.normal_(self.places.weight, std=0.02)
        nn.init.zeros_(self.case.weight)
        nn.init.zeros_(self.treebank.weight)
        self.norm = nn.LayerNorm(shape.width, eps=1e-12)
        self.layers = nn.ModuleList(_Layer(shape, dropout) for _ in range(shape.layers))
        self.dropout = dropout

    def forward(
        self, ids: Tensor, shapes: Tensor, mask: Tensor, treebank: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the last and the middle layer, (B, T, d); ``mask`` (B, T) is 1 / 0."""
        places = self.places.weight[: ids.shape[1]]
        x = self.pieces(ids) + places + self.case(shapes)
        x = self.norm(x + self.treebank(treebank)[:, None])
        x = functional.dropout(x, self.dropout, self.training)
        closed = (1.0 - mask)[:, None, None] * -1e4
        middle = x
        for number, layer in enumerate(self.layers, 1):
            x = layer(x, closed)
            if number == len(self.layers) // 2:
                middle = x
        return x, middle

    def read(self, path: Path) -> None:
        """Load the weights of a Hugging Face BERT; raise Unavailable without them."""
        if not path.is_file():
            raise Unavailable(f"{path}: no encoder weights (model.safetensors) there")
        with torch.no_grad():
            raw = {k.removeprefix("bert."): v for k, v in load_file(path).items()}
            for name, value in _renamed(raw, self.shape.layers).items():
                self.get_parameter(name).copy_(value)


def _renamed(raw: dict[str, Tensor], n_layers: int) -> dict[str, Any]:
    """Return the tensors of a Hugging Face BERT under our names."""
    types = raw["embeddings.token_type_embeddings.weight"]
    new = {
        "pieces.weight": raw["embeddings.word_embeddings.weight"],
        "places.weight": raw["embeddings.position_embeddings.weight"] + types[0],
        "norm.weight": raw["embeddings.LayerNorm.weight"],
        "norm.bias": raw["embeddings.LayerNorm.bias"],
    }
    for i in range(n_layers):
        for kind in ("weight", "bias"):
            old = f"encoder.layer.{i}."
            parts = [raw[f"{old}attention.self.{x}.{kind}"] for x in _QKV]
            new[f"layers.{i}.qkv.{kind}"] = torch.cat(parts)
            for ours, theirs in _LAYER.items():
                new[f"layers.{i}.{ours}.{kind}"] = raw[f"{old}{theirs}.{kind}"]
    return new


_QKV = ("query", "key", "value")
_LAYER = {
    "out": "attention.output.dense",
    "norm_1": "attention.output.LayerNorm",
    "inner": "intermediate.dense",
    "outer": "output.dense",
    "norm_2": "output.LayerNorm",
}
