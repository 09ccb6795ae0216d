"""Repairs: another estimate of the direction, grammar taken out, scores that survive.

Zhou et al. (2019) for grammatical gender. The bootstrap over documents retrains word2vec on each sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from trustnlp.bias.gender_direction.direct_bias import profession_bias, signed_scores
from trustnlp.bias.gender_direction.grammatical_gender import grammatical_direction, without_direction
from trustnlp.bias.gender_direction.pair_directions import (
    ESTIMATES,
    FEWEST_PAIRS,
    gender_direction,
    held_out_margins,
    share_in_order,
    usable_pairs,
)
from trustnlp.data.texts.corpus_documents import resample_documents
from trustnlp.data.words.gender_words import word_list
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.gender_bias_languages.data import LanguageText
from trustnlp.studies.gender_bias_languages.models import Training, trained


def held_out(text: LanguageText, vectors: Sequence[WordVectors]) -> dict[str, list[float]]:
    """Estimate → for each training, the share of the pairs that a direction made without them orders rightly.

    None where a training knows fewer than four distinct pairs, so that fewer than three are left without one.
    """
    pairs = list(text.pairs().values())
    if any(len(usable_pairs(own, set(pairs))) <= FEWEST_PAIRS for own in vectors):
        return {}
    return {
        estimate: [share_in_order(held_out_margins(own, pairs, estimate=estimate)) for own in vectors]
        for estimate in ESTIMATES
    }


def without_grammar(
    text: LanguageText, vectors: WordVectors, feminine: Sequence[str], masculine: Sequence[str]
) -> dict[str, float]:
    """Distance of feminine from masculine forms, and pairs in order, before and after grammar is taken out.

    The nouns of the lists that are words of the pairs or forms of professions are left aside.
    """
    pairs = usable_pairs(vectors, text.pairs().values())
    form = text.words.form
    both_forms = [p for p in word_list(text.language).professions if p.feminine and p.masculine]
    forms = [
        [form(word) for p in both_forms for word in getattr(p, kind) if form(word) in vectors]
        for kind in ("feminine", "masculine")
    ]
    own = {word for pair in pairs for word in pair}.union(*forms)
    women, men = ({form(word) for word in words} - own for words in (feminine, masculine))
    g = gender_direction(vectors, pairs).g
    grammar = grammatical_direction(vectors, sorted(women - men), sorted(men - women))
    numbers: dict[str, float] = {}
    for name, direction in (("before", g), ("after", without_direction(g, grammar))):
        means = [float(signed_scores(vectors, words, direction).mean()) for words in forms]
        ordered = [float(np.subtract(*signed_scores(vectors, pair, direction))) > 0 for pair in pairs]
        numbers |= {f"{name}.forms_apart": means[0] - means[1], f"{name}.pairs_in_order": float(np.mean(ordered))}
    return numbers


@dataclass(frozen=True)
class BootstrapSample:
    """One sample of the documents, trained and measured.

    Attributes
    ----------
    professions
        Concept → weighted score.
    husband
        Score of the word; None where it or *wife* is too rare.
    distinct
        How many different documents the sample holds.
    """

    professions: dict[str, float]
    husband: float | None
    distinct: int


def bootstrap_sample(text: LanguageText, training: Training, number: int) -> BootstrapSample:
    """Documents drawn with replacement, trained anew.

    The number decides what is drawn and the seed of the training.

    Raises
    ------
    ValueError
        If the text has too few documents (`resample_documents`), or fewer than three pairs are frequent enough.
    """
    drawn = resample_documents(text.texts, np.random.default_rng([number, len(text.texts)]))
    sample = replace(text, texts=drawn.texts)
    vectors = trained(sample.texts, training, number)
    pairs = sample.pairs()
    g = gender_direction(vectors, pairs.values()).g
    biases = [profession_bias(vectors, c, forms, g, sample.counts) for c, forms in sample.professions().items()]
    couple = pairs["wife-husband"]
    return BootstrapSample(
        {bias.concept: bias.weighted for bias in biases if bias is not None},
        float(signed_scores(vectors, couple, g)[1]) if all(word in vectors for word in couple) else None,
        drawn.distinct,
    )


def same_sign(scores: Sequence[Mapping[str, float]]) -> float:
    """Share of the professions, scored in every training, whose score has one sign in all of them."""
    signs = np.sign(pd.DataFrame(scores).dropna(axis=1))
    return float((signs.sum().abs() == len(signs)).mean())
