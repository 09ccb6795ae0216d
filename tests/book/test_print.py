"""Printed pages: light, with every fold open, nothing cut at the edge of the paper, and no path of this machine."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from built_book import HTML, absent

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PAPER = 688  # pixels between the margins of A4, at 96 to the inch

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
    pytest.mark.skipif(bool(absent()), reason=absent() or "there is a built book"),
]

BEFORE = """
async () => {
  if (window.MathJax?.startup?.promise) await MathJax.startup.promise;
  window.dispatchEvent(new Event("beforeprint"));
}
"""
# Elements that end beyond the paper or hide a part of what they hold; what is only read out is left aside.
CUT = """
() => [...document.querySelectorAll(".bd-article *:not(mjx-assistive-mml, mjx-assistive-mml *, .tn-sr, svg *)")]
.filter((e) => {
  const { width, right } = e.getBoundingClientRect();
  const hides = getComputedStyle(e).overflowX !== "visible" && e.clientWidth && e.scrollWidth > e.clientWidth + 1;
  return (width > 2 && right > document.documentElement.clientWidth + 1) || (hides && e.clientWidth > 2);
}).map((e) => `${e.tagName} ${e.className}: ${e.textContent.trim().slice(0, 40)}`)
"""
STATE = """
() => ({
  theme: document.documentElement.dataset.theme,
  closed: document.querySelectorAll(".bd-article details:not([open])").length,
  local: [...document.links].filter((a) => a.protocol === "file:" && !a.getAttribute("href").startsWith("#")).length,
})
"""


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": PAPER, "height": 1000})
        page.set_default_timeout(300_000)
        page.emulate_media(media="print", color_scheme="dark")
        yield page
        browser.close()


def test_nothing_is_cut(page: Page) -> None:
    cut = {}
    for path in sorted(HTML.glob("chapters/*/*.html")):
        page.goto(path.as_uri())
        page.evaluate(BEFORE)
        if found := page.evaluate(CUT):
            cut[path.relative_to(HTML).as_posix()] = found[:3]
    assert not cut


def test_a_dark_page_is_light_and_open_on_paper_and_itself_afterwards(page: Page) -> None:
    path = min(p for p in HTML.glob("chapters/*/ledger.html") if "tn-grids" in p.read_text("utf-8"))
    page.goto(path.as_uri())
    on_screen = page.evaluate(STATE)
    assert on_screen["theme"] == "dark" and on_screen["closed"] and on_screen["local"]
    page.evaluate(BEFORE)
    assert page.evaluate(STATE) == {"theme": "light", "closed": 0, "local": 0}
    page.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(STATE) == on_screen
