"""Pictures of screens, to be looked at: GEMEL_SCREENSHOTS names the folder."""

import os
from pathlib import Path

from playwright.sync_api import Page


def keep_picture(page: Page, name: str) -> None:
    if folder := os.environ.get("GEMEL_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
