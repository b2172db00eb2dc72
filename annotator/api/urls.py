"""Every endpoint under ``/api/``, grouped by noun."""

from django.urls import URLPattern, URLResolver, include, path
from drf_spectacular.views import SpectacularAPIView
from rest_framework.routers import SimpleRouter

from annotator.api import (
    aligning,
    bitexts,
    campaigns,
    editing,
    figures,
    imports,
    joint,
    judging,
    layers,
    managing,
    paraphrases,
    parsing,
    people,
    reports,
    rows,
    searches,
    sentences,
    treebanks,
)
from annotator.views.api_docs import api_docs

router = SimpleRouter()
router.register("projects", rows.ProjectViews)
router.register("corpora", rows.CorpusViews)
router.register(r"corpora/(?P<corpus>[0-9a-f]{16})/pairs", rows.PairViews)
router.register(
    r"corpora/(?P<corpus>[0-9a-f]{16})/sentences", sentences.CorpusSentences
)
router.register("jobs", rows.JobViews)
router.register("ratings", rows.RatingViews)
router.register("removals", managing.RemovalViews)
router.register(r"projects/(?P<slug>[-a-z0-9_]+)/log", managing.LogViews)
router.register("campaigns", campaigns.CampaignViews)
router.register(r"campaigns/(?P<campaign>[0-9a-f]{16})/items", campaigns.ItemViews)

urlpatterns: list[URLPattern | URLResolver] = [
    path("judge/<code:code>/answers/", judging.answers, name="api_answers"),
    path("judge/<code:code>/guideline/", judging.guideline, name="api_guideline"),
    path("judge/<code:code>/messages/", judging.messages, name="api_messages"),
    path("judge/<code:code>/", judging.show, name="api_desk"),
    path("", include(router.urls)),
    path("corpora/<code:corpus>/scores/", aligning.CorpusScores.as_view()),
    path("corpora/<code:corpus>/finds/", aligning.CorpusFinds.as_view()),
    path("projects/<slug:slug>/members/", people.Members.as_view()),
    path("projects/<slug:slug>/members/<str:username>/", people.Member.as_view()),
    path("projects/<slug:slug>/invitations/", people.Invitations.as_view()),
    path("judge-preference/", judging.preference, name="api_judge_preference"),
    path("pairs/<code:code>/layers/", layers.PairLayers.as_view(), name="api_layers"),
    path("pairs/<code:code>/figure/", figures.PairFigure.as_view()),
    path("pairs/<code:code>/trees/", layers.PairTrees.as_view(), name="api_trees"),
    path(
        "pairs/<code:code>/proposals/",
        aligning.PairProposals.as_view(),
        name="api_proposals",
    ),
    path(
        "pairs/<code:code>/better-trees/",
        aligning.PairBetterTrees.as_view(),
        name="api_better_trees",
    ),
    path("layers/<code:code>/", layers.LayerView.as_view(), name="api_layer"),
    path("layers/<code:code>/ops/", layers.LayerOps.as_view(), name="api_ops"),
    path("layers/<code:code>/history/", layers.LayerHistory.as_view()),
    path("layers/<code:code>/state/", layers.LayerState.as_view()),
    path("layers/<code:code>/compare/", layers.LayerCompare.as_view()),
    path("layers/<code:code>/proposals/", aligning.LayerProposals.as_view()),
    path("corpora/<code:code>/query/", searches.TreeQuery.as_view()),
    path("corpora/<code:code>/query/groups/", searches.TreeQueryGroups.as_view()),
    path("projects/<slug:slug>/query/", searches.TreeQuery.as_view()),
    path("projects/<slug:slug>/query/groups/", searches.TreeQueryGroups.as_view()),
    path("corpora/<code:code>/alignments/", aligning.CorpusAlignments.as_view()),
    path("corpora/<code:code>/joint/", joint.CorpusJoint.as_view()),
    path("pairs/<code:code>/joint/", joint.PairJoint.as_view()),
    path("joint-runs/<code:code>/", joint.RunTotals.as_view()),
    path("joint-runs/<code:code>/changes/", joint.RunChanges.as_view()),
    path(
        "joint-runs/<code:code>/verdicts/",
        joint.RunVerdicts.as_view(),
        name="api_verdicts",
    ),
    path("changes/<code:code>/history/", joint.ChangeHistory.as_view()),
    path("formats/", imports.Formats.as_view(), name="api_formats"),
    path("projects/<slug:slug>/imports/", imports.Imports.as_view()),
    path("imports/<code:code>/go-on/", imports.ImportGoOn.as_view()),
    path("jobs/<code:code>/issues/", imports.JobIssues.as_view()),
    path("corpora/<code:code>/export/<slug:kind>/", imports.CorpusExport.as_view()),
    path("campaigns/<code:code>/agreement/", reports.campaign),
    path("campaigns/<code:code>/plan/", managing.CampaignPlan.as_view()),
    path("ratings/<code:code>/agreement/", reports.rating_set),
    path("corpora/<code:code>/agreement/", reports.corpus),
    path("reports/<code:code>/", reports.frozen),
    path("items/<code:code>/decisions/", reports.decisions),
    path("items/<code:code>/judges/<str:judge>/reopen/", reports.reopen),
    path("parsers/", parsing.Parsers.as_view(), name="api_parsers"),
    path("projects/<slug:slug>/parsers/", parsing.ProjectParsers.as_view()),
    path("projects/<slug:slug>/linking/", parsing.ProjectLinking.as_view()),
    path("corpora/<code:code>/substitution/", parsing.CorpusHelped.as_view()),
    path("corpora/<code:code>/parsers/", parsing.CorpusTraining.as_view()),
    path("corpora/<code:code>/parses/", parsing.CorpusParses.as_view()),
    path("sentences/<code:code>/", sentences.SentenceView.as_view()),
    path("sentences/<code:code>/figure/", figures.SentenceFigure.as_view()),
    path("sentences/<code:code>/forests/", sentences.SentenceForests.as_view()),
    path("sentences/<code:code>/likenesses/", sentences.SentenceLikenesses.as_view()),
    path("sentences/<code:code>/parses/", parsing.SentenceParses.as_view()),
    path("projects/<slug:slug>/bitexts/", bitexts.Bitexts.as_view()),
    path("bitexts/<code:code>/", bitexts.BitextView.as_view()),
    path("bitexts/<code:code>/links/", bitexts.BitextLinking.as_view()),
    path("bitexts/<code:code>/parses/", bitexts.BitextParses.as_view()),
    path("projects/<slug:slug>/tables/", paraphrases.Tables.as_view()),
    path("tables/<code:code>/", paraphrases.TableView.as_view()),
    path("tables/<code:code>/lookup/", paraphrases.TableLookup.as_view()),
    path("tables/<code:code>/why/", paraphrases.TableWhy.as_view()),
    path("tables/<code:code>/substitute/", paraphrases.TableSubstitute.as_view()),
    path("tables/<code:code>/weights/", paraphrases.TableWeights.as_view()),
    path("tables/<code:code>/items/", paraphrases.TableItems.as_view()),
    path("sentences/<code:code>/draft/", editing.SentenceDraft.as_view()),
    path("sentences/<code:code>/arc-draft/", editing.SentenceArcDraft.as_view()),
    path("arc-drafts/<code:code>/ops/", editing.ArcDraftOps.as_view()),
    path("tree-drafts/<code:code>/ops/", editing.DraftOps.as_view()),
    path("tree-drafts/<code:code>/history/", editing.DraftHistory.as_view()),
    path("tree-drafts/<code:code>/save/", editing.DraftSave.as_view()),
    path("corpora/<code:code>/relabel/", treebanks.CorpusRelabel.as_view()),
    path("corpora/<code:code>/rules/", treebanks.CorpusRules.as_view()),
    path("corpora/<code:code>/problems/", treebanks.CorpusProblems.as_view()),
    path("sentences/<code:code>/problems/", treebanks.SentenceProblems.as_view()),
    path("corpora/<code:code>/worklists/", treebanks.CorpusWorklists.as_view()),
    path("worklists/<code:code>/next/", treebanks.WorkNext.as_view()),
    path("work/<code:code>/", treebanks.WorkFinish.as_view()),
    path("tree-batches/<code:code>/", treebanks.BatchView.as_view()),
    path("tree-batches/<code:code>/undo/", treebanks.BatchUndo.as_view()),
    path("schema/", SpectacularAPIView.as_view(), name="api_schema"),
    path("docs/", api_docs, name="api_docs"),
]
