"""A function's messages with its parameters under their names on the command line: `--labels` for `labels=[…]`."""

from __future__ import annotations

import re
from collections.abc import Iterable

# What a function calls otherwise than a command, and the half of "in labels=[…], or with --label" for Python.
_OTHER_NAMES = {"m": "dimensions", "labels": "label"}
_PYTHON_ONLY = re.compile(r"\w+=(?:True|\[…\])?,? or (?:with )?(?=--)")


def in_options(message: str, parameters: Iterable[str]) -> str:
    """The message with the options of a command that has these parameters in the place of Python's names.

    >>> in_options("method 'plain' releases all dimensions; leave m out", ["method", "dimensions"])
    '--method plain releases all dimensions; leave --dimensions out'
    """
    text = _PYTHON_ONLY.sub("", message)
    names = {name: name for name in parameters} | {
        name: other for name, other in _OTHER_NAMES.items() if other in parameters
    }
    for name, other in names.items():
        option = f"--{other.strip('_').replace('_', '-')}"
        value = r"(?P<value>-?[\d.]+(?:e[+-]?\d+)?)"
        for pattern, told_as in (
            (rf"\b{name}='(?P<value>[^']*)'", rf"{option} \g<value>"),
            (rf"^(?P<file>[^:]*: )?{name} '(?P<value>[^']*)'", rf"\g<file>{option} \g<value>"),
            (rf"\b{name} ?= ?{value}", rf"{option} \g<value>"),
            (rf"\b{name}=(?:\[…\])?(?=[\s,;.)]|$)", option),
            (rf"^(?P<file>[^:]*: )?{name}(?= (?:is|lies) )", rf"\g<file>{option}"),
            (rf"(?<=is given ){name}\b|(?<=leave ){name}(?= out)", option),
        ):
            text = re.sub(pattern, told_as, text)
    return text
