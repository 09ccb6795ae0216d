"""Parameters that papermill injects into a notebook: one that `params.yaml` does not declare is refused.

Papermill writes `-p alhpas 3` into a cell of its own, and the notebook would run on with its old `alphas`. The command
line checks names before anything starts; here a notebook that somebody else's papermill executes does it by itself.
"""

from __future__ import annotations

import ast
import sys
from typing import Any

from trustnlp.reproduce.project import ProjectError, UserError

_MARKER = "# Parameters"


def check_injected(chapter: str, notebook: str) -> None:
    """Compare the cells that papermill injected into the running notebook with what the chapter declares.

    Outside a notebook, or outside a clone of the book, nothing is checked.

    Raises
    ------
    UserError
        A parameter that is not declared; the nearest name is suggested.
    """
    names = injected(_cells())
    if not names:
        return
    from trustnlp.reproduce.runs.params import RESERVED, load_params

    try:
        entry = load_params(chapter).notebook(notebook)
    except ProjectError:
        return
    for name in names:
        if name != RESERVED:
            entry.parameter(name)


def injected(cells: list[str]) -> list[str]:
    """Names that cells injected by papermill assign.

    >>> injected(["x = 1", "# Parameters\\nalpha = 3\\nn = [0]"])
    ['alpha', 'n']
    """
    names = []
    for cell in cells:
        if cell.lstrip().startswith(_MARKER):
            for node in ast.parse(cell).body:
                if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
                    raise UserError("the cell of injected parameters holds more than assignments")
                names.append(node.targets[0].id)
    return names


def _cells() -> list[str]:
    """Sources of the cells that the running notebook has executed; none outside a notebook."""
    interactive: Any = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive is not None else None
    return [cell for cell in shell.user_ns.get("In", []) if isinstance(cell, str)] if shell is not None else []
