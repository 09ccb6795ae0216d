"""The definitions under a notebook's code, as a record keeps them: labels with hashes, and one hash of all together."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence

from trustnlp.reproduce.code.definitions import bound_by
from trustnlp.reproduce.code.name_lookup import CellNames
from trustnlp.reproduce.code.normal_form import form_of
from trustnlp.reproduce.code.reach import Package, loaded_by, short
from trustnlp.reproduce.code.targets import Form, Target
from trustnlp.reproduce.colab import imports_of
from trustnlp.reproduce.notebooks.notebook_slice import CodeCell, sliced

TOGETHER = "together"
CELLS = "cells"


def evidence_of(cells: Sequence[CodeCell], package: Package) -> tuple[dict[str, str], ast.Module]:
    """Label → hash of all that the record depends on, and the statements that are kept.

    The labels are definitions (`trustnlp.bias.association_tests.association:weat`), data files of the package, `CELLS`
    for the statements of the notebook, and `TOGETHER`, whose hash changes with any of them and with how they refer to
    each other. It does not change where definitions move or get other names.
    """
    kept, form, reached = reach_of(cells, package)
    hashes = {_label(target): package.own(target) for target in reached if target.kind != "module"}
    hashes[CELLS] = short(form.text)
    hashes[TOGETHER] = short("\n".join([form.text, *map(package.deep, form.references)]))
    return hashes, ast.Module([*_imports(cells, form), *kept], [])


def reach_of(cells: Sequence[CodeCell], package: Package) -> tuple[list[ast.stmt], Form, list[Target]]:
    """The statements that are kept, their form with all that counts besides (effects), and everything reached."""
    named: set[str] = set()
    bound = set(bound_by(*(statement for cell in cells for statement in cell.statements)))
    while True:
        kept = sliced(cells, package, named)
        every = [statement for cell in cells for statement in cell.statements]
        names = CellNames(package, every)
        form = form_of(list(kept), names, flat=True)
        effects = package.effects(loaded_by({i for s in every for i in imports_of(ast.Module([s], []))}, package))
        references = tuple(dict.fromkeys([*(r for r in form.references if r.kind != "frame"), *effects]))
        reached = package.reached(references)
        if not form.dynamic:
            break
        # `vars()` hands over every variable: those count whose names the code that is reached spells out.
        more = bound & {text for target in reached for text in package.form(target).strings} - named
        if not more:
            break
        named |= more
    return kept, Form(form.text, references, form.strings, form.dynamic), reached


def changes(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Labels of what changed or came since a record was made; what moved or is only called otherwise has its hash.

    What no longer feeds the notebook is no reason: whatever used it has changed.
    """
    files = [name for name in now if name.startswith("chapters/") and before.get(name) != now[name]]
    if before.get(TOGETHER) == now[TOGETHER]:
        return [name for name in files if not name.endswith(".py")]
    left = Counter(digest for name, digest in before.items() if name not in now or now[name] != digest)
    changed = []
    for name, digest in now.items():
        if name == TOGETHER or before.get(name) == digest or name in files:
            continue
        if left[digest] > 0:  # it has moved
            left[digest] -= 1
        else:
            changed.append(name)
    return sorted(changed + files) or ["which definition refers to which"]


def _label(target: Target) -> str:
    return f"trustnlp/{target.what}" if target.kind == "data" else target.what


def _imports(cells: Sequence[CodeCell], form: Form) -> list[ast.stmt]:
    """The imports of the frame that kept statements use, so that a reader sees which ledger they read."""
    used = {word.removeprefix("frame:") for word in form.text.replace("=", " ").replace(",", " ").split()}
    return [
        s
        for cell in cells
        for s in cell.statements
        if isinstance(s, ast.ImportFrom) and any(alias.name in used for alias in s.names)
    ]
