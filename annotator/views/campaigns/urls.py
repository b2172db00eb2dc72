"""The addresses of campaigns: setting up, handing out, judging, curation."""

from django.urls import URLPattern, URLResolver, include, path

from annotator.http import converters  # noqa: F401  before any address is made
from annotator.views import projects
from annotator.views.campaigns import campaigns, curation, judge
from annotator.views.campaigns import items as campaign_items
from annotator.views.campaigns import setup as campaign_setup

of_items = [
    path("", campaign_items.items, name="campaign_items"),
    path("add/", campaign_items.add, name="campaign_items_add"),
    path("do/", campaign_items.act, name="campaign_items_act"),
    path("sample.<slug:form>", campaign_items.sample, name="campaign_items_sample"),
    path("<code:upload>/", campaign_items.check, name="campaign_items_check"),
]
of_curation = [
    path("majority/", curation.by_majority, name="curation_majority"),
    path("", curation.curation, name="curation"),
    path("<code:item>/", curation.curate_item, name="curate_item"),
    path("reopen/<code:judgment>/", curation.reopen, name="curate_reopen"),
]
TABLES = {  # what a file holds, and the name of its address
    "judgments": "campaign_table",
    "machines": "campaign_machines_table",
    "items": "campaign_items_table",
    "timesheet": "campaign_timesheet",
    "participants": "campaign_participants",
    "decisions": "campaign_decisions",
}
of_campaign: list[URLPattern | URLResolver] = [
    path("", campaigns.campaign, name="campaign"),
    path("agreement/", projects.agreement_line, name="agreement_line"),
    path("design/", campaigns.design, name="campaign_design"),
    path("do/", campaigns.act, name="campaign_act"),
    path("flags/", campaigns.flags, name="campaign_flags"),
    path("scales/", campaign_setup.scales, name="campaign_scales"),
    path("guideline/", campaign_setup.guideline, name="campaign_guideline"),
    path("rules/", campaign_setup.rules, name="campaign_rules"),
    path("people/", campaign_setup.people, name="campaign_people"),
    path("people/<code:person>/", campaigns.annotator, name="campaign_annotator"),
    path("batches/", campaign_setup.batches, name="campaign_batches"),
    *(
        path(f"{what}.<slug:form>", campaigns.export, {"what": what}, name=name)
        for what, name in TABLES.items()
    ),
    path("items/", include(of_items)),
    path("curate/", include(of_curation)),
]

campaign_urls: list[URLPattern | URLResolver] = [
    path("campaigns/", campaigns.campaigns, name="campaigns"),
    path("campaigns/new/", campaigns.new, name="campaign_new"),
    path("campaign/<code:code>/", include(of_campaign)),
    path("judge/", judge.choose, name="judging"),
    path("judge/<code:code>/", judge.screen, name="judge"),
    path("judge/<code:code>/messages/", judge.messages, name="judge_messages"),
    path("judge/<code:code>/shell/", judge.shell, name="judge_shell"),
]
