"""The measures in words: name, formula, source, and what they leave out."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wording:
    name: str
    formula: str
    source: str


WORDS = {
    "raw": Wording(
        "Same value",
        "share of common items with the same value, mean over pairs of judges",
        "",
    ),
    "k_uniform": Wording(
        "K, uniform chance",
        "(p − 1/k) / (1 − 1/k) with k points on the scale",
        "Bennett et al. 1954 (S); Callison-Burch 2008",
    ),
    "cohen": Wording(
        "Cohen's kappa",
        "(p − e) / (1 − e), e = Σ a(c) b(c) from the two judges' own shares",
        "Cohen 1960",
    ),
    "cohen_linear": Wording(
        "Weighted kappa, linear",
        "1 − mean |x − y| / the same by chance",
        "Cohen 1968",
    ),
    "cohen_quadratic": Wording(
        "Weighted kappa, quadratic",
        "1 − mean (x − y)² / the same by chance",
        "Cohen 1968",
    ),
    "scott": Wording(
        "Scott's pi",
        "(p − e) / (1 − e), e from the shares of both together",
        "Scott 1955",
    ),
    "fleiss": Wording(
        "Fleiss' kappa",
        "(p − e) / (1 − e) over all judges at once",
        "Fleiss 1971; missing data: Gwet 2014",
    ),
    "alpha_nominal": Wording(
        "Alpha, nominal", "1 − observed / expected disagreement", "Krippendorff 2019"
    ),
    "alpha_ordinal": Wording(
        "Alpha, ordinal",
        "1 − observed / expected squared difference of ranks",
        "Krippendorff 2019",
    ),
    "alpha_interval": Wording(
        "Alpha, interval",
        "1 − observed / expected squared difference of points",
        "Krippendorff 2019",
    ),
    "ac1": Wording(
        "Gwet's AC1",
        "(p − e) / (1 − e), e = Σ π(c) (1 − π(c)) / (k − 1)",
        "Gwet 2008",
    ),
    "ac2": Wording("Gwet's AC2, quadratic", "AC1 with quadratic weights", "Gwet 2014"),
    "raw_pooled": Wording(
        "Same value, all pairs of judgments",
        "mean over items of the share of its pairs of judgments that agree",
        "",
    ),
}
