"""Parameters of a notebook that somebody else's papermill, Jupyter or Colab executes: settled as `trustnlp run` does.

Papermill writes `-p alhpas 3` into a cell of its own, and the notebook would run on with its old `alphas`; after
`-p profile paper` it would run the paper profile with the numbers of the smoke run, and `-p n_pairs abc` would fail
somewhere below. So where a notebook imports `Record`, in the cell below its parameters, they are compared with
`params.yaml`: unknown names and wrong types are refused, and what nobody changed gets the value of the profile. The
device, where the first cell found a GPU in Colab, is that; nowhere else is it guessed from the hardware.
"""

from __future__ import annotations

import ast
import sys
from typing import Any

from trustnlp.reproduce.project import ProjectError, UserError

_MARKER = "# Parameters"
# The GPU that the first cell found in Colab (`trustnlp.reproduce.colab`); None in every other session.
gpu: str | None = None


def settle_parameters() -> None:
    """Give the running notebook the parameters of its profile, but for those that were injected or typed.

    A value counts as typed where it is not the one of the smoke profile, which stands in the source. Outside a
    notebook of the book nothing is done.

    Raises
    ------
    UserError
        If given an injected parameter that is not declared, or a value of the wrong type or out of range.
    """
    shell = running_shell()
    own: dict[str, Any] = shell.user_ns if shell is not None else {}
    chapter, _, notebook = str(own.get("NOTEBOOK", "")).partition("/")
    if not notebook or "profile" not in own:
        return
    from trustnlp.reproduce.runs.params import RESERVED, load_params

    try:
        entry = load_params(chapter).notebook(notebook)
    except ProjectError:
        return
    given = set(injected([cell for cell in own.get("In", []) if isinstance(cell, str)])) - {RESERVED}
    given |= {name for name, each in entry.parameters.items() if name in own and own[name] != each.smoke}
    chosen = {name: own[name] for name in given}
    if gpu is not None and "device" in entry.parameters:
        chosen.setdefault("device", "cuda")
    values = entry.resolve(own["profile"], chosen)
    changed = {name: value for name, value in values.items() if name in own and own[name] != value}
    own.update(changed)
    if changed.get("device") == "cuda" and "device" not in given:
        print(f'device = "cuda", since this session has a GPU ({gpu}); the records are of the CPU')
        del changed["device"]
    if changed:
        print(f"Of the profile {own['profile']}:", ", ".join(f"{name} = {value}" for name, value in changed.items()))


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


def running_shell() -> Any:
    """The shell of the running notebook, or None outside one."""
    interactive: Any = sys.modules.get("IPython")
    return interactive.get_ipython() if interactive is not None else None
