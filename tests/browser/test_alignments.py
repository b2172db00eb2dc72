"""Aligning a corpus from its page: chosen, started, worked off, and there."""

import pytest
from playwright.sync_api import expect

from annotator.models import AlignmentLayer, Job, Origin
from annotator.services import jobs
from annotator.services.alignments.words import ENGINE, MANY
from tests.cast import Cast

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("small_parser"),
]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(
    ("method", "parser", "engine", "name"),
    [
        ("phrases", "small", "forest-aligner", ""),
        ("words", "", ENGINE, ""),
        ("words-many", "", ENGINE, MANY),
    ],
)
def test_a_corpus_is_aligned_from_its_page(
    cast: Cast, open_page, check_axe, width, method, parser, engine, name
) -> None:
    page = open_page(cast.ada, width=width)
    page.goto(f"/p/{cast.project.slug}/corpus/{cast.corpus.code}/")
    page.get_by_role("link", name="Alignments").click()
    expect(page.locator("main")).to_contain_text("No phrases are aligned yet.")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    check_axe(page)
    page.get_by_label("Align", exact=True).select_option(method)
    page.get_by_label("Parser").select_option(parser)
    page.get_by_role("button", name="Align remaining pairs").click()
    page.wait_for_url("**/jobs/*/")
    chip = page.locator("#status .chip")
    expect(chip).to_have_text("Waiting")
    (job,) = Job.objects.active()
    jobs.run(job.pk)
    expect(chip).to_have_text("Done")
    check_axe(page)
    layer = AlignmentLayer.objects.get(pair=cast.pair, origin=Origin.ENGINE)
    assert (layer.engine, layer.name) == (engine, name)
    assert layer.n_links == len(layer.to_core().links) > 3
    page.goto(f"/p/{cast.project.slug}/corpus/{cast.corpus.code}/alignments/")
    phrases, words = (1, 0) if method == "phrases" else (0, 1)
    told = f"The phrases of {phrases} of 1 pairs are aligned, the words of {words}."
    expect(page.locator("main")).to_contain_text(told)
