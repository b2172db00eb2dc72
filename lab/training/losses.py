"""What training minimises: one term per layer of annotation, in nats per word."""

import math

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from core.forests.cky import bracket_marginals
from lab.training.model import ModelScores

IGNORE = -100


def losses(
    scores: ModelScores, batch: dict[str, Tensor], *, smoothing: float
) -> dict[str, Tensor]:
    """The terms by name; each is summed over what is annotated, then divided by all
    words of the batch, so that no treebank weighs more where others lack a layer."""
    n_words = batch["lengths"].sum()
    arcs = scores.arcs.masked_fill(batch["not_heads"][:, :, None], -1e9)
    by_modifier = arcs.transpose(1, 2)[:, 1:]  # (B, N, N + 1)
    heads = batch["heads"]
    gold = heads.clamp(min=0)[:, None]
    chosen = scores.labels[:, :, 1:].gather(
        1, gold[..., None].expand(-1, -1, -1, scores.labels.shape[-1])
    )[:, 0]
    terms = {
        "upos": _cross_entropy(scores.upos, batch["upos"], smoothing),
        "xpos": _cross_entropy(scores.xpos, batch["xpos"], smoothing),
        "arcs": _cross_entropy(by_modifier, heads, 0.0),
        "labels": _cross_entropy(chosen, batch["labels"], smoothing),
        "spans": span_loss(scores.spans, batch),
    }
    return {name: term / n_words for name, term in terms.items()}


def _cross_entropy(logits: Tensor, gold: Tensor, smoothing: float) -> Tensor:
    return functional.cross_entropy(
        logits.reshape(-1, logits.shape[-1]),
        gold.reshape(-1),
        ignore_index=IGNORE,
        reduction="sum",
        label_smoothing=smoothing,
    )


def span_loss(logits: Tensor, batch: dict[str, Tensor]) -> Tensor:
    """Return -log p(tree), summed over the sentences that have a tree.

    ``logits`` (B, P, L), label 0 = none; ``batch["spans"]`` (B, P): the gold label of
    each span, 0 for a rest of the gold derivation, -100 for what is outside it. A
    word without a unary constituent is label 0 but complete. Marginals come from the
    inside-outside kernel; the gradient of log Z is exactly these.
    """
    gold = batch["spans"]
    trees = batch["has_tree"].nonzero()[:, 0]
    if not len(trees):
        return logits.sum() * 0.0
    logits, gold = logits[trees], gold[trees]
    starts, ends = batch["starts"], batch["ends"]
    words = (ends - starts) == 1
    real = torch.where(words, logits.logsumexp(-1), logits[..., 1:].logsumexp(-1))
    rest = logits[..., 0]
    log_z = _LogZ.apply(real, rest, starts, ends, batch["lengths"][trees])
    reached = gold != IGNORE
    score = logits.gather(-1, gold.clamp(min=0)[..., None])[..., 0]
    return log_z - (score * reached).sum()


class _LogZ(torch.autograd.Function):
    """Sum of log Z over a batch; the backward pass hands out the marginals."""

    @staticmethod
    def forward(ctx, real, rest, starts, ends, lengths):  # type: ignore[no-untyped-def]
        i, j = starts.cpu().numpy(), ends.cpu().numpy()
        real_, rest_ = (x.detach().double().cpu().numpy() for x in (real, rest))
        grads = np.zeros((2, *real.shape))
        total = 0.0
        for b, n in enumerate(lengths.tolist()):
            inside = j <= n
            at = i[inside], j[inside]
            square = np.full((2, n + 1, n + 1), -math.inf)
            square[0][at], square[1][at] = real_[b, inside], rest_[b, inside]
            np.fill_diagonal(square[1][:, 1:], -math.inf)  # real counts bare words
            log_z, p_real, p_rest = bracket_marginals(square[0], square[1])
            grads[0, b, inside], grads[1, b, inside] = p_real[at], p_rest[at]
            total += log_z
        ctx.save_for_backward(torch.from_numpy(grads).to(real))
        return real.new_tensor(total)

    @staticmethod
    def backward(ctx, grad):  # type: ignore[no-untyped-def]
        (marginals,) = ctx.saved_tensors
        return grad * marginals[0], grad * marginals[1], None, None, None
