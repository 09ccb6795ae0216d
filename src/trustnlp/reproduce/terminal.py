"""Output of commands on the terminal: how they fail, and the console that they print to."""

import sys
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from rich.console import Console

Workers = Annotated[int, typer.Option(min=1, help="Notebooks that run at once.")]
PLAIN: dict[str, Any] = {"highlight": False, "markup": False, "soft_wrap": True}


def fail(message: str, code: int) -> NoReturn:
    """Say on stderr what is wrong, and exit with a code."""
    print(f"trustnlp: {message}", file=sys.stderr)
    raise SystemExit(code)


def console() -> "Console":
    """Where tables and progress go."""
    from rich.console import Console

    return Console()
