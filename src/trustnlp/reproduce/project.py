"""Where the project is, which chapters it has, and the few habits every command shares.

An installed copy of the package (Colab, a re-user's environment) has no project around it: everything here
that needs one raises `ProjectError`, and nothing is looked up at import.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from trustnlp.files.atomic_writing import write_bytes

ROOT_VARIABLE = "TRUSTNLP_ROOT"
TEMPLATE = "_template"


class UserError(Exception):
    """A mistake that the person at the keyboard can mend: the CLI prints its one line and exits with 2."""


class ProjectError(UserError):
    """There is no project here: no folder that holds `_config.yml` and `chapters/`."""


def _is_root(folder: Path) -> bool:
    return (folder / "_config.yml").is_file() and (folder / "chapters").is_dir()


def project_root() -> Path:
    """The folder that holds `_config.yml` and `chapters/`.

    TRUSTNLP_ROOT if set, else the first such folder upward from the working directory, else upward from this
    file (an editable install used from elsewhere).

    Raises
    ------
    ProjectError
        If there is no such folder, or TRUSTNLP_ROOT names one that is not a project.
    """
    named = os.environ.get(ROOT_VARIABLE)
    if named:
        folder = Path(named).expanduser().resolve()
        if not _is_root(folder):
            raise ProjectError(
                f"{ROOT_VARIABLE} is '{named}', but there is no _config.yml and chapters/ in it; "
                "point it at a clone of the book, or unset it"
            )
        return folder
    here, package = Path.cwd().resolve(), Path(__file__).resolve()
    for folder in (here, *here.parents, *package.parents):
        if _is_root(folder):
            return folder
    raise ProjectError(
        "not inside the book: no folder upward from here holds _config.yml and chapters/; "
        f"change into a clone of the book, or set {ROOT_VARIABLE} to one"
    )


def chapters() -> list[str]:
    """Slugs of the chapters (folders of `chapters/` that hold a `claims.yaml`), sorted, the template last."""
    slugs = {path.parent.name for path in (project_root() / "chapters").glob("*/claims.yaml")}
    return sorted(slugs, key=lambda slug: (slug == TEMPLATE, slug))


def papers() -> list[str]:
    """Slugs of the chapters on a paper: those whose ledger names one, but for the template."""
    folder = project_root() / "chapters"
    named = re.compile(r"^paper:", re.MULTILINE)
    with_paper = (slug for slug in chapters() if named.search((folder / slug / "claims.yaml").read_text("utf-8")))
    return [slug for slug in with_paper if slug != TEMPLATE]


def chapter_dir(slug: str) -> Path:
    """Folder of one chapter; `UserError` with the nearest slug when there is no such chapter."""
    folder = project_root() / "chapters" / slug
    if "/" in slug or not (folder / "claims.yaml").exists():
        known = chapters()
        raise UserError(f"unknown chapter '{slug}'{nearest(slug, known)} (chapters: {', '.join(known) or 'none'})")
    return folder


def nearest(name: str, known: Iterable[str]) -> str:
    """Ending of an error message: `; did you mean 'x'?` for the most similar known name, or nothing.

    >>> nearest("papr", ["smoke", "paper"])
    "; did you mean 'paper'?"
    """
    # Case is the commonest slip, and difflib would not forgive it.
    by_lower = {candidate.lower(): candidate for candidate in known}
    closest = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f"; did you mean '{by_lower[closest[0]]}'?" if closest else ""


def first_line(error: object) -> str:
    """The first line of an error's message; its type where the message is empty."""
    lines = str(error).strip().splitlines()
    return lines[0].strip() if lines else type(error).__name__


def shown(path: Path) -> str:
    """A path as messages show it: relative to the project when inside it, so that no machine's folders leak."""
    with contextlib.suppress(ProjectError, ValueError):
        return path.resolve().relative_to(project_root()).as_posix()
    return str(path)


def write_atomic(path: Path, text: str) -> None:
    """Write `text` as UTF-8 so that a reader sees the old file or the new one, never a part of either."""
    write_bytes(path, text.encode())


def git_output(root: Path, *arguments: str) -> str | None:
    """Output of a git command in `root`; None without git, outside a repository, or when git refuses."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def git_commit(root: Path) -> str | None:
    """Commit that is checked out in `root` (40 hex digits); None outside a repository or before its first commit."""
    return git_output(root, "rev-parse", "--verify", "--quiet", "HEAD")


def git_dirty(root: Path) -> bool | None:
    """Whether anything but committed records differs from the commit; None outside a repository.

    Records are left out because a series of runs writes them one after another: the second run would call
    itself dirty for nothing but the first one's result.
    """
    status = git_output(root, "status", "--porcelain", "--", ".", ":(exclude,glob)chapters/*/results/**")
    return None if status is None else bool(status)
