"""The addresses of campaigns: setting up, handing out, judging, curation."""

from django.urls import URLPattern, path

from annotator.http import converters  # noqa: F401  before any address is made
from annotator.views import projects
from annotator.views.campaigns import campaigns, curation, judge
from annotator.views.campaigns import items as campaign_items
from annotator.views.campaigns import setup as campaign_setup

campaign_urls: list[URLPattern] = [
    # campaigns
    path("p/<slug:slug>/campaigns/", campaigns.campaigns, name="campaigns"),
    path("p/<slug:slug>/campaigns/new/", campaigns.new, name="campaign_new"),
    path("p/<slug:slug>/campaign/<code:code>/", campaigns.campaign, name="campaign"),
    path(
        "p/<slug:slug>/campaign/<code:code>/agreement/",
        projects.agreement_line,
        name="agreement_line",
    ),
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
        "p/<slug:slug>/campaign/<code:code>/judgments.<slug:form>",
        campaigns.export,
        {"what": "judgments"},
        name="campaign_table",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/machines.<slug:form>",
        campaigns.export,
        {"what": "machines"},
        name="campaign_machines_table",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/items.<slug:form>",
        campaigns.export,
        {"what": "items"},
        name="campaign_items_table",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/timesheet.<slug:form>",
        campaigns.export,
        {"what": "timesheet"},
        name="campaign_timesheet",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/participants.<slug:form>",
        campaigns.export,
        {"what": "participants"},
        name="campaign_participants",
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
        "p/<slug:slug>/campaign/<code:code>/people/<code:person>/",
        campaigns.annotator,
        name="campaign_annotator",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/batches/",
        campaign_setup.batches,
        name="campaign_batches",
    ),
    # judging
    path("p/<slug:slug>/judge/", judge.choose, name="judging"),
    path("p/<slug:slug>/judge/<code:code>/", judge.screen, name="judge"),
    path("p/<slug:slug>/judge/<code:code>/shell/", judge.shell, name="judge_shell"),
    path("judging-worker.js", judge.worker, name="judge_worker"),
    path(
        "p/<slug:slug>/judge/<code:code>/messages/",
        judge.messages,
        name="judge_messages",
    ),
    path(
        "p/<slug:slug>/campaign/<code:code>/decisions.<slug:form>",
        campaigns.export,
        {"what": "decisions"},
        name="campaign_decisions",
    ),
    # curation
    path(
        "p/<slug:slug>/campaign/<code:code>/curate/majority/",
        curation.by_majority,
        name="curation_majority",
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
