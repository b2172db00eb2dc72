"""The datasheet of a release, in the order of Gebru et al. 2021, "Datasheets for
datasets", CACM 64(12). What figures can say is said; what only people know is asked."""

from collections.abc import Iterator, Mapping

from core.releases.licences import terms_of
from core.releases.manifest import Manifest

ASKED = "*To be written by the makers.*"


def datasheet(manifest: Manifest, description: str, *, with_texts: bool) -> str:
    """Markdown. ``with_texts``: whether comments and notes of people are in it."""
    return "\n".join(_lines(manifest, description, with_texts=with_texts)) + "\n"


def _lines(manifest: Manifest, description: str, *, with_texts: bool) -> Iterator[str]:
    yield f"# {manifest.title}"
    yield ""
    yield f"Made on {manifest.made_at[:10]}. Ledger of {manifest.ledger_length} acts."
    yield from _section("Motivation", description.strip() or ASKED)
    yield from _section("Composition", *_counted(manifest.counts))
    yield from _section(
        "Collection",
        "People worked in Gemel: each answer, link and tree is in `ledger.jsonl` with"
        " its time and a pseudonym that holds within this release alone.",
        "Comments and notes that they wrote are "
        + ("in it." if with_texts else "left out."),
        "Who they are, how they were found and paid, and what they agreed to:",
        ASKED,
    )
    yield from _section(
        "Preprocessing",
        "Each corpus's `meta` names the files it came from; trees and links name the"
        " program and version that made them. Versions: `environment.json`.",
    )
    yield from _section("Uses", ASKED)
    yield from _section("Distribution", *_licences(manifest.licences))
    if manifest.warnings:
        yield from _section("Known of it when it was made", *manifest.warnings)
    yield from _section("Maintenance", ASKED)


def _section(title: str, *paragraphs: str) -> Iterator[str]:
    yield f"\n## {title}"
    for text in paragraphs:
        yield ""
        yield text


def _counted(counts: Mapping[str, int]) -> Iterator[str]:
    rows = [f"| {name} | {n:,} |" for name, n in counts.items()]
    yield "\n".join(["| what | number |", "|---|---:|", *rows])


def _licences(licences: Mapping[str, str]) -> Iterator[str]:
    rows = []
    for corpus, licence in licences.items():
        terms = terms_of(licence)
        asks = []
        if terms:
            asks = [
                *(["credit"] if terms.asks_credit else []),
                *(["the same licence"] if terms.asks_same else []),
                *(["no commerce"] if terms.is_noncommercial else []),
            ]
        cell = corpus.replace("|", "\\|")
        rows.append(f"| {cell} | {licence or '–'} | {', '.join(asks) or '–'} |")
    if rows:
        yield "\n".join(["| corpus | licence | asks |", "|---|---|---|", *rows])
