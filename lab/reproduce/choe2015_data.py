"""Table 3 of Choe & McClosky 2015: how many pairs, how long, how many words linked,
and how many a parser never saw."""

from collections.abc import Callable, Iterator

from lab.evaluation.joint_fitting import Bench

Row = dict[str, float | None]
DATA = ("pairs", "tokens", "of para.", "a source", "aligned", "OOV", "OOV par.")
"""Table 3: pairs, tokens of the sources and of the paraphrases, tokens a source, tokens
of it that are aligned, and the percentages of tokens of sources and paraphrases not
seen in training. Sources have 6 to 25 tokens in the paper and in ours."""
PAPER_DATA: Row = dict(
    zip(DATA, (2000, 26549, 27020, 13.3, 9.7, 5.6, 5.1), strict=True)
)


def data_lines(data: dict[str, Row]) -> Iterator[str]:
    """Yield Table 3: the paper's development part and our pairs."""
    yield ""
    yield (
        "Table 3: the data, tokens with punctuation (the paper's development part, its "
        "aligner Meteor; OOV: percent not seen in WSJ training, here in that of the "
        "BLLIP model given)"
    )
    yield f"{'':20}" + "".join(f"{name:>9}" for name in DATA)
    rows: dict[str, Row] = {"paper, all": PAPER_DATA, **data}
    for name, row in rows.items():
        cells = ("–" if row[key] is None else f"{row[key]:.10g}" for key in DATA)
        yield f"  {name:18}" + "".join(f"{cell:>9}" for cell in cells)


def statistics(
    bench: Bench, is_known: Callable[[str], bool] | None = None
) -> dict[str, Row]:
    """Return Table 3 of all pairs and by corpus.

    ``is_known``: whether a word was in training; without it there are no OOV rates.
    """
    rows: dict[str, Row] = {}
    for name in ("all", *sorted({case.corpus for case in bench.cases})):
        some = [
            (case.source.sentence.forms, case.target.sentence.forms, len(links))
            for case, links in zip(bench.cases, bench.links, strict=True)
            if name in ("all", case.corpus)
        ]
        sources, targets = [one[0] for one in some], [one[1] for one in some]
        tokens, of_para = sum(map(len, sources)), sum(map(len, targets))
        figures = (
            len(some),
            tokens,
            of_para,
            tokens / len(some),
            sum(links for _, _, links in some) / len(some),
            _unseen(sources, is_known),
            _unseen(targets, is_known),
        )
        rows[name] = {
            k: None if x is None else round(x, 1)
            for k, x in zip(DATA, figures, strict=True)
        }
    return rows


def _unseen(
    sentences: list[tuple[str, ...]], is_known: Callable[[str], bool] | None
) -> float | None:
    if is_known is None:
        return None
    forms = [form for sentence in sentences for form in sentence]
    return 100 * sum(not is_known(form) for form in forms) / len(forms)
