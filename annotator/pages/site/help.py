"""Help: which documents are its pages, and which of them belongs to which page.

A document that is for programmers alone is in ``docs/`` and not here.
"""

from functools import cache

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from annotator.pages.site.documents import Document, document, title

SECTIONS: dict[str, tuple[str, ...]] = {
    _("Everyone"): ("screens", "glossary", "switching"),
    _("Annotators"): ("annotators",),
    _("Managers"): ("managers", "campaigns", "paraphrases", "agreement", "releases"),
    _("Researchers"): (
        "researchers",
        "trees",
        "queries",
        "formats",
        "commands",
        "programs",
        "library",
    ),
    _("The operator of this server"): (
        "deployment",
        "settings",
        "monitoring",
        "promises",
    ),
    _("Methods"): (
        "parsers",
        "joint-parsing",
        "phrase-alignment",
        "scoring",
        "pivoting",
        "substitution",
    ),
}
NAMES = frozenset(name for names in SECTIONS.values() for name in names)

HELP_OF: dict[str, str] = {
    # people
    "sign_in": "annotators",
    "join": "annotators",
    "account": "annotators#your-account",
    "find": "managers#finding-your-way",
    "help": "managers#finding-your-way",
    "help_index": "managers#finding-your-way",
    "api_docs": "programs",
    "backups": "deployment#backups",
    # projects
    "projects": "managers#finding-your-way",
    "project_new": "managers#people-and-roles",
    "project": "managers#finding-your-way",
    "people": "managers#people-and-roles",
    "project_settings": "managers#settings-archive-deleting",
    "part_settings": "managers#settings-archive-deleting",
    "project_log": "managers#settings-archive-deleting",
    "restore": "managers#settings-archive-deleting",
    "project_restore": "managers#settings-archive-deleting",
    "jobs": "managers#jobs",
    "job": "managers#jobs",
    "job_cancel": "managers#jobs",
    # corpora and pairs
    "corpora": "managers#bringing-data-in",
    "upload": "managers#bringing-data-in",
    "upload_report": "formats#what-is-refused-and-what-is-said",
    "export": "formats",
    "corpus": "researchers#sentences-pairs-and-trees",
    "sentences": "researchers#sentences-pairs-and-trees",
    "sentence": "researchers#sentences-pairs-and-trees",
    "pair": "annotators#linking-phrases",
    "pair_table": "annotators#linking-phrases",
    "alignments": "researchers#running-an-aligner",
    "next_unsure": "researchers#running-an-aligner",
    "biparse": "scoring",
    "score": "scoring",
    # parses
    "try": "researchers#running-a-parser",
    "parses": "researchers#running-a-parser",
    "substitution": "substitution#use-it",
    "joint": "researchers#parsing-a-sentence-with-its-paraphrase",
    "pair_joint": "researchers#parsing-a-sentence-with-its-paraphrase",
    "ledger": "researchers#parsing-a-sentence-with-its-paraphrase",
    # trees
    "tree_edit": "trees#constituents",
    "arcs_edit": "trees#arcs",
    "trees_compare": "trees#peoples-trees-compared",
    "figure_of_pair": "trees#figures",
    "figure_of_sentence": "trees#figures",
    "project_query": "queries",
    "query": "queries",
    "query_tree": "queries",
    "relabel": "queries#relabelling-what-is-found",
    "relabelled": "queries#relabelling-what-is-found",
    "problems": "queries#rules-that-trees-must-keep",
    "worklists": "managers#worklists",
    "worklist": "managers#worklists",
    "work_finish": "annotators#worklists",
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
    "campaign_guideline": "campaigns#guideline",
    "campaign_rules": "campaigns#rules",
    "campaign_people": "campaigns#annotators",
    "campaign_batches": "campaigns#annotators",
    "campaign_design": "campaigns#the-plan",
    "judging": "annotators#judging",
    "judge": "annotators#judging",
    "curation": "campaigns#curation",
    "curate_item": "campaigns#curation",
    "curate_reopen": "campaigns#curation",
    "curation_majority": "campaigns#curation",
    # reports and releases
    "agreement": "agreement#in-words",
    "agreement_upload": "agreement#on-a-file",
    "agreement_check": "agreement#on-a-file",
    "report": "agreement#in-words",
    "report_cases": "agreement#measures",
    "report_freeze": "agreement#frozen-reports",
    "frozen": "agreement#frozen-reports",
    "layer_report": "agreement#alignments-and-trees",
    "layer_cases": "agreement#alignments-and-trees",
    "layer_freeze": "agreement#frozen-reports",
    "layer_frozen": "agreement#frozen-reports",
    "releases": "releases",
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
    """Raises KeyError if this is no page of help."""
    if name not in NAMES:
        raise KeyError(name)
    return document(name, lambda other: link(other) if other in NAMES else "")


def site(request: HttpRequest) -> dict[str, object]:
    """For every template: ``help_url``, the help for the page that is shown."""
    match = getattr(request, "resolver_match", None)
    return {"help_url": link(HELP_OF.get(match.url_name or "" if match else "", ""))}
