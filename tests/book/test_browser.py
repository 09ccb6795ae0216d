"""The built book in a real browser, from the disk, with the network off: no error, no request, readable everywhere."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

import pytest
from axe_playwright_python import base
from built_book import HTML, ROOT, absent

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Route, ViewportSize

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DESK: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 400, "height": 844}
BACKSTOP = 300_000  # milliseconds; what has not shown by then never will

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
    pytest.mark.skipif(bool(absent()), reason=absent() or "there is a built book"),
]

# WCAG's contrast ratio of the text of elements against the first opaque background behind them.
CONTRAST = """
(selector) => {
  const parse = (c) => { const m = c.match(/[\\d.]+/g).map(Number); return { rgb: m.slice(0, 3), a: m[3] ?? 1 }; };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.a === 1) return c.rgb;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll(selector)].filter((e) => e.textContent.trim() && e.offsetParent).map((e) => {
    const a = light(parse(getComputedStyle(e).color).rgb), b = light(behind(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return [ratio, `${e.tagName}.${e.className}: ${e.textContent.trim().slice(0, 40)}`];
  });
}
"""
READ = (
    ".bd-article p, .bd-article td, .bd-article th, .bd-article figcaption, .bd-article h1, "
    ".bd-article caption, .tn-verdict, td.tn-cell a, a.tn-square, .tn-run dt, .tn-data dt"
)


def page_names() -> list[str]:
    skipped = ("_static/", "_sources/")
    names = (path.relative_to(HTML).as_posix() for path in sorted(HTML.rglob("*.html")))
    return [name for name in names if not name.startswith(skipped)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


class Watch:
    """A page with the network off that notes what it asks for and what it complains about."""

    def __init__(self, context: BrowserContext) -> None:
        self.outside: list[str] = []
        self.complaints: list[str] = []
        context.set_default_timeout(BACKSTOP)
        context.route(re.compile("^(?!file:|data:|blob:|about:)"), self._refuse)
        self.page: Page = context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("requestfailed", lambda request: self.complaints.append(f"failed: {request.url}"))

    def _refuse(self, route: Route) -> None:
        self.outside.append(route.request.url)
        route.abort()

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")

    def open(self, name: str, query: str = "") -> Page:
        self.page.goto((HTML / name).as_uri() + query)
        return self.page

    def settled(self) -> Page:
        """The page after MathJax has typeset it, where it has anything to typeset."""
        self.page.wait_for_function("() => !window.MathJax || !MathJax.startup || !!MathJax.startup.promise")
        self.page.evaluate("async () => { if (window.MathJax?.startup?.promise) await MathJax.startup.promise; }")
        return self.page


@dataclass(frozen=True)
class Visit:
    """What one page showed: `pictures` are (alternative text, whether it loaded, address)."""

    outside: list[str]
    complaints: list[str]
    equations: tuple[int, int, int]  # written, typeset, with an error
    pictures: list[tuple[str, bool, str]]
    faint: list[str]
    too_wide: int
    unreachable: int
    letters: list[float]  # pixels of the smallest of each figure
    grave: list[str]  # what axe-core calls serious or critical on a phone, contrast apart


# matplotlib writes a letter as the use of a shape that is 100 units high.
FACTS = """
() => ({
  letters: [...document.querySelectorAll("svg.tn-figure, figure svg")].map((f) => Math.min(
    ...[...f.querySelectorAll("text")].map((t) => parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().d),
    ...[...f.querySelectorAll("use")].filter((u) => u.href.baseVal.includes("DejaVu")).map(
      (u) => { const m = u.getScreenCTM(); return 100 * Math.hypot(m.a, m.b); }))).filter(Number.isFinite),
  equations: [".math.notranslate", ".math.notranslate mjx-container", "mjx-merror"]
    .map((s) => document.querySelectorAll(s).length),
  pictures: [...document.images].map((i) => [i.alt, i.complete && i.naturalWidth > 0, i.src]).concat(
    [...document.querySelectorAll("svg.tn-figure")]
      .map((f) => [f.ariaLabel || "", f.getBoundingClientRect().height > 50, "a figure within the page"])),
  too_wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  unreachable: [...document.querySelectorAll(".tn-scroll")]
    .filter((e) => e.scrollWidth > e.clientWidth + 1 && e.tabIndex < 0).length,
})
"""


AXE = Path(base.__file__).with_name("axe.min.js").read_text("utf-8")
GRAVE = """
async (contrast) => (await axe.run(
    document, { resultTypes: ["violations"], rules: { "color-contrast": { enabled: contrast } } })).violations
  .filter((found) => ["serious", "critical"].includes(found.impact))
  .map((found) => `${found.id}: ${found.nodes[0].html.slice(0, 120)}`)
"""


def _on_disk(complaint: str) -> bool:
    """Whether the complaint is a load that failed although its file is there: the browser gave it up, not the page."""
    kind, _, address = complaint.partition(": ")
    return kind == "failed" and address.startswith("file:") and Path(unquote(urlsplit(address).path)).is_file()


def _visit(watch: Watch, name: str, themes: tuple[str, ...]) -> Visit:
    """Open a page and read it; once more where a busy machine made the browser give up loads of files that exist."""
    watch.outside.clear()
    watch.complaints.clear()
    seen = _look(watch, name, themes)
    if seen.complaints and all(map(_on_disk, seen.complaints)):
        watch.complaints.clear()
        seen = _look(watch, name, themes)
    return seen


def _look(watch: Watch, name: str, themes: tuple[str, ...]) -> Visit:
    watch.open(name)
    page = watch.settled()
    faint = []
    for theme in themes:
        page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
        faint += [f"{theme}: {what} ({ratio:.1f})" for ratio, what in page.evaluate(CONTRAST, READ) if ratio < 4.5]
    facts = page.evaluate(FACTS)
    grave = []
    if page.viewport_size == PHONE:
        page.evaluate(AXE)
        grave = page.evaluate(GRAVE, False)
    return Visit(outside=[*watch.outside], complaints=[*watch.complaints], faint=faint, grave=grave, **facts)


def _visits(browser: Browser, screen: ViewportSize, themes: tuple[str, ...]) -> dict[str, Visit]:
    context = browser.new_context(viewport=screen, color_scheme="light")
    watch = Watch(context)
    found = {name: _visit(watch, name, themes) for name in page_names()}
    context.close()
    return found


@pytest.fixture(scope="module")
def desk(browser: Browser) -> dict[str, Visit]:
    """Every page on a desk's screen, opened once for all tests, read in light and in dark."""
    return _visits(browser, DESK, ("light", "dark"))


@pytest.fixture(scope="module")
def phone(browser: Browser) -> dict[str, Visit]:
    """Every page on a phone's screen."""
    return _visits(browser, PHONE, ())


@pytest.fixture
def watch(browser: Browser) -> Iterator[Watch]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    yield Watch(context)
    context.close()


@pytest.mark.parametrize("fault", ["outside", "complaints", "faint"])
def test_no_page_asks_outside_complains_or_is_hard_to_read(desk: dict[str, Visit], fault: str) -> None:
    """In light and in dark."""
    found = {name: getattr(visit, fault)[:5] for name, visit in desk.items()}
    assert {name: told for name, told in found.items() if told} == {}


def test_every_equation_is_typeset(desk: dict[str, Visit]) -> None:
    assert any(visit.equations[0] for visit in desk.values())
    for name, visit in desk.items():
        written, typeset, errors = visit.equations
        assert typeset >= written and not errors, name


def test_every_picture_says_what_it_shows_and_loads(desk: dict[str, Visit]) -> None:
    pictures = [(name, *picture) for name, visit in desk.items() for picture in visit.pictures]
    assert [picture for picture in pictures if not picture[1].strip() or not picture[2]] == []


@pytest.mark.parametrize("fault", ["too_wide", "unreachable"])
def test_a_phone_shows_each_page_and_what_scrolls_sideways_can_be_reached_with_the_keyboard(
    phone: dict[str, Visit], fault: str
) -> None:
    assert [name for name, visit in phone.items() if getattr(visit, fault) > 0] == []


def test_nothing_grave_keeps_people_out_of_a_page_on_a_phone(phone: dict[str, Visit]) -> None:
    assert {name: visit.grave for name, visit in phone.items() if visit.grave} == {}


def test_the_letters_of_every_figure_can_be_read_on_a_phone(phone: dict[str, Visit]) -> None:
    assert sum(len(visit.letters) for visit in phone.values()) > 80
    small = {name: round(min(visit.letters), 1) for name, visit in phone.items() if visit.letters}
    assert {name: height for name, height in small.items() if height < 8} == {}


# One page of each kind, and every front page.
AXED = [
    "book/intro.html", "book/findings.html", "book/errors-in-print.html", "book/how-to-read.html", "book/own-data.html",
    "book/data.html", "book/notation.html", "book/references.html", "book/api/bias.html", "search.html",
    "chapters/xer/ledger.html", "chapters/xer/conditions.html",
    "chapters/weat_measures/method.html", "chapters/weat_measures/reproduction.html",
    *sorted(f"chapters/{path.parent.name}/index.html" for path in ROOT.glob("chapters/*/index.md")),
]  # fmt: skip


@pytest.mark.parametrize(("theme", "width"), [("light", 1200), ("dark", 400)])
def test_nothing_grave_keeps_people_out(browser: Browser, theme: Any, width: int) -> None:
    grave = {}
    with browser.new_context(color_scheme=theme, viewport={"width": width, "height": 900}) as context:
        watch = Watch(context)
        for name in AXED:
            watch.open(name)
            page = watch.settled()
            page.evaluate(AXE)
            grave[name] = page.evaluate(GRAVE, True)
    assert {name: found for name, found in grave.items() if found} == {}


# What people type, and pages of which one must be among the first three that are found.
ASKED = {
    "bias": ("chapters/weat_measures/index", "chapters/gender_bias_languages/index"),
    "gender bias": ("chapters/gender_bias_languages/index",),
    "anonymize": ("chapters/polarizedtext/index", "book/own-data"),
    "anonymise text": ("chapters/polarizedtext/index", "book/own-data"),
    "GDPR": ("chapters/polarizedtext/index", "book/own-data"),
    "re-identification": ("chapters/polarizedtext/index", "chapters/polarizedtext/reidentification"),
    "privacy budget": ("chapters/dpnr/index", "chapters/privemb/index", "book/glossary"),
    "differential privacy": ("chapters/dpnr/index", "chapters/privemb/index", "chapters/sense_privatization/index"),
    "noise embeddings": ("chapters/privemb/index", "chapters/dpnr/index"),
    "why did my model": ("chapters/moxie/index", "chapters/aec/index"),
    "which explainer": ("chapters/moxie/index", "chapters/decoys/index", "book/findings"),
    "LIME unstable": ("chapters/moxie/index", "chapters/moxie/faithfulness", "book/findings"),
    "shapley": ("chapters/moxie/index", "chapters/moxie/faithfulness", "book/glossary"),
    "spurious correlation": ("chapters/decoys/index",),
    "active learning": ("chapters/aec/index", "chapters/aec/loop"),
    "effect size formula": ("chapters/weat_measures/index", "chapters/weat_measures/method"),
    "deduplicate records": ("chapters/xer/index", "book/own-data"),
    "entity resolution": ("chapters/xer/index",),
    "relation extraction": ("chapters/edin/index",),
    "colab": ("book/how-to-run",),
}


@pytest.mark.parametrize("query", ASKED)
def test_search_answers_in_the_words_that_people_use(watch: Watch, query: str) -> None:
    page = watch.open("search.html", query=f"?q={quote(query)}")
    page.wait_for_selector("#search-results li")
    page.wait_for_function("() => !document.querySelector('#search-results h2').textContent.includes('Searching')")
    links = page.locator("#search-results li > a").evaluate_all("(links) => links.map((a) => a.getAttribute('href'))")
    found = list(dict.fromkeys(re.sub(r"\.html.*", "", link) for link in links))
    assert set(ASKED[query]) & set(found[:3]), found[:6]


def test_a_picture_moves_by_the_keyboard_and_stands_still_without_scripts(watch: Watch, browser: Browser) -> None:
    page = watch.open("book/moving-pictures.html")
    slider, says = page.locator(".tn-moving input").first, page.locator(".tn-moving-says").first
    before = says.inner_text()
    slider.focus()
    page.keyboard.press("ArrowRight")
    after, value = says.inner_text(), slider.get_attribute("aria-valuetext")
    assert after != before and value in after
    first_bar = page.locator(".tn-bar-value").first.inner_text()
    assert first_bar in page.locator(".tn-moving").first.locator("tbody tr", has_text=value).first.text_content()
    still = browser.new_context(java_script_enabled=False).new_page()
    still.goto((HTML / "book" / "moving-pictures.html").as_uri())
    assert still.locator(".tn-moving-says").first.inner_text() == before
    assert not still.locator(".tn-moving input").first.is_visible()
    still.context.close()


def test_the_button_switches_between_light_and_dark(watch: Watch) -> None:
    page = watch.open("book/intro.html")
    colours = set()
    for _ in range(3):  # light, dark, as the system says
        colours.add(page.evaluate("() => getComputedStyle(document.body).backgroundColor"))
        page.locator(".theme-switch-button:visible").first.click()
    assert len(colours) == 2


# Milliseconds until all rows are there, before the scripts that every page has, and to search them.
TIMES = """
() => {
  const [opened] = performance.getEntriesByType("navigation");
  const started = performance.now();
  const form = document.querySelector("form.tn-filter");
  form.elements.text.value = "epsilon";
  form.dispatchEvent(new Event("input"));
  return [opened.domInteractive - opened.responseEnd, performance.now() - started];
}
"""


def largest_ledger() -> str:
    path = max(HTML.glob("chapters/*/ledger.html"), key=lambda path: path.stat().st_size)
    return path.relative_to(HTML).as_posix()


def test_the_ledger_filters_searches_and_finds_a_hidden_claim(watch: Watch) -> None:
    page = watch.open(largest_ledger())
    claims = ".tn-ledger tbody tr:not(.tn-under)"  # the cells of a sentence are folded in a row below it
    rows = page.locator(f"{claims}:visible")
    everything = rows.count()
    last = page.locator(claims).last.get_attribute("id")
    page.locator("form.tn-filter select[name=verdict]").select_option("tn-inconsistent-in-the-paper")
    assert 0 < rows.count() < everything
    assert page.locator("form.tn-filter output").inner_text() == f"{rows.count()} of {everything} claims"
    page.locator("form.tn-filter input").fill("no such words in any claim")
    assert rows.count() == 0
    page.evaluate("(id) => { window.location.hash = id; }", last)
    page.wait_for_selector(f"#{last}", state="visible")
    assert rows.count() == everything
    assert not watch.complaints


def test_the_ledger_sorts_by_the_numbers_of_the_paper(watch: Watch) -> None:
    page = watch.open("chapters/xer/ledger.html")
    page.get_by_role("button", name="Paper").click()
    texts = page.locator(".tn-ledger tbody tr:not(.tn-under):visible td[data-label=Paper]").all_inner_texts()
    found = [re.match(r"-?\d+(\.\d+)?", text.replace("−", "-").replace("|", "")) for text in texts]
    numbers = [float(match[0]) for match in found if match]  # as the page reads them; 16×2 is sorted by 16
    assert len(numbers) > 1 and numbers == sorted(numbers)
    assert not watch.complaints


def test_the_largest_ledger_opens_and_filters_in_under_a_second(watch: Watch) -> None:
    page = watch.open(largest_ledger())
    spent = []
    for _ in range(3):  # the best of them: other work on the machine is not the page's
        page.reload()
        spent.append(max(page.evaluate(TIMES)))
    assert min(spent) < 1000


def test_an_old_link_to_a_claim_leads_to_the_ledger(watch: Watch) -> None:
    name = largest_ledger()
    anchor = re.search(r'<tr id="(claim-[^"]+)"', (HTML / name).read_text("utf-8"))
    assert anchor
    page = watch.open(name.replace("ledger.html", "index.html"))
    page.evaluate("(id) => { window.location.hash = id; }", anchor[1])
    page.wait_for_url(f"**/ledger.html#{anchor[1]}")


# Per cell of a table that says its language: the language, how it is really written, and whether a sign is missing.
WRITTEN = """
() => [...document.querySelectorAll("td[lang]")].filter((e) => e.textContent.trim() !== "–").map((e) => {
  const style = getComputedStyle(e);
  return [e.lang, style.direction, e.textContent.includes("\\ufffd"), e.getBoundingClientRect().height > 0];
})
"""


def test_words_of_nine_languages_are_written_in_their_own_direction(watch: Watch) -> None:
    page = watch.open("chapters/gender_bias_languages/lists.html")
    cells = page.evaluate(WRITTEN)
    assert {lang.split("-")[0] for lang, *_ in cells} == {"en", "zh", "es", "ar", "de", "fr", "fa", "ur", "wo"}
    for lang, direction, damaged, shown in cells:
        assert direction == ("rtl" if lang in ("ar", "fa", "ur") else "ltr"), lang
        assert shown and not damaged, lang
    assert not watch.complaints


# Printed pages: light, with every fold open, nothing cut at the edge of the paper, and no path of this machine.
PAPER = 688  # pixels between the margins of A4, at 96 to the inch
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


@pytest.fixture
def paper(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport={"width": PAPER, "height": 1000}) as context:
        page = context.new_page()
        page.set_default_timeout(BACKSTOP)
        page.emulate_media(media="print", color_scheme="dark")
        yield page


def test_nothing_is_cut(paper: Page) -> None:
    cut = {}
    for path in sorted(HTML.glob("chapters/*/*.html")):
        paper.goto(path.as_uri())
        paper.evaluate(BEFORE)
        if found := paper.evaluate(CUT):
            cut[path.relative_to(HTML).as_posix()] = found[:3]
    assert not cut


def test_a_dark_page_is_light_and_open_on_paper_and_itself_afterwards(paper: Page) -> None:
    path = min(p for p in HTML.glob("chapters/*/ledger.html") if "tn-grids" in p.read_text("utf-8"))
    paper.goto(path.as_uri())
    on_screen = paper.evaluate(STATE)
    assert on_screen["theme"] == "dark" and on_screen["closed"] and on_screen["local"]
    paper.evaluate(BEFORE)
    assert paper.evaluate(STATE) == {"theme": "light", "closed": 0, "local": 0}
    paper.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
    assert paper.evaluate(STATE) == on_screen
