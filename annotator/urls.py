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
from annotator.views.campaigns import judge
from annotator.views.campaigns.urls import campaign_urls
from annotator.views.reports import report_urls

handler400 = "annotator.views.missing.not_readable"
handler404 = "annotator.views.missing.not_found"
handler500 = "annotator.views.missing.broken"

of_corpus = [
    path("", corpora.corpus, name="corpus"),
    path("export/", corpora.export, name="export"),
    path("export/<slug:kind>/", corpora.export_file, name="export_file"),
    path("alignments/", corpora.alignments, name="alignments"),
    path("alignments/next/", corpora.next_unsure, name="next_unsure"),
    path("parses/", parsing.corpus_parses, name="parses"),
    path("sentences/", parsing.corpus_sentences, name="sentences"),
    path("substitution/", parsing.with_substitution, name="substitution"),
    path("search/", queries.search, name="query"),
    path("search/groups/<slug:form>/", queries.groups, name="query_groups"),
    path("search/export/<slug:form>/", queries.export, name="query_export"),
    path("relabel/", treebanks.relabel, name="relabel"),
    path("problems/", treebanks.problems, name="problems"),
    path("worklists/", treebanks.corpus_lists, name="worklists"),
    path("joint/", joint.corpus_joint, name="joint"),
    path("score/", joint.biparse_score, name="score"),
    path("find/", corpora.find, name="find_paraphrases"),
]
of_pair = [
    path("", editor.pair, name="pair"),
    path("table/", editor.table, name="pair_table"),
    path("tree/", editor.tree, name="pair_tree"),
    path("drawing/", editor.drawing, name="pair_drawing"),
    path("figure.<str:to>", figures.figure, name="figure"),
    path("figure/", figures.pair_page, name="figure_of_pair"),
    path("joint/", joint.pair_joint, name="pair_joint"),
    path("joint/<slug:what>.<str:to>", joint.figure, name="joint_figure"),
    path("biparse/", joint.biparse_page, name="biparse"),
    path("biparse/<str:what>.<str:to>", joint.biparse_figure, name="biparse_figure"),
]
of_sentence = [
    path("", parsing.sentence, name="sentence"),
    path("figure/", figures.sentence_page, name="figure_of_sentence"),
    path("figure.<str:to>", figures.sentence_figure, name="sentence_figure"),
    path("tree/", trees.edit, name="tree_edit"),
    path("compare/", trees.compare, name="trees_compare"),
    path("arcs/", trees.arcs, name="arcs_edit"),
]
of_table = [
    path("", paraphrases.search, name="paraphrase_search"),
    path("tables/", paraphrases.tables_of, name="paraphrase_tables_of"),
    path("why/", paraphrases.why, name="paraphrase_why"),
    path("substitute/", paraphrases.substitute, name="paraphrase_substitute"),
    path("weights/", paraphrases.weights, name="paraphrase_weights"),
    path("campaign/", paraphrases.campaign, name="paraphrase_campaign"),
    path("remove/", paraphrases.remove, name="paraphrase_remove"),
]
of_project: list[URLPattern | URLResolver] = [
    path("", projects.project, name="project"),
    path("learn/", projects.learn, name="learn"),
    path("people/", projects.people, name="people"),
    path("settings/", settings.of_project, name="project_settings"),
    path("settings/<slug:kind>/<code:code>/", settings.of_part, name="part_settings"),
    path("settings/restore/<code:code>/do/", settings.restore, name="restore"),
    path("log/", settings.project_log, name="project_log"),
    # corpora and pairs
    path("corpora/", projects.corpora, name="corpora"),
    path("corpus/<code:code>/", include(of_corpus)),
    path("pair/<code:code>/", include(of_pair)),
    # in and out
    path("upload/", corpora.upload, name="upload"),
    path("upload/<code:code>/", corpora.upload_report, name="upload_report"),
    # parallel text
    path("bitexts/", bitexts.bitexts, name="bitexts"),
    path("bitexts/upload/", bitexts.upload, name="bitext_upload"),
    path("bitexts/upload/<code:code>/", bitexts.upload_report, name="bitext_report"),
    path("bitext/<code:code>/", bitexts.bitext, name="bitext"),
    path("bitext/<code:code>/do/", bitexts.act, name="bitext_act"),
    path("sentence/<code:code>/", include(of_sentence)),
    # searches of trees
    path("search/", queries.search, name="project_query"),
    path("search/tree/", queries.tree, name="query_tree"),
    path("search/export/<slug:form>/", queries.export, name="project_query_export"),
    path("search/groups/<slug:form>/", queries.groups, name="project_query_groups"),
    path("worklist/<code:code>/", treebanks.worklist, name="worklist"),
    path("work/<code:code>/", treebanks.finish, name="work_finish"),
    path("relabelled/<code:code>/", treebanks.batch, name="relabelled"),
    path("ledger/<code:code>/", joint.ledger_page, name="ledger"),
    path("ledger/<code:code>/export/<slug:form>/", joint.export, name="ledger_export"),
    # paraphrases out of parallel text
    path("paraphrases/", paraphrases.tables, name="paraphrases"),
    path("paraphrases/of/", paraphrases.of_sentence, name="paraphrases_of"),
    path("paraphrases/<code:code>/", include(of_table)),
    # jobs
    path("releases/", releases.releases, name="releases"),
    path("releases/<code:code>.zip", releases.download, name="release_download"),
    path("jobs/", jobs.jobs, name="jobs"),
    path("jobs/<code:code>/", jobs.job, name="job"),
    path("jobs/<code:code>/cancel/", jobs.cancel, name="job_cancel"),
    *campaign_urls,
    path("agreement/", include(report_urls)),
]

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
    path("p/<slug:slug>/", include(of_project)),
    path("judging-worker.js", judge.worker, name="judge_worker"),
    path(
        "deleted/<code:code>/restore/", settings.restore_project, name="project_restore"
    ),
    path("sample/<slug:name>.txt", bitexts.sample_text, name="bitext_sample"),
    # parses
    path("try/", parsing.try_out, name="try"),
]
