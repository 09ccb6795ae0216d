"""How much each word of a text speaks for a label: one function for all methods.

    from trustnlp.attribution.attribution import attribute

    found = attribute(classifier, "unflinchingly bleak and desperate", method="shapley")
    print(found)

`classifier` is a function of a list of texts to class probabilities, a pair (model, tokenizer) of Hugging Face, or an
object with `probabilities` and `mask`. The methods stand in `word_attributions`, which has its arguments checked here.

Words are what blanks separate, and the model sees them joined by single blanks. Where a comma should be a word of its
own, put blanks around it first, as `trustnlp.data.annotation.english_tags` does.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any, TypeVar, cast

import numpy as np

from trustnlp.attribution.word_attributions import METHODS, attributions_of

__all__ = ["METHODS", "attribute"]

F = TypeVar("F", bound=Callable[..., Any])


def _checked(function: F) -> F:
    """The function with arguments of other types refused in one sentence each, and numbers of numpy made plain."""

    @functools.wraps(function)
    def checked(model: Any, texts: Any, method: Any = "occlusion", **options: Any) -> Any:
        plain = {name: _CHECKS[name](value) if name in _CHECKS else value for name, value in options.items()}
        return function(model, texts if isinstance(texts, str) else _several(texts), method, **plain)

    return cast("F", checked)


def _several(texts: Any) -> list[Any]:
    """Texts as a list, of whatever can be gone through."""
    if not isinstance(texts, Iterable) or isinstance(texts, bytes | bytearray | Mapping):
        raise TypeError(f"texts is one text (a str) or a list of texts, got {_shown(texts)}")
    return list(texts)


def _whole(value: Any, expected: str) -> int:
    """A whole number, of Python, numpy or torch; `True` is none."""
    try:
        if not isinstance(value, bool) and "bool" not in str(getattr(value, "dtype", "")):
            return operator.index(value)
    except (TypeError, ValueError):  # torch says ValueError of a tensor of several numbers
        pass
    raise TypeError(f"{expected}, got {_shown(value)}")


def _label(value: Any) -> int | str | None:
    if value is None or isinstance(value, str):
        return value
    return _whole(value, "label is the number of a class, such as 1, or its name")


def _width(value: Any) -> float:
    try:
        if isinstance(value, Real) and not isinstance(value, bool):
            return float(value)
    except OverflowError:
        pass
    raise TypeError(f"kernel_width is a number, such as 25.0, got {_shown(value)}")


def _generator(value: Any) -> np.random.Generator | int:
    if isinstance(value, np.random.Generator):
        return value
    seed = _whole(value, "generator is a numpy.random.Generator, or a seed, which is a whole number such as 0")
    if seed < 0:
        raise ValueError(f"generator as a seed is 0 or more, got {seed}")
    return seed


def _names(value: Any) -> list[str] | None:
    if value is None:
        return None
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise TypeError(f"class_names is a list with a name for each class, got {_shown(value)}")
    names = list(value)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"class_names is a list of names, each a str, got {_shown(name)} among them")
    return names


def _shown(value: Any) -> str:
    text = " ".join(repr(value).split())
    return f"{text if len(text) <= 60 else text[:57] + '...'}, which is of type {type(value).__name__}"


_CHECKS: Mapping[str, Callable[[Any], Any]] = {
    "label": _label,
    "samples": functools.partial(_whole, expected="samples is a whole number, such as 5000"),
    "kernel_width": _width,
    "steps": functools.partial(_whole, expected="steps is a whole number, such as 50"),
    "generator": _generator,
    "class_names": _names,
}

attribute = _checked(attributions_of)
