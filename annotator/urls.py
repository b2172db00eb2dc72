"""The table of contents: every page and endpoint, grouped by noun."""

from django.urls import URLPattern, URLResolver, include, path, register_converter

from annotator.views import (
    accounts,
    alignments,
    backups,
    biparse,
    bitexts,
    editor,
    figures,
    jobs,
    joint,
    ledger,
    pairs,
    paraphrases,
    parsing,
    projects,
    trees,
    uploads,
)
from annotator.views.campaigns import campaigns, curation, judge
from annotator.views.campaigns import items as campaign_items
from annotator.views.campaigns import setup as campaign_setup
from annotator.views.reports import agreement
from annotator.views.reports import layers as layer_reports


class CodeConverter:
    """Public ids: sixteen hexadecimal digits."""

    regex = "[0-9a-f]{16}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(CodeConverter, "code")
handler400 = "annotator.views.missing.not_readable"
handler404 = "annotator.views.missing.not_found"
handler500 = "annotator.views.missing.broken"

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", include("annotator.api.urls")),  # first: every judgment comes here
    # people
    path("sign-in/", accounts.sign_in, name="sign_in"),
    path("sign-out/", accounts.sign_out, name="sign_out"),
    path("join/<str:token>/", accounts.join, name="join"),
    path("account/", accounts.account, name="account"),
    # the installation
    path("backups/", backups.backups, name="backups"),
    path("backups/<slug:name>.zip", backups.download, name="backup_download"),
    # projects
    path("", projects.projects, name="projects"),
    path("p/new/", projects.new, name="project_new"),
    path("p/<slug:slug>/", projects.project, name="project"),
    path("p/<slug:slug>/people/", projects.people, name="people"),
    # corpora and pairs
    path("p/<slug:slug>/corpus/<code:code>/", pairs.corpus, name="corpus"),
    path("p/<slug:slug>/pair/<code:code>/", editor.pair, name="pair"),
    path("p/<slug:slug>/pair/<code:code>/table/", editor.table, name="pair_table"),
    path("p/<slug:slug>/pair/<code:code>/tree/", editor.tree, name="pair_tree"),
    path(
        "p/<slug:slug>/pair/<code:code>/drawing/", editor.drawing, name="pair_drawing"
    ),
    path(
        "p/<slug:slug>/pair/<code:code>/figure.<str:to>", figures.figure, name="figure"
    ),
    # in and out
    path("p/<slug:slug>/upload/", uploads.upload, name="upload"),
    path(
        "p/<slug:slug>/upload/<code:code>/", uploads.upload_report, name="upload_report"
    ),
    path("p/<slug:slug>/corpus/<code:code>/export/", uploads.export, name="export"),
    path(
        "p/<slug:slug>/corpus/<code:code>/export/<slug:kind>/",
        uploads.export_file,
        name="export_file",
    ),
    # parallel text
    path("p/<slug:slug>/bitexts/", bitexts.bitexts, name="bitexts"),
    path("sample/<slug:name>.txt", bitexts.sample_text, name="bitext_sample"),
    path("p/<slug:slug>/bitexts/upload/", bitexts.upload, name="bitext_upload"),
    path(
        "p/<slug:slug>/bitexts/upload/<code:code>/",
        bitexts.upload_report,
        name="bitext_report",
    ),
    path("p/<slug:slug>/bitext/<code:code>/", bitexts.bitext, name="bitext"),
    path("p/<slug:slug>/bitext/<code:code>/do/", bitexts.act, name="bitext_act"),
    # alignments
    path(
        "p/<slug:slug>/corpus/<code:code>/alignments/",
        alignments.alignments,
        name="alignments",
    ),
    path(
        "p/<slug:slug>/corpus/<code:code>/alignments/next/",
        alignments.next_unsure,
        name="next_unsure",
    ),
    # parses
    path("try/", parsing.try_out, name="try"),
    path(
        "p/<slug:slug>/corpus/<code:code>/parses/", parsing.corpus_parses, name="parses"
    ),
    path(
        "p/<slug:slug>/corpus/<code:code>/sentences/",
        parsing.corpus_sentences,
        name="sentences",
    ),
    path(
        "p/<slug:slug>/corpus/<code:code>/substitution/",
        parsing.with_substitution,
        name="substitution",
    ),
    path("p/<slug:slug>/sentence/<code:code>/", parsing.sentence, name="sentence"),
    path("p/<slug:slug>/sentence/<code:code>/tree/", trees.edit, name="tree_edit"),
    # joint parses and the ledger of what they changed
    path("p/<slug:slug>/corpus/<code:code>/joint/", joint.corpus_joint, name="joint"),
    path("p/<slug:slug>/pair/<code:code>/joint/", joint.pair_joint, name="pair_joint"),
    path(
        "p/<slug:slug>/pair/<code:code>/joint/<slug:what>.<str:to>",
        joint.figure,
        name="joint_figure",
    ),
    path("p/<slug:slug>/ledger/<code:code>/", ledger.ledger_page, name="ledger"),
    path(
        "p/<slug:slug>/ledger/<code:code>/export/<slug:form>/",
        ledger.export,
        name="ledger_export",
    ),
    # paraphrases out of parallel text
    path("p/<slug:slug>/paraphrases/", paraphrases.tables, name="paraphrases"),
    path(
        "p/<slug:slug>/paraphrases/of/",
        paraphrases.of_sentence,
        name="paraphrases_of",
    ),
    path(
        "p/<slug:slug>/paraphrases/<code:code>/",
        paraphrases.search,
        name="paraphrase_search",
    ),
    path(
        "p/<slug:slug>/paraphrases/<code:code>/tables/",
        paraphrases.tables_of,
        name="paraphrase_tables_of",
    ),
    path(
        "p/<slug:slug>/paraphrases/<code:code>/why/",
        paraphrases.why,
        name="paraphrase_why",
    ),
    path(
        "p/<slug:slug>/paraphrases/<code:code>/substitute/",
        paraphrases.substitute,
        name="paraphrase_substitute",
    ),
    path(
        "p/<slug:slug>/paraphrases/<code:code>/weights/",
        paraphrases.weights,
        name="paraphrase_weights",
    ),
    path(
        "p/<slug:slug>/paraphrases/<code:code>/campaign/",
        paraphrases.campaign,
        name="paraphrase_campaign",
    ),
    path(
        "p/<slug:slug>/paraphrases/<code:code>/remove/",
        paraphrases.remove,
        name="paraphrase_remove",
    ),
    # campaigns
    path("p/<slug:slug>/campaigns/", campaigns.campaigns, name="campaigns"),
    path("p/<slug:slug>/campaigns/new/", campaigns.new, name="campaign_new"),
    path("p/<slug:slug>/campaign/<code:code>/", campaigns.campaign, name="campaign"),
    path(
        "p/<slug:slug>/campaign/<code:code>/design/",
        campaigns.design,
        name="campaign_design",
    ),
    path("p/<slug:slug>/campaign/<code:code>/do/", campaigns.act, name="campaign_act"),
    path(
        "p/<slug:slug>/campaign/<code:code>/flags/",
        campaigns.flags,
        name="campaign_flags",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/judgments.tsv",
        campaigns.table,
        name="campaign_table",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/items/",
        campaign_items.items,
        name="campaign_items",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/items/add/",
        campaign_items.add,
        name="campaign_items_add",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/items/do/",
        campaign_items.act,
        name="campaign_items_act",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/items/sample.<slug:form>",
        campaign_items.sample,
        name="campaign_items_sample",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/items/<code:upload>/",
        campaign_items.check,
        name="campaign_items_check",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/scales/",
        campaign_setup.scales,
        name="campaign_scales",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/guideline/",
        campaign_setup.guideline,
        name="campaign_guideline",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/rules/",
        campaign_setup.rules,
        name="campaign_rules",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/people/",
        campaign_setup.people,
        name="campaign_people",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/batches/",
        campaign_setup.batches,
        name="campaign_batches",
    ),
    # judging
    path("p/<slug:slug>/judge/", judge.choose, name="judging"),
    path("p/<slug:slug>/judge/<code:code>/", judge.screen, name="judge"),
    # biparses and scores
    path("p/<slug:slug>/pair/<code:code>/biparse/", biparse.biparse, name="biparse"),
    path(
        "p/<slug:slug>/pair/<code:code>/biparse/<str:what>.<str:to>",
        biparse.figure,
        name="biparse_figure",
    ),
    path("p/<slug:slug>/corpus/<code:code>/score/", biparse.score, name="score"),
    # jobs
    path("p/<slug:slug>/jobs/", jobs.jobs, name="jobs"),
    path("p/<slug:slug>/jobs/<code:code>/", jobs.job, name="job"),
    path("p/<slug:slug>/jobs/<code:code>/cancel/", jobs.cancel, name="job_cancel"),
    # agreement and curation
    path("p/<slug:slug>/agreement/", agreement.index, name="agreement"),
    path("p/<slug:slug>/agreement/upload/", agreement.upload, name="agreement_upload"),
    path(
        "p/<slug:slug>/agreement/corpus/<code:code>/",
        layer_reports.layer_report,
        name="layer_report",
    ),
    path(
        "p/<slug:slug>/agreement/corpus/<code:code>/cases/",
        layer_reports.layer_cases,
        name="layer_cases",
    ),
    path(
        "p/<slug:slug>/agreement/corpus/<code:code>/freeze/",
        layer_reports.freeze,
        name="layer_freeze",
    ),
    path(
        "p/<slug:slug>/agreement/corpus/<code:code>/frozen/<code:report>/",
        layer_reports.frozen,
        name="layer_frozen",
    ),
    path(
        "p/<slug:slug>/agreement/frozen/<code:code>/", agreement.frozen, name="frozen"
    ),
    path(
        "p/<slug:slug>/agreement/frozen/<code:code>/export/<slug:form>/",
        agreement.frozen_export,
        name="frozen_export",
    ),
    path(
        "p/<slug:slug>/agreement/<slug:kind>/<code:code>/",
        agreement.report,
        name="report",
    ),
    path(
        "p/<slug:slug>/agreement/<slug:kind>/<code:code>/cases/",
        agreement.report_cases,
        name="report_cases",
    ),
    path(
        "p/<slug:slug>/agreement/<slug:kind>/<code:code>/freeze/",
        agreement.freeze,
        name="report_freeze",
    ),
    path(
        "p/<slug:slug>/agreement/<slug:kind>/<code:code>/fresh/",
        agreement.fresh,
        name="report_fresh",
    ),
    path(
        "p/<slug:slug>/agreement/<slug:kind>/<code:code>/export/<slug:form>/",
        agreement.export,
        name="report_export",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/curate/", curation.curation, name="curation"
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/curate/<code:item>/",
        curation.curate_item,
        name="curate_item",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/curate/reopen/<code:judgment>/",
        curation.reopen,
        name="curate_reopen",
    ),
]
