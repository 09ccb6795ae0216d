"""Modules by the addresses that they had in 0.1: each leads to the module of today, with a `DeprecationWarning`.

For one release, and for what others import: methods and data. Where a room of 0.1 has been divided, a module is looked
for by its name in the rooms of today. An import of a new address costs nothing here.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

TOP = "trustnlp"
_PACKAGE = Path(__file__).parent
# Room of 0.1 → where its modules are now.
_ROOMS = {
    "bias": "bias.association_tests bias.gender_direction",
    "data": "data.annotation data.languages data.linkage data.relations data.texts data.words",
    "embeddings": "embeddings.polarised embeddings.senses",
    "explain": "attribution attribution.students training",
    "explain.decoys": "decoys decoys.benchmark",
    "explain.errors": "error_analysis",
    "explain.rules": "relations relations.rules",
    "graphs": "graphs.solver",
    "models": "evaluation relations training",
    "privacy": "privacy.accounting privacy.attacks privacy.audits privacy.mechanisms privacy.noise privacy.text "
    "privacy.text.anonymisation",
    "reproduce": "tools",
}
# Modules with another name.
_RENAMED = {
    "data.annotation": "data.annotation.spacy_annotation",
    "models.relation_rule_search": "relations.rule_search",
    "models.relation_trees": "relations.pruned_trees",
    "models.relation_word_rows": "relations.word_rows",
    "privacy.accounting": "privacy.accounting.composition",
    "privacy.anonymisation": "privacy.text.anonymisation.documents",
    "privacy.mechanisms": "privacy.mechanisms.additive_noise",
    "privacy.noise": "privacy.noise.samplers",
    "reproduce.claims": "reproduce.claims.ledgers",
    "reproduce.records": "reproduce.records.recording",
    "reproduce.runs": "reproduce.runs.run_states",
} | {
    f"privacy.anonymisation_{part}": f"privacy.text.anonymisation.{part}"
    for part in ("entities", "files", "inputs", "scores", "vectors", "words")
}
# Packages of which nothing is left: they are there for who imports a module by its old address.
_GONE = frozenset(f"{TOP}.{room}" for room in _ROOMS if room.startswith("explain") or room == "models")


def address_of(old: str) -> str | None:
    """Where a module of 0.1 is today; None for what was no such module."""
    name = old.removeprefix(f"{TOP}.")
    room, _, module = name.rpartition(".")
    looked_for = [_RENAMED[name]] if name in _RENAMED else [f"{now}.{module}" for now in _ROOMS.get(room, "").split()]
    there = (new for new in looked_for if _PACKAGE.joinpath(*new.split(".")).with_suffix(".py").is_file())
    return next((f"{TOP}.{new}" for new in there), None)


class OldAddresses(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds modules by their old addresses, after all other finders have found nothing."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name in _GONE:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return importlib.machinery.ModuleSpec(name, self) if name.startswith(TOP) and address_of(name) else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        if spec.name in _GONE:
            return None
        new = str(address_of(spec.name))
        warnings.warn(f"{spec.name} is now {new}", DeprecationWarning, stacklevel=2)
        module = importlib.import_module(new)
        self._own_spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ not in _GONE:
            module.__spec__ = self._own_spec  # the module keeps its own; importlib has just given it the old one


def names_of(old: str) -> Callable[[str], Any]:
    """A package's `__getattr__` for names that stood in the module that had its address."""

    def asked(name: str) -> Any:
        if not name.startswith("__"):
            module = importlib.import_module(str(address_of(old)))
            if hasattr(module, name):
                return getattr(module, name)
        raise AttributeError(f"module {old!r} has no attribute {name!r}")

    return asked


if not any(isinstance(finder, OldAddresses) for finder in sys.meta_path):
    sys.meta_path.append(OldAddresses())
