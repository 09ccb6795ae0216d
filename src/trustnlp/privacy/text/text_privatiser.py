"""Which word is released for which: vocabulary, mechanism, and the rule for unknown words, made once for many texts.

Feyisetan et al. (2020), Algorithm 1: each word of a text is replaced by a word of the vocabulary, on its own. With the
mechanism `nearest_sense`, Arnold, Yesilbas and Weinzierl (2023), §3: each word is first given one of its senses by its
neighbours, and the sense is what is released, without its identifier.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import torch
from numpy.typing import NDArray

from trustnlp.embeddings.senses.disambiguation import choose_senses_in_texts
from trustnlp.embeddings.senses.sense_inventory import SenseInventory, hash_of
from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.mechanisms.pairs import as_matrix
from trustnlp.privacy.noise.randomness import check_whole, seeded_generators, source_of
from trustnlp.privacy.text.sense_substitution import NearestSense
from trustnlp.privacy.text.text_guarantee import TextGuarantee
from trustnlp.privacy.text.text_pieces import Piece, case_of, looked_up, with_case
from trustnlp.privacy.text.word_substitution import (
    MahalanobisNearestWord,
    NearestWord,
    RandomisedWord,
    Substitution,
    TruncatedExponential,
)

Unknown = Literal["mask", "drop", "substitute", "keep_unprotected"]
What = Literal["substituted", "unknown", "punctuation"]
MASK = "[UNK]"

_BY_NAME: dict[str, Callable[[torch.Tensor, float], Substitution]] = {
    "nearest_word": NearestWord,
    "truncated_exponential": TruncatedExponential,
    "mahalanobis": MahalanobisNearestWord,
    "randomised_response": lambda vectors, epsilon: RandomisedWord(len(vectors), epsilon),
}


class ReleasedPiece(NamedTuple):
    """The outcome of one piece of a text."""

    text: str
    what: What


@dataclass(frozen=True, eq=False)
class TextPrivatiser:
    """Releases texts cut into pieces, all their words in one call of the mechanism.

    Use `privatiser` to make one: it checks what goes in.

    Attributes
    ----------
    vectors
        The vocabulary: every substitute is one of its words.
    substitution
        Over the rows of `vectors`, or a `NearestSense` over senses of its words.
    unknown
        What is released for a word that is not in the vocabulary: `mask` itself, nothing (`drop`), any word of the
        vocabulary with equal probability (`substitute`), or the word as it is (`keep_unprotected`).
    cased
        Whether the vocabulary tells *Bank* from *bank*. If so, words are looked up as they are and substitutes are
        released as the vocabulary writes them; if not, the case pattern of the word is put on its substitute.
    window
        How many words on each side choose a sense; 0 for a mechanism on words.
    """

    vectors: WordVectors
    substitution: Substitution
    unknown: Unknown
    mask: str
    cased: bool
    window: int

    def release(self, texts: Sequence[Sequence[Piece]], insecure_seed: int | None = None) -> list[list[ReleasedPiece]]:
        """The release of each piece of each text, with fresh noise for every word.

        Words of different texts do not meet: neighbours choose senses within a text only.
        """
        for_words, for_unknown = seeded_generators(insecure_seed)
        words = [piece.text for pieces in texts for piece in pieces if piece.is_word]
        rows = np.fromiter((self.row(word) for word in words), dtype=np.int64, count=len(words))
        known = rows >= 0
        substitutes = np.full(len(rows), -1, dtype=np.int64)
        if known.any():
            if isinstance(self.substitution, NearestSense):
                senses = self._senses(self.substitution.inventory, texts)[known]
                drawn = self.substitution.words_of(self.substitution(torch.from_numpy(senses), generator=for_words))
            else:
                drawn = self.substitution(torch.from_numpy(rows[known]), generator=for_words)
            substitutes[known] = drawn.cpu().numpy()
        if self.unknown == "substitute" and not known.all():
            count = int((~known).sum())
            substitutes[~known] = source_of(for_unknown).integers(0, len(self.vectors), (count,)).numpy()
        released = zip(words, substitutes.tolist(), known.tolist(), strict=True)
        return [
            [
                self._piece(*next(released)) if piece.is_word else ReleasedPiece(piece.text, "punctuation")
                for piece in text
            ]
            for text in texts
        ]

    def row(self, word: str) -> int:
        """Row of a word in the vocabulary, -1 for one that is not in it."""
        return self._rows.get(word if self.cased else looked_up(word), -1)

    def guarantee(self, words: int) -> TextGuarantee:
        """Of a text of which so many words are in the vocabulary."""
        return TextGuarantee(self.substitution.guarantee, words, 2 * self.window, self.unknown)

    def parameters(self) -> dict[str, Any]:
        """All that decides what a text is released as, but for chance: to tell two privatisers apart."""
        position, own = self.substitution.guarantee, getattr(self.substitution, "vectors", None)
        senses = self.substitution.inventory if isinstance(self.substitution, NearestSense) else None
        return {
            "mechanism": type(self.substitution).__name__,
            "epsilon": position.epsilon,
            "guarantee": str(position),
            "own_epsilon": getattr(self.substitution, "epsilon", None),
            "threshold": getattr(self.substitution, "threshold", None),
            "candidates": None if own is None else _digest(own.detach().cpu().numpy()),
            "vectors": hash_of(self.vectors),
            "words": len(self.vectors),
            "senses": None if senses is None else _digest(senses.owner, senses.matrix),
            "window": self.window,
            "unknown": self.unknown,
            "mask": self.mask,
            "cased": self.cased,
        }

    def _piece(self, word: str, substitute: int, known: bool) -> ReleasedPiece:
        if substitute >= 0:
            text = self.vectors.words[substitute]
            cased = text if self.cased else with_case(text, case_of(word))
            return ReleasedPiece(cased, "substituted" if known else "unknown")
        return ReleasedPiece({"mask": self.mask, "drop": ""}.get(self.unknown, word), "unknown")

    def _senses(self, inventory: SenseInventory, texts: Sequence[Sequence[Piece]]) -> NDArray[np.int64]:
        """Row of the sense of each word of all texts, -1 for unknown words, which keep their place in the window."""
        known = [
            [
                self.vectors.words[row] if (row := self.row(piece.text)) >= 0 else None
                for piece in pieces
                if piece.is_word
            ]
            for pieces in texts
        ]
        # A window that is longer than every text sees no more and would take memory.
        window = min(self.window, max(1, *(len(words) for words in known)))
        return np.concatenate(choose_senses_in_texts(inventory, self.vectors, known, window=window))

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.vectors.words)}


def privatiser(
    *,
    vectors: Any,
    epsilon: float | None = None,
    mechanism: str | Substitution = "nearest_word",
    inventory: SenseInventory | None = None,
    window: int | None = None,
    unknown: Unknown = "mask",
    mask: str = MASK,
    cased: bool | None = None,
) -> TextPrivatiser:
    """A privatiser whose parts fit together; parameters as in `trustnlp.privacy.text.text_release.privatise`.

    Raises
    ------
    TypeError, ValueError
        If `privatise` would raise it, for everything but the text.
    """
    vocabulary = _vocabulary(vectors)
    if unknown not in get_args(Unknown):
        raise ValueError(f"unknown is one of {', '.join(get_args(Unknown))}, got {unknown!r}")
    if not isinstance(mask, str) or not mask.strip():
        raise ValueError(f"mask is the text released for an unknown word, such as {MASK!r}, got {mask!r}")
    tells_case = any(word != word.lower() for word in vocabulary.words) if cased is None else cased
    substitution = _mechanism(mechanism, epsilon, vocabulary, inventory)
    if isinstance(substitution, NearestSense):
        if substitution.inventory.vectors_hash != hash_of(vocabulary):
            raise ValueError(f"the inventory was made from other vectors than {vocabulary.name}; induce it anew")
        window = 5 if window is None else check_whole(window, "window")
        if window < 1:
            raise ValueError(f"window is how many words on each side choose a sense, at least 1, got {window}")
        return TextPrivatiser(vocabulary, substitution, unknown, mask, tells_case, window)
    if window is not None:
        raise ValueError("only mechanism='nearest_sense' looks at a window of words; leave it out")
    if substitution.size != len(vocabulary):
        raise ValueError(f"the mechanism is over {substitution.size:,} words, the vocabulary has {len(vocabulary):,}")
    return TextPrivatiser(vocabulary, substitution, unknown, mask, tells_case, 0)


def _mechanism(
    mechanism: str | Substitution, epsilon: float | None, vocabulary: WordVectors, inventory: SenseInventory | None
) -> Substitution:
    """A mechanism from its name, or as it was given."""
    if (inventory is not None) != (mechanism == "nearest_sense"):
        raise ValueError("mechanism='nearest_sense' needs inventory=, the senses of the vocabulary; no other does")
    if not isinstance(mechanism, str):
        if not all(hasattr(mechanism, name) for name in ("guarantee", "size", "__call__")):
            raise TypeError(f"mechanism is a name or a Substitution, got {type(mechanism).__name__}")
        if epsilon is not None:
            raise TypeError(f"this mechanism has its own ε, {mechanism.guarantee.epsilon:g}; leave epsilon out")
        return mechanism
    names = [*_BY_NAME, "nearest_sense"]
    if mechanism not in names:
        raise ValueError(f"mechanism is one of {', '.join(names)}, got {mechanism!r}{_nearest(mechanism, names)}")
    if epsilon is None:
        raise TypeError("epsilon is missing: the privacy loss allowed per unit of distance, such as epsilon=10")
    if inventory is not None:
        return NearestSense(inventory, epsilon)
    return _BY_NAME[mechanism](torch.from_numpy(vocabulary.matrix.copy()), epsilon)


def _vocabulary(vectors: Any) -> WordVectors:
    """Anything that `privatise` takes as the words that may be released."""
    if isinstance(vectors, WordVectors):
        vocabulary = vectors
    elif isinstance(vectors, Mapping):
        rows = as_matrix(list(vectors.values()), "vectors").astype(np.float32)
        vocabulary = WordVectors(list(vectors), rows, "vectors")
    elif hasattr(vectors, "index_to_key") and hasattr(vectors, "vectors"):  # gensim's KeyedVectors, not imported
        vocabulary = WordVectors(vectors.index_to_key, vectors.vectors, "vectors")
    else:
        raise TypeError(
            f"vectors are WordVectors, gensim's KeyedVectors or a mapping of words to vectors, got "
            f"{type(vectors).__name__}; read_vectors(NAME) reads those of the registry"
        )
    if len(vocabulary) < 2:
        only = vocabulary.words[0]
        raise ValueError(f"the vocabulary has one word, {only!r}: every text would be released as that word")
    return vocabulary


def _digest(*arrays: Any) -> str:
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()


def _nearest(name: object, known: Sequence[str]) -> str:
    """Ending of an error message: the known name that is most like the given one."""
    close = difflib.get_close_matches(str(name).lower(), known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
