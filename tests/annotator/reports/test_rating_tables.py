"""Ratings out of any table: columns guessed and chosen, scales declared."""

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from openpyxl import Workbook

from annotator.errors import BadRequest, Conflict, NotAllowed
from annotator.exchange.rating_tables import RatingsReading, guess
from annotator.exchange.ratings import BadRatings
from annotator.models import RatingSet
from annotator.services.reports import judged_data, rating_tables
from tests.cast import Cast

LONG = "worker,hit_id,rating,system\n" + "".join(
    f"{who},h{n},{2 + (n + bump) % 3},s{n % 2}\n"
    for n in range(8)
    for bump, who in enumerate(("zoe", "yan"))
)
BY_SCALE = "id\tjudge\tmeaning\tfluency\tnote\n" + "".join(
    f"i{n}\t{who}\t{1 + n % 5}\t{'' if n == 3 else n * 10}\tfine\n"
    for n in range(6)
    for who in ("zoe", "yan")
)
BY_PERSON = "id\tsentence\tyan\tzoe\n" + "".join(
    f"i{n}\tThe door {n // 2} opened.\t{n % 3}\t{(n + 1) % 3}\n" for n in range(6)
)


def kept(cast: Cast, text: str | bytes, name: str = "r.csv"):
    raw = text if isinstance(text, bytes) else text.encode()
    return rating_tables.keep(cast.project, name, io.BytesIO(raw), by=cast.ada)


def tried(cast: Cast, text: str | bytes, reading: RatingsReading | None = None):
    return rating_tables.try_out(kept(cast, text), reading or RatingsReading())


TABLES = [
    (LONG, "long", 16, {"value"}),
    (BY_SCALE, "scales", 22, {"meaning", "fluency"}),
    (BY_PERSON, "annotators", 12, {"value"}),
]


@pytest.mark.parametrize(("text", "layout", "n", "scales"), TABLES)
def test_the_columns_are_guessed(cast, text, layout, n, scales) -> None:
    told = tried(cast, text)
    assert (told.reading.layout, told.n_ratings, told.n_bad) == (layout, n, 0)
    assert {scale.name for scale in told.scales} == scales
    assert told.n_annotators == 2


def test_a_workbook_reads_as_its_text_does(cast) -> None:
    book = Workbook()
    for line in LONG.splitlines():
        book.active.append(line.split(","))
    raw = io.BytesIO()
    book.save(raw)
    told = tried(cast, raw.getvalue())
    assert (told.form, told.n_ratings, told.n_items) == ("xlsx", 16, 8)


def test_what_lacks_is_said_and_nothing_is_counted(cast) -> None:
    told = tried(cast, "a,b\nx,red\ny,blue\n")
    assert told.lacking == ["Item", "columns of values"]
    assert told.n_ratings == 0
    with pytest.raises(BadRequest, match="Item"):
        rating_tables.parsed(kept(cast, LONG), RatingsReading("long"))


def read(cast: Cast, text: str, **more):
    upload = kept(cast, text)
    reading = rating_tables.try_out(upload, RatingsReading()).reading
    given = {**reading.as_params(), **more}
    made = rating_tables.add(
        cast.project, upload, RatingsReading(**given), name="Ours", by=cast.ada
    )
    return judged_data.read_set(RatingSet.objects.get(pk=made.pk))


def test_a_declared_range_is_the_scale_and_its_threshold_holds(cast) -> None:
    seen = read(cast, LONG).data.questions[0]
    assert (seen.scale.labels, seen.scale.closed) == (("2", "3", "4"), False)
    RatingSet.objects.all().delete()
    declared = {"ranges": {"value": (1, 5)}, "thresholds": {"value": 4.0}}
    question = read(cast, LONG, **declared).data.questions[0]
    assert question.scale.labels == ("1", "2", "3", "4", "5")
    assert (question.scale.closed, question.threshold) == (True, 4.0)


def test_conditions_sentences_and_both_scales_arrive(cast) -> None:
    long = read(cast, LONG)
    assert long.data.conditions == ("s0", "s1")
    RatingSet.objects.all().delete()
    wide = read(cast, BY_PERSON)
    assert sorted(set(wide.texts.values())) == [
        f"The door {n} opened." for n in range(3)
    ]
    assert len(set(wide.data.cluster.tolist())) == 3
    RatingSet.objects.all().delete()
    assert len(read(cast, BY_SCALE).data.questions) == 2


BAD = [
    (LONG + "zoe,,4,s1\n", {}, "hit_id is empty"),
    (LONG, {"ranges": {"value": (3, 5)}}, "not on scale"),
    (LONG + "zoe,h9,a,b,c,d\n", {}, "6 cells where the header has 4"),
]


@pytest.mark.parametrize(("text", "more", "said"), BAD)
def test_a_bad_row_refuses_the_file_with_its_line(cast, text, more, said) -> None:
    with pytest.raises(BadRatings) as refused:
        read(cast, text, **more)
    assert said in str(refused.value)
    assert "r.csv:" in str(refused.value)
    assert not RatingSet.objects.exists()


@pytest.mark.parametrize("bounds", [(5, 1), (3, 3), (0, 2000)])
def test_a_range_that_is_none_is_refused(cast, bounds) -> None:
    with pytest.raises(BadRequest, match="is not a valid scale"):
        read(cast, LONG, ranges={"value": bounds})


def test_names_are_taken_once_and_only_managers_take_sets(cast) -> None:
    read(cast, LONG)
    upload = kept(cast, LONG)
    reading = rating_tables.try_out(upload, RatingsReading()).reading
    with pytest.raises(Conflict):
        rating_tables.add(cast.project, upload, reading, name="Ours", by=cast.ada)
    with pytest.raises(NotAllowed):
        rating_tables.add(cast.project, upload, reading, name="B", by=cast.bob)


TIMED = "item,annotator,value,timestamp,duration\n" + "".join(
    f"i{n},{who},{n % 3},2024-03-05T09:0{n}:00Z,{n}.5\n"
    for n in range(6)
    for who in ("zoe", "yan")
)


def test_when_and_how_long_are_read_where_a_table_says_them(cast) -> None:
    data = read(cast, TIMED).data
    assert sorted(set(data.at)) == [1709629200.0 + 60 * n for n in range(6)]
    assert sorted(set(data.active_ms.tolist())) == [500 + 1000 * n for n in range(6)]


def test_a_column_that_holds_no_times_is_not_taken_for_one(cast) -> None:
    told = tried(cast, TIMED.replace("2024-03-05T09", "about noon"))
    assert "time" not in told.reading.fields
    assert told.n_bad == 0
    with pytest.raises(
        BadRatings, match=r"r.csv:2:\d+: 'about noon:00:00Z' is not a time"
    ):
        read(
            cast,
            TIMED.replace("2024-03-05T09", "about noon"),
            fields={**told.reading.fields, "time": "timestamp"},
        )


def test_the_guess_takes_no_column_twice() -> None:
    reading = guess(
        ("id", "label", "worker"), [{"id": "1", "label": "3", "worker": "x"}]
    )
    assert reading.layout == "long"
    assert len(set(reading.fields.values())) == len(reading.fields) == 3


def test_from_a_file_to_a_report_by_the_pages(cast, client: Client) -> None:
    client.force_login(cast.ada)
    file = SimpleUploadedFile("crowd.csv", LONG.encode())
    form = {"file": file, "format": "table", "name": "Crowd"}
    check = client.post("/p/windows/agreement/upload/", form).url
    page = client.get(check).text
    assert 'value="Crowd"' in page
    assert 'placeholder="2"' in page
    form = {"layout": "long", "field-item": "hit_id", "field-annotator": "worker"}
    form |= {"field-value": "rating", "field-condition": "system", "name": "Crowd"}
    form |= {"scale": "value", "low-0": "1", "high-0": "5", "threshold-0": "4"}
    again = client.post(check, form | {"what": "read"}).text
    assert 'value="5"' in again
    assert not RatingSet.objects.exists()
    taken = client.post(check, form | {"what": "take"})
    made = RatingSet.objects.get()
    assert client.get(taken.url).status_code == 200
    assert (made.reading["ranges"], made.n_ratings) == ({"value": [1, 5]}, 16)
    assert client.post(check, form | {"what": "take"}).status_code == 409
    for wrong in ({"low-0": "x"}, {"low-0": "9"}, {"layout": "square"}):
        refused = client.post(check, form | wrong | {"what": "read"})
        assert refused.status_code == 400
        assert "Nothing was stored" in refused.text


def test_strangers_and_annotators_check_nothing(cast, client: Client) -> None:
    url = f"/p/windows/agreement/upload/{kept(cast, LONG).code}/"
    for who, status in ((cast.bob, 403), (cast.cyd, 404)):
        client.force_login(who)
        assert client.get(url).status_code == status


def test_hostile_cells_are_text(cast, client: Client) -> None:
    client.force_login(cast.ada)
    hostile = LONG.replace("h0", "<script>x</script>").replace("system", "<b>system")
    page = client.get(f"/p/windows/agreement/upload/{kept(cast, hostile).code}/").text
    assert "<script>x" not in page
    assert "<b>system" not in page
