"""A release of a project: whole, sealed, without names, and checked by anybody."""

import contextlib
import json
import random
import zipfile
from pathlib import Path
from uuid import uuid4

import duckdb
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest, NotAllowed
from annotator.models import Adjudication, Corpus, Job, Judgment, Project
from annotator.services import jobs
from annotator.services.alignments import links, operations
from annotator.services.campaigns import answers, curation
from annotator.services.releases import kept, making
from core.errors import FormatError
from core.formats import gemel
from core.releases.verifying import verify
from tests.annotator import campaigns_cast

SECRETS = ("ada", "bob", "judge1", "I am Bob and this is odd", "SN-note")


@pytest.fixture
def home(settings, tmp_path) -> Path:
    settings.GEMEL_HOME = tmp_path / "home"
    settings.GEMEL_HOME.mkdir()
    return settings.GEMEL_HOME


@pytest.fixture
def project(cast, home):
    """Links made and taken back, answers that were changed, a decision."""
    for op, revision in (("link", 0), ("unlink", 1), ("link", 2)):
        sent = {"uuid": uuid4(), "base_rev": revision, "op": op, "s": "w1", "t": "w6"}
        links.play(cast.layer, operations.LayerStep.read(sent), by=cast.bob)
    campaign = campaigns_cast.campaign(cast, n=3, people=2, k=2)
    for participant in campaign.participants.all():
        for judgment in campaigns_cast.draw(campaign, participant.user, 3):
            campaigns_cast.judge(judgment, {"meaning": 2, "grammar": 5})
    changed = Judgment.objects.order_by("pk").first()
    sent = campaigns_cast.answer(
        {"meaning": 5, "grammar": 5}, changed.revision, note="I am Bob and this is odd"
    )
    answers.save(changed, sent)
    decision = curation.Decision(
        {"meaning": 3, "grammar": 5}, Adjudication.Reason.OTHER, 3, note="SN-note"
    )
    curation.decide(changed.item, decision, by=cast.ada)
    return cast.project


def released(project, path: Path, **options) -> Path:
    list(making.Maker(project, **options).steps(path))
    return path


def texts(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def changed(path: Path, name: str, change) -> Path:
    """The release with another text in one member, its manifest as it was."""
    made = path.with_name("changed.zip")
    with zipfile.ZipFile(made, "w") as archive:
        for one, text in texts(path).items():
            archive.writestr(one, change(text) if one == name else text)
    return made


def test_a_release_holds_everything_and_bears_itself_out(project, tmp_path) -> None:
    path = released(project, tmp_path / "one.zip")
    verified = verify(path)
    assert verified.faults == ()
    counts = verified.manifest.counts
    assert counts["acts: link"] == 3
    assert counts["acts: judgment"] == 7  # six answers, one of them changed
    assert counts["acts: decision"] == 1
    members = texts(path)
    corpus = next(name for name in members if name.startswith("corpora/"))
    items = list(gemel.read(members[corpus].splitlines(keepends=True)))
    assert {item.type for item in items} >= {"sentence", "parse", "pair", "layer"}
    folder = next(n for n in members if n.endswith("/judgments.jsonl")).rsplit("/", 1)[
        0
    ]
    rows = [json.loads(x) for x in members[f"{folder}/judgments.jsonl"].splitlines()]
    assert sorted(row["values"]["meaning"] for row in rows) == [2, 2, 2, 2, 2, 5]
    assert json.loads(members[f"{folder}/report.json"])["facts"]
    about = json.loads(members[f"{folder}/campaign.json"])
    assert [one["name"] for one in about["scales"]] == ["meaning", "grammar"]
    assert "| pairs | 1 |" in members["DATASHEET.md"]


def test_nobody_is_named_and_what_people_wrote_stays_unless_it_is_wanted(
    project, tmp_path
) -> None:
    whole = "\n".join(texts(released(project, tmp_path / "one.zip")).values())
    assert [one for one in SECRETS if f'"{one}"' in whole or f" {one}" in whole] == []
    assert '"P1"' in whole
    told = "\n".join(
        texts(released(project, tmp_path / "two.zip", with_texts=True)).values()
    )
    assert "I am Bob and this is odd" in told
    assert "SN-note" in told


def test_pseudonyms_are_others_in_the_next_release(project) -> None:
    names = [f"n{i}" for i in range(40)]
    first, second = (making.pseudonyms(project).__class__(names) for _ in range(2))
    assert [first[name] for name in names] != [second[name] for name in names]
    assert {first[name] for name in names} == {f"P{i}" for i in range(1, 41)}


@pytest.mark.parametrize(
    ("member", "old", "new", "fault"),
    [
        ("ledger.jsonl", '"meaning":2', '"meaning":4', "ledger.jsonl"),
        ("judgments.jsonl", '"meaning": 2', '"meaning": 4', "judgments.jsonl"),
        (".gemel", "nurse", "purse", ".gemel"),
    ],
)
def test_a_changed_member_is_named(project, tmp_path, member, old, new, fault) -> None:
    path = released(project, tmp_path / "one.zip")
    name = next(one for one in texts(path) if one.endswith(member))
    bad = changed(path, name, lambda text: text.replace(old, new, 1))
    faults = verify(bad).faults
    assert [fault in one.file for one in faults] == [True]


def test_a_changed_manifest_is_no_release(project, tmp_path) -> None:
    path = released(project, tmp_path / "one.zip")
    bad = changed(path, "release.json", lambda text: text.replace("Windows", "Doors"))
    with pytest.raises(FormatError, match="the seal does not match this manifest"):
        verify(bad)


@pytest.mark.parametrize("table", ["_judgments", "_decisions"])
def test_who_changes_an_answer_and_seals_anew_is_told_by_the_ledger(
    project, tmp_path, monkeypatch, table
) -> None:
    """Tables and ledger must say the same, whoever made the seal."""
    rows_of = getattr(making.CampaignPart, table)

    def lies(self):
        for row in rows_of(self):
            yield row | {"values": row["values"] | {"meaning": 1}}

    monkeypatch.setattr(making.CampaignPart, table, lies)
    with pytest.raises(BadRequest, match="not what the ledger says last"):
        released(project, tmp_path / "one.zip")
    assert not list(tmp_path.glob("one*"))


def test_a_flipped_bit_is_noticed_or_changes_nothing_that_is_read(
    project, tmp_path
) -> None:
    path = released(project, tmp_path / "one.zip")
    whole, bad, draw = path.read_bytes(), tmp_path / "bad.zip", random.Random(7)
    n_unnoticed = 0
    for _ in range(300):
        at = draw.randrange(8 * len(whole))
        content = bytearray(whole)
        content[at // 8] ^= 1 << at % 8
        bad.write_bytes(content)
        try:
            faults = verify(bad).faults
        except FormatError:
            continue
        if not faults:
            n_unnoticed += 1
            assert texts(bad) == texts(path)
    assert n_unnoticed < 100  # times, rights and versions in the zip's own headers


@pytest.mark.parametrize("method", [12, 14])
def test_a_member_of_another_compression_is_no_release(
    project, tmp_path, method: int
) -> None:
    path = released(project, tmp_path / "one.zip")
    content = bytearray(path.read_bytes())
    at = content.index(b"PK\x01\x02") + 10  # of the first member, in the directory
    content[at : at + 2] = method.to_bytes(2, "little")
    path.write_bytes(content)
    with contextlib.suppress(FormatError):
        assert verify(path).faults


@pytest.mark.parametrize("what", ["before", "after", "comment"])
def test_bytes_that_no_member_holds_are_named(project, tmp_path, what) -> None:
    path = released(project, tmp_path / "one.zip")
    whole, bad = path.read_bytes(), tmp_path / "bad.zip"
    bad.write_bytes(
        {"before": b"x" * 16 + whole, "after": whole + b"x"}.get(what, whole)
    )
    if what == "comment":
        with zipfile.ZipFile(bad, "a") as archive:
            archive.comment = b"hidden"
    try:
        named = [fault for fault in verify(bad).faults if "holds" in fault.reason]
    except FormatError as error:
        named = [error] if "not a complete zip" in str(error) else []
    assert named


def test_a_name_that_stands_twice_in_an_object_is_named(project, tmp_path) -> None:
    path = released(project, tmp_path / "one.zip")
    name = next(one for one in texts(path) if one == "release.json")
    twice = lambda text: text.replace('"seal":', '"seal": "x",\n "seal":', 1)  # noqa: E731
    with pytest.raises(FormatError, match="twice"):
        verify(changed(path, name, twice))


def test_what_is_missing_or_put_in_is_named(project, tmp_path) -> None:
    path = released(project, tmp_path / "one.zip")
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        for name, text in texts(path).items():
            if name != "environment.json":
                archive.writestr(name, text)
        archive.writestr("../evil.txt", "x")
    told = [str(fault) for fault in verify(tmp_path / "two.zip").faults]
    assert told == [
        "../evil.txt: is not in the manifest",
        "environment.json: is missing",
    ]


def test_the_command_says_whole_or_what_is_wrong(project, tmp_path, capsys) -> None:
    path = tmp_path / "one.zip"
    make = ("release", "make", "windows", "--licence", "CC0", "--out", path)
    with pytest.raises(CommandError, match="Read these warnings"):
        call_command("release", "make", "windows", "--out", path)
    capsys.readouterr()
    call_command(*make)
    seal = capsys.readouterr().out.split()[-1]
    call_command("verify", str(path), "--seal", seal.upper())
    assert "whole" in capsys.readouterr().out
    with pytest.raises(CommandError, match="not the one given"):
        call_command("verify", str(path), "--seal", "0" * 64)
    bad = changed(path, "ledger.jsonl", lambda text: text[:-2])
    with pytest.raises(CommandError, match=r"ledger\.jsonl"):
        call_command("release", "verify", str(bad))
    with pytest.raises(CommandError, match="not a complete zip"):
        call_command("verify", __file__)
    with pytest.raises(CommandError, match="already exists"):
        call_command(*make)
    with pytest.raises(CommandError, match="no project"):
        call_command("release", "make", "nowhere", "--out", path)


def test_a_release_becomes_a_dataset_folder(project, tmp_path) -> None:
    path = released(project, tmp_path / "one.zip", licence="CC0")
    order = ("release", "hugging-face", str(path), "--out", str(tmp_path / "hub"))
    call_command(*order)
    card = (tmp_path / "hub" / "README.md").read_text()
    assert card.startswith('---\npretty_name: "Windows"\nlicense: cc0-1.0\n')
    assert f"gemel_seal: {verify(path).seal}" in card

    def table(name: str, columns: str) -> list[tuple]:
        file = tmp_path / "hub" / "data" / f"{name}.parquet"
        return duckdb.sql(f"SELECT {columns} FROM '{file}' ORDER BY ALL").fetchall()

    assert table("judgments", "count(*), count(DISTINCT annotator)") == [(12, 2)]
    assert table("links", "source, target, kind") == [("w1", "w6", "sure")]
    ((tokens, tree),) = table("pairs", "source_tokens, source_tree")
    assert tokens[:2] == ["The", "nurse"]
    assert tree.startswith("(S (NP (DT The)")
    with pytest.raises(CommandError, match="already exists"):
        call_command(*order)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["home", "hub", "one.zip"]


def test_licences_are_read_before_anything_is_made(project, cast) -> None:
    Corpus.objects.update(licence="CC BY-ND 4.0")
    with pytest.raises(BadRequest, match="nobody publish trees"):
        kept.start(project, by=cast.ada, licence="CC0")
    job = kept.start(project, by=cast.ada, accepts=True)
    jobs.run(job.pk)
    path = kept.file_of(project, job.code, by=cast.ada)
    assert path is not None
    assert "nobody publish trees" in verify(path).manifest.warnings[0]


def test_a_job_makes_it_and_the_page_gives_it(project, cast) -> None:
    client = Client()
    client.force_login(cast.ada)
    url = reverse("releases", args=["windows"])
    sent = {"texts": "on", "licence": "CC BY 4.0"}
    assert client.post(url, sent).status_code == 302
    job = Job.objects.get(kind="release")
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done) == ("done", job.total)
    body = client.get(url).content.decode()
    assert job.result["seal"] in body
    get = reverse("release_download", args=["windows", job.code])
    data = b"".join(client.get(get).streaming_content)
    assert data.startswith(b"PK")
    client.post(url, {"forget": job.code})
    assert client.get(get).status_code == 404
    assert "removed" in client.get(url).content.decode()


def test_a_licence_of_the_items_is_asked_for(project, cast) -> None:
    client = Client()
    client.force_login(cast.ada)
    url = reverse("releases", args=["windows"])
    refused = client.post(url, {"choice": "1", "part": codes(project), "licence": ""})
    assert refused.status_code == 400
    assert "items of Test" in refused.text
    assert not Job.objects.filter(kind="release").exists()
    assert client.post(url, {"licence": "CC BY 4.0"}).status_code == 302
    job = Job.objects.get(kind="release")
    jobs.run(job.pk)
    manifest = verify(kept.path_of(job)).manifest
    name = project.campaigns.get().name
    assert manifest.licences == {"Houses": "CC0", f"items of {name}": "CC BY 4.0"}
    assert manifest.warnings == ()


def codes(project) -> list[str]:
    parts = making.parts_of(project)
    return [one.code for one in (*parts.corpora, *parts.campaigns)]


def test_a_release_holds_the_parts_that_are_chosen(project, cast, tmp_path) -> None:
    second = campaigns_cast.campaign(cast, n=2)
    url, client = reverse("releases", args=["windows"]), Client()
    client.force_login(cast.ada)
    page = " ".join(client.get(url).text.split())
    first = project.campaigns.exclude(pk=second.pk).get()
    assert "items: 3, judgments: 6, decisions: 1" in page
    assert "items: 2, judgments: 0, decisions: 0" in page
    assert "sentences: 2, pairs: 1, CC0" in page or "CC0" in page
    for code in codes(project):
        assert f'value="{code}" checked' in page
    sent = {"choice": "1", "part": [first.code], "licence": "CC0"}
    assert client.post(url, sent).status_code == 302
    job = Job.objects.get(kind="release")
    jobs.run(job.pk)
    verified = verify(kept.path_of(job))
    assert verified.faults == ()
    members = texts(kept.path_of(job))
    assert not any(name.startswith("corpora/") for name in members)
    folders = {name.split("/")[1] for name in members if name.startswith("campaigns/")}
    assert len(folders) == 1
    assert set(verified.manifest.licences) == {f"items of {first.name}"}
    assert "acts: link" not in verified.manifest.counts
    nothing = client.post(url, {"choice": "1", "licence": "CC0"})
    assert nothing.status_code == 400
    assert "Choose a corpus or a campaign." in nothing.text
    other = {"choice": "1", "part": ["0" * 16], "licence": "CC0"}
    assert client.post(url, other).status_code == 400


def test_only_who_may_export_sees_them_and_only_managers_make_them(
    project, cast
) -> None:
    url = reverse("releases", args=["windows"])
    for user, status in ((cast.bob, 403), (cast.cyd, 404)):
        client = Client()
        client.force_login(user)
        assert client.get(url).status_code == status
        assert client.post(url, {"accepts": "on"}).status_code == status
    cast.project.memberships.filter(user=cast.bob).update(role="curator")
    with pytest.raises(NotAllowed):
        kept.start(project, by=cast.bob)
    assert not Job.objects.filter(kind="release").exists()


def test_what_is_cancelled_leaves_nothing(project, home) -> None:
    steps = making.Maker(project).steps(home / "x.zip")
    next(steps), next(steps)
    steps.close()
    assert [p.name for p in home.rglob("*.part")] == []
    assert not (home / "x.zip").exists()


def test_an_empty_project_has_nothing_to_release(cast, home, tmp_path) -> None:
    empty = Project.objects.create(name="Empty", slug="empty")
    with pytest.raises(BadRequest, match="nothing to release"):
        released(empty, tmp_path / "one.zip")
