"""The table of contents: every page and endpoint, grouped by noun."""

from django.contrib.auth.decorators import login_not_required
from django.urls import URLPattern, URLResolver, include, path
from django.views.i18n import set_language

from annotator.http import converters  # noqa: F401  before any address is made
from annotator.views import (
    accounts,
    bitexts,
    corpora,
    editor,
    figures,
    installation,
    jobs,
    joint,
    paraphrases,
    parsing,
    projects,
    queries,
    releases,
    settings,
    site,
    treebanks,
    trees,
)
from annotator.views.campaigns.urls import campaign_urls
from annotator.views.reports import report_urls

handler400 = "annotator.views.missing.not_readable"
handler404 = "annotator.views.missing.not_found"
handler500 = "annotator.views.missing.broken"

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", include("annotator.api.urls")),  # first: every judgment comes here
    # for programs that watch it
    path("health", installation.health, name="health"),
    path("ready", installation.ready, name="ready"),
    path("metrics", installation.metrics_text, name="metrics"),
    # people
    path("sign-in/", accounts.sign_in, name="sign_in"),
    path("sign-in/oidc/", accounts.oidc_start, name="oidc_start"),
    path("sign-in/oidc/back/", accounts.oidc_back, name="oidc_back"),
    path("sign-out/", accounts.sign_out, name="sign_out"),
    path("join/<str:token>/", accounts.join, name="join"),
    path("account/", accounts.account, name="account"),
    path("account/links/", accounts.oidc_links, name="account_links"),
    path("theme/", accounts.theme, name="theme"),
    path("language/", login_not_required(set_language), name="language"),
    path("words/<slug:language>.js", accounts.words, name="words"),
    # help
    path("help/", site.help_index, name="help_index"),
    path("help/<slug:name>/", site.help_page, name="help"),
    path("tour/", site.tour, name="tour"),
    # the installation
    path("backups/", installation.backups, name="backups"),
    path("backups/<slug:name>.zip", installation.download, name="backup_download"),
    path("find/", site.find, name="find"),
    # projects
    path("", projects.projects, name="projects"),
    path("needs/", projects.measured_needs, name="measured_needs"),
    path("p/new/", projects.new, name="project_new"),
    path("p/<slug:slug>/", projects.project, name="project"),
    path("p/<slug:slug>/learn/", projects.learn, name="learn"),
    path("p/<slug:slug>/people/", projects.people, name="people"),
    path("p/<slug:slug>/settings/", settings.of_project, name="project_settings"),
    path(
        "p/<slug:slug>/settings/<slug:kind>/<code:code>/",
        settings.of_part,
        name="part_settings",
    ),
    path(
        "p/<slug:slug>/settings/restore/<code:code>/do/",
        settings.restore,
        name="restore",
    ),
    path("p/<slug:slug>/log/", settings.project_log, name="project_log"),
    path(
        "deleted/<code:code>/restore/",
        settings.restore_project,
        name="project_restore",
    ),
    # corpora and pairs
    path("p/<slug:slug>/corpora/", projects.corpora, name="corpora"),
    path("p/<slug:slug>/corpus/<code:code>/", corpora.corpus, name="corpus"),
    path("p/<slug:slug>/pair/<code:code>/", editor.pair, name="pair"),
    path("p/<slug:slug>/pair/<code:code>/table/", editor.table, name="pair_table"),
    path("p/<slug:slug>/pair/<code:code>/tree/", editor.tree, name="pair_tree"),
    path(
        "p/<slug:slug>/pair/<code:code>/drawing/", editor.drawing, name="pair_drawing"
    ),
    path(
        "p/<slug:slug>/pair/<code:code>/figure.<str:to>", figures.figure, name="figure"
    ),
    path(
        "p/<slug:slug>/pair/<code:code>/figure/",
        figures.pair_page,
        name="figure_of_pair",
    ),
    # in and out
    path("p/<slug:slug>/upload/", corpora.upload, name="upload"),
    path(
        "p/<slug:slug>/upload/<code:code>/", corpora.upload_report, name="upload_report"
    ),
    path("p/<slug:slug>/corpus/<code:code>/export/", corpora.export, name="export"),
    path(
        "p/<slug:slug>/corpus/<code:code>/export/<slug:kind>/",
        corpora.export_file,
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
        corpora.alignments,
        name="alignments",
    ),
    path(
        "p/<slug:slug>/corpus/<code:code>/alignments/next/",
        corpora.next_unsure,
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
    path(
        "p/<slug:slug>/sentence/<code:code>/figure/",
        figures.sentence_page,
        name="figure_of_sentence",
    ),
    path(
        "p/<slug:slug>/sentence/<code:code>/figure.<str:to>",
        figures.sentence_figure,
        name="sentence_figure",
    ),
    path("p/<slug:slug>/sentence/<code:code>/tree/", trees.edit, name="tree_edit"),
    path(
        "p/<slug:slug>/sentence/<code:code>/compare/",
        trees.compare,
        name="trees_compare",
    ),
    path("p/<slug:slug>/sentence/<code:code>/arcs/", trees.arcs, name="arcs_edit"),
    # searches of trees
    path("p/<slug:slug>/search/", queries.search, name="project_query"),
    path("p/<slug:slug>/search/tree/", queries.tree, name="query_tree"),
    path(
        "p/<slug:slug>/search/export/<slug:form>/",
        queries.export,
        name="project_query_export",
    ),
    path(
        "p/<slug:slug>/search/groups/<slug:form>/",
        queries.groups,
        name="project_query_groups",
    ),
    path("p/<slug:slug>/corpus/<code:code>/search/", queries.search, name="query"),
    path(
        "p/<slug:slug>/corpus/<code:code>/search/groups/<slug:form>/",
        queries.groups,
        name="query_groups",
    ),
    path(
        "p/<slug:slug>/corpus/<code:code>/search/export/<slug:form>/",
        queries.export,
        name="query_export",
    ),
    # whole treebanks
    path(
        "p/<slug:slug>/corpus/<code:code>/relabel/",
        treebanks.relabel,
        name="relabel",
    ),
    path(
        "p/<slug:slug>/corpus/<code:code>/problems/",
        treebanks.problems,
        name="problems",
    ),
    path(
        "p/<slug:slug>/corpus/<code:code>/worklists/",
        treebanks.corpus_lists,
        name="worklists",
    ),
    path("p/<slug:slug>/worklist/<code:code>/", treebanks.worklist, name="worklist"),
    path("p/<slug:slug>/work/<code:code>/", treebanks.finish, name="work_finish"),
    path("p/<slug:slug>/relabelled/<code:code>/", treebanks.batch, name="relabelled"),
    # joint parses and the ledger of what they changed
    path("p/<slug:slug>/corpus/<code:code>/joint/", joint.corpus_joint, name="joint"),
    path("p/<slug:slug>/pair/<code:code>/joint/", joint.pair_joint, name="pair_joint"),
    path(
        "p/<slug:slug>/pair/<code:code>/joint/<slug:what>.<str:to>",
        joint.figure,
        name="joint_figure",
    ),
    path("p/<slug:slug>/ledger/<code:code>/", joint.ledger_page, name="ledger"),
    path(
        "p/<slug:slug>/ledger/<code:code>/export/<slug:form>/",
        joint.export,
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
    *campaign_urls,
    # biparses and scores
    path("p/<slug:slug>/pair/<code:code>/biparse/", joint.biparse_page, name="biparse"),
    path(
        "p/<slug:slug>/pair/<code:code>/biparse/<str:what>.<str:to>",
        joint.biparse_figure,
        name="biparse_figure",
    ),
    path("p/<slug:slug>/corpus/<code:code>/score/", joint.biparse_score, name="score"),
    # jobs
    path("p/<slug:slug>/releases/", releases.releases, name="releases"),
    path(
        "p/<slug:slug>/releases/<code:code>.zip",
        releases.download,
        name="release_download",
    ),
    path("p/<slug:slug>/jobs/", jobs.jobs, name="jobs"),
    path("p/<slug:slug>/jobs/<code:code>/", jobs.job, name="job"),
    path("p/<slug:slug>/jobs/<code:code>/cancel/", jobs.cancel, name="job_cancel"),
    *report_urls,
]
