"""The templates of the pages' HTML (`templates/`): each macro is called from Python as a function that gives text."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

_FOLDER = Path(__file__).parent / "templates"


@cache
def _environment() -> Environment:
    # A line break with what indents the next line is no space on the page.
    loader = FunctionLoader(lambda name: re.sub(r"\n\s*", "", (_FOLDER / name).read_text("utf-8")))
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined)


def macros(template: str, *functions: Callable[..., Any], **names: Any) -> Any:
    """The macros of a template, as attributes; they may call these functions, also as filters, and use `names`."""
    by_name = {function.__name__.strip("_"): function for function in functions}
    _environment().filters |= by_name
    return _environment().get_template(template).make_module({**by_name, **names})
