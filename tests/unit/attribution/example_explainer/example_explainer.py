"""A third party's explainer: what a mask in the place of each word takes from the probability of the label."""

import numpy as np


def masked_words(model, texts, *, label=None, rng):
    """One score a word, for each text."""
    return [_scores(model, text.split(" "), label) for text in texts]


def _scores(model, words, label):
    masked = [[*words[:at], model.mask, *words[at + 1 :]] for at in range(len(words))]
    answers = np.asarray(model.probabilities([" ".join(row) for row in [words, *masked]]))
    explained = answers[0].argmax() if label is None else label
    return answers[0, explained] - answers[1:, explained]
