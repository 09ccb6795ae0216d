"""Release a text word by word, in one call. Feyisetan et al. (2020), Algorithm 1; by senses, Arnold et al. (2023), §3.

What is protected is which word stands in a position, to the extent that `TextGuarantee` says. What is not, whatever ε:

- how many words there are, where punctuation, currency signs and spaces stand, which words are contracted (a space is
  set between the two parts of ``don't`` unless the second becomes such a part again), and the case pattern of each word
  (lower, Capitalised, UPPER): they are released as they are;
- which words the vocabulary does not know, under the default rule: their masks show it;
- what several releases of one text tell together: their ε add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trustnlp.privacy.noise.randomness import why_refused
from trustnlp.privacy.text.text_guarantee import TextGuarantee
from trustnlp.privacy.text.text_pieces import Piece, cut, is_clitic, is_word
from trustnlp.privacy.text.text_privatiser import MASK, ReleasedPiece, Unknown, What, privatiser

if TYPE_CHECKING:
    from trustnlp.embeddings.senses.sense_inventory import SenseInventory
    from trustnlp.privacy.text.word_substitution import Substitution


@dataclass(frozen=True)
class Provenance:
    """The step taken in one place of a text; for the owner of the text.

    Attributes
    ----------
    position
        Of the piece in the text, or of the token in the list that was given, from 0.
    what
        `substituted` (also where the substitute happens to be the word itself, which is not told), `unknown`, treated
        by the rule for unknown words, or `punctuation` and spaces, released as they are.
    released
        What stands there now.
    original
        None unless `keep_originals=True` was asked for.
    """

    position: int
    what: What
    released: str
    original: str | None = None


@dataclass(frozen=True)
class TextRelease:
    """A text that may be published, and what may be said of it. Only `text` and `guarantee` are meant for others.

    Attributes
    ----------
    text
        The released text; for a list of tokens, what became of them, joined by single spaces.
    provenance
        One entry for each piece of the text, or for each token of a list.
    guarantee
        For one position and for the whole text.
    """

    text: str
    provenance: tuple[Provenance, ...]
    guarantee: TextGuarantee

    @property
    def tokens(self) -> list[str]:
        """Released words and punctuation in their order, without spaces and without words that were dropped."""
        return [entry.released.strip() for entry in self.provenance if entry.released.strip()]


def privatise(
    text_or_tokens: str | Sequence[str],
    *,
    vectors: Any,
    epsilon: float | None = None,
    mechanism: str | Substitution = "nearest_word",
    inventory: SenseInventory | None = None,
    window: int | None = None,
    unknown: Unknown = "mask",
    mask: str = MASK,
    cased: bool | None = None,
    keep_originals: bool = False,
    insecure_seed: int | None = None,
    **refused: Any,
) -> TextRelease:
    """Replace every word of a text by a random one that tends to be near it, with a stated guarantee.

    >>> vectors = {"river": [1.0, 0.0], "stream": [0.9, 0.1], "money": [0.0, 1.0], "cash": [0.1, 0.9]}
    >>> released = privatise("Money, xyzzy RIVER.", vectors=vectors, epsilon=1000)
    >>> released.text
    'Money, [UNK] RIVER.'
    >>> released.guarantee.words, released.guarantee.epsilon
    (2, 2000.0)

    A string is cut into words, spaces and punctuation (`trustnlp.privacy.text.text_pieces`); a list of tokens is taken
    as it is, each token one word unless it is all punctuation. Words are looked up lower-cased, and their case pattern
    is put on the substitute: Capitalised, UPPER, or, for lower and mixed case, as the vocabulary writes it. If the
    vocabulary tells cases apart, words are looked up as they are and substitutes released as they stand there. Where
    two words touch, as in ``do|n't``, a space is set between their substitutes.

    Noise comes from a cryptographic source. Errors are for the owner of the text: whether one is raised can depend on
    it.

    Parameters
    ----------
    text_or_tokens
        The private text.
    vectors
        The **public** vocabulary: `WordVectors`, gensim's `KeyedVectors`, or a mapping of words to vectors. Every
        substitute is one of its words, so a vocabulary made from the private text gives its words away. ε counts
        distances between these vectors: other vectors, or the same scaled to unit length, need another ε.
    epsilon
        Privacy loss per unit of Euclidean distance; for `mahalanobis` per unit of its own distance (the guarantee of
        the result converts it), for `randomised_response` for any two words. Left out where `mechanism` is an object,
        which has its own.
    mechanism
        `nearest_word` (Feyisetan et al. 2020), `truncated_exponential` (Carvalho et al. 2021), `mahalanobis` (Xu et
        al. 2020), `randomised_response`, `nearest_sense` (Arnold et al. 2023), or a `Substitution` over the rows of
        the vocabulary.
    inventory, window
        For `nearest_sense`: the senses of these vectors, and how many words on each side choose one (5 if not given).
    unknown
        What is released for a word that is not in the vocabulary. `mask`: the mask, so everyone sees that a word was
        unknown, and nothing else of it. `drop`: nothing, with the space before it. `substitute`: a word of the
        vocabulary, each with equal probability; it tells nothing of which unknown word stood there, but one that fits
        nowhere tells that it was unknown, and it misleads the reader. `keep_unprotected`: the word itself, without
        protection; names and numbers are often the unknown words.
    mask
        Released for unknown words.
    cased
        Whether the vocabulary tells cases apart; if not given, whether any of its words has a capital letter.
    keep_originals
        Store the original words in the provenance, where printing shows them.
    insecure_seed
        For experiments that publish nothing: makes the release repeatable, and possible to undo. A seed is found by
        trying, and two texts released with one seed have equal noise.

    Raises
    ------
    TypeError
        If given a token that is no string, ε that is no number or is missing, vectors of an unknown kind; `seed`,
        `random_state` or another source of randomness: a release that can be repeated can be undone.
    ValueError
        If given a text without words; ε that is not positive and finite; vectors that are zero, not finite or of two
        lengths; a vocabulary of one word; an unknown mechanism or rule; a window below 1; an inventory of other
        vectors.
    """
    if refused:
        raise TypeError(why_refused("privatise", next(iter(refused))))
    [released] = privatise_many(
        [text_or_tokens], vectors=vectors, epsilon=epsilon, mechanism=mechanism, inventory=inventory, window=window,
        unknown=unknown, mask=mask, cased=cased, keep_originals=keep_originals, insecure_seed=insecure_seed,
    )  # fmt: skip
    return released


def privatise_many(
    texts: Sequence[str | Sequence[str]],
    *,
    vectors: Any,
    keep_originals: bool = False,
    insecure_seed: int | None = None,
    **options: Any,
) -> list[TextRelease]:
    """`privatise` for many texts, all words in one batch. The ε of texts about one person add up.

    Parameters
    ----------
    texts
        Texts or lists of tokens.
    vectors, keep_originals, insecure_seed
        As in `privatise`.
    **options
        `epsilon`, `mechanism`, `inventory`, `window`, `unknown`, `mask` and `cased` of `privatise`.

    Raises
    ------
    TypeError, ValueError
        If `privatise` would raise it; a single string in place of a list of texts.
    """
    if refused := [name for name in options if name not in _OPTIONS]:
        raise TypeError(why_refused("privatise_many", refused[0]))
    if isinstance(texts, str) or not isinstance(texts, Sequence):
        raise TypeError(f"texts are a list of texts, got {type(texts).__name__}; for a single text use privatise")
    cuts = [_pieces(text, f"text {number}" if len(texts) > 1 else "the text") for number, text in enumerate(texts)]
    maker = privatiser(vectors=vectors, **options)
    releases = []
    for text, pieces, released in zip(texts, cuts, maker.release(cuts, insecure_seed), strict=True):
        substituted = sum(piece.what == "substituted" for piece in released)
        provenance = tuple(
            Provenance(position, piece.what, piece.text, original.text if keep_originals else None)
            for position, (original, piece) in enumerate(zip(pieces, released, strict=True))
        )
        tokens = " ".join(piece.text for piece in released if piece.text)
        public = released_text(pieces, released) if isinstance(text, str) else tokens
        releases.append(TextRelease(public, provenance, maker.guarantee(substituted)))
    return releases


def released_text(pieces: Sequence[Piece], released: Sequence[ReleasedPiece]) -> str:
    """The released text of a string that was cut into `pieces`."""
    parts: list[str] = []
    touches = False
    for piece, new in zip(pieces, released, strict=True):
        if piece.is_word and not new.text:  # dropped, with the space before it
            if parts and parts[-1].endswith(" "):
                parts[-1] = parts[-1][:-1]
            touches = bool(parts)
            continue
        if touches and piece.is_word and not is_clitic(new.text):
            parts.append(" ")
        parts.append(new.text)
        touches = piece.is_word
    return "".join(parts)


_OPTIONS = frozenset({"epsilon", "mechanism", "inventory", "window", "unknown", "mask", "cased"})


def _pieces(text: str | Sequence[str], name: str) -> list[Piece]:
    """A text or a list of tokens as pieces, at least one of them a word."""
    if isinstance(text, str):
        pieces = cut(text)
    elif isinstance(text, Sequence) and not isinstance(text, bytes):
        if wrong := [token for token in text if not isinstance(token, str)]:
            raise TypeError(f"{name} holds a token that is no string but {type(wrong[0]).__name__}: {wrong[0]!r:.40}")
        pieces = [Piece(token, is_word(token)) for token in text]
    else:
        raise TypeError(f"{name} is a string or a list of tokens, got {type(text).__name__}")
    if not any(piece.is_word for piece in pieces):
        held = "holds punctuation and spaces only, which are released as they are" if pieces else "is empty"
        raise ValueError(f"{name} {held}: there is no word to privatise")
    return pieces
