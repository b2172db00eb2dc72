"""The glossary has every word of the screens; words lead to their lines in it."""

import re

import pytest
from django.template import Context, Template
from django.test import Client
from django.utils import translation
from django.utils.html import escape

from annotator.models import TreeChange
from annotator.pages.campaigns import rules
from annotator.pages.site import glossary
from annotator.pages.site.help import help_page
from annotator.services.campaigns.setup import SETTINGS
from annotator.services.parses import joint
from core.agreement.measures import MEASURES
from tests.annotator.campaigns_cast import campaign, draw, judge
from tests.cast import Cast
from tools.floors import ROOT
from tools.messages import TERMS

PLAIN = {  # they say themselves what they are, or go on from the field before
    *("seconds_per_item", "cost_per_hour"),
    *("overlap_k", "repeat_gap_h"),
}
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
VERDICTS = [label for value, label in TreeChange.Verdict.choices if value]


def test_every_term_of_a_template_is_in_the_glossary() -> None:
    names = {one for path in TEMPLATES for one in TERMS.findall(path.read_text())}
    names |= {word for _label, _unit, word in rules.FIELDS.values() if word}
    assert len(names) > 20
    assert {name for name in names if name.casefold() not in glossary.terms()} == set()


def test_every_measure_has_its_line_with_its_source() -> None:
    for one in MEASURES.values():
        author = one.source.split(" ")[0]
        assert glossary.term(one.terms[0]).source.startswith(author), one.key


@pytest.mark.parametrize("name", [*joint.NAMES.values(), *VERDICTS])
def test_methods_and_verdicts_of_joint_parsing_are_explained(name: str) -> None:
    aliases = {"Pairs of n-best trees": "pair-finding", "Agreement of phrases": "span"}
    assert glossary.term(aliases.get(name, name))


def test_no_name_stands_for_two_terms() -> None:
    terms = set(glossary.terms().values())
    assert sum(len(one.names) for one in terms) == len(glossary.terms())
    anchors = [one.anchor for one in terms]
    assert len(set(anchors)) == len(anchors) > 100
    assert set(anchors) <= set(help_page("glossary").anchors)


@pytest.mark.parametrize("term", sorted(set(glossary.terms().values()), key=str))
def test_a_meaning_is_one_plain_line(term: glossary.Term) -> None:
    assert 10 < len(term.meaning) < 160
    assert not re.search(r"[`*_\[\]|]", term.meaning)


def test_a_word_leads_to_its_line_and_says_what_it_means() -> None:
    meaning = escape(glossary.term("KAPPA").meaning)
    context = Context({"word": "<Kappa>"})
    html = Template('{% term "kappa" word %}').render(context)
    assert html == (
        '<a class="term" href="/help/glossary/#cohens-kappa"'
        f' title="{meaning}">&lt;Kappa&gt;</a>'
    )


def test_a_word_is_described_in_the_readers_language() -> None:
    with translation.override("de"):
        for one in (*MEASURES.values(), glossary.term("overlap")):
            text = Template("{% term name %}").render(
                Context({"name": getattr(one, "terms", ["overlap"])[0]})
            )
            assert escape(one.meaning) not in text


def test_a_word_without_a_line_is_a_fault() -> None:
    with pytest.raises(KeyError):
        Template('{% term "no such word" %}').render(Context())


def test_the_report_explains_its_measures(cast: Cast, client: Client) -> None:
    made = campaign(cast, n=4, people=2, k=2)
    for one in made.participants.all():
        for n, held in enumerate(draw(made, one.user, 4)):
            judge(held, {"meaning": 1 + n, "grammar": 5 - n})
    client.force_login(cast.ada)
    url = f"/p/windows/agreement/campaign/{made.code}/"
    html = client.get(url).content.decode()
    rows = re.findall(r'<th scope="row">(<a class="term"[^>]*>)?([^<]+)', html)
    unexplained = [name for link, name in rows if "appa" in name and not link]
    assert unexplained == []
    for name in ("cohens-kappa", "quadratic-kappa", "ordinal-alpha", "uniform-kappa"):
        assert f'<th scope="row"><a class="term" href="/help/glossary/#{name}"' in html


def test_the_rules_explain_every_setting(cast: Cast, client: Client) -> None:
    made = campaign(cast, n=4, is_open=False)
    client.force_login(cast.ada)
    html = client.get(f"/p/windows/campaign/{made.code}/rules/").content.decode()
    for name in set(SETTINGS) - PLAIN:
        label = re.search(rf'<label\s+for="{name}">(.*?)</label>', html, re.DOTALL)
        assert label, name
        assert 'class="term"' in label[1], name
