"""The Colab button opens notebooks from a branch of their own where the sources hold a placeholder for the address.

All other links to the repository keep its branch: one edits sources, not the copies with the address filled in. A new
issue names the commit that a published page was made from. Elsewhere it does not: pages that hold the commit would all
be new after each one.
"""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import quote

from sphinx.application import Sphinx

THEME_ADDS_BUTTONS = 501


def _buttons(context: dict[str, Any]) -> list[dict[str, Any]]:
    return [button for group in context.get("header_buttons", ()) for button in group.get("buttons", ())]


def open_from_branch(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object = None
) -> None:
    """Put `colab_branch` into the address of the Colab button; with no such branch nothing happens."""
    ordinary = app.config.html_theme_options.get("repository_branch") or "main"
    for button in _buttons(context) if app.config.colab_branch else ():
        if button.get("text") == "Colab":
            button["url"] = button["url"].replace(f"/blob/{ordinary}/", f"/blob/{app.config.colab_branch}/", 1)


def name_the_commit(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object = None
) -> None:
    """Put the commit into the text of a new issue, where a workflow builds the book."""
    commit = os.environ.get("GITHUB_SHA")
    for button in _buttons(context) if commit else ():
        if "/issues/new?" in (button.get("url") or ""):
            text = f"What is wrong, and how you know:\n\n\nPage {pagename}.html, commit {commit}"
            button["url"] = f"{button['url'].partition('&body=')[0]}&body={quote(text)}"


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("colab_branch", "", "html")
    app.connect("html-page-context", open_from_branch, priority=THEME_ADDS_BUTTONS + 1)
    app.connect("html-page-context", name_the_commit, priority=THEME_ADDS_BUTTONS + 1)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
