"""Every measure of bias asked in the same way: one score for each invented word, positive towards the male words.

Beside it stand the numbers that some measures print for whole sets, which have no direction; and MOXIE's probes, which
ask a classifier of the text in place of its vectors.
"""

from __future__ import annotations

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from trustnlp.attribution.students.bias_probes import biased_set
from trustnlp.attribution.students.masked_spans import MaskedSpan
from trustnlp.attribution.word_replacements import ExactReplacements, replacement_probabilities
from trustnlp.bias import battery
from trustnlp.bias.association_tests.word_set_scores import (
    embedding_coherence,
    relational_inner_product,
    relative_negative_sentiment,
    relative_norm_distance,
)
from trustnlp.bias.gender_direction.direct_bias import mean_direct_bias, signed_scores
from trustnlp.bias.gender_direction.pair_directions import ESTIMATES, gender_direction
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.across.planted_bias.plant import FEMALE, MALE, Plant, X, Y, carriers_of


def word_scores(vectors: WordVectors) -> dict[str, list[float]]:
    """Measure → the scores of X, then of Y, positive towards the male words (those of `eq2` have no direction)."""
    targets = X + Y
    scores = {
        f"weat_{found.measure}_{found.statistic}": found.scores.tolist()
        for found in battery(vectors, [(X, Y, MALE, FEMALE)])
    }
    signed = {
        "ripa": (1, relational_inner_product(vectors, MALE, FEMALE, targets).by_word),
        "ect": (1, embedding_coherence(vectors, MALE, FEMALE, targets).by_word),
        "rnd": (-1, relative_norm_distance(vectors, MALE, FEMALE, targets).by_word),
        "rnsb": (-1, relative_negative_sentiment(vectors, [X, Y], MALE, FEMALE).by_word),
    }
    scores |= {name: [sign * by_word[word] for word in targets] for name, (sign, by_word) in signed.items()}
    scores["rnsb"] = [0.5 + score for score in scores["rnsb"]]
    for estimate in ESTIMATES:
        g = gender_direction(vectors, zip(FEMALE, MALE, strict=True), estimate=estimate).g
        scores[f"direction_{estimate.replace(' ', '_')}"] = (-signed_scores(vectors, targets, g)).tolist()
    return scores


def own_numbers(vectors: WordVectors) -> dict[str, float]:
    """Numbers that measures print for whole sets, larger for more bias, without a direction."""
    g = gender_direction(vectors, zip(FEMALE, MALE, strict=True)).g
    return {
        "ect_own": 1 - embedding_coherence(vectors, MALE, FEMALE, X + Y).score,
        "rnsb_own": relative_negative_sentiment(vectors, [X, Y], MALE, FEMALE).score,
        "direct_bias": mean_direct_bias(signed_scores(vectors, X + Y, g)),
    }


def probed(plant: Plant, dose: int, contexts: int) -> tuple[list[float], float]:
    """MOXIE's probes on a classifier that learned, from the same text, which gender stood in a sentence.

    The classifier is a logistic regression on the words beside the gendered one, which is left out. The probes are put
    into sentences of the text around, in the place of a word near a gendered one.

    Returns
    -------
    The mean probability of "male" with each invented word, less a half; and in which share of the sentences a word of X
    says "male" and its counterpart of Y "female", less the share the other way round.
    """
    planted = [
        (MaskedSpan(carrier.words, carrier.host, carrier.host + 1).replaced(target), carrier, side)
        for target, carrier, side in plant.copies(dose)
    ]
    around = carriers_of(plant.background)
    rows = [*planted, *((carrier.words, carrier, int(carrier.words[carrier.at] in FEMALE)) for carrier in around)]
    texts = [" ".join(word for place, word in enumerate(words) if place != carrier.at) for words, carrier, _ in rows]
    bags = CountVectorizer(token_pattern=r"\S+", binary=True)
    learned = LogisticRegression(max_iter=1000).fit(bags.fit_transform(texts), [1 - side for _, _, side in rows])
    spans = [
        MaskedSpan(tuple(w for p, w in enumerate(c.words) if p != c.at), host, host + 1)
        for c in around[:contexts]
        for host in [c.host - (c.host > c.at)]
    ]
    model = ExactReplacements(lambda asked: learned.predict_proba(bags.transform(asked)), spans)
    every = np.arange(len(spans))
    male = replacement_probabilities(model, every, X + Y)[:, :, 1].mean(axis=0) - 0.5
    turned = [
        biased_set(model, every, x, y).share - biased_set(model, every, y, x).share for x, y in zip(X, Y, strict=True)
    ]
    return male.tolist(), float(np.mean(turned))
