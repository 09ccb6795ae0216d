"""The Colab button opens notebooks from a branch of their own where the sources hold a placeholder for the address.

All other links to the repository keep its branch: one edits sources, not the copies with the address filled in.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

THEME_ADDS_BUTTONS = 501


def open_from_branch(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object = None
) -> None:
    """Put `colab_branch` into the address of the Colab button; with no such branch nothing happens."""
    branch = app.config.colab_branch
    if not branch:
        return
    ordinary = app.config.html_theme_options.get("repository_branch") or "main"
    for group in context.get("header_buttons", ()):
        for button in group.get("buttons", ()):
            if button.get("text") == "Colab":
                button["url"] = button["url"].replace(f"/blob/{ordinary}/", f"/blob/{branch}/", 1)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("colab_branch", "", "html")
    app.connect("html-page-context", open_from_branch, priority=THEME_ADDS_BUTTONS + 1)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
