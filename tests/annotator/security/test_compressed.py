"""Pages are compressed where a browser takes that, and nothing else is."""

import gzip

from django.test import Client

GZIP = {"accept-encoding": "gzip, br"}


def test_pages_are_compressed_for_whoever_takes_it(cast) -> None:
    client = Client()
    client.force_login(cast.ada)
    plain = client.get("/p/windows/")
    packed = client.get("/p/windows/", headers=GZIP)
    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed["Vary"]
    assert len(packed.content) < len(plain.content) / 2
    assert b"<main" in gzip.decompress(packed.content)


def test_the_same_page_has_no_fixed_length(cast) -> None:
    client = Client()
    client.force_login(cast.ada)
    lengths = {len(client.get("/help/", headers=GZIP).content) for _ in range(12)}
    assert len(lengths) > 1


def test_answers_to_programs_and_files_go_as_they_are(cast) -> None:
    client = Client()
    client.force_login(cast.ada)
    for path in (
        "/api/projects/",
        f"/p/windows/corpus/{cast.corpus.code}/export/pairs/",
    ):
        assert "Content-Encoding" not in client.get(path, headers=GZIP)


def test_scripts_and_styles_are_compressed_and_still_known_by_their_date(
    client,
) -> None:
    first = client.get("/static/css/gemel.css", headers=GZIP)
    assert first["Content-Encoding"] == "gzip"
    text = gzip.decompress(b"".join(first.streaming_content)).decode()
    assert "--ink" in text
    since = {"if-modified-since": first["Last-Modified"]}
    again = client.get("/static/css/gemel.css", headers=GZIP | since)
    assert again.status_code == 304
    assert "Content-Encoding" not in again
    assert b"".join(again) == b""
