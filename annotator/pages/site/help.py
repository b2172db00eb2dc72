"""Help: which documents are its pages, and which of them belongs to which page.

A document for programmers alone is in ``docs/`` and not here.
"""

from functools import cache

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from annotator.pages.site.documents import Document, document, title

SECTIONS: dict[str, tuple[str, ...]] = {
    _("Tutorials"): (
        "tutorial",
        "annotate",
        "trees",
        "paraphrases",
        "programs",
        "library",
    ),
    _("How-to guides"): (
        "projects",
        "campaigns",
        "agreement",
        "queries",
        "switching",
        "parsers",
        "deployment",
    ),
    _("Reference"): ("reference", "formats", "glossary", "guarantees"),
    _("Explanation"): ("methods",),
}
NAMES = frozenset(name for names in SECTIONS.values() for name in names)

HELP_OF: dict[str, str] = {
    # people
    "sign_in": "annotate",
    "join": "annotate",
    "account": "annotate#your-account",
    "find": "projects#finding-your-way",
    "help": "projects#finding-your-way",
    "help_index": "projects#finding-your-way",
    "api_docs": "reference#api",
    "backups": "deployment#backups",
    # projects
    "projects": "projects#finding-your-way",
    "project_new": "projects#people-and-roles",
    "project": "projects#finding-your-way",
    "learn": "tutorial",
    "people": "projects#people-and-roles",
    "project_settings": "projects#settings-archive-deleting",
    "part_settings": "projects#settings-archive-deleting",
    "project_log": "projects#settings-archive-deleting",
    "restore": "projects#settings-archive-deleting",
    "project_restore": "projects#settings-archive-deleting",
    "jobs": "projects#jobs",
    "job": "projects#jobs",
    "job_cancel": "projects#jobs",
    # corpora and pairs
    "corpora": "projects#bringing-data-in",
    "upload": "projects#bringing-data-in",
    "upload_report": "formats#what-is-refused-and-what-is-said",
    "export": "formats",
    "corpus": "projects#sentences-pairs-and-trees",
    "sentences": "projects#sentences-pairs-and-trees",
    "sentence": "projects#sentences-pairs-and-trees",
    "pair": "annotate#linking-phrases",
    "pair_table": "annotate#linking-phrases",
    "alignments": "trees#links-and-joint-parses",
    "next_unsure": "trees#links-and-joint-parses",
    "biparse": "methods#similarity-scores",
    "score": "methods#similarity-scores",
    "find_paraphrases": "paraphrases#find-paraphrases-in-a-corpus",
    # parses
    "try": "trees#which-parser",
    "parses": "trees#which-parser",
    "substitution": "methods#lexical-substitution",
    "joint": "trees#links-and-joint-parses",
    "pair_joint": "trees#links-and-joint-parses",
    "ledger": "trees#links-and-joint-parses",
    # trees
    "tree_edit": "trees#constituents",
    "arcs_edit": "trees#arcs",
    "trees_compare": "trees#peoples-trees-compared",
    "figure_of_pair": "trees#figures",
    "figure_of_sentence": "trees#figures",
    "project_query": "queries",
    "query": "queries",
    "query_tree": "queries",
    "relabel": "queries#relabelling-and-rewriting-what-is-found",
    "relabelled": "queries#relabelling-and-rewriting-what-is-found",
    "problems": "queries#rules-that-trees-must-keep",
    "worklists": "projects#worklists",
    "worklist": "projects#worklists",
    "work_finish": "annotate#worklists",
    # parallel text and paraphrases
    "bitexts": "paraphrases#what-you-need",
    "bitext_upload": "formats#parallel-text",
    "bitext_report": "paraphrases#step-2-import",
    "bitext": "paraphrases#step-3-make-a-table",
    "bitext_act": "paraphrases#step-3-make-a-table",
    "paraphrases": "paraphrases#step-3-make-a-table",
    "paraphrases_of": "paraphrases#step-4-search",
    "paraphrase_search": "paraphrases#step-4-search",
    "paraphrase_tables_of": "paraphrases#step-4-search",
    "paraphrase_why": "paraphrases#step-4-search",
    "paraphrase_substitute": "paraphrases#step-4-search",
    "paraphrase_weights": "paraphrases#step-4-search",
    "paraphrase_campaign": "paraphrases#step-5-make-a-campaign",
    "paraphrase_remove": "paraphrases#step-3-make-a-table",
    # campaigns
    "campaigns": "campaigns",
    "campaign_new": "campaigns",
    "campaign": "campaigns#while-people-judge",
    "campaign_act": "campaigns#while-people-judge",
    "campaign_flags": "campaigns#while-people-judge",
    "campaign_items": "campaigns#items",
    "campaign_items_add": "campaigns#items",
    "campaign_items_act": "campaigns#items",
    "campaign_items_check": "campaigns#items",
    "campaign_scales": "campaigns#scales",
    "campaign_guideline": "campaigns#guidelines",
    "campaign_rules": "campaigns#rules",
    "campaign_people": "campaigns#annotators",
    "campaign_annotator": "campaigns#while-people-judge",
    "campaign_batches": "campaigns#annotators",
    "campaign_design": "campaigns#the-plan",
    "judging": "annotate#judging",
    "judge": "annotate#judging",
    "judge_messages": "annotate#judging",
    "curation": "campaigns#curation",
    "curate_item": "campaigns#curation",
    "curate_reopen": "campaigns#curation",
    "curation_majority": "campaigns#curation",
    # reports and releases
    "agreement": "agreement#summary",
    "agreement_upload": "agreement#on-a-file",
    "agreement_check": "agreement#on-a-file",
    "report": "agreement#summary",
    "report_cases": "agreement#measures",
    "report_freeze": "agreement#frozen-reports",
    "frozen": "agreement#frozen-reports",
    "layer_report": "agreement#alignments-and-trees",
    "layer_cases": "agreement#alignments-and-trees",
    "layer_freeze": "agreement#frozen-reports",
    "layer_frozen": "agreement#frozen-reports",
    "releases": "projects#publish-a-release",
}
"""Name of a route that shows a page -> document, with the anchor in it if any."""


def link(place: str) -> str:
    """The address of "campaigns" or "campaigns#rules"; the index for ""."""
    name, hash_, anchor = place.partition("#")
    return (
        reverse("help", args=[name]) + hash_ + anchor if name else reverse("help_index")
    )


def index() -> dict[str, list[tuple[str, str]]]:
    """The sections of help, each with the titles and names of its documents."""
    return {
        gettext(section): [(title(name), name) for name in names]
        for section, names in SECTIONS.items()
    }


@cache
def help_page(name: str) -> Document:
    """Raises KeyError if there is no such help page."""
    if name not in NAMES:
        raise KeyError(name)
    return document(name, lambda other: link(other) if other in NAMES else "")


def site(request: HttpRequest) -> dict[str, object]:
    """For every template: ``help_url``, the help for the page that is shown."""
    match = getattr(request, "resolver_match", None)
    return {"help_url": link(HELP_OF.get(match.url_name or "" if match else "", ""))}
