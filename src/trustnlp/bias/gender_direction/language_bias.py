"""The measures of Matthews et al. (2021) on word vectors of one's own: in one of nine languages, or with own words.

>>> from trustnlp.embeddings.static import WordVectors
>>> rng = np.random.default_rng(0)
>>> words = ["woman", "man", "daughter", "son", "mother", "father", "girl", "boy", "nurse", "engineer"]
>>> vectors = WordVectors(words + [f"w{i}" for i in range(200)], rng.standard_normal((210, 50)), "noise")
>>> result = gender_bias(vectors, language="en", rng=rng)
>>> len(result.direction.pairs), len(result.direction.missing), list(result.professions)
(4, 3, ['nurse', 'engineer'])
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trustnlp.bias.gender_direction.direct_bias import (
    ProfessionBias,
    isotropic_floor,
    mean_direct_bias,
    profession_bias,
    signed_scores,
)
from trustnlp.bias.gender_direction.direction_nulls import (
    p_value_of_share,
    random_pair_shares,
    shares_of_repairings,
    words_of_like_frequency,
)
from trustnlp.bias.gender_direction.missing_pairs import too_few_pairs
from trustnlp.bias.gender_direction.pair_directions import (
    FEWEST_PAIRS,
    Estimate,
    GenderDirection,
    Pair,
    gender_direction,
    held_out_margins,
    share_in_order,
    stacked,
    usable_pairs,
)
from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.words.gender_words import State, word_list
from trustnlp.embeddings.static import WordVectors


@dataclass(frozen=True, eq=False)
class LanguageBias:
    """The result of `gender_bias`.

    Attributes
    ----------
    direction
        The gender direction, its shares of variance, and the pairs that were dropped.
    defining
        Pair → signed scores of its female and its male word.
    held_out_right
        Share of pairs that a direction made without them orders rightly; None with fewer than four distinct pairs.
    professions
        Concept → its bias over the forms that have a vector.
    absent
        Concepts of which no form has one.
    direct_bias
        Eq. 1 over the professions' forms, each form once.
    floors
        What Eq. 1 gives without gender: `isotropic` (uniform directions), `directions` (mean over random pairs of like
        frequency) and `words` (random words of the professions' frequencies on the true direction).
    p_repairings, p_random
        How often the first component's share is as large under re-pairings (every one, up to eight pairs; else None),
        and under random pairs of like frequency.
    """

    language: str
    direction: GenderDirection
    defining: dict[Pair, tuple[float, float]]
    held_out_right: float | None
    professions: dict[str, ProfessionBias]
    absent: tuple[str, ...]
    direct_bias: float
    floors: dict[str, float]
    p_repairings: float | None
    p_random: float


def gender_bias(
    vectors: Any,
    *,
    language: str,
    rng: np.random.Generator | int,
    pairs: Sequence[Pair] | None = None,
    professions: Mapping[str, Sequence[str]] | None = None,
    counts: Mapping[str, int] | None = None,
    state: State = "repaired",
    homographs: bool = True,
    words: LanguageWords | None = None,
    estimate: Estimate = "pca",
    unit: bool = True,
    c: float = 1.0,
    draws: int = 1000,
) -> LanguageBias:
    """Direction, scores, DirectBias, floors and nulls of one set of word vectors.

    Parameters
    ----------
    vectors
        `WordVectors`, or gensim's `KeyedVectors`, the most frequent word first (the nulls need that order).
    language
        One of the nine, for the lists; any name when `pairs` and `professions` are given.
    rng
        Draws the random words of the nulls; or a seed.
    pairs, professions
        (female, male) pairs, and concept → forms, in place of the lists.
    counts
        How often each word occurs, for the weighted averages. None takes those of gensim, else every form counts alike.
    state
        Of the list's pairs: as `repaired` from print, or `reconciled`.
    homographs
        False leaves the lists' forms with an everyday second meaning out, as of *Junge* and *fille*
        (`trustnlp.data.words.gender_words.second_meanings`); own pairs and professions are taken as they are.
    words
        How words of the lists are written in the vectors; None is the language's default (lower case).
    estimate, unit
        Of the direction (`gender_direction`).
    c
        Strictness of Eq. 1.
    draws
        Random sets of pairs, and of professions.

    Raises
    ------
    ValueError
        If given an unknown language, fewer than three usable pairs (with what may be the reason: case, script,
        encoding), no usable profession, damaged or repeated vectors, or too small a vocabulary for the nulls. Pairs
        that are not two words, forms that are no list, or vectors whose most frequent word does not come first.
    """
    table, rng = as_word_vectors(vectors), np.random.default_rng(rng)
    if counts is None:
        counts = _counts(vectors)
    _check_own(pairs or (), professions or {})
    as_listed: list[Pair] = []
    if pairs is None or professions is None:
        words = words or LanguageWords(language)
        listed = word_list(language, state, homographs=homographs, fold_hamza=words.fold_hamza)
        written = listed.written(words.form)
        if pairs is None:
            pairs, as_listed = list(written.pairs.values()), list(listed.pairs.values())
        if professions is None:
            professions = {p.concept: p.forms for p in written.professions}
    pairs = [(female, male) for female, male in pairs]
    if len(usable_pairs(table, pairs)) < FEWEST_PAIRS:
        raise ValueError(too_few_pairs(table, pairs, as_listed))
    direction = gender_direction(table, pairs, estimate=estimate, unit=unit)
    biases = {
        concept: profession_bias(table, concept, forms, direction.g, counts) for concept, forms in professions.items()
    }
    known = {concept: bias for concept, bias in biases.items() if bias is not None}
    if not known:
        raise ValueError(
            f"{table.name} has a vector for none of the {len(professions)} professions; check their case and script, "
            "or give your own (professions=)"
        )
    forms = sorted({form for bias in known.values() for form in bias.scores})
    defining = sorted({word for pair in direction.pairs for word in pair})
    scores = signed_scores(table, forms, direction.g)
    shares, directions = random_pair_shares(table, direction.pairs, draws, rng=rng, unit=unit)
    rows = words_of_like_frequency(table, forms, draws, exclude=defining, rng=rng)
    rank = {word: row for row, word in enumerate(table.words)}
    on_directions = np.abs(table.unit[[rank[form] for form in forms]].astype(np.float64) @ directions.T)
    on_truth = np.abs(table.unit.astype(np.float64) @ direction.g)[rows]
    distinct = list(dict.fromkeys(direction.pairs))
    margins = held_out_margins(table, distinct, estimate=estimate, unit=unit) if len(distinct) > 3 else None
    sides = [stacked(table, [pair[side] for pair in direction.pairs], unit=unit) for side in (0, 1)]
    few = len(direction.pairs) <= 8
    return LanguageBias(
        language=language,
        direction=direction,
        defining={pair: tuple(signed_scores(table, pair, direction.g).tolist()) for pair in distinct},
        held_out_right=None if margins is None else share_in_order(margins),
        professions=known,
        absent=tuple(concept for concept, bias in biases.items() if bias is None),
        direct_bias=mean_direct_bias(scores, c),
        floors={
            "isotropic": isotropic_floor(table.dim, c),
            "directions": float((on_directions**c).mean()),
            "words": float((on_truth**c).mean()),
        },
        p_repairings=p_value_of_share(direction.shares[0], shares_of_repairings(*sides)[:, 0], exact=True)
        if few
        else None,
        p_random=p_value_of_share(direction.shares[0], shares[:, 0], exact=False),
    )


def as_word_vectors(vectors: Any) -> WordVectors:
    """gensim's `KeyedVectors` as `WordVectors`; these as they are.

    Raises
    ------
    TypeError
        If given neither of the two.
    """
    if isinstance(vectors, WordVectors):
        return vectors
    if hasattr(vectors, "wv"):
        vectors = vectors.wv
    if not hasattr(vectors, "index_to_key") or not hasattr(vectors, "vectors"):
        raise TypeError(f"expected WordVectors or gensim's KeyedVectors, got {type(vectors).__name__}")
    return WordVectors(vectors.index_to_key, vectors.vectors, type(vectors).__name__)


def _check_own(pairs: Sequence[Sequence[str]], professions: Mapping[str, Sequence[str]]) -> None:
    for pair in pairs:
        if isinstance(pair, str) or len(pair) != 2:
            raise ValueError(f"expected (female, male) pairs of words, got {pair!r}")
    for concept, forms in professions.items():
        if isinstance(forms, str):
            raise ValueError(f"the forms of {concept!r} are a list of words, got {forms!r}: write [{forms!r}]")


def _counts(vectors: Any) -> dict[str, int] | None:
    """Counts that gensim kept from training; None where it has none.

    Raises
    ------
    ValueError
        If they grow somewhere, so that words near in rank are not of like frequency.
    """
    keyed = getattr(vectors, "wv", vectors)
    if isinstance(vectors, WordVectors) or "count" not in getattr(keyed, "expandos", {}):
        return None
    counts = {word: int(keyed.get_vecattr(word, "count")) for word in keyed.index_to_key}
    if any(later > earlier for earlier, later in itertools.pairwise(counts.values())):
        raise ValueError(
            "the most frequent word must come first, and counts grow along these vectors: train with sorted_vocab=1"
        )
    return counts
