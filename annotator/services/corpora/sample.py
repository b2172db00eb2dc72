"""The sample project that a new installation starts with.

Loading it again adds only what is missing. What people did in it stays.
"""

from io import BytesIO
from uuid import uuid4

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction

from annotator.errors import Conflict
from annotator.exchange.bitexts import BitextReading
from annotator.models import (
    Campaign,
    Job,
    Judgment,
    Membership,
    Participant,
    Project,
    Role,
)
from annotator.sample import bundle, items, texts
from annotator.sample.source import ANNOTATORS
from annotator.services import jobs
from annotator.services.campaigns import (
    answers,
    item_files,
    leases,
    participants,
    setup,
)
from annotator.services.campaigns import items as campaign_items
from annotator.services.corpora import imports, storing
from annotator.services.paraphrases import bitexts

SLUG, NAME = "sample", "Sample project"
ABOUT = (
    "Paraphrase pairs written for Gemel, with trees, dependencies and the links of "
    "three sample annotators, parallel text in three languages to make paraphrases of, "
    "and a substitution test with simulated judgments. CC0: change what you like."
)
CAMPAIGN = "Substitution test (simulated)"
GUIDELINE = (
    "Read the sentence with the paraphrase in place of the marked phrase. Judge first "
    "whether it still means the same, then whether the whole sentence is correct "
    "English. Judge each rendering by itself, and the sentence as it stands.\n\n"
    "All judgments of this campaign are simulated: three invented judges answer from "
    "an assigned quality, each with a leaning and a spread."
)
PRACTICE = "Try judging"
PRACTICE_GUIDELINE = (
    "Read the sentence with the paraphrase in place of the marked phrase. Judge first "
    "whether it still means the same, then whether the whole sentence is correct "
    "English. The first four items are training: after each you see what was expected."
)
N_PRACTICE = 20  # items, next to those of the training
SETTINGS = {
    "k": 2,
    "overlap_k": 3,
    "overlap_share": 0.4,
    "check_every": 12,
    # Who draws which check is chance: none may stop a judge, so that all is judged.
    "check_fail_share": 1.0,
}
SEED = 20
READ = ("item__instance", "participant__campaign")  # to judge
WANT = 20  # items a simulated judge asks for at once


def load(owner: User) -> Project:
    """The sample project, made if it is not there, with ``owner`` as manager."""
    project, _ = Project.objects.get_or_create(
        slug=SLUG,
        defaults={
            "name": NAME,
            "description": ABOUT,
            "is_sample": True,
            "created_by": owner,
        },
    )
    Membership.objects.get_or_create(
        project=project, user=owner, defaults={"role": Role.MANAGER}
    )
    for name in ANNOTATORS:
        _annotator(project, name)
    _load_pairs(project, owner)
    for language in texts.TARGETS:
        _load_bitext(project, owner, language)
    if not project.campaigns.filter(name=CAMPAIGN).exists():
        _load_campaign(project, owner)
    if not project.campaigns.filter(name=PRACTICE).exists():
        _load_practice(project, owner)
    return project


def _annotator(project: Project, name: str) -> None:
    """An account that no one can sign in with, as an annotator of the project."""
    user, is_new = User.objects.get_or_create(
        username=bundle.username(name), defaults={"first_name": name.title()}
    )
    if is_new:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    Membership.objects.get_or_create(
        project=project, user=user, defaults={"role": Role.ANNOTATOR}
    )


def _load_pairs(project: Project, owner: User) -> None:
    """Import the bundle; a second import adds nothing and is left out."""
    if project.corpora.filter(name=bundle.CORPUS, n_pairs__gt=0).exists():
        return
    content = BytesIO("".join(bundle.lines()).encode())
    upload = storing.keep(project, "sample.gemel", content, by=owner)
    job = imports.start(
        project,
        [upload],
        kind="gemel",
        corpus=bundle.CORPUS,
        by=owner,
        dry_run=False,
        is_ours=True,
        enqueue=False,
    )
    _finish(job)


def _load_bitext(project: Project, owner: User, language: str) -> None:
    """Import the English and its counterpart; nothing is linked or parsed yet."""
    name = f"Sample, {language.title()}"
    if project.bitexts.filter(name=name).exists():
        return
    target = texts.TARGETS[language]
    uploads = [
        storing.keep(project, path.name, BytesIO(path.read_bytes()), by=owner)
        for path in map(texts.path_of, (texts.SOURCE, language))
    ]
    job = bitexts.start(
        project,
        uploads,
        name=name,
        reading=BitextReading("moses", "en", target, raw=True),
        about={
            "source_language": "en",
            "target_language": target,
            "licence": texts.LICENCE,
            "provenance": texts.PROVENANCE,
        },
        by=owner,
        dry_run=False,
        enqueue=False,
    )
    _finish(job)


def _finish(job: Job) -> None:
    """Raises Conflict if the job does not end well."""
    jobs.run(job.pk)
    job.refresh_from_db()
    if job.state != Job.State.DONE:
        raise Conflict(f"The sample could not be loaded: {job.title}: {job.note}")


@transaction.atomic
def _load_campaign(project: Project, owner: User) -> None:
    campaign = setup.create(project, CAMPAIGN, by=owner)
    setup.change(campaign, SETTINGS, by=owner)
    setup.write_guideline(campaign, GUIDELINE, by=owner)
    with items.ITEMS.open("rb") as content:
        upload = item_files.keep(campaign, items.ITEMS.name, content, by=owner)
    for _ in campaign_items.load(campaign, upload, by=owner):
        pass
    setup.set_baseline(campaign.conditions.get(name="baseline"), by=owner)
    campaign.is_simulated = True
    campaign.save(update_fields=["is_simulated"])
    people = [
        participants.add_participant(
            campaign, label=f"{judge.name.title()} (simulated)"
        )
        for judge in items.JUDGES
    ]
    setup.open_campaign(campaign, by=owner)
    _judge_all(campaign, people)
    setup.close(campaign, by=owner)


@transaction.atomic
def _load_practice(project: Project, owner: User) -> None:
    """An open campaign for the owner: some of the items, and the training."""
    campaign = setup.create(project, PRACTICE, by=owner)
    setup.change(campaign, {"k": 1, "overlap_share": 0.0}, by=owner)
    setup.write_guideline(campaign, PRACTICE_GUIDELINE, by=owner)
    head, *rows = items.ITEMS.read_bytes().splitlines(keepends=True)
    training = [row for row in rows if b"\ttraining\t" in row]
    content = BytesIO(b"".join([head, *training, *rows[:N_PRACTICE]]))
    upload = item_files.keep(campaign, "practice.tsv", content, by=owner)
    for _ in campaign_items.load(campaign, upload, by=owner):
        pass
    participants.add_people(campaign, [owner], by=owner)
    setup.open_campaign(campaign, by=owner)


def _judge_all(campaign: Campaign, people: list[Participant]) -> None:
    """Let the judges take turns until nothing is left for any of them."""
    truths = items.truths()
    places = {key: place for place, key in enumerate(truths)}
    at_work = list(enumerate(zip(people, items.JUDGES, strict=True)))
    while at_work:
        for one in list(at_work):
            n, (person, judge) = one
            drawn = [one.pk for one in leases.draw(person.pk, want=WANT)]
            there = Judgment.objects.select_related(*READ).in_bulk(drawn)
            for judgment in map(there.__getitem__, drawn):
                key = _key(judgment)
                # not one sequence, so the answers do not depend on the order of draws
                rng = np.random.default_rng([SEED, n, places[key]])
                _judge(judgment, judge, truths[key], rng)
            if not drawn:
                at_work.remove(one)


def _key(judgment: Judgment) -> items.Key:
    instance = judgment.item.instance
    return (
        instance.sentence,
        instance.start,
        instance.end,
        judgment.item.paraphrase,
    )


def _judge(
    judgment: Judgment,
    judge: items.Judge,
    truth: dict[str, int],
    rng: np.random.Generator,
) -> None:
    answer = answers.Answer(
        uuid4(),
        seen=judgment.revision,
        values=items.answers(judge, truth, rng),
        active_ms=int(rng.lognormal(8.9, 0.5)),
    )
    answers.save(judgment, answer)
