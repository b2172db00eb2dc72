"""Every page of a project with something of everything: axe in both themes, nothing
wider than a phone of 320 pixels (which is 1280 at a zoom of 400 %), keys lead in, and
what is focused shows, also where the system sets the colours."""

import pytest
from django.test import Client

from tests.annotator.site import walking

pytestmark = pytest.mark.browser
OWN = ("/", "/account/", "/find/?q=window", "/help/", "/help/glossary/", "/backups/")
FOCUS = """() => {
  const style = getComputedStyle(document.activeElement);
  return document.activeElement !== document.body
    && (style.outlineStyle !== "none" || style.boxShadow !== "none");
}"""


def addresses(user) -> dict[str, str]:
    """A page of each kind, by its name."""
    client = Client()
    client.force_login(user)
    by_name = {name: url for name, url, _ in walking.pages(client)}
    return by_name | {url: url for url in OWN}


@pytest.mark.parametrize(("width", "colours"), [(1280, "none"), (320, "active")])
def test_every_page(
    live, open_page, check_axe, settings, tmp_path, width, colours
) -> None:
    settings.MEDIA_ROOT = tmp_path
    user = walking.filled()
    page = open_page(user, width=width, forced_colors=colours)
    faults = []
    for name, url in addresses(user).items():
        page.goto(url)
        page.wait_for_load_state()
        try:
            check_axe(page)
        except AssertionError as error:
            faults.append((name, "axe", str(error)[:300]))
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            faults.append((name, "wider than the screen", wide))
        page.keyboard.press("Tab")
        if not page.evaluate(FOCUS):
            faults.append((name, "no focus to be seen", url))
    assert faults == []
