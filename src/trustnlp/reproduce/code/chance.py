"""What draws by chance unless it is given a seed, as far as code says."""

from __future__ import annotations

import ast
from collections.abc import Collection

from trustnlp.reproduce.code.definitions import walk, words

# Methods of tables, columns and distributions that draw, whatever they are called on.
DRAWING_METHODS = words("resample rvs sample")
_SEEDS = words("random_state rng seed")
_SEED_FIRST = words("Generator SeedSequence default_rng")
_NEVER_NONE = (ast.List, ast.Tuple, ast.BinOp)


def is_seeded(call: ast.Call, integers: Collection[str] = ()) -> bool:
    """Whether a call is handed a seed that cannot be None: what `*` or `**` holds may be, and so may a plain name.

    Parameters
    ----------
    integers
        Names that stand for a number by what the code declares.
    """
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    seeds = [keyword.value for keyword in call.keywords if keyword.arg in _SEEDS]
    return any(_is_number(seed, integers) for seed in [*seeds, *(call.args[:1] if name in _SEED_FIRST else ())])


def _is_number(node: ast.expr, integers: Collection[str]) -> bool:
    if isinstance(node, ast.Constant):
        return node.value is not None
    return isinstance(node, _NEVER_NONE) or (isinstance(node, ast.Name) and node.id in integers)


def declared_integers(function: ast.AST) -> set[str]:
    """Parameters of the functions in some code that are declared to be integers."""
    found = [part for part in walk(function) if isinstance(part, ast.arg) and part.annotation is not None]
    return {part.arg for part in found if ast.unparse(part.annotation or part) == "int"}
