"""Charts over spans of a sentence, for trees of any branching, coded to the right.

A phrase with parts a b c is coded (a (b c)): the inner bracket is a *rest*, without a
label. A rest is a right part only, or the whole sentence; so every tree has one code,
and sums count trees instead of binarisations. Where (+) is max or log-sum:

    body[i, j]     = (+) over k of  complete[i, k] + either[k, j];  0 for one token
    complete[i, j] = body + phrase, a word's also body + null: it may stand bare
    either[i, j]   = complete (+) body + null;  the same as complete for one token

``either`` is kept transposed (``either_t[j, i]``), so that inner loops run along rows.
Where i >= j nothing is read, and only what is said below is written.
"""

import numpy as np

from core.compiled import njit
from core.data.check import Floats, Ints


@njit(cache=True)
def best_labels(scores: Floats, null: Floats, phrase: Floats, label: Ints) -> None:
    """Per span, the score without a label (index 0) and the best one with (from 1)."""
    n_posts, _, n_labels = scores.shape
    for i in range(n_posts):
        for j in range(i + 1, n_posts):
            null[i, j] = scores[i, j, 0]
            best = -np.inf
            arg = 1
            for x in range(1, n_labels):
                if scores[i, j, x] > best:
                    best = scores[i, j, x]
                    arg = x
            phrase[i, j] = best
            label[i, j] = arg


@njit(cache=True)
def sum_labels(scores: Floats, null: Floats, phrase: Floats) -> None:
    """As ``best_labels``, log-summed over labels from 1."""
    n_posts, _, n_labels = scores.shape
    for i in range(n_posts):
        for j in range(i + 1, n_posts):
            null[i, j] = scores[i, j, 0]
            best = -np.inf
            for x in range(1, n_labels):
                best = max(best, scores[i, j, x])
            phrase[i, j] = best
            if best > -np.inf:
                total = 0.0
                for x in range(1, n_labels):
                    total += np.exp(scores[i, j, x] - best)
                phrase[i, j] = best + np.log(total)


@njit(cache=True)
def inside_max(
    null: Floats,
    phrase: Floats,
    bonus: Floats,
    complete: Floats,
    either_t: Floats,
    split: Ints,
) -> float:
    """The best tree's score; ``bonus`` is added to every phrase.

    ``split[i, j]`` becomes the best k, ``split[j, i]`` 1 if [i, j) is a phrase where it
    may choose (a right part, a word), else 0. Ties: lowest k, phrase before none.
    """
    n = null.shape[0] - 1
    for width in range(1, n + 1):
        for i in range(n + 1 - width):
            j = i + width
            body = 0.0 if width == 1 else -np.inf
            arg = i + 1
            for k in range(i + 1, j):
                value = complete[i, k] + either_t[j, k]
                if value > body:
                    body = value
                    arg = k
            with_label = phrase[i, j] + bonus[i, j]
            split[i, j] = arg
            split[j, i] = 1 if with_label >= null[i, j] else 0
            either_t[j, i] = body + max(with_label, null[i, j])
            complete[i, j] = either_t[j, i] if width == 1 else body + with_label
    return either_t[n, 0]


@njit(cache=True)
def read_off(split: Ints, label: Ints, stack: Ints, brackets: Ints) -> int:
    """Write the best tree's phrases ``(start, end, label)`` in preorder; how many.

    ``stack``: ``(n + 2, 3)``; its third column says that the bracket is a left part.
    ``brackets``: ``(2 n, 3)``.
    """
    n = split.shape[0] - 1
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, 0
    depth = 1
    count = 0
    while depth:
        depth -= 1
        i, j, is_left = stack[depth, 0], stack[depth, 1], stack[depth, 2]
        if split[j, i] or (is_left and j - i > 1):
            brackets[count, 0], brackets[count, 1] = i, j
            brackets[count, 2] = label[i, j]
            count += 1
        if j - i > 1:
            k = split[i, j]
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = k, j, 0
            stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = i, k, 1
            depth += 2
    return count


@njit(cache=True)
def inside_log(
    null: Floats, phrase: Floats, complete: Floats, either_t: Floats
) -> Floats:
    """``body`` of every span, log-summed; fills ``complete`` and ``either_t``."""
    n = null.shape[0] - 1
    body = np.full((n + 1, n + 1), -np.inf)
    for width in range(1, n + 1):
        for i in range(n + 1 - width):
            j = i + width
            best = 0.0 if width == 1 else -np.inf
            for k in range(i + 1, j):
                best = max(best, complete[i, k] + either_t[j, k])
            if width > 1 and best > -np.inf:
                total = 0.0
                for k in range(i + 1, j):
                    total += np.exp(complete[i, k] + either_t[j, k] - best)
                best += np.log(total)
            body[i, j] = best
            either_t[j, i] = best + np.logaddexp(null[i, j], phrase[i, j])
            complete[i, j] = either_t[j, i] if width == 1 else best + phrase[i, j]
    return body


@njit(cache=True)
def marginals(
    null: Floats,
    phrase: Floats,
    body: Floats,
    complete: Floats,
    either_t: Floats,
    p_phrase: Floats,
    p_null: Floats,
) -> None:
    """Fill the probability that [i, j) is a phrase, and that it has no label.

    From wide to narrow, in probabilities, so nothing can overflow. The two arrays come
    in as zeros. ``p_phrase`` first collects left parts, ``p_null`` right parts.
    """
    n = null.shape[0] - 1
    if either_t[n, 0] == -np.inf:
        return
    p_null[0, n] = 1.0
    for width in range(n, 0, -1):
        for i in range(n + 1 - width):
            j = i + width
            here = p_phrase[i, j] + p_null[i, j]
            if here == 0.0:
                continue
            free = here if width == 1 else p_null[i, j]
            both = np.logaddexp(null[i, j], phrase[i, j])
            p_null[i, j] = free * np.exp(null[i, j] - both) if free > 0.0 else 0.0
            p_phrase[i, j] = here - free
            if free > 0.0:
                p_phrase[i, j] += free * np.exp(phrase[i, j] - both)
            for k in range(i + 1, j):
                p = here * np.exp(complete[i, k] + either_t[j, k] - body[i, j])
                p_phrase[i, k] += p
                p_null[k, j] += p


@njit(cache=True)
def max_marginals(
    null: Floats, phrase: Floats, complete: Floats, either_t: Floats
) -> tuple[Floats, Floats]:
    """Best weight around each span: ``free`` where it may go unlabelled, ``outside``
    anywhere.

    With the best ``body``, the best tree in which [i, j) has label x weighs ``outside +
    score[x] + body``, and one without a label ``free + null + body``. ``complete`` and
    ``either_t`` are those of ``inside_max`` without bonus.
    """
    n = null.shape[0] - 1
    free = np.full((n + 1, n + 1), -np.inf)
    outside = np.full((n + 1, n + 1), -np.inf)
    free[0, n] = 0.0
    outside[0, n] = 0.0
    for width in range(n, 1, -1):
        for i in range(n + 1 - width):
            j = i + width
            above = max(free[i, j] + null[i, j], outside[i, j] + phrase[i, j])
            if above == -np.inf:
                continue
            for k in range(i + 1, j):
                to_left = above + either_t[j, k]
                to_right = above + complete[i, k]
                outside[i, k] = max(outside[i, k], to_left)
                outside[k, j] = max(outside[k, j], to_right)
                free[k, j] = max(free[k, j], to_right)
    for i in range(n):
        free[i, i + 1] = outside[i, i + 1]
    return free, outside
