"""Names of one module, or of a notebook, resolved to definitions."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Protocol

from trustnlp.reproduce.code.definitions import Import, Module, imported, walk
from trustnlp.reproduce.code.messages import makes_logger
from trustnlp.reproduce.code.targets import TOP, Target, in_frame, is_ours

_MODULE_IN_TEXT = re.compile(rf"({TOP}(?:\.\w+)+)(?::(\w+))?")


class Definitions(Protocol):
    """The questions that a package answers about a name (`trustnlp.reproduce.code.reach.Package`)."""

    def module(self, name: str) -> Module | None: ...

    def attribute(self, module: str, name: str) -> Target | None: ...

    def defined(self, module: str, name: str) -> Target | None: ...

    def origin(self, origin: Import) -> Target: ...

    def is_class(self, unit: str) -> bool: ...


class ModuleNames:
    """The names of one module, for `form_of`."""

    def __init__(self, package: Definitions, module: str) -> None:
        self.package, self.module = package, module

    def of_global(self, name: str) -> Target | None:
        return self.package.defined(self.module, name)

    def of_import(self, origin: Import) -> Target:
        return self.package.origin(origin)

    def of_attribute(self, module: str, name: str) -> Target:
        return self.package.origin(Import(module, name))

    def of_text(self, text: str) -> Target | None:
        match = _MODULE_IN_TEXT.fullmatch(text)
        if match is None or in_frame(match[1]):
            return None
        if self.package.module(match[1]) is None:
            above, _, name = match[1].rpartition(".")
            return self.package.defined(above, name)
        return self.package.defined(match[1], match[2]) if match[2] else Target("module", match[1])

    def is_class(self, unit: str) -> bool:
        return self.package.is_class(unit)

    def is_logger(self, name: str) -> bool:
        """Whether a global name is the module `logging`, or bound to a logger of it and to nothing else."""
        target = self.of_global(name)
        if target is None or target.kind != "unit":
            return target == Target("external", "logging")
        module, _, own = target.what.partition(":")
        held = self.package.module(module)
        bound = held.statements.get(own, ()) if held else ()
        return bool(bound) and all(isinstance(node, ast.Assign) and makes_logger(node.value) for node in bound)


class CellNames(ModuleNames):
    """The names of a notebook: those of its imports, given by star or one by one."""

    def __init__(self, package: Definitions, statements: Sequence[ast.stmt]) -> None:
        super().__init__(package, "")
        self.imports: dict[str, Import] = {}
        self.stars: list[str] = []
        for node in (n for s in statements for n in walk(s) if isinstance(n, ast.Import | ast.ImportFrom)):
            for name, origin in imported(node):
                if name == "*":
                    self.stars.append(origin.module)
                else:
                    self.imports[name] = origin

    def of_global(self, name: str) -> Target | None:
        if name in self.imports:
            return self.package.origin(self.imports[name])
        targets = (self.package.attribute(star, name) for star in self.stars if is_ours(star) and not in_frame(star))
        return next((target for target in targets if target), None)
