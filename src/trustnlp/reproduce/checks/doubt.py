"""How many records one edit puts in doubt, on average over all definitions of the package.

Measured on the tree as it stands, by both rules: by definition, as records are kept, and by file, as they once were.
Every definition of `trustnlp` counts once, those of plots and of the frame too, which nobody's numbers need.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from trustnlp.reproduce.checks.standing import cells_of
from trustnlp.reproduce.code.code_closure import reach_of
from trustnlp.reproduce.code.definitions import EFFECTS, read_module
from trustnlp.reproduce.code.reach import package_at
from trustnlp.reproduce.code.targets import TOP
from trustnlp.reproduce.notebooks.sources import closure
from trustnlp.reproduce.project import chapters
from trustnlp.reproduce.runs.params import committed, load_params


@dataclass(frozen=True)
class Doubt:
    """Definition → how many records an edit of it doubts, by either rule; `records` is how many there are."""

    records: int
    by_definition: dict[str, int]
    by_file: dict[str, int]

    def mean(self, *, files: bool = False) -> float:
        """Mean over all definitions."""
        held = self.by_file if files else self.by_definition
        return sum(held.values()) / len(held)


def measured() -> Doubt:
    """Doubt by both rules, for the records that are committed."""
    package = package_at()
    by_definition: Counter[str] = Counter()
    by_file: Counter[str] = Counter()
    records = 0
    for chapter in chapters():
        for notebook in load_params(chapter).notebooks:
            if not committed(chapter, notebook).is_file():
                continue
            records += 1
            cells = cells_of(chapter, notebook)
            by_definition.update(target.what for target in reach_of(cells, package)[2] if target.kind == "unit")
            code = [ast.unparse(ast.Module(cell.statements, [])) for cell in cells]
            by_file.update(closure(code, frame=False, passed=False).keys())
    every = definitions(package.root)
    return Doubt(
        records,
        {name: by_definition[name] for name in every},
        {name: by_file[place] for name, place in every.items()},
    )


def definitions(root: Path) -> dict[str, str]:
    """Every definition of the package, as `module:name`, and its file below the package."""
    found: dict[str, str] = {}
    for path in sorted(root.rglob("*.py")):
        place = path.relative_to(root)
        module = ".".join([TOP, *place.with_suffix("").parts]).removesuffix(".__init__")
        found.update(
            (f"{module}:{name}", place.as_posix()) for name in read_module(module, path).statements if name != EFFECTS
        )
    return found
