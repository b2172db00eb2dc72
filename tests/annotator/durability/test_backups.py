"""Backups that are made by themselves, and the page that shows them."""

import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.urls import reverse
from hypothesis import given, strategies
from hypothesis import settings as settings_

from annotator import backups, disk
from annotator.errors import Conflict
from annotator.models import ParaphraseTable
from annotator.services import archives
from annotator.services.installation import backing_up

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
DAY = timedelta(days=1)
TRIED = archives.verify


@pytest.fixture
def home(settings, tmp_path) -> Path:
    settings.GEMEL_HOME = tmp_path
    settings.MEDIA_ROOT = tmp_path / "uploads"
    return tmp_path


@pytest.fixture
def quick(home, monkeypatch) -> Path:
    """Archives of a few bytes, for what is about times and numbers."""

    def write(path: Path) -> dict[str, int]:
        path.write_bytes(b"whole")
        return {"rows": 3}

    monkeypatch.setattr(archives, "backup", write)
    monkeypatch.setattr(archives, "verify", lambda path: {"rows": 3})
    monkeypatch.setattr(backing_up, "_needed", lambda: 1)
    monkeypatch.setattr(backups, "FIRST", timedelta(0))
    return home


def names() -> list[str]:
    return [one.name for one in backups.kept()]


def test_a_backup_is_made_tried_and_for_one_account(cast, home, monkeypatch) -> None:
    monkeypatch.setattr(backups, "FIRST", timedelta(0))
    backing_up.work()
    assert backups.state().fault == ""
    (one,) = backups.kept()
    assert one.is_good
    assert one.rows == sum(archives.backup(home / "another.zip").values())
    assert stat.S_IMODE((home / "backups").stat().st_mode) == 0o700
    for path in (home / "backups").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_what_is_wrong_with_one_is_told_and_another_is_made(
    quick, db, monkeypatch
) -> None:
    backing_up.work(NOW)
    monkeypatch.setattr(archives, "verify", TRIED)
    backups.request("gemel-000001")
    backing_up.work(NOW)
    (one,) = backups.kept()
    assert "not a backup of Gemel" in one.fault
    assert not backups.is_due(NOW)
    assert backups.is_due(NOW + backups.RETRY)


@settings_(max_examples=200)
@given(ages=strategies.lists(strategies.integers(-100, 100), max_size=4))
def test_one_is_due_unless_a_good_one_is_of_the_last_day(ages) -> None:
    def known(hours: int) -> backups.Backup:
        then = NOW - timedelta(hours=hours)
        return backups.Backup("gemel-000001", then, verified_at=then)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backups, "kept", lambda: [known(one) for one in ages])
        patch.setattr(backups, "FIRST", timedelta(0))
        assert backups.is_due(NOW) is not any(0 <= one < 24 for one in ages)


def test_a_day_has_one_backup_whatever_the_clock_does(quick, db) -> None:
    for step in (0, 0.5, 400, 400.5, 2, 2.5):  # days; then the clock steps back
        backing_up.work(NOW + step * DAY)
    assert names() == ["gemel-000003", "gemel-000002", "gemel-000001"]
    assert backups.kept()[0].made_at == NOW + 2 * DAY


def test_the_newest_are_kept_though_the_clock_says_they_are_old(
    quick, db, settings
) -> None:
    settings.BACKUPS_KEPT = 2
    for step in (900, 0, 2, 4):
        backing_up.work(NOW + step * DAY)
    assert names() == ["gemel-000004", "gemel-000003"]
    assert len(list((quick / "backups").glob("gemel-*"))) == 4  # each with its facts


def test_the_last_good_one_is_never_thrown_away(
    quick, db, settings, monkeypatch
) -> None:
    from annotator.errors import BadRequest

    settings.BACKUPS_KEPT = 2
    backing_up.work(NOW)

    def damaged(path: Path) -> None:
        raise BadRequest("damaged")

    monkeypatch.setattr(archives, "verify", damaged)
    for step in (1, 2, 3):
        backing_up.work(NOW + step * DAY)
    assert names() == ["gemel-000004", "gemel-000003", "gemel-000001"]


def test_there_are_never_two_at_work(quick, db) -> None:
    with backups.held():
        assert not backups.is_wanted()
        with pytest.raises(Conflict, match="already"):
            backing_up.work(NOW)
    assert not backups.kept()
    backing_up.work(NOW)
    assert len(names()) == 1


def test_none_are_made_where_that_is_switched_off(quick, db, settings) -> None:
    settings.BACKUP_HOURS = 0
    assert not backups.is_wanted(NOW)
    assert not backups.state(NOW + 900 * DAY).is_late
    backups.request(backups.ALL)
    backing_up.work(NOW)
    assert len(names()) == 1


def test_a_disk_without_room_is_told_and_tried_again(
    quick, db, settings, monkeypatch
) -> None:
    monkeypatch.setattr(disk, "_seen", None)
    enough, settings.MIN_FREE_MB = settings.MIN_FREE_MB, 10**9
    backing_up.work(NOW)
    assert "MB left" in backups.state(NOW).fault
    assert not backups.kept()
    assert not backups.is_due(NOW + backups.RETRY / 2)
    settings.MIN_FREE_MB = enough
    backing_up.work(NOW + backups.RETRY)
    assert backups.state(NOW).fault == ""
    assert len(names()) == 1


def test_what_a_killed_one_left_is_swept_and_it_is_tried(quick, db) -> None:
    folder = backups.folder()
    (folder / "gemel-000001.zip.part").write_bytes(b"ha")
    (folder / "gemel-000002.zip").write_bytes(b"whole")  # killed before it was tried
    assert backups.is_wanted()
    backing_up.work(datetime.now(UTC))
    assert backups.kept()[0].is_good
    assert not list(folder.glob("*.part"))


def test_trying_one_that_kills_us_is_given_up(quick, db, monkeypatch) -> None:
    backing_up.work(NOW)
    backups.request("gemel-000001")

    def killed(path: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(archives, "verify", killed)
    for _ in range(backups.MAX_TRIALS):
        with pytest.raises(KeyboardInterrupt):
            backing_up.work(NOW)
    backing_up.work(NOW)
    assert "stopped 3 times" in backups.kept()[0].fault


@pytest.fixture
def owner(cast):
    cast.ada.is_superuser = True
    cast.ada.save()
    return cast.ada


def test_only_whoever_runs_the_installation_sees_and_takes_them(
    quick, cast, owner, client
) -> None:
    backing_up.work(NOW)
    page = reverse("backups")
    file = reverse("backup_download", args=["gemel-000001"])
    for who, status in ((cast.bob, 404), (cast.cyd, 404), (owner, 200)):
        client.force_login(who)
        assert client.get(page).status_code == status
        assert client.post(page, follow=True).status_code == status
        assert client.get(file).status_code == status
    assert b"".join(client.get(file).streaming_content) == b"whole"
    assert "no-store" in client.get(file)["Cache-Control"]
    client.logout()
    assert client.get(page).status_code == client.get(file).status_code == 302
    assert backups.requests() == [backups.ALL]


@pytest.mark.parametrize("name", ["lock", "fault", "gemel-000002", "secret_key"])
def test_no_other_file_is_given_away(quick, owner, client, name: str) -> None:
    backing_up.work(NOW)
    (backups.folder() / "secret_key.zip").touch()
    client.force_login(owner)
    assert client.get(f"/backups/{name}.zip").status_code == 404
    page = reverse("backups")
    assert client.post(page, {"verify": f"../{name}"}).status_code == 404
    assert backups.requests() == []


def test_the_page_says_what_there_is_and_what_is_wrong(quick, owner, client) -> None:
    now = datetime.now(UTC)
    backing_up.work(now)
    client.force_login(owner)
    page = client.get(reverse("backups")).content.decode()
    assert "gemel-000001" in page
    assert "5\xa0bytes" in page
    assert "verified" in page
    assert "too old" not in page
    one = backups.kept()[0]
    facts = backups.path_of(one.name).with_suffix(".json")
    old = json.loads(facts.read_text()) | {"made_at": str(now - 2.1 * DAY)}
    facts.write_text(json.dumps(old))
    for page in ("backups", "projects"):
        assert "too old" in client.get(reverse(page)).content.decode()


def test_the_page_says_that_tables_of_paraphrases_are_only_named(
    quick, owner, client, cast
) -> None:
    client.force_login(owner)
    told = "only names the files of 1 paraphrase table (Sea)"
    page = " ".join(client.get(reverse("backups")).content.decode().split())
    assert told not in page
    ParaphraseTable.objects.create(project=cast.project, name="Sea", made_at=NOW)
    page = " ".join(client.get(reverse("backups")).content.decode().split())
    assert told in page
