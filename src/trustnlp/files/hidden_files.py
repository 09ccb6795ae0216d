"""Files and folders that programs leave among documents and nobody wrote as one.

Their names begin with a dot, such as Jupyter's `.ipynb_checkpoints` (older copies of the documents beside it), `.git`
and `.DS_Store`, or are those that Windows, macOS, storage boxes and Python use. Taken for documents, they add owners
that do not exist.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePath

_NAMES = frozenset(
    {
        "__macosx", "thumbs.db", "desktop.ini", "$recycle.bin", "system volume information", "@eadir", "#recycle",
        "lost+found", "__pycache__",
    }
)  # fmt: skip


def hidden_part(path: PurePath) -> PurePath | None:
    """The hidden file or the outermost hidden folder of a path, with what is before it; None if nothing is hidden.

    Give the path below the folder that is read: that folder itself may lie in a hidden one.

    >>> from pathlib import PurePosixPath
    >>> str(hidden_part(PurePosixPath("north/.ipynb_checkpoints/1-checkpoint.txt")))
    'north/.ipynb_checkpoints'
    >>> hidden_part(PurePosixPath("north/1.txt")) is None
    True
    """
    for place, name in enumerate(path.parts, start=1):
        if (name.startswith(".") and name not in (".", "..")) or name.lower() in _NAMES:
            return type(path)(*path.parts[:place])
    return None


def without_hidden(root: Path, files: Iterable[Path]) -> tuple[list[Path], list[str]]:
    """Those of the files below `root` that are not hidden, and of the others what hides them, a line each.

    The hidden files of a folder are told as one: `.git` may hold thousands.
    """
    seen, hidden = [], Counter[PurePath]()
    for path in files:
        part = hidden_part(path.relative_to(root))
        if part is None:
            seen.append(path)
        else:
            hidden[part] += 1
    return seen, [
        f"{part}: hidden" + (f", with {count:,} files in it" if (root / part).is_dir() else "")
        for part, count in hidden.items()
    ]
