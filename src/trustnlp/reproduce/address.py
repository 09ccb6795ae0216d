"""Where the book lives: the address that Colab, the bootstrap cells and the links to the repository follow.

`repository.url` of `_config.yml` says so. A copy that nobody has edited holds the placeholder there; then its own
address is that of the run on GitHub (GITHUB_SERVER_URL and GITHUB_REPOSITORY), else that of git's remote. Where none
of them is an address that a browser can open, the pages go without links to the repository.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from trustnlp.files.user_text import read_text
from trustnlp.reproduce.project import UserError, git_output

PLACEHOLDER = "https://github.com/OWNER/trustnlp"
# Notebooks in plain Markdown, with this copy's address and commit; the workflow `pages` keeps them on a branch.
COLAB_BRANCH = "colab"
_HOST = re.compile(r"(?=.{1,253}$)[\w-]+(\.[\w-]+)+(:\d+)?", re.ASCII)
_PATH = re.compile(r"[\w.-]+(/[\w.-]+)+", re.ASCII)
_SCP = re.compile(r"(?:[\w.-]+@)?(?P<host>[\w.-]+):(?!//)(?P<path>[^\s:]+)", re.ASCII)


def configured(root: Path) -> str:
    """`repository.url` of `_config.yml` as it is written there.

    Raises
    ------
    UserError
        If the file is no YAML, or has no such entry.
    """
    try:
        config = yaml.safe_load(read_text(root / "_config.yml"))
        return str(config["repository"]["url"]).rstrip("/")
    except (KeyError, TypeError):
        raise UserError("_config.yml has no repository.url; set it to the address of the book's repository") from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise UserError(f"_config.yml is not YAML in UTF-8: {' '.join(str(error).split())}") from None


def own_address(root: Path, environment: Mapping[str, str] | None = None) -> str | None:
    """Address of this copy of the book, or None where only the placeholder is known.

    Parameters
    ----------
    environment
        Variables of the process; else `os.environ`.

    Raises
    ------
    UserError
        If `configured` would raise it.
    """
    stated = configured(root)
    if stated != PLACEHOLDER:
        return stated
    variables = os.environ if environment is None else environment
    if named := variables.get("GITHUB_REPOSITORY"):
        return web_address(f"{variables.get('GITHUB_SERVER_URL', 'https://github.com')}/{named}")
    return next((address for remote in _remotes(root) if (address := web_address(remote))), None)


def web_address(remote: str) -> str | None:
    """A git remote as a browser opens it: without credentials, port of ssh and `.git`; None for a path or a bundle.

    >>> web_address("git@github.com:someone/book.git")
    'https://github.com/someone/book'
    >>> web_address("../book.git") is None
    True
    """
    if "://" in remote:
        try:
            parts = urlsplit(remote)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            return None
        if parts.scheme not in {"https", "http", "ssh", "git", "git+ssh"}:
            return None
        if port and parts.scheme in {"https", "http"}:
            host = f"{host}:{port}"
        path = parts.path
    elif match := _SCP.fullmatch(remote):
        host, path = match["host"], match["path"]
    else:
        return None
    path = path.strip("/").removesuffix(".git")
    return f"https://{host}/{path}" if _HOST.fullmatch(host) and _PATH.fullmatch(path) else None


def on_github(address: str) -> bool:
    """Whether Colab can open it: a repository on github.com itself, and not on a company's own server."""
    return re.fullmatch(r"https://github\.com/[^/]+/[^/]+", address) is not None


def addressed_config(text: str, address: str | None) -> str:
    """`_config.yml` for the staged book: with `address`, this copy's own, and no links that would lead nowhere.

    Colab opens the notebooks of `COLAB_BRANCH`: those that are committed hold roles, and maybe the placeholder.
    """
    config: dict[str, Any] = yaml.safe_load(text)
    html, launch = config.setdefault("html", {}), config.setdefault("launch_buttons", {})
    if address is None or not on_github(address):
        # Sphinx's theme knows three hosts; the links of any other would lead to a page that is not there.
        html |= {"use_repository_button": False, "use_edit_page_button": False, "use_issues_button": False}
        launch["colab_url"] = ""
        config.pop("repository", None)
    else:
        config["repository"] = {**config.get("repository", {}), "url": address}
        config.setdefault("sphinx", {}).setdefault("config", {})["colab_branch"] = COLAB_BRANCH
    return yaml.safe_dump(config, sort_keys=False, allow_unicode=True)


def addressed_text(text: str, address: str | None) -> str:
    """Prose with this copy's address for the placeholder; without an address, links to it become their own text."""
    if PLACEHOLDER not in text:
        return text
    if address is not None:
        return text.replace(PLACEHOLDER, address)
    linked = re.compile(rf"\[([^\]]+)\]\({re.escape(PLACEHOLDER)}[^)\s]*\)")
    unlinked = linked.sub(r"\1", text)
    return "".join(line for line in unlinked.splitlines(keepends=True) if PLACEHOLDER not in line)


def _remotes(root: Path) -> list[str]:
    """Addresses of git's remotes, `origin` first; none outside a repository of the book's own."""
    listed = git_output(root, "config", "--get-regexp", r"^remote\..*\.url$") if (root / ".git").exists() else None
    pairs = [line.split(maxsplit=1) for line in (listed or "").splitlines()]
    return [pair[1] for pair in sorted(pairs, key=lambda pair: pair[0] != "remote.origin.url") if len(pair) == 2]
