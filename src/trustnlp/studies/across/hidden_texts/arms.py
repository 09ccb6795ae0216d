"""Ways to hide a text, each at several strengths, and how far two texts can be told apart after it.

On words:

`deletion`
    Each word goes with a fixed chance, by itself. Nobody needs to know what is private.
`words`
    Feyisetan et al. (2020): noise on each word's vector, then the nearest word. The command `trustnlp privatise`.
`senses`
    Arnold, Yesilbas and Weinzierl (2023): the same on the vector of the sense that the neighbours choose.
`polarised`
    The post on polarised vectors (2016): words near the axis of the secret are removed, for each text those of its own
    secret.
`log_odds`
    The same by a count, the command `trustnlp anonymise`.
`common`
    The same count, but a word that is private to any value of the secret goes from all texts.

On an encoder's vector of the whole text:

`dpnr`
    Lyu, He and Li (2020), Algorithm 2: scaled to [0, 1], then Laplace noise on each coordinate. What the paper calls ε
    is this noise; corrected for the width of the vector it is ε times the width, and the same release.
`dpnr_shared`
    Their released code: one Laplace number for all coordinates.
`projected`
    Feyisetan and Kasiviswanathan (2021), PrivEmb: a Gaussian projection, then noise.
`orthonormal`
    Orthonormal rows in its place, the command `trustnlp release`.

Removal learns which words are private from the texts of `train`; the protector knows the secret of each text.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from trustnlp.embeddings.senses.disambiguation import choose_senses
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.audits.auditing import BlackBox, audit
from trustnlp.privacy.mechanisms.projection import OrthonormalRelease, ProjectedRelease, target_dimension
from trustnlp.privacy.mechanisms.representation import noise_layer, normalise
from trustnlp.privacy.text.anonymisation.documents import Anonymiser, Method, fit_anonymiser
from trustnlp.privacy.text.anonymisation.scores import log_odds_scores
from trustnlp.privacy.text.anonymisation.words import document_words
from trustnlp.privacy.text.sense_substitution import NearestSense
from trustnlp.privacy.text.text_release import privatise_many
from trustnlp.privacy.text.word_substitution import NearestWord
from trustnlp.studies.across.hidden_texts.data import Texts
from trustnlp.studies.across.hidden_texts.readers import Floats

# Arm → strengths, from weak to strong: the chance or share of words that go, or ε. ε of `words`, `senses`, `projected`
# and `orthonormal` is per unit of Euclidean distance of their vectors; that of `dpnr` and `dpnr_shared` is the paper's.
TEXT_ARMS: dict[str, tuple[float, ...]] = {
    "deletion": (0.4, 0.7, 0.9, 0.97),
    "words": (10.0, 6.0, 4.0, 2.0),
    "senses": (16.0, 10.0, 6.0, 3.0),
    "polarised": (0.05, 0.2, 0.5, 0.8),
    "log_odds": (0.05, 0.2, 0.5, 0.8),
    "common": (0.05, 0.2, 0.5, 0.8),
}
VECTOR_ARMS: dict[str, tuple[float, ...]] = {
    "dpnr": (10.0, 5.0, 2.0, 1.0, 0.5),
    "dpnr_shared": (10.0, 1.0, 0.1, 0.01),
    "projected": (300.0, 100.0, 50.0, 25.0, 10.0),
    "orthonormal": (300.0, 100.0, 50.0, 25.0, 10.0),
}
ARMS = {**TEXT_ARMS, **VECTOR_ARMS}
# Whose release is random: two texts can be released often and told apart by counting.
AUDITED = ("deletion", "words", "senses", *VECTOR_ARMS)
WINDOW = 5
_BETA, _DELTA = 0.9, 1e-6


def hidden_texts(
    arm: str, texts: Texts, vectors: WordVectors, senses: SenseInventory | None, seed: int
) -> list[list[str]]:
    """The texts at each strength of an arm of `TEXT_ARMS`."""
    if arm == "deletion":
        rng = np.random.default_rng([seed, 2])
        return [[_thinned(text, share, rng) for text in texts.texts] for share in TEXT_ARMS[arm]]
    if arm in ("words", "senses"):
        by: dict[str, Any] = {"mechanism": "nearest_word"}
        if arm == "senses":
            by = {"mechanism": "nearest_sense", "window": WINDOW, "inventory": senses}
        return [
            [
                one.text
                for one in privatise_many(
                    texts.texts,
                    vectors=vectors,
                    epsilon=epsilon,
                    insecure_seed=1000 * seed + place,
                    **by,
                )
            ]
            for place, epsilon in enumerate(TEXT_ARMS[arm])
        ]
    owners = [str(secret) for secret in texts.secrets]
    fitted = removal(arm, texts, seed)
    known = [None if arm == "common" else owner for owner in owners]
    return [
        [redactor.redact(text, owner).text for text, owner in zip(texts.texts, known, strict=True)]
        for redactor in fitted
    ]


def removal(arm: str, texts: Texts, seed: int) -> list[Anonymiser]:
    """An anonymiser at each share of the words of `train`, which is all that it learns from."""
    rows = texts.parts["train"]
    learned, owners = [texts.texts[row] for row in rows], [str(texts.secrets[row]) for row in rows]
    method: Method = "polarised" if arm == "polarised" else "log_odds"
    fitted = fit_anonymiser(learned, owners, method=method, seed=seed)
    words = [document_words(text, thorough=True) for text in learned]
    asked = [None if arm == "common" else owner for owner in owners]
    scores = np.concatenate([fitted.scores(each, owner) for each, owner in zip(words, asked, strict=True)])
    return [replace(fitted, threshold=float(np.quantile(scores, 1 - share))) for share in TEXT_ARMS[arm]]


def _thinned(text: str, share: float, rng: np.random.Generator) -> str:
    words = text.split()
    return " ".join(word for word, drawn in zip(words, rng.random(len(words)), strict=True) if drawn >= share)


def mechanism(arm: str, strength: float, width: int, seed: int) -> Callable[[Tensor], Tensor]:
    """The release of vectors `(n, width)` by an arm of `VECTOR_ARMS`, with noise of its own for each call."""
    generator = torch.Generator().manual_seed(1000 * seed + 7)
    release: BlackBox
    if arm.startswith("dpnr"):
        layer = noise_layer("released" if arm == "dpnr_shared" else "as_written", strength, width)
        return lambda vectors: layer(normalise(vectors), generator=generator)
    if arm == "projected":
        release = ProjectedRelease.draw(width, epsilon=strength, delta=_DELTA, beta=_BETA, generator=generator)
    else:
        size = math.ceil(target_dimension(width, _BETA, _DELTA))
        release = OrthonormalRelease.draw(width, size, epsilon=strength, generator=generator)
    return lambda vectors: release(torch.nn.functional.normalize(vectors, dim=1), generator=generator)


def hidden_vectors(arm: str, vectors: Floats, seed: int) -> list[Floats]:
    """Vectors `(n, d)` at each strength of an arm of `VECTOR_ARMS`."""
    given = torch.from_numpy(vectors).double()
    return [mechanism(arm, strength, given.shape[1], seed)(given).float().numpy() for strength in VECTOR_ARMS[arm]]


@dataclass(frozen=True)
class Pair:
    """Two texts that differ in the word at one place: there is a telling one of two values of the secret."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    place: int


def telling_pairs(texts: Texts, vectors: WordVectors, count: int, seed: int) -> list[Pair]:
    """Test texts, their most telling word replaced by the most telling one of another value of the secret.

    Words are those that the vocabulary has; told by log-odds over `train`.
    """
    rows = texts.parts["train"]
    learned, owners = [texts.texts[row] for row in rows], [str(texts.secrets[row]) for row in rows]
    documents = [document_words(text) for text in learned]
    scores = log_odds_scores(documents, owners)
    kinds = sorted({word for text in learned for word in text.split() if word in vectors})
    table = scores.of_keys(kinds)
    column = {word: number for number, word in enumerate(kinds)}
    top = {owner: kinds[int(table[:, number].argmax())] for number, owner in enumerate(scores.owners)}
    rng, pairs = np.random.default_rng([seed, 3]), []
    for row in rng.permutation(texts.parts["test"]):
        words, own = texts.texts[row].split(), str(texts.secrets[row])
        number = scores.owners.index(own)
        known = [place for place, word in enumerate(words) if word in column]
        other = top[str(rng.choice([owner for owner in scores.owners if owner != own]))]
        if not known or other in words:
            continue
        place = max(known, key=lambda at: table[column[words[at]], number])
        pairs.append(Pair(tuple(words), (*words[:place], other, *words[place + 1 :]), place))
        if len(pairs) == count:
            break
    return pairs


def told_apart(
    arm: str,
    strength: float,
    pair: Pair,
    vectors: WordVectors,
    senses: SenseInventory | None,
    encoded: Floats,
    draws: int,
    seed: int,
) -> float:
    """A lower bound of the privacy loss between the two texts, in nats, by `draws` releases of each.

    For words what stands at the changed place is looked at, as a vector, and nothing else: a release of the whole text
    tells at least as much. For vectors the whole release is looked at.

    Parameters
    ----------
    encoded
        `(2, d)` the encoder's vectors of the two texts.
    """
    if arm in VECTOR_ARMS:
        release = mechanism(arm, strength, len(encoded[0]), seed)
        one, other = (torch.from_numpy(np.asarray(each, dtype=np.float64)) for each in encoded)
        return audit(lambda rows, /, *, generator: release(rows), one, other, draws=draws).epsilon
    generator = torch.Generator().manual_seed(1000 * seed + 9)
    table = torch.tensor(vectors.matrix, dtype=torch.float64)
    if arm == "deletion":
        rows = [vectors.words.index(text[pair.place]) for text in (pair.first, pair.second)]

        def stay(given: Tensor) -> Tensor:
            kept = torch.rand(len(given), generator=generator, dtype=torch.float64) >= strength
            return table[given] * kept[:, None]
    elif arm == "words":
        rows = [vectors.words.index(text[pair.place]) for text in (pair.first, pair.second)]
        words = NearestWord(torch.tensor(vectors.matrix), strength)

        def stay(given: Tensor) -> Tensor:
            return table[words(given, generator=generator)]
    else:
        assert senses is not None
        nearest = NearestSense(senses, strength)
        rows = [
            int(choose_senses(senses, vectors, text, window=WINDOW)[pair.place]) for text in (pair.first, pair.second)
        ]

        def stay(given: Tensor) -> Tensor:
            return table[nearest.words_of(nearest(given, generator=generator))]

    one, other = (torch.tensor([float(row)]) for row in rows)
    return audit(lambda given, /, *, generator: stay(given[:, 0].long()), one, other, draws=draws).epsilon


def never_mistaken(draws: int) -> float:
    """The lower bound, in nats, that `draws` releases prove of two inputs that are released as they are."""
    one, other = torch.zeros(1), torch.ones(1)
    return audit(lambda rows, /, *, generator: rows, one, other, draws=draws).epsilon
