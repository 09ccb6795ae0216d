"""The dependencies of some code of the package: every definition that it reaches, directly or not, with hashes.

Each definition has two hashes. The *own* one is of its normal form alone, in which what it refers to has no name: it
says which definition changed. The *deep* one is of that form and of the deep hashes of all that it refers to, so it
changes with anything that is reached, and stays where definitions move between files or get other names.

Followed are names: imports (also re-exports of a package, lazy ones and `*`), attributes of modules, functions given
as values. A class counts with all its methods, since what an object is asked cannot be seen; its subclasses count where
they are named. What cannot be followed counts by whole file:

- a module that is used as a value (`getattr(module, name)`), or named in a text (`"trustnlp.bias.weat"`);
- the file of a definition that asks for names dynamically (`globals()`, `eval`, a computed `import_module`);
- effects: what a module does on import counts for all that it defines, and for whoever imports it.

A data file beside the modules counts for a definition that names it; all of them for one that only asks for its folder.
`trustnlp.reproduce` and `trustnlp.plots` compute no number and do not count.
"""

from __future__ import annotations

import ast
import hashlib
import json
import tomllib
from collections.abc import Iterable, Set
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import networkx as nx

import trustnlp
from trustnlp.reproduce.code.definitions import (
    EFFECTS,
    Function,
    Import,
    Module,
    called_on_import,
    read_module,
    walk,
    writes_outside,
)
from trustnlp.reproduce.code.name_lookup import ModuleNames
from trustnlp.reproduce.code.normal_form import form_of
from trustnlp.reproduce.code.targets import TOP, Form, Target, in_frame, is_ours
from trustnlp.reproduce.colab import module_file

PACKAGE = Path(trustnlp.__file__).parent
DIGITS = 12
# The registry counts by the files it names (their hashes are in every record): a new data set concerns no old run.
DATA_SUFFIXES, NOT_DATA = (".toml", ".json", ".yaml"), frozenset({"registry.toml"})


def short(content: bytes | str) -> str:
    """The first digits of a sha256."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()[:DIGITS]


def with_line_feeds(content: bytes) -> bytes:
    """Text as git has it, where a clone with `core.autocrlf` has other line ends; what holds zero bytes is no text."""
    return content if b"\0" in content else content.replace(b"\r\n", b"\n")


class Package:
    """The package as it stands now. Get it by `package_at`, which keeps what has been read until a file changes."""

    def __init__(self, root: Path = PACKAGE) -> None:
        self.root = root
        self._modules: dict[str, Module | None] = {}
        self._forms: dict[Target, Form] = {}
        self._deep: dict[Target, str] = {}
        self._loaded: dict[str, list[str]] = {}
        self.notes: dict[object, Any] = {}  # what others found out about the package as it stands

    # Names ---------------------------------------------------------------------------------------------------------

    def module(self, name: str) -> Module | None:
        """A module by its dotted name; None where there is none."""
        if name not in self._modules:
            path = module_file(name, self.root) if is_ours(name) else None
            held = None if path is None else _read(name, path, path.stat().st_mtime_ns)
            self._modules[name] = held = held and replace(held, statements=dict(held.statements))
            if held is not None:
                self._note_registered(held)
        return self._modules[name]

    def _note_registered(self, module: Module) -> None:
        """Count as effects the definitions that are handed, on import, to a function that writes them down."""
        registered = [
            statement
            for statements in module.statements.values()
            for statement in statements
            if any(self._writes(module.name, name) for name in called_on_import(statement))
        ]
        if registered:
            module.statements[EFFECTS] = [*module.statements.get(EFFECTS, []), *registered]

    def _writes(self, module: str, name: str, _seen: frozenset[str] = frozenset()) -> bool:
        """Whether a function of the package, or one that it calls by name, changes what is not its own."""
        target = self.defined(module, name)
        if target is None or target.kind != "unit" or target.what in _seen:
            return False
        place, _, known = target.what.partition(":")
        held = self.module(place)
        functions = [s for s in held.statements[known] if isinstance(s, Function)] if held else []
        return any(map(writes_outside, functions)) or any(
            self._writes(place, node.func.id, _seen | {target.what})
            for function in functions
            for node in walk(function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        )

    def attribute(self, module: str, name: str, _seen: frozenset[tuple[str, str]] = frozenset()) -> Target | None:
        """The definition that a module gives when it is asked for a name."""
        found = self.defined(module, name, _seen)
        if found is not None:
            return found
        if self.module(f"{module}.{name}") is not None:
            return Target("module", f"{module}.{name}")
        held = self.module(module)
        if held is not None and "__getattr__" in held.statements:
            return Target("unit", f"{module}:__getattr__")
        return None

    def defined(self, module: str, name: str, _seen: frozenset[tuple[str, str]] = frozenset()) -> Target | None:
        """The definition of a name within a module itself."""
        held = self.module(module)
        if held is None or (module, name) in _seen:
            return None
        seen = _seen | {(module, name)}
        if name in held.statements:
            return Target("unit", f"{module}:{name}")
        if name in held.imports:
            return self.origin(held.imports[name], seen)
        for star in held.stars:
            if is_ours(star):
                found = self.attribute(star, name, seen)
                if found is not None:
                    return found
        return None

    def origin(self, origin: Import, _seen: frozenset[tuple[str, str]] = frozenset()) -> Target:
        """The definition that an import brings."""
        module, name = origin.module, origin.name
        if not is_ours(module):
            return Target("external", module if name is None else f"{module}.{name}")
        if in_frame(module) or (name and in_frame(f"{module}.{name}")):
            return Target("frame", name or module)
        found = Target("module", module) if name is None else self.attribute(module, name, _seen)
        # A name that is not to be found may be set there by something that cannot be followed: the whole file counts.
        return found or Target("module", module)

    def is_class(self, unit: str) -> bool:
        module, _, name = unit.partition(":")
        held = self.module(module)
        return held is not None and all(isinstance(s, ast.ClassDef) for s in held.statements.get(name, [None]))

    @cached_property
    def data(self) -> dict[str, list[str]]:
        """Data files by their names: where they are, below the package."""
        places: dict[str, list[str]] = {}
        for suffix in DATA_SUFFIXES:
            for path in sorted(self.root.rglob(f"*{suffix}")):
                place = path.relative_to(self.root)
                if path.name not in NOT_DATA and not in_frame(".".join([TOP, *place.parent.parts])):
                    places.setdefault(path.name, []).append(place.as_posix())
        return places

    # Forms ---------------------------------------------------------------------------------------------------------

    def form(self, target: Target) -> Form:
        """The normal form of a definition, module or data file, with all that it refers to."""
        if target not in self._forms:
            make = {"unit": self._unit_form, "module": self._module_form, "data": self._data_form}[target.kind]
            self._forms[target] = make(target.what)
        return self._forms[target]

    def _unit_form(self, what: str) -> Form:
        module, _, name = what.partition(":")
        held = self.module(module)
        assert held is not None, what
        form = form_of(held.statements[name], ModuleNames(self, module), own=name, docstrings=held.keeps_docstrings)
        more = list(form.references)
        if name in held.imports:  # bound by an import as well, in another branch or before
            more.append(self.origin(held.imports[name]))
        if EFFECTS in held.statements:
            more.append(Target("unit", f"{module}:{EFFECTS}"))
        if form.dynamic:
            more.append(Target("module", module))
        more += [Target("data", place) for place in self._data_asked(held, form)]
        kept = tuple(dict.fromkeys(t for t in more if t.kind not in ("frame", "external")))
        return Form(form.text, kept, form.strings, form.dynamic)

    def _data_asked(self, module: Module, form: Form) -> list[str]:
        """The data files that a definition may read."""
        named = [name for text in form.strings for name in self.data if text.endswith(name)]
        if named:
            return sorted(place for name in named for place in self.data[name])
        if form.strings & NOT_DATA:
            return []
        if not form.strings & {"__file__", "__package__", "__spec__"} and "importlib.resources" not in form.text:
            return []
        folders = {module.path.parent} | {
            self.root.joinpath(*t.what.split(".")[1:]) for t in form.references if t.kind == "module"
        }
        return sorted(p for places in self.data.values() for p in places if (self.root / p).parent in folders)

    def _module_form(self, what: str) -> Form:
        held = self.module(what)
        assert held is not None, what
        units = [Target("unit", f"{what}:{name}") for name in held.statements]
        taken = [self.origin(origin) for origin in held.imports.values()]
        # What a module only takes from elsewhere can be asked of it too, but not other modules that it uses.
        units += [target for target in taken if target.kind == "unit"]
        return Form("module", tuple(dict.fromkeys(units)), frozenset(), False)

    def _data_form(self, what: str) -> Form:
        content = with_line_feeds((self.root / what).read_bytes())
        if what.endswith(".toml"):  # a comment is no content
            content = json.dumps(tomllib.loads(content.decode()), sort_keys=True, default=str).encode()
        return Form(short(content), (), frozenset(), False)

    # Closure -------------------------------------------------------------------------------------------------------

    def reached(self, start: Iterable[Target]) -> list[Target]:
        """Everything that is reached, in a fixed order."""
        seen: dict[Target, None] = {}
        todo = [target for target in start if target.kind in ("unit", "module", "data")]
        while todo:
            target = todo.pop()
            if target not in seen:
                seen[target] = None
                todo += self.form(target).references
        return list(seen)

    def deep(self, target: Target) -> str:
        """Hash of all that a definition does, whatever it and what it refers to are called."""
        if target not in self._deep:
            new = [each for each in self.reached([target]) if each not in self._deep]
            graph = nx.DiGraph({t: [r for r in self.form(t).references if r not in self._deep] for t in new})
            for group in nx.strongly_connected_components(graph):  # each after all that it reaches
                self._hash_group(group)
        return self._deep[target]

    def _hash_group(self, group: Set[Target]) -> None:
        """Deep hashes of definitions that refer to each other: told apart by as many steps as there are."""
        now = {target: self._seed(target, group) for target in group}
        for _ in range(len(group) if len(group) > 1 else 0):
            refer = {t: [now[r] if r in group else "" for r in self.form(t).references] for t in group}
            now = {t: short("\n".join([now[t], *refer[t]])) for t in group}
        self._deep |= now

    def _seed(self, target: Target, inside: Set[Target]) -> str:
        form = self.form(target)
        hashes = ["in here" if other in inside else self._deep[other] for other in form.references]
        # The order in a whole module says nothing; elsewhere the form counts references by their place.
        return short("\n".join([form.text, *(sorted(hashes) if target.kind == "module" else hashes)]))

    def own(self, target: Target) -> str:
        """Hash of a definition alone."""
        return short(self.form(target).text)

    def effects(self, modules: Iterable[str]) -> list[Target]:
        """The effects of modules, and of those that they import, besides defining."""
        todo, seen = list(modules), set[str]()
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += self._imports(name)
        held = ((name, self.module(name)) for name in sorted(seen))
        return [Target("unit", f"{name}:{EFFECTS}") for name, m in held if m and EFFECTS in m.statements]

    def _imports(self, name: str) -> list[str]:
        if name not in self._loaded:
            held = self.module(name)
            self._loaded[name] = [] if held is None else loaded_by(held.all_imports, self)
        return self._loaded[name]


def loaded_by(imports: Iterable[tuple[str, str]], package: Package) -> list[str]:
    """The modules of the package that imports load, with the packages above them."""
    loaded: set[str] = set()
    for module, name in imports:
        if is_ours(module) and not in_frame(module):
            whole = [module, f"{module}.{name}"] if name else [module]
            loaded |= {n.rsplit(".", depth)[0] for n in whole for depth in range(n.count(".") + 1)}
    return sorted(name for name in loaded if not in_frame(name) and package.module(name) is not None)


def package_at(root: Path = PACKAGE) -> Package:
    """The package in a folder, read again where a file of it changed."""
    files = [(path, path.stat()) for path in root.rglob("*") if path.suffix in (".py", *DATA_SUFFIXES)]
    return _package(root, tuple(sorted((str(path), status.st_mtime_ns, status.st_size) for path, status in files)))


@lru_cache(maxsize=2)
def _package(root: Path, _state: tuple[tuple[str, int, int], ...]) -> Package:
    return Package(root)


@lru_cache(maxsize=4096)
def _read(name: str, path: Path, _changed: int) -> Module:
    return read_module(name, path)
