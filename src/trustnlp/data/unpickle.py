"""Read the vectors out of a pickled gensim `KeyedVectors` without trusting the pickle.

A pickle is a program: unpickling calls whatever functions it names. The one file we need from a pickle (`test_model.kv`
in the wefe wheel) names six. Here each of the six is replaced by a plain class or function of this module that only
stores what it is given; any other name is refused before it is looked up. Nothing of gensim or numpy is called by
the file, and gensim need not be installed.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.registry import DataError


class _Stored:
    """Stands for an object whose attributes alone matter."""

    state: dict[str, Any]

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.state = state


class _Ndarray:
    """Stands for numpy.ndarray, as the second argument of `_reconstruct` and for its result."""

    array: NDArray[Any]

    def __setstate__(self, state: tuple[int, tuple[int, ...], _Dtype, bool, bytes]) -> None:
        _, shape, dtype, fortran, raw = state
        flat = np.frombuffer(raw, dtype=np.dtype(dtype.code))
        self.array = flat.reshape(shape, order="F" if fortran else "C")


class _Dtype:
    """Stands for numpy.dtype: a kind-and-size code such as 'f4' or 'U5', with the byte order that BUILD sets."""

    def __init__(self, code: str, align: bool = False, copy: bool = False) -> None:
        if code[:1] not in ("f", "U"):
            raise DataError(f"the pickle holds an array of type {code!r}; only floats and text are read")
        self.code = code

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.code = f"{state[1]}{self.code.lstrip('<>=|')}"


def _reconstruct(subtype: type[_Ndarray], shape: tuple[int, ...], code: bytes) -> _Ndarray:
    """Stands for numpy's `_reconstruct`, which makes an empty array for `__setstate__` to fill."""
    return subtype()


def _scalar(dtype: _Dtype, raw: bytes) -> str:
    """Stands for numpy's `scalar`: here always a text, stored as UTF-32."""
    order = "be" if dtype.code.startswith(">") else "le"
    return raw.decode(f"utf-32-{order}").rstrip("\0")


_KNOWN: dict[tuple[str, str], Any] = {
    ("gensim.models.keyedvectors", "Word2VecKeyedVectors"): _Stored,
    ("gensim.models.keyedvectors", "Vocab"): _Stored,
    ("numpy", "ndarray"): _Ndarray,
    ("numpy", "dtype"): _Dtype,
    ("numpy.core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy.core.multiarray", "scalar"): _scalar,
}


class _RestrictedUnpickler(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str, /) -> Any:
        try:
            return _KNOWN[module_name, global_name]
        except KeyError:
            raise DataError(
                f"the pickle asks for {module_name}.{global_name}, which word vectors do not need; it was not loaded"
            ) from None


def read_keyed_vectors(path: Path) -> tuple[list[str], NDArray[np.float32]]:
    """Words and vectors `(V, d)` of a pickled gensim `KeyedVectors` (format of gensim 3: words in `index2word`).

    Raises
    ------
    DataError
        If the pickle names anything outside the six names, is truncated or damaged, or holds no word vectors.
    """
    try:
        with path.open("rb") as stream:
            loaded = _RestrictedUnpickler(stream).load()
        words, vectors = loaded.state["index2word"], loaded.state["vectors"].array
    except DataError as error:
        raise DataError(f"{path.name}: {error}") from None
    except Exception as error:  # a damaged pickle can raise nearly anything
        raise DataError(f"{path.name} is damaged or holds no word vectors ({type(error).__name__}: {error})") from error
    if vectors.ndim != 2 or len(words) != len(vectors) or not all(type(word) is str for word in words):
        raise DataError(f"{path.name}: {len(words)} words do not fit vectors of shape {vectors.shape}")
    return words, vectors
