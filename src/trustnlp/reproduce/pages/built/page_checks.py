"""Check the built HTML: every page must work from a disk without a network, and for a reader who cannot see pictures.

Static: nothing is opened in a browser here (`tests/book` does that). A finding is a page and a sentence.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes whose address a browser fetches by itself. `<a href>` waits for a click and may lead anywhere.
FETCHED = {
    **dict.fromkeys(("audio", "embed", "iframe", "input", "script", "track"), ("src",)),
    **dict.fromkeys(("image", "use"), ("href", "xlink:href")),
    **dict.fromkeys(("img", "source"), ("src", "srcset")),
    "form": ("action",),
    "link": ("href",),
    "object": ("data",),
    "video": ("src", "poster"),
}
CSS_ADDRESS = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")
# A role that was not read as one, for example because a bar ended its table cell.
RAW_MARKUP = re.compile(r"\{[a-z][a-z:_-]*\}(`|$)|`{3,}\{")
VERBATIM = ("pre", "code", "script", "style", "title")
PICTURE_NAME = re.compile(r"\.(png|svg|jpe?g|gif|webp)$", re.IGNORECASE)


@dataclass
class Page(HTMLParser):
    """One built page: the anchors it offers, the links it makes, and what is wrong by itself."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    in_style: bool = False
    verbatim: int = 0

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.in_style = tag == "style"
        self.verbatim += tag in VERBATIM
        self.anchors.update(values[name] for name in ("id", "name") if name in values)
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        for name in FETCHED.get(tag, ()):
            for address in values.get(name, "").split(",") if name == "srcset" else [values.get(name, "")]:
                self.fetched += address.split()[:1]
        self.fetched += _css_addresses(values.get("style", ""))
        classes = values.get("class", "").split()
        if "output" in classes and {"stderr", "traceback"} & set(classes):
            self.wrong.append("shows standard error or a traceback of a notebook")
        if tag == "img":
            self._check_alt(values)
        elif tag == "svg" and values.get("role") == "img" and not values.get("aria-label", "").strip():
            self.wrong.append("picture within the page (svg) has no alternative text (aria-label)")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.in_style = False
        self.verbatim -= tag in VERBATIM

    def handle_endtag(self, tag: str) -> None:
        self.verbatim -= tag in VERBATIM
        if tag == "style":
            self.in_style = False

    def handle_data(self, data: str) -> None:
        if self.in_style:
            self.fetched += _css_addresses(data)
        elif not self.verbatim and (raw := RAW_MARKUP.search(data)):
            self.wrong.append(f"shows markup: {data[max(0, raw.start() - 30) : raw.end() + 30].strip()}")

    def _check_alt(self, values: dict[str, str]) -> None:
        alt, source = values.get("alt", "").strip(), values.get("src", "")
        shown = source if len(source) <= 60 else source[:57] + "…"
        if not alt:
            self.wrong.append(f"image {shown} has no alternative text")
        elif PICTURE_NAME.search(alt) or alt == source:
            self.wrong.append(f"image {shown} has a file name as alternative text")


def _css_addresses(text: str) -> list[str]:
    return [a or b for a, b in CSS_ADDRESS.findall(text)]


def _is_external(address: str) -> bool:
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in ("", "data", "about", "mailto", "javascript")


def check_pages(html: Path, *, private: str | None = None) -> list[str]:
    """Everything wrong with the built book in the folder `html`: the page and what, sorted.

    Looked for: an address on another host that a browser would fetch by itself (script, style, font, image, frame,
    form), an image without alternative text, markup that was not understood, a link to a page, file or anchor that is
    not there, standard error or a traceback in an output, and the text `private` (the path of this machine's checkout)
    anywhere in a page.

    Raises
    ------
    FileNotFoundError
        If there is no built book in `html`.
    """
    findings: set[tuple[str, str]] = set()
    pages = read_pages(html)
    fetched = {name: page.fetched for name, page in pages.items()}
    for file in html.rglob("*.css"):
        fetched[file.relative_to(html).as_posix()] = _css_addresses(file.read_text("utf-8", errors="replace"))
    for name, addresses in fetched.items():
        findings |= {(name, f"fetches {address} from another host") for address in addresses if _is_external(address)}
    for name, page in pages.items():
        if private and private in (html / name).read_text("utf-8"):
            findings.add((name, f"contains {private}, a path of this machine"))
        local = {a for a in (*page.links, *page.fetched) if a and not _is_external(a)}
        broken = (_broken(name, address, pages, html) for address in local)
        findings |= {(name, wrong) for wrong in (*page.wrong, *broken) if wrong}
    return [f"{name}: {wrong}" for name, wrong in sorted(findings)]


def read_pages(html: Path) -> dict[str, Page]:
    """Every page of the built book in the folder `html`, read, by its place in the folder.

    Raises
    ------
    FileNotFoundError
        If there is no built book in `html`.
    """
    if not (html / "index.html").is_file():
        raise FileNotFoundError(f"no built book in {html}: it has no index.html; run 'trustnlp book' first")
    pages = {}
    for file in sorted(html.rglob("*.html")):
        name = file.relative_to(html).as_posix()
        if not name.startswith(("_static/", "_sources/")):
            page = pages[name] = Page()
            page.feed(file.read_text("utf-8"))
    return pages


def _broken(page: str, address: str, pages: dict[str, Page], html: Path) -> str | None:
    parts = urlsplit(address)
    if parts.scheme:  # data:, mailto: and the like lead nowhere in the book
        return None
    # From the root of the book; `..` is worked out without the disk.
    place = posixpath.join("/", posixpath.dirname(page), unquote(parts.path))
    target = posixpath.normpath(place).lstrip("/") if parts.path else page
    if target not in pages:
        exists = (html / target).is_file() or (html / target / "index.html").is_file()
        return None if exists else f"links to {address}, which does not exist"
    anchor = unquote(parts.fragment)
    if anchor and anchor != "top" and anchor not in pages[target].anchors:
        return f"links to {address}, but there is no such place in {target}"
    return None
