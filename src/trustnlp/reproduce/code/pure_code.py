"""Whether imported code gives nothing but what follows from what it is handed: no file, clock, chance or memory.

A function of the package is followed through all that it names, however deep. What cannot be followed may do anything.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from enum import IntEnum
from functools import cache
from pathlib import Path

from trustnlp.reproduce.code.definitions import MUTATORS, Module, read_module, root_name, walk, words
from trustnlp.reproduce.code.names_read import reading_of
from trustnlp.reproduce.colab import module_file

_PACKAGE = Path(__file__).parents[2]


class Of(IntEnum):
    """What a value rests on; of two, the larger one."""

    NEUTRAL = 0  # literals and parameters, and what follows from them
    PRINTED = 1  # what the paper prints
    RECORD = 2
    RUN = 3


# What the paper prints is no result of any run.
_PRINTED = (
    "trustnlp.reproduce.claims.ledgers.printed_values",
    "trustnlp.reproduce.claims.ledgers.load_claims",
    "trustnlp.reproduce.claims.ledger_tables.printed_tables",
)
_PLOTS = "trustnlp.plots"
# Libraries whose functions know nothing but what they are given; those of `_IMPURE` read files, clocks or chance.
_PURE = words(
    "IPython __future__ abc collections dataclasses decimal difflib enum fractions functools html importlib "
    "itertools json math matplotlib networkx numbers numpy operator pandas re scipy seaborn statistics string textwrap "
    "tomllib typing warnings"
)
_IMPURE = tuple(
    words(
        "IPython.core IPython.get_ipython importlib.import_module importlib.metadata importlib.reload importlib.util "
        "matplotlib.image networkx.read numpy.from numpy.gen numpy.load numpy.memmap numpy.random "
        "pandas.ExcelFile pandas.HDFStore pandas.Timestamp pandas.read_ scipy.io "
        "scipy.stats.bootstrap scipy.stats.monte_carlo scipy.stats.permutation_test"
    )
)
_SEEDED = (
    "networkx.spring_layout", "numpy.random.default_rng", "numpy.random.Generator", "numpy.random.SeedSequence",
)  # fmt: skip
# Of libraries in which many functions draw by chance, what does not.
_SURE = tuple(
    words(
        "networkx.DiGraph networkx.Graph networkx.average_clustering networkx.complete_graph networkx.from_numpy_array "
        "networkx.spring_layout scipy.cluster.hierarchy. scipy.integrate. scipy.linalg.LinAlgError "
        "scipy.linalg.cho scipy.linalg.eigh scipy.linalg.qr scipy.linalg.svd scipy.optimize.Bounds "
        "scipy.optimize.LinearConstraint scipy.optimize.OptimizeResult scipy.optimize.brentq scipy.optimize.linear_sum "
        "scipy.optimize.milp scipy.sparse.co scipy.sparse.cs scipy.sparse.diags scipy.spatial.distance. scipy.special. "
        "scipy.stats.binom scipy.stats.chi2 scipy.stats.false_discovery_control scipy.stats.gamma "
        "scipy.stats.hypergeom scipy.stats.kendalltau scipy.stats.ks scipy.stats.laplace scipy.stats.norm "
        "scipy.stats.poisson scipy.stats.rankdata scipy.stats.spearmanr scipy.stats.t"
    )
)
_IMPURE_BUILTINS = words(
    "__import__ breakpoint compile delattr dir eval exec globals help id input locals memoryview open setattr vars"
)


def of_builtin(name: str) -> Of | None:
    """Of a name of Python's own; None if it is none."""
    if name.startswith("__") or not hasattr(builtins, name):
        return None
    return Of.RUN if name in _IMPURE_BUILTINS else Of.NEUTRAL


@cache
def of_import(path: str, *, seeded: bool = True) -> Of:
    """What an imported function or constant rests on by itself; `seeded` says that it is handed a seed."""
    return _Follower().of_path(path, seeded=seeded)


@cache
def _module(name: str) -> Module | None:
    path = module_file(name, _PACKAGE)
    return read_module(name, path) if path is not None else None


class _Follower:
    """Follows a definition through all that it names, each once."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, str]] = set()

    def of_path(self, path: str, *, seeded: bool = True) -> Of:
        if path.startswith(_PRINTED):
            return Of.PRINTED
        root = path.partition(".")[0]
        if root != "trustnlp":
            pure = seeded if path.startswith(_SEEDED) else not path.startswith(_IMPURE)
            pure &= root not in ("networkx", "scipy") or path.startswith(_SURE)
            whole = path.endswith(".*") and any(impure.startswith(f"{root}.") for impure in _IMPURE)
            return Of.NEUTRAL if root in _PURE and pure and not whole else Of.RUN
        if f"{path}.".startswith(f"{_PLOTS}."):
            return Of.NEUTRAL
        parts = path.split(".")
        for end in range(len(parts) - 1, 0, -1):
            module = _module(".".join(parts[:end]))
            if module is not None:
                return self.of_name(module, parts[end])
        return Of.RUN

    def of_name(self, module: Module, name: str) -> Of:
        """Of what a module calls so."""
        if (module.name, name) in self.seen:
            return Of.NEUTRAL
        self.seen.add((module.name, name))
        if name in module.imports:
            origin = module.imports[name]
            return self.of_path(f"{origin.module}.{origin.name}" if origin.name else origin.module)
        if name not in module.statements or name in _remembered(module.name):
            return Of.RUN
        reading = reading_of(*module.statements[name], typed=True)
        return max((self.of_leaf(module, path, reading.unseeded) for path in _plain(reading.paths)), default=Of.NEUTRAL)

    def of_leaf(self, module: Module, path: str, unseeded: set[str]) -> Of:
        if path.startswith("<"):
            return self.of_path(path[1:-1])
        root, _, rest = path.partition(".")
        if root in module.imports and root not in module.statements:
            origin = module.imports[root]
            whole = ".".join(part for part in (origin.module, origin.name, rest) if part)
            return self.of_path(whole, seeded=path not in unseeded)
        if root in module.statements:
            return self.of_name(module, root)
        known = of_builtin(root)
        return Of.RUN if known is None else known


def _plain(paths: set[str]) -> Iterator[str]:
    for path in paths:
        yield from path.rstrip(")").split("(")


@cache
def _remembered(module: str) -> set[str]:
    """Names of a module that its functions change: it may remember what it was asked before."""
    held = _module(module)
    found: set[str] = set()
    functions = [s for statements in held.statements.values() for s in statements] if held else []
    for function in functions:
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for node in walk(function):
            if isinstance(node, ast.Global):
                found.update(node.names)
            elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
                found.add(root_name(node) or "")
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
                found.add(root_name(node.func.value) or "")
    return found
