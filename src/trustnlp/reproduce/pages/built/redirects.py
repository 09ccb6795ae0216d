"""Old addresses of renamed pages lead to the new ones: `book/redirects.yaml` maps old docnames to new."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path

import yaml

from trustnlp.files.user_text import read_text
from trustnlp.reproduce.pages.staging import documents
from trustnlp.reproduce.project import UserError, nearest

PLACE = "book/redirects.yaml"
DOCNAME = re.compile(r"(book|chapters)(/[\w-]+)+")
# The script keeps the place within the page; without scripts the browser follows `refresh`, or the reader the link.
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>This page has moved</title>
<link rel="canonical" href="{new}">
<script>location.replace("{new}" + location.search + location.hash)</script>
<noscript><meta http-equiv="refresh" content="0; url={new}"></noscript>
</head>
<body><p>This page has moved to <a href="{new}">{name}</a>.</p></body>
</html>
"""


def read_redirects(root: Path) -> dict[str, str]:
    """Old docname → new docname, as `book/redirects.yaml` under `root` has them; nothing without the file.

    Raises
    ------
    UserError
        If an entry is not a pair of docnames, an old name is still a page, or a new one is none (so that no redirect
        leads to another, or round in a circle).
    """
    file = root / PLACE
    given = yaml.safe_load(read_text(file)) if file.is_file() else None
    if not isinstance(given or {}, Mapping):
        raise UserError(f"{PLACE}: expected lines 'old/page: new/page', or {{}}")
    redirects: dict[str, str] = dict(given or {})
    pages = set(documents(yaml.safe_load(read_text(root / "_toc.yml"))))
    for old, new in redirects.items():
        for name in (old, new):
            if not isinstance(name, str) or not DOCNAME.fullmatch(name):
                raise UserError(f"{PLACE}: {name!r} is no docname: expected one as in _toc.yml, such as book/methods")
        if old in pages:
            raise UserError(f"{PLACE}: {old} is still a page of _toc.yml: rename it there, or remove this line")
        if new in redirects:
            raise UserError(f"{PLACE}: {old} leads to {new}, which has moved itself: name the page where it is now")
        if new not in pages:
            raise UserError(f"{PLACE}: {old} leads to {new}, which is no page of _toc.yml{nearest(new, pages)}")
    return redirects


def write_redirects(redirects: Mapping[str, str], html: Path) -> None:
    """Write a page at each old place in `html`."""
    for old, new in redirects.items():
        place = html / f"{old}.html"
        place.parent.mkdir(parents=True, exist_ok=True)
        address = posixpath.relpath(f"{new}.html", posixpath.dirname(old) or ".")
        place.write_text(PAGE.format(new=escape(address), name=escape(new)), "utf-8")
