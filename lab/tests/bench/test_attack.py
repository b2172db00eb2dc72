"""What others notice of an attack: nothing of half requests and of silence."""

import io
import os
import re
import shutil
import subprocess
import time
import zipfile
from pathlib import Path

import pytest

from lab.attack import __main__ as attack
from lab.attack import files
from lab.attack.__main__ import Outcome
from lab.attack.target import NotHere, address, free_port, seeded
from tests.running import ROOT, Running, answers, running, wait

NETWORK = ("slow-headers", "slow-bodies", "idle")
PATIENCE_S = 2  # of Caddy, in the test


@pytest.mark.slow
@pytest.mark.once
def test_half_requests_and_silence_hold_up_nobody(tmp_path: Path) -> None:
    with running(tmp_path, "--no-sample") as gemel:
        target = seeded("127.0.0.1", gemel.port, gemel.process.pid, gemel.env)
        for name in NETWORK:
            outcome = attack.run(target, name, attack.QUICK_SECONDS)
            assert outcome.faults(attack.CEILING_MB) == [], name
            assert outcome.peak_mb > 0


@pytest.mark.slow
@pytest.mark.once
def test_half_requests_and_silence_hold_up_nobody_behind_caddy(tmp_path: Path) -> None:
    if shutil.which("caddy") is None:
        pytest.skip("caddy is not installed (Debian: apt-get install caddy)")
    with running(tmp_path, "--no-sample", GEMEL_BEHIND_PROXY="true") as gemel:
        port = free_port()
        caddy = proxy(tmp_path, gemel, port)
        try:
            wait(lambda: answers(f"http://127.0.0.1:{port}/sign-in/"))
            target = seeded("127.0.0.1", port, gemel.process.pid, gemel.env)
            for name in NETWORK:
                outcome = attack.run(target, name, attack.QUICK_SECONDS)
                assert outcome.faults(attack.CEILING_MB) == [], name
            assert seconds_of_silence(port) < 3 * PATIENCE_S
            assert not answers(f"http://127.0.0.1:{port}/ready")
        finally:
            caddy.terminate()
            caddy.wait(600)


def proxy(folder: Path, gemel: Running, port: int) -> "subprocess.Popen[bytes]":
    """Caddy, as ``deploy/Caddyfile`` says; here, without TLS, and less patient."""
    text = (ROOT / "deploy" / "Caddyfile").read_text()
    text = text.replace("{$GEMEL_HOST}", f"http://127.0.0.1:{port}")
    text = text.replace("web:8000", f"127.0.0.1:{gemel.port}")
    text = text.replace("\tservers {", "\tadmin off\n\tservers {")
    text = re.sub(r"read_header \w+", f"read_header {PATIENCE_S}s", text)
    path = folder / "Caddyfile"
    path.write_text(text)
    words = ["caddy", "run", "--adapter", "caddyfile", "--config", str(path)]
    own = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    return subprocess.Popen(words, env=own, stderr=subprocess.DEVNULL)


def seconds_of_silence(port: int) -> float:
    """After which half headers are cut off."""
    import socket

    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=600) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: 127")
        while line.recv(4096):
            pass
    return time.monotonic() - began


@pytest.mark.parametrize(
    "url",
    [
        "http://gemel.example.org/",
        "http://10.0.0.1:8000",
        "https://127.0.0.1",
        "http://0.0.0.0:8000",
        "file:///etc/passwd",
        "http://127.0.0.1.example.org",
    ],
)
def test_only_this_machine_is_attacked(url: str) -> None:
    with pytest.raises(NotHere):
        address(url)


def test_this_machine_may_be_attacked() -> None:
    assert address("http://127.0.0.1:8000") == ("127.0.0.1", 8000)
    assert address("http://localhost") == ("localhost", 80)
    assert address("http://[::1]:81/") == ("::1", 81)


def test_what_others_notice_is_a_fault() -> None:
    waits = {"p50": 5, "p95": 20, "longest": 40}
    calm = {"name": "idle", **waits, "n": 9, "broken": 0, "failed": 0, "answers": ""}
    assert Outcome(**calm, peak_mb=400).faults(500) == []
    assert Outcome(**calm, peak_mb=600).faults(500) == ["600 MB"]
    for change in ({"p95": 500}, {"broken": 1}, {"failed": 1}, {"n": 0}):
        assert len(Outcome(**(calm | change), peak_mb=0).faults(500)) == 1


def test_an_unknown_attack_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        attack.main(["quiet"])
    assert "quiet is none of slow-headers" in capsys.readouterr().err


def test_hostile_workbooks_are_workbooks_and_small(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from openpyxl import load_workbook

    monkeypatch.setattr(files, "ROWS", 100)
    rows = iter([files.CELL.format(1).encode(), *files._many(b"<row/>", 100)])
    texts = files._many(b"<si><t/></si>", 100)
    book = files.workbook(rows, texts)
    assert len(book) < 2000
    sheet = load_workbook(io.BytesIO(book), read_only=True).worksheets[0]
    sheet.reset_dimensions()
    assert next(iter(sheet.values)) == ("phrase",)


def test_a_gigabyte_of_zeros_is_a_megabyte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "ZEROS", 10 * 2**20)
    archive = zipfile.ZipFile(io.BytesIO(files.zeros()))
    (one,) = archive.infolist()
    assert one.filename == "names.npy"
    assert one.file_size > 10 * 2**20
    assert one.compress_size < 2**15
