"""Judging with no network, no session, a closed tab, a second tab: nothing is lost."""

import re
from collections import Counter

import pytest
from playwright.sync_api import Error, expect

from annotator.models import Identity, Judgment, JudgmentEvent, Membership
from tests.annotator.campaigns_cast import campaign
from tests.browser.judging import done, start, wait_done, wait_saved, wait_until
from tests.browser.pictures import keep_picture
from tests.cast import PASSWORD, Cast

pytestmark = pytest.mark.browser


@pytest.fixture
def people(live) -> Cast:
    return Cast()


def test_network_off_for_many_items_loses_nothing(open_page, people) -> None:
    made = campaign(people, n=8, prefetch=8)
    page = start(open_page, people, made)
    page.keyboard.type("45")
    page.keyboard.press("Enter")
    wait_saved(page)
    page.context.set_offline(True)
    for _ in range(3):
        page.keyboard.type("33")
        page.keyboard.press("Enter")
    expect(page.locator("#chip")).to_contain_text(
        "3 answers saved on this device, not sent yet"
    )
    assert done() == 1
    page.context.set_offline(False)
    wait_done(page, 4)
    wait_saved(page)
    assert JudgmentEvent.objects.count() == 4


def test_a_minute_without_network_in_mid_rating_loses_nothing(
    open_page, people
) -> None:
    page = open_page(people.bob)
    page.clock.install()
    made = campaign(people, n=8, prefetch=8)
    page.goto(f"/p/{people.project.slug}/judge/{made.code}/")
    expect(page.locator("#card")).to_be_visible()
    page.keyboard.press("4")  # half an answer is there when the network goes
    page.context.set_offline(True)
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    for n in range(2, 5):  # fifteen seconds an item: each try to send fails again
        page.clock.run_for(15_000)
        expect(page.locator("#chip")).to_contain_text(
            re.compile(f"^{n - 1} answers? saved on this device")
        )
        page.keyboard.type("33")
        page.keyboard.press("Enter")
    page.clock.run_for(15_000)
    expect(page.locator("#chip")).to_contain_text(
        "4 answers saved on this device, not sent yet"
    )
    assert done() == 0
    page.keyboard.press("5")
    page.context.set_offline(False)
    page.clock.run_for(16_000)
    wait_done(page, 4)
    wait_saved(page)
    page.keyboard.press("1")  # the other half of the answer begun before
    page.keyboard.press("Enter")
    wait_done(page, 5)
    wait_saved(page)  # the answer is whole
    assert JudgmentEvent.objects.count() == 5
    stored = sorted(
        (j.values["meaning"], j.values["grammar"], j.active_ms >= 15_000)
        for j in Judgment.objects.filter(state="done")
    )
    assert stored == [(3, 3, True)] * 3 + [(4, 2, False), (5, 1, True)]


IS_READY = """async () => Boolean(await caches.match(location.pathname))
  && Boolean((await navigator.serviceWorker.getRegistration())?.active)"""
IS_FORGOTTEN = "() => localStorage.getItem('gemel-judging') === null"


def offline_ready(page) -> None:
    """Until this device has all it needs for a time without network."""
    wait_until(page, lambda: page.evaluate(IS_READY))


def let_go(page) -> None:
    """Leave the page when asked, though not all is sent."""
    page.on("dialog", lambda dialog: dialog.accept())


def answer(page, n: int, keys: str = "33") -> None:
    expect(page.locator("#count")).to_have_text(re.compile(f"Item {n} of"))
    page.keyboard.type(keys)
    page.keyboard.press("Enter")


def test_a_reload_without_network_in_the_middle_loses_nothing(
    open_page, people, check_axe
) -> None:
    made = campaign(people, n=20)
    page = start(open_page, people, made)
    for n in range(1, 8):
        answer(page, n)
    wait_saved(page)
    offline_ready(page)
    page.context.set_offline(True)
    for n in range(8, 11):
        answer(page, n, "25")
    expect(page.locator("#chip")).to_have_text(
        "3 answers saved on this device, not sent yet"
    )
    page.keyboard.press("4")  # half an answer
    let_go(page)
    page.reload()
    expect(page.locator("#chip")).to_have_text(
        "3 answers saved on this device, not sent yet"
    )
    expect(page.locator("[data-scale=meaning] input:checked")).to_have_value("4")
    check_axe(page)
    keep_picture(page, "judge-offline")
    page.keyboard.press("r")
    answer(page, 11, "4")
    for n in range(12, 17):
        answer(page, n, "44")
    expect(page.locator("#chip")).to_contain_text("9 answers saved on this device")
    page.reload()  # and once more
    expect(page.locator("#chip")).to_contain_text("9 answers saved on this device")
    for n in range(17, 21):
        answer(page, n, "55")
    expect(page.locator("#notice h2")).to_have_text("You are offline")
    # A page that just loads may send before Chromium has it offline. The answer to that
    # is lost, so the same is sent again, and counts once.
    assert 7 <= done() < 20
    page.context.set_offline(False)
    wait_done(page, 20)
    expect(page.locator("#notice h2")).to_have_text("All done")
    assert JudgmentEvent.objects.count() == 20
    stored = [tuple(j.values.values()) for j in Judgment.objects.all()]
    assert Counter(stored) == {(3, 3): 7, (2, 5): 3, (4, 4): 6, (5, 5): 4}
    page.reload()
    expect(page.locator("#notice h2")).to_have_text("All done")


def test_a_reload_without_network_and_without_answers_goes_on(
    open_page, people
) -> None:
    page = start(open_page, people, campaign(people, n=20))
    offline_ready(page)
    page.context.set_offline(True)
    page.reload()
    expect(page.locator("#chip")).to_have_text(
        "Offline: using the items on this device"
    )
    answer(page, 1)
    page.context.set_offline(False)
    wait_done(page, 1)
    expect(page.locator("#count")).to_have_text("Item 2 of 20")


def test_what_a_device_keeps_names_no_one(open_page, people) -> None:
    page = start(open_page, people, campaign(people, n=20))
    offline_ready(page)
    told = page.evaluate("async () => (await caches.match(location.pathname)).text()")
    assert "judge-config" in told
    assert "bob" not in told
    assert "csrfmiddlewaretoken" not in told
    assert not re.search("cook number", told)  # no item either


HELD = """async () => {
  const all = (name, table) => new Promise((resolve) => {
    indexedDB.open(name).onsuccess = ({ target: { result } }) => {
      const asked = result.transaction(table).objectStore(table).getAll();
      asked.onsuccess = () => { result.close(); resolve(asked.result); };
    };
  });
  const kept = [await all("gemel-ahead", "kept"), await all("gemel-judging", "outbox")];
  return JSON.stringify(kept);
}"""


@pytest.mark.parametrize("is_signed_out", [True, False])
def test_another_account_sees_nothing_of_the_first(
    open_page, people, is_signed_out
) -> None:
    """The first signs out, or its session ends while an answer is not sent."""
    made = campaign(people, n=20, people=2)
    page = start(open_page, people, made)
    judged = page.locator("#original").text_content()
    offline_ready(page)
    assert "cook number" in page.evaluate(HELD)
    url = page.url
    let_go(page)
    page.route("**/answers/", lambda route: route.abort())
    answer(page, 1)
    expect(page.locator("#chip")).to_contain_text("1 answer saved on this device")
    if is_signed_out:
        page.get_by_role("button", name="Sign out").click()
    else:
        page.context.clear_cookies()
        page.goto("/")
    expect(page.get_by_label("Password")).to_be_visible()
    wait_until(page, lambda: page.evaluate(IS_FORGOTTEN))
    assert "cook number" not in page.evaluate(HELD)
    assert page.evaluate("caches.keys()") == []
    page.context.set_offline(True)
    with pytest.raises(Error):
        page.goto(url)
    page.context.set_offline(False)
    page.unroute("**/answers/")
    page.goto(url)
    sign_in(page, "judge1")
    expect(page.locator("#count")).to_contain_text("Item 1 of")
    expect(page.locator("#chip")).to_have_text("Ready")
    offline_ready(page)
    mine = {
        one.item.instance.sentence
        for one in Judgment.objects.filter(participant__user__username="judge1")
    }
    page.context.set_offline(True)
    page.reload()
    expect(page.locator("#chip")).to_have_text(
        "Offline: using the items on this device"
    )
    for n in range(1, len(mine) + 1):
        shown = page.locator("#original").text_content().replace("⟦", "")
        assert shown.replace("⟧", "") in mine
        answer(page, n)
    page.context.set_offline(False)
    wait_done(page, len(mine))
    wait_saved(page)
    page.goto("/")
    page.get_by_role("button", name="Sign out").click()
    page.goto(url)
    sign_in(page, "bob")
    wait_done(page, len(mine) + 1)  # what waited for the first is sent in its name
    stored = Judgment.objects.filter(participant__user=people.bob, state="done")
    assert (
        judged.replace("⟦", "").replace("⟧", "") == stored.get().item.instance.sentence
    )


def sign_in(page, name: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#card")).to_be_visible()


def test_unsent_answers_survive_closing_the_tab(open_page, people) -> None:
    made = campaign(people, n=5)
    page = start(open_page, people, made)
    page.route("**/answers/", lambda route: route.abort())
    page.keyboard.type("21")
    page.keyboard.press("Enter")
    expect(page.locator("#chip")).to_contain_text(
        "1 answer saved on this device, not sent yet"
    )
    context = page.context
    page.close(run_before_unload=False)
    assert done() == 0
    again = context.new_page()
    again.goto(f"/p/{people.project.slug}/judge/{made.code}/")
    wait_saved(again)
    assert Judgment.objects.get(state="done").values == {"meaning": 2, "grammar": 1}


def test_an_answer_whose_reply_was_lost_counts_once(open_page, people) -> None:
    made = campaign(people, n=5)
    page = start(open_page, people, made)
    lost = []

    def lose(route) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.fetch().status)  # the server has it, the browser never hears
        route.abort()

    page.route("**/answers/", lose)
    page.keyboard.type("55")
    page.keyboard.press("Enter")
    wait_saved(page)
    assert lost == [200]
    assert (done(), JudgmentEvent.objects.count()) == (1, 1)


def test_signing_in_over_the_page_loses_nothing(open_page, people, check_axe) -> None:
    made = campaign(people, n=5)
    page = start(open_page, people, made)
    page.context.clear_cookies()
    page.keyboard.type("34")
    page.keyboard.press("Enter")
    dialog = page.locator("#sign-in-dialog")
    expect(dialog).to_be_visible()
    check_axe(page)
    assert done() == 0
    page.keyboard.type("wrong")
    page.keyboard.press("Enter")
    expect(page.locator("#sign-in-problem")).to_have_text("Wrong password.")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    wait_done(page, 1)
    assert Judgment.objects.get(state="done").values == {"meaning": 3, "grammar": 4}
    page.keyboard.type("44")
    page.keyboard.press("Enter")
    wait_done(page, 2)


def test_a_session_that_ends_is_renewed_by_a_provider(
    open_page, people, settings, check_axe
) -> None:
    pytest.importorskip("authlib", reason="the oidc extra is not installed")
    from tests.annotator.security import oidc_provider

    made = campaign(people, n=5)
    page = start(open_page, people, made)
    with oidc_provider.running() as provider:
        settings.OIDC = {
            "issuer": provider.issuer,
            "client_id": oidc_provider.CLIENT,
            "client_secret": oidc_provider.SECRET,
            "name": "University",
        }
        Identity.objects.create(user=people.bob, issuer=provider.issuer, subject="7")
        page.reload()
        expect(page.locator("#card")).to_be_visible()
        page.context.clear_cookies()
        page.keyboard.type("34")
        page.keyboard.press("Enter")
        dialog = page.locator("#sign-in-dialog")
        expect(dialog).to_be_visible()
        check_axe(page)
        keep_picture(page, "sign-in-dialog-provider")
        go_on, problem = (
            page.locator("#sign-in-elsewhere"),
            page.locator("#sign-in-problem"),
        )
        go_on.click()
        expect(problem).to_have_text("You are not signed in yet.")
        provider.who = {"sub": "8", "preferred_username": "dora"}
        sign_in_elsewhere(page)
        go_on.click()
        expect(problem).to_have_text("You are signed in as dora, not as bob.")
        assert done() == 0
        provider.who = {"sub": "7"}
        sign_in_elsewhere(page)
        go_on.click()
        expect(dialog).to_be_hidden()
        wait_done(page, 1)  # it may have been sent before the chip says so
    assert Judgment.objects.get(state="done").values == {"meaning": 3, "grammar": 4}


def sign_in_elsewhere(page) -> None:
    """By the dialog's link, in the tab that it opens."""
    link = page.locator("#sign-in-dialog").get_by_role("link")
    with page.context.expect_page() as opened:
        link.click()
    expect(opened.value.get_by_role("button", name="Sign out")).to_be_visible()
    opened.value.close()


def test_two_tabs_show_both_answers_and_let_one_choose(open_page, people) -> None:
    made = campaign(people, n=5)
    one = start(open_page, people, made)
    two = one.context.new_page()
    two.goto(f"/p/{people.project.slug}/judge/{made.code}/")
    expect(two.locator("#card")).to_be_visible()
    one.keyboard.type("55")
    one.keyboard.press("Enter")
    wait_saved(one)
    two.bring_to_front()
    two.keyboard.type("22")
    two.keyboard.press("Enter")
    dialog = two.locator("#conflict-dialog")
    expect(dialog).to_be_visible()
    cells = two.locator("#conflict-rows td").all_text_contents()
    assert cells == ["Meaning", "5", "2", "Grammar", "5", "2"]
    two.get_by_role("button", name="Save mine").click()
    wait_saved(two)
    stored = Judgment.objects.get(state="done")
    assert (stored.values, stored.revision) == ({"meaning": 2, "grammar": 2}, 2)


def test_each_of_two_conflicts_is_asked_about_alone(open_page, people) -> None:
    made = campaign(people, n=5)
    away, here = (start(open_page, people, made) for _ in range(2))
    away.context.set_offline(True)
    for page, keys in ((away, ("22", "11")), (here, ("55", "44"))):
        answer(page, 1, keys[0])
        answer(page, 2, keys[1])
    wait_done(here, 2)
    away.context.set_offline(False)
    dialog, cells = away.locator("#conflict-dialog"), away.locator("#conflict-rows td")
    expect(dialog).to_be_visible()
    expect(away.locator("#chip")).not_to_contain_text("Sending")
    assert cells.all_text_contents() == ["Meaning", "5", "2", "Grammar", "5", "2"]
    away.get_by_role("button", name="Save mine").click()
    expect(cells.nth(2)).to_have_text("1")
    away.get_by_role("button", name="Keep what is stored").click()
    expect(dialog).to_be_hidden()
    rows = Judgment.objects.filter(state="done").order_by("pk")
    wait_until(away, lambda: [row.values["meaning"] for row in rows.all()] == [2, 4])


def test_each_of_two_refused_answers_can_be_sent_again(open_page, people) -> None:
    page = start(open_page, people, campaign(people, n=2))
    page.context.set_offline(True)
    answer(page, 1)
    answer(page, 2)
    Membership.objects.filter(user=people.bob).delete()
    page.context.set_offline(False)
    again = page.get_by_role("button", name="Try again")
    expect(page.locator("#notice")).to_contain_text("You no longer work in this")
    expect(page.locator("#chip")).to_have_text("One answer was refused")
    Membership.objects.create(project=people.project, user=people.bob, role="annotator")
    again.click()
    again.click()
    wait_done(page, 2)
    expect(page.locator("#notice h2")).to_have_text("All done")


def test_a_session_that_ended_meanwhile_is_renewed_over_the_kept_page(
    open_page, people, check_axe
) -> None:
    page = start(open_page, people, campaign(people, n=20))
    offline_ready(page)
    page.context.set_offline(True)
    page.reload()
    answer(page, 1)
    page.context.clear_cookies()
    page.context.set_offline(False)
    dialog = page.locator("#sign-in-dialog")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_label("Name")).to_have_value("bob")
    check_axe(page)
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    wait_done(page, 1)


def test_a_server_that_is_away_behind_its_proxy_is_no_network(
    open_page, people
) -> None:
    page = start(open_page, people, campaign(people, n=20))
    offline_ready(page)
    page.context.route("**/p/**", lambda route: route.fulfill(status=502, body="away"))
    page.context.route(
        "**/api/**", lambda route: route.fulfill(status=502, body="away")
    )
    page.reload()
    expect(page.locator("#chip")).to_have_text(
        "Offline: using the items on this device"
    )
    answer(page, 1)
    expect(page.locator("#count")).to_have_text("Item 2 of 20")
    page.context.unroute("**/p/**")
    page.context.unroute("**/api/**")
    wait_done(page, 1)


def test_signing_out_in_another_tab_hides_the_item(open_page, people) -> None:
    made = campaign(people, n=20)
    page = start(open_page, people, made)
    offline_ready(page)
    shown = page.locator("#original").text_content()
    page.keyboard.press("4")
    other = page.context.new_page()
    other.goto("/")
    other.get_by_role("button", name="Sign out").click()
    expect(other.get_by_label("Password")).to_be_visible()
    expect(page.locator("#sign-in-dialog")).to_be_visible()
    expect(page.locator("#texts")).to_be_hidden()
    expect(page.locator("#card")).to_be_hidden()
    page.bring_to_front()
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("#card")).to_be_visible()
    expect(page.locator("#original")).to_have_text(shown)
    expect(page.locator("[data-scale=meaning] input:checked")).to_have_value("4")
