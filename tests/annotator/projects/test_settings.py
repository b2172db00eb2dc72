"""Names, the archive, copies, and the pages of them."""

import pytest
from django.test import Client

from annotator.errors import Conflict, NotAllowed
from annotator.models import Campaign, Corpus, Judgment, LogEntry, RatingSet, Upload
from annotator.services.campaigns import answers, copying, leases, setup
from annotator.services.projects import keeping
from tests.annotator.campaigns_cast import answer, campaign, person


@pytest.fixture
def ada(cast) -> Client:
    client = Client()
    client.force_login(cast.ada)
    return client


def ratings(cast) -> RatingSet:
    upload = Upload.objects.create(
        project=cast.project, name="r.csv", size=1, sha256="0"
    )
    return RatingSet.objects.create(
        project=cast.project, name="Old ratings", format="long", upload=upload
    )


def parts(cast) -> list[tuple[str, object]]:
    rows = (cast.corpus, campaign(cast, is_open=False), ratings(cast))
    kinds = ("corpus", "campaign", "ratings")
    return [
        (f"/p/windows/settings/{kind}/{row.code}/", row)
        for kind, row in zip(kinds, rows, strict=True)
    ]


def test_every_kind_is_renamed_archived_deleted_and_restored(cast, ada) -> None:
    for url, row in parts(cast):
        ada.post(url, {"what": "describe", "name": "New & <i>shiny</i>"})
        row.refresh_from_db()
        assert row.name == "New & <i>shiny</i>"
        assert "New &amp; &lt;i&gt;shiny" in ada.get(url).text
        for what, is_there in (("archive", True), ("unarchive", False)):
            ada.post(url, {"what": what})
            row.refresh_from_db()
            assert (row.archived_at is not None) is is_there
        answer = ada.post(url, {"what": "delete", "confirm": row.name})
        assert answer.url == "/p/windows/settings/#deleted"
        assert ada.get(url).status_code == 404
        code = cast.project.removals.get().code
        back = ada.post(f"/p/windows/settings/restore/{code}/do/")
        assert back.url == url


def test_a_project_too(cast, ada) -> None:
    url = "/p/windows/settings/"
    ada.post(url, {"what": "describe", "name": "Doors", "description": "All of them."})
    assert "All of them." in ada.get("/p/windows/").text
    ada.post(url, {"what": "archive"})
    assert "Archived (1)" in ada.get("/").text
    assert ada.post(url, {"what": "delete", "confirm": "Doors"}).url == "/#deleted"
    home = ada.get("/").text
    assert "Restore" in home
    code = home.split("/deleted/")[1].split("/")[0]
    assert ada.post(f"/deleted/{code}/restore/").url == "/p/windows/"


def test_work_of_people_is_deleted_only_by_name(cast, ada) -> None:
    url = f"/p/windows/settings/corpus/{cast.corpus.code}/"
    assert "1 pair linked by people" in " ".join(ada.get(url).text.split()).replace(
        "<b>", ""
    )
    refused = ada.post(url, {"what": "delete", "confirm": "houses"})
    assert refused.status_code == 400
    assert "Type the name" in refused.text
    assert Corpus.objects.visible_to(cast.ada).exists()


def test_taken_and_empty_names_are_refused_and_kept_in_the_form(cast, ada) -> None:
    Corpus.objects.create(project=cast.project, name="Doors")
    url = f"/p/windows/settings/corpus/{cast.corpus.code}/"
    taken = ada.post(url, {"what": "describe", "name": "Doors"})
    assert taken.status_code == 409
    assert 'value="Doors"' in taken.text
    assert ada.post(url, {"what": "describe", "name": " "}).status_code == 400
    assert ada.post(url, {"what": "explode"}).status_code == 400


@pytest.mark.parametrize("who", ["bob", "cyd"])
def test_others_have_no_settings(cast, who: str) -> None:
    client = Client()
    client.force_login(getattr(cast, who))
    expected = {"bob": 403, "cyd": 404}[who]
    code = cast.corpus.code
    for url in ("settings/", f"settings/corpus/{code}/", "log/"):
        assert client.get(f"/p/windows/{url}").status_code == expected
        sent = client.post(f"/p/windows/{url}", {"what": "delete"})
        assert sent.status_code in (expected, 405)
    with pytest.raises(NotAllowed):
        keeping.archive(cast.corpus, by=getattr(cast, who))


def test_what_people_judge_is_not_archived(cast) -> None:
    made = campaign(cast)
    for thing in (made, cast.project):
        with pytest.raises(Conflict):
            keeping.archive(thing, by=cast.ada)
    setup.close(made, by=cast.ada)
    keeping.archive(made, by=cast.ada)


def test_archived_things_are_folded_away_in_their_lists(cast, ada) -> None:
    for _, row in parts(cast):
        keeping.archive(row, by=cast.ada)
    for page in ("campaigns", "corpora", "agreement"):
        assert "Archived (1)" in ada.get(f"/p/windows/{page}/").text


def test_a_copy_has_the_set_up_and_the_items_but_nobodys_answers(cast) -> None:
    made = campaign(cast, n=5, k=3)
    setup.write_guideline(made, "Read both first.", by=cast.ada)
    (first, *_) = leases.draw(person(made, cast.bob).pk, want=2)
    answers.save(first, answer())
    copy = copying.copy_campaign(made, "Second round", by=cast.ada)
    assert (copy.state, copy.k, copy.n_items) == (Campaign.State.DRAFT, 3, 5)
    assert copy.guidelines.get().text == "Read both first."
    assert copy.scales.count() == made.scales.count()
    assert not copy.participants.exists()
    assert not Judgment.objects.filter(item__campaign=copy).exists()
    assert set(copy.items.values_list("n_done", flat=True)) == {0}
    bare = copying.copy_campaign(made, "Third", by=cast.ada, with_items=False)
    assert (bare.n_items, bare.items.count()) == (0, 0)
    with pytest.raises(Conflict):
        copying.copy_campaign(made, "Third", by=cast.ada)


def test_the_page_copies(cast, ada) -> None:
    made = campaign(cast)
    url = f"/p/windows/settings/campaign/{made.code}/"
    sent = ada.post(url, {"what": "copy", "copy": "Repeat", "items": "on"})
    copy = Campaign.objects.get(name="Repeat")
    assert sent.url == f"/p/windows/campaign/{copy.code}/"
    assert copy.n_items == made.n_items


def test_the_log_names_rules_as_their_form_does(cast, ada) -> None:
    made = campaign(cast, n=3, is_open=False)
    setup.change(made, {"k": 2, "check_every": 9}, by=cast.ada)
    page = ada.get("/p/windows/log/").content.decode()
    assert "A check about every, Judges per item" in page
    assert "check_every" not in page


def test_the_log_is_read_page_by_page_and_by_person(cast, ada) -> None:
    for n in range(120):
        keeping.describe(cast.corpus, {"name": f"Houses {n}"}, by=cast.ada)
    assert LogEntry.objects.count() == 120
    first = ada.get("/p/windows/log/").text
    assert "Houses 119" in first
    assert "Houses 3<" not in first
    assert "was Houses 118" in first
    assert "Houses 3<" in ada.get("/p/windows/log/?page=2").text
    assert "Nothing yet" in ada.get("/p/windows/log/?who=bob").text
    assert ada.get("/p/windows/log/?whom=bob").status_code == 400
