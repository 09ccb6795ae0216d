"""Senses of words: one vector and one prior each, several to a word, kept in a file that cannot be mistaken.

Arnold, Yesilbas and Weinzierl (2023), §3: the sense embedding, in which each sense is indexed by a sense identifier.
How senses are found is in `trustnlp.embeddings.senses.sense_induction`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustnlp.embeddings.static import WordVectors
from trustnlp.files.atomic_writing import replacing
from trustnlp.files.damage import ARRAYS

_FIELDS = ("owner", "matrix", "prior", "dropped", "vectors_hash")


@dataclass(frozen=True, eq=False)
class SenseInventory:
    """`S` senses of `V` words.

    Attributes
    ----------
    words
        `V` words, in the order of the word vectors.
    owner
        `(S,)` row of the word of each sense, ascending; every word has at least one sense.
    matrix
        `(S, d)` sense vectors, float32.
    prior
        `(S,)` share of each sense in its word, by the size of its cluster; sums to 1 per word. Senses of a word are in
        the order of falling priors where `induce_senses` made them.
    dropped
        How many words have their word vector as their only sense, as all their clusters were dropped.
    vectors_hash
        `hash_of` the word vectors it was made from.

    Raises
    ------
    ValueError
        If the shapes do not fit, a word has no sense, or a sense vector is zero or not finite.
    """

    words: tuple[str, ...]
    owner: NDArray[np.int64]
    matrix: NDArray[np.float32]
    prior: NDArray[np.float64]
    dropped: int
    vectors_hash: str

    def __post_init__(self) -> None:
        senses, size = len(self.owner), len(self.words)
        if self.owner.shape != (senses,) or self.prior.shape != (senses,) or self.matrix.shape[:1] != (senses,):
            raise ValueError(
                f"owner, prior and matrix need one row per sense, got shapes {self.owner.shape}, {self.prior.shape} "
                f"and {self.matrix.shape}"
            )
        if self.matrix.ndim != 2 or self.matrix.dtype != np.float32 or self.owner.dtype != np.int64:
            raise ValueError(
                f"the matrix is (S, d) in float32 and owner int64, got {self.matrix.ndim} dimensions of "
                f"{self.matrix.dtype} and {self.owner.dtype}"
            )
        # Ascending from 0 to V - 1 in steps of 0 or 1: each word has a sense, and senses of a word are together.
        steps = np.diff(self.owner, prepend=-1, append=size)
        if not size or steps[0] != 1 or steps[-1] != 1 or not ((steps == 0) | (steps == 1)).all():
            raise ValueError(f"owner has to name each of the {size} words, in ascending order, once per sense")
        if not (np.isfinite(self.matrix).all() and self.matrix.any(axis=1).all()):
            raise ValueError("a sense vector is zero, NaN or infinite: its cosine with anything would be undefined")
        sums = np.add.reduceat(self.prior, self.starts[:-1])
        if not ((self.prior > 0).all() and np.allclose(sums, 1, rtol=0, atol=1e-9)):
            raise ValueError("priors are positive and sum to 1 per word; divide sizes of clusters by their sum")
        if not 0 <= self.dropped <= size:
            raise ValueError(f"between 0 and {size} words may have been dropped, got {self.dropped}")
        for array in (self.owner, self.matrix, self.prior):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.owner)

    def __repr__(self) -> str:
        return f"SenseInventory({len(self.words):,} words, {len(self):,} senses, {self.matrix.shape[1]} dimensions)"

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """`(V + 1,)` first sense of each word, and the number of senses at the end."""
        return np.searchsorted(self.owner, np.arange(len(self.words) + 1))

    @cached_property
    def lengths(self) -> NDArray[np.float32]:
        """`(S,)` Euclidean lengths of the sense vectors."""
        squares = np.einsum("sd,sd->s", self.matrix, self.matrix, dtype=np.float64)
        lengths: NDArray[np.float32] = np.sqrt(squares).astype(np.float32)
        return lengths

    @cached_property
    def _row(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    def rows_of(self, tokens: Iterable[str | None]) -> NDArray[np.int64]:
        """Row of the word of each token; -1 for a token that is None or not among the words."""
        row = self._row
        return np.array([-1 if token is None else row.get(token, -1) for token in tokens], dtype=np.int64)

    def senses_of(self, row: int) -> slice:
        """The senses of the word in this row."""
        self._known(row, len(self.words), "word")
        return slice(int(self.starts[row]), int(self.starts[row + 1]))

    def label(self, sense: int) -> str:
        """The sense identifier: the word and the number of the sense, from 1, such as `bank#1`."""
        self._known(sense, len(self), "sense")
        word = int(self.owner[sense])
        return f"{self.words[word]}#{sense - int(self.starts[word]) + 1}"

    @staticmethod
    def _known(row: int, size: int, name: str) -> None:
        if not 0 <= row < size:
            raise ValueError(f"the row of a {name} lies between 0 and {size - 1}, got {row}")

    def save(self, path: Path) -> None:
        """Write to `path` (`.npz`), which is there as a whole or not at all. The words are not stored: `load` has them
        from the word vectors."""
        arrays: dict[str, Any] = {name: getattr(self, name) for name in _FIELDS}
        with replacing(path) as stream:
            np.savez(stream, **arrays)

    @classmethod
    def load(cls, path: Path, vectors: WordVectors) -> SenseInventory:
        """Read what `save` wrote for the senses of these word vectors.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If the file is damaged or half written, or its senses are those of other word vectors.
        """
        if not path.is_file():
            raise FileNotFoundError(f"{path} is not there; induce the senses and save them first")
        try:
            # No pickle; each array is compared with its checksum as it is read. numpy leaves a damaged file open.
            with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                owner, matrix, prior, dropped, made_from = (arrays[name] for name in _FIELDS)
        except ARRAYS as error:
            raise ValueError(
                f"{path} cannot be read as a sense inventory ({type(error).__name__}): it is damaged, half written or "
                "something else; delete it and induce the senses again"
            ) from None
        if str(made_from) != (given := hash_of(vectors)):
            raise ValueError(
                f"{path} has senses of other word vectors: it was made from {str(made_from)[:12]}…, {vectors.name} is "
                f"{given[:12]}…; load it with the vectors it was made from, or induce the senses again"
            )
        return cls(vectors.words, owner, matrix, prior, int(dropped), str(made_from))


def hash_of(vectors: WordVectors) -> str:
    """sha256 over the words and every bit of their vectors; the name does not count."""
    digest = hashlib.sha256(f"{len(vectors)} {vectors.dim}\0".encode())
    digest.update("\0".join(vectors.words).encode("utf-8", "surrogatepass"))
    digest.update(np.ascontiguousarray(vectors.matrix).data)
    return digest.hexdigest()
