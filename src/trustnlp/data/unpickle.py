"""Pickles of other people, read without trusting them.

A pickle is a program: unpickling calls whatever functions it names. Here it gets the objects that a reader lists under
the names that its file needs; any other name is refused before it is looked up.
"""

from __future__ import annotations

import codecs
import pickle
from collections.abc import Mapping
from typing import IO, Any

import numpy as np

from trustnlp.data.registry import DataError

# What arrays and numbers of numpy 1 name in a pickle; a pickle of Python 2 needs `encode`, too.
ARRAYS: Mapping[str, Any] = {
    "numpy.ndarray": np.ndarray,
    "numpy.dtype": np.dtype,
    "numpy.core.multiarray._reconstruct": np.empty(0).__reduce__()[0],
    "numpy.core.multiarray.scalar": np.float64(0).__reduce__()[0],
    "_codecs.encode": codecs.encode,
}


class Attributes:
    """Stands for an object of a class that is not loaded: what the pickle says of it becomes its attributes."""


class ListedUnpickler(pickle.Unpickler):
    """An unpickler for which a pickle may name what is listed, and nothing else.

    Parameters
    ----------
    stream
        Open for reading bytes, at the beginning of the pickle.
    known
        `module.name` → what stands for it.
    encoding
        Of texts that Python 2 pickled.

    Raises
    ------
    DataError
        If the pickle names anything else; raised while it loads.
    """

    def __init__(self, stream: IO[bytes], known: Mapping[str, Any], encoding: str = "ASCII") -> None:
        super().__init__(stream, encoding=encoding)
        self._known = known

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        name = f"{module_name}.{global_name}".replace("numpy._core", "numpy.core")  # the name of numpy 2
        if name not in self._known:
            raise DataError(f"the pickle asks for {name}, which its data do not need; it was not loaded")
        return self._known[name]
