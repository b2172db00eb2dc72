"""The judging screen on a phone: both phrases in view, three taps, nothing moves."""

import pytest
from playwright.sync_api import Page, expect

from tests.annotator.campaigns_cast import HEADER, campaign
from tests.browser.judging import start, wait_done
from tests.browser.pictures import keep_picture
from tests.cast import Cast

pytestmark = pytest.mark.browser

PHONES = [(390, 844), (360, 640)]
FILLER = "who had come from the far side of the valley before the snow began to fall "
LONG = f"The {{}} farmers {FILLER * 3}put off the market until {FILLER * 2}".strip()
BOX = "(one) => { const b = one.getBoundingClientRect(); return [b.top, b.bottom]; }"


@pytest.fixture
def people(live) -> Cast:
    return Cast()


def long_items(n: int) -> str:
    rows = (
        f"{LONG.format(f'old number {i}')}.\tput off the market\tpostponed the market"
        "\tc\t1\t\t\t\t\n"
        for i in range(n)
    )
    return HEADER + "".join(rows)


def phone(
    open_page, people: Cast, size: tuple[int, int], n: int = 3, locale: str = "en"
) -> Page:
    width, height = size
    made = campaign(people, text=long_items(n))
    options = {"has_touch": True, "is_mobile": True, "locale": locale}
    return start(open_page, people, made, width=width, height=height, **options)


def chosen(page: Page, scale: str) -> None:
    """Until a tap has arrived; what it scrolls has been scrolled then."""
    expect(page.locator(f"[data-scale={scale}] input:checked")).to_have_count(1)


def covered(page: Page) -> list[str]:
    """Which phrases, and which part of Save, are not in full view now."""
    return page.evaluate("""() => ["#original .target", ".changed .target", "#save"]
      .filter((name) => [...document.querySelector(name).getClientRects()].some(box => {
        const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
        const there = document.elementFromPoint(x, y);
        return box.top < 0 || box.bottom > innerHeight
          || !there?.closest(name.split(" ").at(-1));
      }))""")


def test_the_sentence_of_these_tests_is_long() -> None:
    assert len(LONG.format("old number 1").split()) >= 90


@pytest.mark.parametrize("size", PHONES)
def test_the_longer_words_of_german_fit_the_bar(open_page, people, size) -> None:
    page = phone(open_page, people, size, locale="de")
    expect(page.locator("#save")).to_contain_text("Speichern und weiter")
    for button in page.locator(".foot-bar button").all():
        box = button.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0]
    keep_picture(page, f"phone-german-{size[0]}")


@pytest.mark.parametrize("size", PHONES)
def test_both_phrases_and_save_stay_in_view(open_page, people, size) -> None:
    page = phone(open_page, people, size)
    assert covered(page) == []
    keep_picture(page, f"phone-{size[0]}")
    height = page.evaluate("document.documentElement.scrollHeight")
    for y in range(0, height, 80):
        page.evaluate("(y) => scrollTo(0, y)", y)
        assert covered(page) == [], y


@pytest.mark.parametrize("size", PHONES)
def test_an_item_takes_three_taps(open_page, people, size) -> None:
    page = phone(open_page, people, size)
    saves = set()
    for n in range(1, 4):
        for scale in ("meaning", "grammar"):  # no scrolling by hand in between
            row = page.locator(f"[data-scale={scale}] .point").nth(1)
            top, bottom = row.evaluate(BOX)
            sight, foot = (
                page.locator(name).evaluate(BOX) for name in (".in-sight", ".foot-bar")
            )
            assert sight[1] <= top, (scale, top, sight)
            assert bottom <= foot[0], (scale, bottom, foot)
            x, y = row.evaluate(
                "(one) => { const b = one.getBoundingClientRect();"
                " return [b.x + b.width / 2, b.y + b.height / 2]; }"
            )
            page.touchscreen.tap(x, y)
            chosen(page, scale)
            assert covered(page) == []
        saves.add(tuple(page.locator("#save").evaluate(BOX)))
        page.locator("#save").tap()
        wait_done(page, n)
    assert len(saves) == 1  # it never moved


def test_the_whole_sentence_opens_below_the_phrases(open_page, people) -> None:
    page = phone(open_page, people, (390, 844))
    expect(page.locator("#whole")).to_be_hidden()
    page.get_by_role("button", name="Show all ").tap()
    expect(page.locator("#whole")).to_contain_text("The old number")
    expect(page.locator("#whole")).to_contain_text("postponed the market")
    assert covered(page) == []
    keep_picture(page, "phone-whole")
    page.get_by_role("button", name="Show less").tap()
    expect(page.locator("#whole")).to_be_hidden()


def test_rows_are_large_enough_to_tap(open_page, people) -> None:
    page = phone(open_page, people, (360, 640))
    heights = page.evaluate(
        "[...document.querySelectorAll('#rows .point')].map((one) => one.offsetHeight)"
    )
    assert min(heights) >= 44


def test_the_status_keeps_its_width(open_page, people) -> None:
    page = phone(open_page, people, (390, 844))
    widths = set()

    def note() -> None:
        widths.add(page.locator("#chip").evaluate("(one) => one.offsetWidth"))

    note()
    page.locator("[data-scale=meaning] .point").nth(1).tap()
    note()
    page.context.set_offline(True)
    page.locator("[data-scale=grammar] .point").nth(1).tap()
    page.locator("#save").tap()
    expect(page.locator("#chip")).to_contain_text("saved on this device")
    note()
    keep_picture(page, "phone-offline")
    page.context.set_offline(False)
    wait_done(page, 1)
    note()
    assert len(widths) == 1
    assert widths.pop() > 90  # its own words fit


@pytest.mark.parametrize(
    ("sentence", "phrase", "other", "way"),
    [
        ("ذهب الولد إلى المدرسة في الصباح", "إلى المدرسة", "إلى البيت", "rtl"),
        ("הילד הלך לבית הספר בבוקר", "לבית הספר", "הביתה", "rtl"),
        ("The boy went to school.", "to school", "home", "ltr"),
    ],
)
def test_sentences_are_written_in_their_own_direction(
    open_page, people, sentence: str, phrase: str, other: str, way: str
) -> None:
    text = HEADER + f"{sentence}\t{phrase}\t{other}\tc\t1\t\t\t\t\n"
    page = start(open_page, people, campaign(people, text=text))
    for name in ("#original", ".changed"):
        told = page.locator(name).evaluate("(one) => getComputedStyle(one).direction")
        assert told == way
    keep_picture(page, f"judge-{way}-{phrase[:2]}")


# Twenty beginnings with a phrase each, and what follows it, in 90 words or more.
TWENTY = [
    ("The ferry to the outer islands", "was called off", "was cancelled", 0),
    ("In the end the orchestra", "gave in to", "accepted", 1),
    ("Nobody at the bakery could", "make out", "understand", 2),
    ("The new ranger of the park", "looked after", "cared for", 3),
    ("For most of the winter my aunt", "put up with", "tolerated", 4),
    ("The engineers of the bridge", "carried out", "performed", 0),
    ("A boy from the next village", "came across", "found", 1),
    ("Before the doors were opened the guide", "went over", "reviewed", 2),
    ("The librarian, who was new to the town,", "set up", "established", 3),
    ("Late in the evening the two sisters", "fell out over", "quarrelled about", 4),
    ("The crew of the lifeboat", "turned down", "refused", 0),
    ("At the third attempt the climbers", "made it to", "reached", 1),
    ("Our neighbour across the river", "got rid of", "threw away", 2),
    ("The oldest of the weavers", "brought up", "mentioned", 3),
    ("Without a word the referee", "took back", "withdrew", 4),
    ("The mayor of the harbour town", "held off", "delayed", 0),
    ("Some of the younger gardeners", "picked up", "learned", 1),
    ("The clerk at the small station", "filled in for", "replaced", 2),
    ("A painter of signs and of boats", "ran out of", "used up", 3),
    ("The teacher of the evening class", "left out", "omitted", 4),
]
TAILS = [
    "what had been promised to everybody on the quay that morning, although the "
    "wind had dropped, the sky over the lighthouse had cleared, and a line of "
    "carts with fish and ice and letters had been waiting since dawn behind the "
    "customs house",
    "more than anyone had expected of them after so many weeks of rain, long "
    "roads, cold rooms and poor meals, in which the only thing that still held "
    "the group together was an old song about a miller and his three impatient "
    "donkeys",
    "the long list that hung beside the oven and that somebody had written in a "
    "hurry, with a soft pencil, on the back of a calendar from the year in which "
    "the great frost had split the old chestnut in front of the chapel in two",
    "the small garden between the wall and the stream, where in the spring the "
    "first lettuces come up, the hens get in through the broken fence, and the "
    "children of the whole street look for the ball that they lost there before "
    "the holidays began",
    "the noise of the workshop under the stairs, in which a very tall man with a "
    "grey beard repaired clocks, radios and the toys of half the town, mostly at "
    "night, and mostly while he told his patient dog about the places he had seen "
    "as a sailor",
]
END = (
    "and it was only much later, when the lamps along the road had already been "
    "lit and the last bus had left the square without a single passenger, that "
    "people began to talk about it with a smile and to tell it to those who had "
    "not been there"
)


def twenty() -> str:
    lines = []
    for start_, phrase, other, at in TWENTY:
        sentence = f"{start_} {phrase} {TAILS[at]}, {END}."
        assert len(sentence.split()) >= 90, (len(sentence.split()), sentence)
        lines.append(f"{sentence}\t{phrase}\t{other}\tc\t1\t\t\t\t\n")
    return HEADER + "".join(lines)


@pytest.mark.parametrize("size", PHONES)
def test_twenty_long_items_take_three_taps_each_with_both_phrases_in_view(
    open_page, people, size
) -> None:
    width, height = size
    made = campaign(people, text=twenty())
    options = {"has_touch": True, "is_mobile": True}
    page = start(open_page, people, made, width=width, height=height, **options)
    page.evaluate(
        "window.taps = 0; addEventListener('pointerup', () => { taps += 1; })"
    )
    shown = set()
    for n in range(1, 21):
        expect(page.locator("#count")).to_have_text(f"Item {n} of 20")
        shown.add(page.locator("#original .target").text_content())
        assert covered(page) == [], n
        for scale in ("meaning", "grammar"):  # without a swipe in between
            x, y = (
                page.locator(f"[data-scale={scale}] .point")
                .nth(1)
                .evaluate(
                    "(one) => { const b = one.getBoundingClientRect();"
                    " return [b.x + b.width / 2, b.y + b.height / 2]; }"
                )
            )
            page.touchscreen.tap(x, y)
            chosen(page, scale)
            assert covered(page) == [], (n, scale)
        x, y = page.locator("#save").evaluate(
            "(one) => { const b = one.getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2]; }"
        )
        page.touchscreen.tap(x, y)
    expect(page.locator("#notice h2")).to_have_text("All done")
    wait_done(page, 20)
    assert len(shown) == 20
    assert page.evaluate("taps") == 60  # three an item
