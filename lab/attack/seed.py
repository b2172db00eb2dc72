"""Makes in an installation what its visitors need, and prints it as one JSON object.

A project with an open campaign; a judge, who has a token; a manager, who has a token
and is signed in. Run in the environment of the installation, once or again.
"""

import json
import os
from typing import Any

N_ITEMS = 4000
SENTENCE = "In sentence {} the gardener put off the harvest until the rain was over."
PHRASE = "put off"
NAME = "Attacked"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")
    import django

    django.setup()
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.test import Client

    from annotator.models import Campaign
    from annotator.services import accounts
    from annotator.services.projects import members

    owner, _ = members.ensure_owner()
    campaign = Campaign.objects.filter(name=NAME).first() or _campaign(owner)
    client = Client()
    client.force_login(owner)
    cookies = {settings.SESSION_COOKIE_NAME: client.cookies["sessionid"].value}
    cookies[settings.CSRF_COOKIE_NAME] = "a" * 32

    def token(user: Any, scope: str) -> str:
        return f"Token {accounts.make_token(user, name='attack', scope=scope)[1]}"

    made = {
        "campaign": campaign.code,
        "project": campaign.project.slug,
        "judge": token(User.objects.get(username="attacked-judge"), "annotate"),
        "manager": token(owner, "manage"),
        "session": "; ".join(f"{name}={value}" for name, value in cookies.items()),
    }
    print(json.dumps(made))  # noqa: T201 - for who started this


def _campaign(owner: Any) -> Any:
    from django.contrib.auth.models import User

    from annotator.models import Batch, Campaign, Membership
    from annotator.services.campaigns import participants, setup
    from annotator.services.projects import members

    project = members.create(NAME, by=owner)
    campaign = setup.create(project, NAME, by=owner)
    plain = {"k": 1, "overlap_share": 0, "check_every": 0}
    setup.change(campaign, plain, by=owner)
    batch = Batch.objects.create(campaign=campaign, name="Main", n_items=N_ITEMS)
    _add_items(campaign, batch)
    Campaign.objects.filter(pk=campaign.pk).update(n_items=N_ITEMS)
    campaign.refresh_from_db()
    judge = User.objects.create_user("attacked-judge")
    Membership.objects.create(project=project, user=judge, role="annotator")
    participants.add_people(campaign, [judge], by=owner)
    setup.open_campaign(campaign, by=owner)
    return campaign


def _add_items(campaign: Any, batch: Any) -> None:
    from annotator.models import Instance, Item

    texts = [SENTENCE.format(i) for i in range(N_ITEMS)]
    starts = [text.index(PHRASE) for text in texts]
    instances = Instance.objects.bulk_create(
        Instance(
            campaign=campaign,
            sentence=text,
            start=start,
            end=start + len(PHRASE),
            phrase=PHRASE,
            key=Instance.key_of(text, start, start + len(PHRASE)),
        )
        for text, start in zip(texts, starts, strict=True)
    )
    Item.objects.bulk_create(
        Item(
            campaign=campaign,
            batch=batch,
            number=i,
            instance=instance,
            paraphrase=f"delayed {i}",
        )
        for i, instance in enumerate(instances)
    )


if __name__ == "__main__":
    main()
