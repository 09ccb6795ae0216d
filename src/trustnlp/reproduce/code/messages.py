"""Messages in code: what a logger is told, and what the words of an error read; no number comes from either."""

from __future__ import annotations

import ast
from collections.abc import Callable

from trustnlp.reproduce.code.definitions import walk, words

# What a message may call and still only read: the words it makes are left out with all that they name.
_READERS = words("abs dict enumerate len list map max min range repr reversed round set sorted str sum tuple type zip")
_TEXT_METHODS = words(
    "casefold format get items join keys lower replace rpartition rstrip split strip title upper values"
)
# What an argument may be made of to be handed over as it is.
_HANDED_OVER = (
    ast.Attribute, ast.Constant, ast.Dict, ast.DictComp, ast.FormattedValue, ast.JoinedStr, ast.List, ast.Name,
    ast.Tuple,
)  # fmt: skip
_LOGS = frozenset(("critical", "debug", "error", "exception", "info", "setLevel", "warning"))


def only_logs(node: ast.expr, is_logger: Callable[[str], bool]) -> bool:
    """Whether a call tells a logger something, or how much to tell, and does nothing else."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in _LOGS:
        return False
    logger = node.func.value
    if not makes_logger(logger) and not (isinstance(logger, ast.Name) and is_logger(logger.id)):
        return False
    return all(map(only_reads, [*node.args, *(keyword.value for keyword in node.keywords)]))


def makes_logger(node: ast.expr) -> bool:
    """Whether an expression is a call such as `logging.getLogger("trustnlp")`."""
    return isinstance(node, ast.Call) and last_name(node.func) in ("getLogger", "get_logger")


def last_name(node: ast.expr) -> str:
    """The last part of a name that is called or subscripted; none of another expression."""
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def only_reads(node: ast.AST) -> bool:
    """Whether a part of a message only looks at values: nothing in it binds, waits, or calls what could do more."""
    for part in walk(node):
        if isinstance(part, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr):
            return False
        if isinstance(part, ast.Call) and last_name(part.func) not in (
            _READERS if isinstance(part.func, ast.Name) else _TEXT_METHODS
        ):
            return False
    return True


def only_hands_over(node: ast.AST) -> bool:
    """Whether an argument is made of names, words and the items of a mapping: what else is asked of one may act."""
    for part in walk(node):
        if isinstance(part, ast.Call):
            named = isinstance(part.func, ast.Attribute) and part.func.attr == "items"
            allowed = named and not part.args and not part.keywords
        elif isinstance(part, ast.comprehension):
            allowed = isinstance(part.iter, ast.Call)
        elif isinstance(part, ast.Attribute):
            allowed = part.attr == "items"
        else:
            allowed = not isinstance(part, ast.expr) or isinstance(part, _HANDED_OVER)
        if not allowed:
            return False
    return True
