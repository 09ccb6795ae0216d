"""Controls: text without word order, the pair that rules a direction, other word lists, other writing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from trustnlp.bias.gender_direction.direct_bias import profession_bias, signed_scores
from trustnlp.bias.gender_direction.pair_directions import (
    FEWEST_PAIRS,
    Pair,
    gender_direction,
    held_out_margins,
    share_in_order,
    usable_pairs,
)
from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.texts.corpus_documents import Sentences, draw_documents
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.gender_bias_languages.data import LanguageText
from trustnlp.studies.gender_bias_languages.models import Training, trained
from trustnlp.studies.gender_bias_languages.reproduction.one_language import measured
from trustnlp.studies.gender_bias_languages.standins import shuffled


def real_and_shuffled(text: LanguageText, training: Training, seed: int, draws: int) -> dict[str, float]:
    """First share, DirectBias with its floors, and held-out pairs: of the text, and of its words in random order."""
    rng = np.random.default_rng(seed)
    found: dict[str, float] = {}
    for first, texts in (("", text.texts), ("shuffled.", shuffled(text.texts, rng))):
        bias = measured(text, trained(texts, training, seed), rng=rng, draws=draws)
        found |= {
            f"{first}first_share": float(bias.direction.shares[0]),
            f"{first}p_random": bias.p_random,
            f"{first}direct_bias": bias.direct_bias,
        }
        if bias.held_out_right is not None:
            found[f"{first}held_out_right"] = bias.held_out_right
        if not first:
            found |= {f"floor.{name}": value for name, value in bias.floors.items()}
    return found


def turns(text: LanguageText, training: Training, seeds: Sequence[int]) -> dict[str, list[float]]:
    """Concept → cosine of the direction with the one made without its pair, for each seed.

    A pair that two concepts share is left out twice. Concepts without vectors are left out.
    """
    found: dict[str, list[float]] = {}
    for seed in seeds:
        vectors = trained(text.texts, training, seed)
        pairs = {c: p for c, p in text.pairs().items() if all(word in vectors for word in p)}
        whole = gender_direction(vectors, pairs.values())
        for concept, pair in pairs.items():
            rest = [other for other in pairs.values() if other != pair]
            found.setdefault(concept, []).append(float(whole.g @ gender_direction(vectors, rest, fewest=1).g))
    return {concept: values for concept, values in found.items() if len(values) == len(seeds)}


def profession_scores(
    vectors: WordVectors, pairs: Iterable[Pair], professions: Mapping[str, Sequence[str]]
) -> dict[str, float]:
    """Concept → equal-weighted score with the direction of the pairs."""
    return scores_along(vectors, gender_direction(vectors, pairs).g, professions)


def scores_along(
    vectors: WordVectors, g: NDArray[np.float64], professions: Mapping[str, Sequence[str]]
) -> dict[str, float]:
    """Concept → equal-weighted score along a direction `(d,)`; professions without a vector are left out."""
    scores = {concept: profession_bias(vectors, concept, forms, g) for concept, forms in professions.items()}
    return {concept: bias.equal for concept, bias in scores.items() if bias is not None}


def agreement(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """Pearson correlation over the concepts that both have.

    Raises
    ------
    ValueError
        If they share fewer than three.
    """
    shared = [concept for concept in first if concept in second]
    if len(shared) < 3:
        raise ValueError(f"a correlation needs three professions or more, got {len(shared)}")
    return float(np.corrcoef([first[c] for c in shared], [second[c] for c in shared])[0, 1])


def list_and_seed_agreement(text: LanguageText, training: Training, seeds: Sequence[int]) -> dict[str, list[float]]:
    """Agreement of professions' scores: of the repaired with the reconciled list, and of one seed with the next."""
    trainings = [trained(text.texts, training, seed) for seed in seeds]
    professions = text.professions()
    repaired = [profession_scores(vectors, text.pairs().values(), professions) for vectors in trainings]
    reconciled = [profession_scores(vectors, text.pairs("reconciled").values(), professions) for vectors in trainings]
    turned = [*repaired[1:], repaired[0]]
    return {
        "reconciled": [agreement(a, b) for a, b in zip(repaired, reconciled, strict=True)],
        "seeds": [agreement(a, b) for a, b in zip(repaired, turned, strict=True)],
    }


def written_otherwise(text: LanguageText, other: LanguageText, training: Training, seeds: Sequence[int]) -> list[float]:
    """Agreement of professions' scores on two texts of a language, seed by seed."""
    return [
        agreement(
            *(
                profession_scores(trained(x.texts, training, s), x.pairs().values(), x.professions())
                for x in (text, other)
            )
        )
        for s in seeds
    ]


def without_homographs(text: LanguageText, training: Training, seeds: Sequence[int]) -> list[dict[str, float]]:
    """For each seed, what a direction is with all pairs and without those of which a word has a second meaning.

    Returns
    -------
    Under the first names `all` and `single`: `pairs`; where three or more distinct ones are left `first_share` and
    `husband`, the score of this word, with more than three `held_out_right`. `cosine` of the two directions, and
    `agreement` of the professions' scores (with all forms, and without those that have a second meaning).
    """
    return [_without_homographs(text, trained(text.texts, training, seed)) for seed in seeds]


def _without_homographs(text: LanguageText, vectors: WordVectors) -> dict[str, float]:
    found: dict[str, float] = {}
    directions, scores = [], []
    for name, homographs in (("all", True), ("single", False)):
        known = usable_pairs(vectors, text.pairs(homographs=homographs).values())
        distinct = list(dict.fromkeys(known))
        found[f"{name}.pairs"] = float(len(distinct))
        if len(distinct) < FEWEST_PAIRS:
            continue
        direction = gender_direction(vectors, known)
        directions.append(direction.g)
        scores.append(scores_along(vectors, direction.g, text.professions(homographs=homographs)))
        found[f"{name}.first_share"] = float(direction.shares[0])
        if len(distinct) > FEWEST_PAIRS:
            found[f"{name}.held_out_right"] = share_in_order(held_out_margins(vectors, distinct))
        husband = text.pairs()["wife-husband"][1]
        if husband in vectors:
            found[f"{name}.husband"] = float(signed_scores(vectors, [husband], direction.g)[0])
    if len(directions) == 2:
        found["cosine"] = float(directions[0] @ directions[1])
        if len(scores[0].keys() & scores[1].keys()) > 2:
            found["agreement"] = agreement(*scores)
    return found


def hamza_folded(text: LanguageText) -> LanguageText:
    """The Arabic text without hamza, in which father is August as well."""
    words = LanguageWords("ar", fold_hamza=True)
    written = {word: words.form(word) for word in text.counts}
    folded = [[[written[word] for word in sentence] for sentence in document] for document in text.texts]
    return replace(text, texts=folded, words=words)


def mixed_with(text: LanguageText, other: Sequence[Sentences], share: float, rng: np.random.Generator) -> LanguageText:
    """A text of the same size of which a share comes from other documents, whole ones drawn at random.

    Raises
    ------
    ValueError
        If the share is not between 0 and 1, or the other documents hold too few words.
    """
    if not 0 < share < 1:
        raise ValueError(f"expected a share between 0 and 1, got {share}")
    new = draw_documents(other, round(share * text.tokens), rng)
    return text.with_texts(draw_documents(text.texts, round((1 - share) * text.tokens), rng) + new)
