"""Is a student of a teacher of film reviews faithful to it on other text? Tweets to airlines."""

from __future__ import annotations

import numpy as np

from trustnlp.attribution.students.span_predictions import all_correct, predict_words
from trustnlp.data.annotation.english_tags import Words, tokenise
from trustnlp.data.texts.airline_tweets import read_airline_tweets
from trustnlp.studies.moxie.data import Reviews
from trustnlp.studies.moxie.models import Explained
from trustnlp.studies.moxie.reproduction.student_accuracy import teacher_labels

_MOST_WORDS = 40


def accuracies(found: Explained, reviews: Reviews, count: int, profile: str, seed: int) -> dict[str, float]:
    """All-correct accuracies against the teacher in per cent, of the `context` alone and the `student`, and the `gain`.

    Also the share of texts that the teacher calls `positive`. Texts are random tweets of 4 to 40 words, or under
    `smoke` test sentences with their words in random order.
    """
    rng = np.random.default_rng([seed, 14])
    texts = _tweets(count, rng) if profile == "paper" else _shuffled(reviews, count, rng)
    predictions = predict_words(found.teacher, found.student, texts, folder=found.folder)
    labels = teacher_labels(predictions)
    context = 100 * float(all_correct([text.context_labels for text in predictions], labels).mean())
    student = 100 * float(all_correct([text.labels for text in predictions], labels).mean())
    positive = 100 * float((labels == 1).mean())
    return {"context": context, "student": student, "gain": student - context, "positive": positive}


def _tweets(count: int, rng: np.random.Generator) -> list[Words]:
    texts = [words for words in map(tokenise, read_airline_tweets().texts) if 4 <= len(words) <= _MOST_WORDS]
    return [texts[at] for at in np.sort(rng.permutation(len(texts))[:count])]


def _shuffled(reviews: Reviews, count: int, rng: np.random.Generator) -> list[Words]:
    return [tuple(rng.permutation(text.words).tolist()) for text in reviews.tagged["test"][:count]]
