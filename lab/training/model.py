"""The multi-task parser: tags, arcs, labels and labelled spans over one encoder."""

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.training.encoder import Encoder, EncoderShape


@dataclass(frozen=True, slots=True)
class Inventory:
    """What the parser can say. ``spans[0]`` is "", no constituent at all."""

    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    labels: tuple[str, ...]
    spans: tuple[str, ...]
    treebanks: tuple[str, ...]

    def to_json(self) -> dict[str, list[str]]:
        return {name: list(values) for name, values in asdict(self).items()}


class ModelScores(NamedTuple):
    """Raw scores of a batch of B sentences padded to N words, P spans i < j.

    ``arcs[b, h, m]``, ``labels[b, h, m]`` with 0 = root, both N + 1 wide;
    ``spans[b, p]`` over labels; ``middle`` = mean piece vectors of the middle layer.
    """

    upos: Tensor
    xpos: Tensor
    arcs: Tensor
    labels: Tensor
    spans: Tensor
    middle: Tensor


class _Mlp(nn.Module):
    def __init__(self, wide: int, narrow: int, dropout: float) -> None:
        super().__init__()
        self.linear = nn.Linear(wide, narrow)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(functional.gelu(self.linear(x)))


class _Biaffine(nn.Module):
    """score(h, m) = [h 1] W_l [m 1] for every label l (Dozat & Manning 2017)."""

    def __init__(self, width: int, n_out: int) -> None:
        super().__init__()
        self.n_out = n_out
        self.weight = nn.Parameter(torch.zeros(width + 1, n_out * (width + 1)))

    def forward(self, head: Tensor, modifier: Tensor) -> Tensor:
        """(B, h, d), (B, m, d) -> (B, n_out, h, m)."""
        size, n, width = head.shape
        with exact(head):
            left = functional.pad(head.float(), (0, 1), value=1.0) @ self.weight
            left = left.view(size, n, self.n_out, width + 1).transpose(1, 2)
            right = functional.pad(modifier.float(), (0, 1), value=1.0)
            return left @ right.transpose(1, 2)[:, None]


class Parser(nn.Module):
    """Encoder and heads; forward scores everything, losses live in losses.py."""

    def __init__(
        self,
        shape: EncoderShape,
        inventory: Inventory,
        *,
        dropout: float = 0.1,
        head_dropout: float = 0.25,
    ) -> None:
        super().__init__()
        self.inventory = inventory
        self.encoder = Encoder(
            shape, treebanks=len(inventory.treebanks), dropout=dropout
        )
        wide, drop = 2 * shape.width, head_dropout
        self.tag = _Mlp(wide, 256, drop)
        self.upos = nn.Linear(256, max(1, len(inventory.upos)))
        self.xpos = nn.Linear(256, max(1, len(inventory.xpos)))
        self.arc_head, self.arc_modifier = _Mlp(wide, 384, drop), _Mlp(wide, 384, drop)
        self.arcs = _Biaffine(384, 1)
        self.label_head = _Mlp(wide, 128, drop)
        self.label_modifier = _Mlp(wide, 128, drop)
        self.labels = _Biaffine(128, max(1, len(inventory.labels)))
        self.span_left, self.span_right = nn.Linear(wide, 256), nn.Linear(wide, 256)
        self.span_norm = nn.LayerNorm(256)
        self.span_dropout = nn.Dropout(drop)
        self.spans = nn.Linear(256, len(inventory.spans))

    def forward(self, batch: dict[str, Tensor]) -> ModelScores:
        """Score a batch: ids, shapes, mask (B, T); first, last (B, N + 2), whose outer
        columns are [CLS] and [SEP]; treebank (B,); starts, ends (P,)."""
        last, middle = self.encoder(
            batch["ids"], batch["shapes"], batch["mask"], batch["treebank"]
        )
        first_at, last_at = batch["first"], batch["last"]
        first, final = _pick(last, first_at), _pick(last, last_at)
        words = torch.cat([first, final], -1)[:, :-1]  # root, then the words
        tags = self.tag(words[:, 1:])
        arcs = self.arcs(self.arc_head(words), self.arc_modifier(words))
        labels = self.labels(self.label_head(words), self.label_modifier(words))
        return ModelScores(
            self.upos(tags).float(),
            self.xpos(tags).float(),
            arcs[:, 0],
            labels.permute(0, 2, 3, 1),
            self._spans(first, final, batch["starts"], batch["ends"]),
            _pooled(middle, first_at[:, 1:-1], last_at[:, 1:-1]),
        )

    def _spans(
        self, first: Tensor, final: Tensor, starts: Tensor, ends: Tensor
    ) -> Tensor:
        fences = torch.cat([final[:, :-1], first[:, 1:]], -1)  # (B, N + 1, 2 d)
        left = self.span_dropout(self.span_left(fences)).float()
        right = self.span_dropout(self.span_right(fences)).float()
        hidden = left.index_select(1, starts) + right.index_select(1, ends)
        with exact(hidden):
            return self.spans(functional.relu(self.span_norm(hidden)))

    def groups(
        self, *, encoder: float, heads: float, decay: float
    ) -> list[dict[str, Any]]:
        """Return parameter groups; learning rates fall by 0.9 per layer downwards."""
        groups: list[dict[str, Any]] = []
        for name, parameter in self.named_parameters():
            if parameter.requires_grad:
                rate = heads if self._is_new(name) else encoder * self._share(name)
                matrix = parameter.ndim > 1
                groups.append(
                    {
                        "params": [parameter],
                        "lr": rate,
                        "peak": rate,
                        "weight_decay": decay if matrix else 0.0,
                    }
                )
        return groups

    def _is_new(self, name: str) -> bool:
        new = ("encoder.case.", "encoder.treebank.")
        return name.startswith(new) or not name.startswith("encoder.")

    def _share(self, name: str) -> float:
        depth = int(name.split(".")[2]) + 1 if ".layers." in name else 0
        return float(0.9 ** (self.encoder.shape.layers - depth))


def exact(like: Tensor) -> Any:
    """Keep float32 within a context, because scores are summed."""
    return torch.autocast(like.device.type, enabled=False)


def _pick(x: Tensor, at: Tensor) -> Tensor:
    return x.gather(1, at[:, :, None].expand(-1, -1, x.shape[2]))


def _pooled(x: Tensor, first: Tensor, last: Tensor) -> Tensor:
    """Return the mean of the pieces of every word, (B, N, d)."""
    place = torch.arange(x.shape[1], device=x.device)
    inside = (place >= first[:, :, None]) & (place <= last[:, :, None])
    weight = inside.to(x.dtype)
    return (weight @ x) / weight.sum(-1, keepdim=True).clamp(min=1)
