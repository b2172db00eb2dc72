"""Twin of the trigram estimator: dictionaries, and the recursion as Chen & Goodman
print it (1998, equation 26 and section 2.7)."""

from collections import Counter

Gram = tuple[str, ...]


def discounts(values: list[int], fallback: tuple[float, ...]) -> tuple[float, ...]:
    """D_1, D_2, D_3 of the adjusted counts of one order."""
    n = [values.count(k) for k in range(5)]
    if 0 in n[1:4]:
        return fallback
    y = n[1] / (n[1] + 2 * n[2])
    d1 = 1 - 2 * y * n[2] / n[1]
    d2 = 2 - 3 * y * n[3] / n[2]
    d3 = 3 - 4 * y * n[4] / n[3]
    fits = 0 <= d1 <= 1 and 0 <= d2 <= 2 and 0 <= d3 <= 3
    return (d1, d2, d3) if fits else fallback


def probabilities(
    sentences: list[list[str]], fallback: tuple[float, ...]
) -> tuple[dict[Gram, float], dict[Gram, float]]:
    """p of each n-gram seen, and gamma of each context."""
    counts: dict[int, Counter[Gram]] = {1: Counter(), 2: Counter(), 3: Counter()}
    for sentence in sentences:
        row = ["<s>", *sentence, "</s>"]
        for order in counts:
            for at in range(len(row) - order + 1):
                counts[order][tuple(row[at : at + order])] += 1
    for order in (2, 1):
        for gram in counts[order]:
            if gram[0] != "<s>":
                before = {g[0] for g in counts[order + 1] if g[1:] == gram}
                counts[order][gram] = len(before)
    del counts[1][("<s>",)]
    types = {gram[0] for gram in counts[1]} | {"<unk>"}
    p: dict[Gram, float] = {}
    gamma: dict[Gram, float] = {}
    for order in (1, 2, 3):
        discount = discounts(list(counts[order].values()), fallback)
        for context in {gram[:-1] for gram in counts[order]}:
            here = {g: a for g, a in counts[order].items() if g[:-1] == context}
            total = sum(here.values())
            spared = {g: discount[min(a, 3) - 1] for g, a in here.items()}
            gamma[context] = sum(spared.values()) / total
            for gram, a in here.items():
                shorter = p[gram[1:]] if order > 1 else 1 / len(types)
                p[gram] = (a - spared[gram]) / total + gamma[context] * shorter
        if order == 1:
            p[("<unk>",)] = gamma[()] / len(types)
    return p, gamma
