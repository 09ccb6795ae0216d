"""Controls: text without word order, the pair that rules a direction, other word lists, other writing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from trustnlp.bias.gender_direction.direct_bias import profession_bias, signed_scores
from trustnlp.bias.gender_direction.pair_directions import FEWEST_PAIRS, gender_direction, usable_pairs
from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.texts.corpus_documents import Sentences, draw_documents
from trustnlp.data.words.gender_words import State
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.gender_bias_languages.data import LanguageText
from trustnlp.studies.gender_bias_languages.models import Training, trained
from trustnlp.studies.gender_bias_languages.reproduction.one_language import measured
from trustnlp.studies.gender_bias_languages.standins import shuffled


def real_and_shuffled(text: LanguageText, training: Training, seed: int, draws: int) -> dict[str, float]:
    """First share, DirectBias with its floors, and held-out pairs: of the text, and of its words in random order."""
    rng = np.random.default_rng(seed)
    numbers: dict[str, float] = {}
    for first, texts in (("", text.texts), ("shuffled.", shuffled(text.texts, rng))):
        bias = measured(text, trained(texts, training, seed), rng=rng, draws=draws)
        numbers |= {f"{first}first_share": float(bias.direction.shares[0]), f"{first}direct_bias": bias.direct_bias}
        if bias.held_out_right is not None:
            numbers[f"{first}held_out_right"] = bias.held_out_right
        if not first:
            numbers |= {f"floor.{name}": value for name, value in bias.floors.items()}
    return numbers


def turns(text: LanguageText, training: Training, seed: int) -> dict[str, float]:
    """Concept → cosine of the direction with the one made without its pair.

    A pair that two concepts share is left out twice. Concepts without vectors are left out.
    """
    vectors = trained(text.texts, training, seed)
    pairs = {c: p for c, p in text.pairs().items() if all(word in vectors for word in p)}
    whole = gender_direction(vectors, pairs.values()).g
    others = {concept: [other for other in pairs.values() if other != pair] for concept, pair in pairs.items()}
    return {c: float(whole @ gender_direction(vectors, rest, fewest=1).g) for c, rest in others.items()}


def profession_scores(text: LanguageText, vectors: WordVectors, state: State = "repaired") -> dict[str, float]:
    """Concept → equal-weighted score along the direction of the pairs; professions without a vector are left out."""
    g = gender_direction(vectors, text.pairs(state).values()).g
    biases = {concept: profession_bias(vectors, concept, forms, g) for concept, forms in text.professions().items()}
    return {concept: bias.equal for concept, bias in biases.items() if bias is not None}


def agreement(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """Pearson correlation over the concepts that both have."""
    shared = [concept for concept in first if concept in second]
    return float(np.corrcoef([first[c] for c in shared], [second[c] for c in shared])[0, 1])


def agreement_of_choices(
    text: LanguageText, others: Mapping[str, LanguageText], training: Training, seeds: Sequence[int]
) -> dict[str, list[float]]:
    """Agreement of professions' scores, seed by seed, with those of each choice that could have been another.

    Parameters
    ----------
    others
        Name of a choice → the language's text under it.

    Returns
    -------
    `reconciled`, of the other list of pairs; `seeds`, of each seed with the next; and the choices in `others`.
    """

    def scores(chosen: LanguageText, state: State = "repaired") -> list[dict[str, float]]:
        return [profession_scores(chosen, trained(chosen.texts, training, seed), state) for seed in seeds]

    first = scores(text)
    choices = {"reconciled": scores(text, "reconciled"), "seeds": [*first[1:], first[0]]}
    choices |= {name: scores(other) for name, other in others.items()}
    return {name: [agreement(a, b) for a, b in zip(first, second, strict=True)] for name, second in choices.items()}


def without_homographs(text: LanguageText, training: Training, seed: int) -> dict[str, float]:
    """The gender direction of all pairs beside that without pairs of which a word has a second meaning.

    Returns
    -------
    Under the first names `all` and `single`, where three or more distinct pairs are left, `husband`, the score of this
    word; and `cosine` of the two directions.
    """
    vectors = trained(text.texts, training, seed)
    husband = text.pairs()["wife-husband"][1]
    directions = {}
    for name, homographs in (("all", True), ("single", False)):
        known = usable_pairs(vectors, text.pairs(homographs=homographs).values())
        if len(set(known)) >= FEWEST_PAIRS:
            directions[name] = gender_direction(vectors, known).g
    numbers = {
        f"{name}.husband": float(signed_scores(vectors, [husband], g)[0])
        for name, g in directions.items()
        if husband in vectors
    }
    return numbers | ({"cosine": float(directions["all"] @ directions["single"])} if len(directions) == 2 else {})


def hamza_folded(text: LanguageText) -> LanguageText:
    """The Arabic text without hamza, in which father is August as well."""
    words = LanguageWords("ar", fold_hamza=True)
    written = {word: words.form(word) for word in text.counts}
    folded = [[[written[word] for word in sentence] for sentence in document] for document in text.texts]
    return replace(text, texts=folded, words=words)


def mixed_with(text: LanguageText, other: Sequence[Sentences], share: float, rng: np.random.Generator) -> LanguageText:
    """A text of the same size of which a share comes from other documents, whole ones drawn at random."""
    new = draw_documents(other, round(share * text.tokens), rng)
    return replace(text, texts=draw_documents(text.texts, round((1 - share) * text.tokens), rng) + new)
