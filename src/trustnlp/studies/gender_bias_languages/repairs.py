"""Repairs of the measurement: another estimate of the direction, grammar taken out, scores that must survive.

Zhou et al. (2019) for grammatical gender; the bootstrap over documents retrains word2vec on each sample.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tqdm.auto import tqdm

from trustnlp.bias.direct_bias import signed_scores
from trustnlp.bias.grammatical_gender import grammatical_direction, without_direction
from trustnlp.bias.pair_directions import Estimate, gender_direction, held_out_margins
from trustnlp.data.corpus_documents import resample_documents
from trustnlp.data.gender_words import word_list
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.gender_bias_languages.kept_trainings import Training, trained
from trustnlp.studies.gender_bias_languages.language_runs import LanguageText
from trustnlp.studies.gender_bias_languages.text_audits import profession_scores


def held_out(text: LanguageText, vectors: WordVectors, estimate: Estimate) -> float:
    """Share of the pairs that a direction made without them orders rightly."""
    margins = held_out_margins(vectors, list(text.pairs().values()), estimate=estimate)
    return float(np.mean([margin > 0 for margin in margins.values()]))


def without_grammar(
    text: LanguageText, vectors: WordVectors, feminine: Sequence[str], masculine: Sequence[str]
) -> dict[str, float]:
    """Distance of feminine from masculine forms, and pairs in order, before and after grammar is taken out.

    The nouns of the lists that are words of the pairs or forms of professions are left aside.
    """
    pairs = [p for p in text.pairs().values() if all(word in vectors for word in p)]
    form = text.words.form
    forms = {
        kind: [
            form(w)
            for p in word_list(text.language).professions
            for w in getattr(p, kind)
            if p.feminine and p.masculine and form(w) in vectors
        ]
        for kind in ("feminine", "masculine")
    }
    own = {word for pair in pairs for word in pair}.union(*forms.values())
    nouns = [{form(word) for word in words} - own for words in (feminine, masculine)]
    both = nouns[0] & nouns[1]
    g = gender_direction(vectors, pairs).g
    grammar = grammatical_direction(vectors, sorted(nouns[0] - both), sorted(nouns[1] - both))
    found = {"overlap": float(g @ grammar)}
    for name, direction in (("before", g), ("after", without_direction(g, grammar))):
        means = [float(signed_scores(vectors, forms[kind], direction).mean()) for kind in ("feminine", "masculine")]
        ordered = [float(np.subtract(*signed_scores(vectors, pair, direction))) > 0 for pair in pairs]
        found |= {f"{name}.forms_apart": means[0] - means[1], f"{name}.pairs_in_order": float(np.mean(ordered))}
    return found


def sign_stability(text: LanguageText, vectors: Sequence[WordVectors]) -> float:
    """Share of the professions, scored in every training, whose score has one sign in all of them."""
    scores = [profession_scores(v, text.pairs(), text.professions()) for v in vectors]
    shared = [c for c in scores[0] if all(c in own for own in scores)]
    signs = np.sign([[own[c] for c in shared] for own in scores])
    return float((np.abs(signs.sum(axis=0)) == len(scores)).mean())


def bootstrap_scores(
    text: LanguageText, training: Training, resamples: int, rng: np.random.Generator
) -> list[dict[str, float]]:
    """Professions' scores on samples of the documents with replacement, trained anew with a seed of their own.

    A sample in which fewer than three pairs are frequent enough is counted as one without scores.
    """
    samples: list[dict[str, float]] = []
    for number in tqdm(range(resamples), desc=f"bootstrap, {text.language}", disable=None, leave=False):
        vectors = trained(resample_documents(text.texts, rng), training, number)
        try:
            samples.append(profession_scores(vectors, text.pairs(), text.professions()))
        except ValueError:
            samples.append({})
    return samples


def spread(samples: Sequence[dict[str, float]]) -> dict[str, float]:
    """Over samples that have scores: share of professions of one sign, median width of the middle 95 %, samples lost.

    Raises
    ------
    ValueError
        Fewer than two samples have scores.
    """
    usable = [own for own in samples if own]
    if len(usable) < 2:
        raise ValueError(f"{len(usable)} of {len(samples)} samples have scores; two are needed for a spread")
    shared = [c for c in usable[0] if all(c in own for own in usable)]
    table: NDArray[np.float64] = np.array([[own[c] for c in shared] for own in usable])
    low, high = np.quantile(table, [0.025, 0.975], axis=0)
    return {
        "same_sign": float((np.abs(np.sign(table).sum(axis=0)) == len(usable)).mean()),
        "median_width": float(np.median(high - low)),
        "lost": float(len(samples) - len(usable)),
    }
