"""Explainers of one teacher on the same short sentences: what they disagree in, how faithful they are, what they cost.

Beyond Kumar, Dixit and Shah (2021), who compare with LIME alone, on the errors of one teacher. And is a student of a
teacher of film reviews faithful to it on tweets to airlines?
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from trustnlp.attribution.deletion_curves import measure_faithfulness
from trustnlp.attribution.masking_budget import supporting_scores
from trustnlp.attribution.students.importance_scores import influence_scores, unlike_ratios
from trustnlp.attribution.students.masked_spans import every_word, masked_pairs
from trustnlp.attribution.students.ridge_student import fit_ridge_student
from trustnlp.attribution.students.span_predictions import all_correct, predict_words
from trustnlp.attribution.word_attributions import attributions_of
from trustnlp.data.annotation.english_tags import TaggedText, Words, treebank_words
from trustnlp.data.texts.airline_tweets import read_airline_tweets
from trustnlp.data.texts.film_reviews import Reviews
from trustnlp.studies.moxie.models import Explained
from trustnlp.studies.moxie.reproduction import teacher_labels

Floats = NDArray[np.float64]
Scores = dict[str, list[Floats]]
# Claims on LIME: more than one sentence of twenty, set before any run.
_LIMIT = 5.0
# Besides LIME's default of 25, and what stands in the place of a word for every method: the teacher's mask.
_NARROW = 10.0
_SHARE_OF_UNIT = 1e-9  # scores nearer than this are of one rank: exact methods differ by rounding alone
METHODS = {
    "occlusion": "occlusion",
    "shapley": "Shapley, exact",
    "lime_exact": "LIME, exact",
    "lime": "LIME, sampled",
    "kernel_shap": "KernelSHAP",
    "gradient_x_input": "gradient × input",
    "integrated_gradients": "integrated gradients",
    "influence": "MOXIE, influence",
    "unlike": "MOXIE, unlike ratio",
    "ridge": "ridge student",
    "random": "random",
}
_MOST_WORDS = 40


def short_texts(reviews: Reviews, count: int, longest: int, seed: int) -> list[TaggedText]:
    """Random test sentences of 4 to `longest` words, all different words."""
    fit = [
        text
        for text in reviews.tagged["test"]
        if 4 <= len(text.words) <= longest and len(set(text.words)) == len(text.words)
    ]
    rng = np.random.default_rng([seed, 8])
    return [fit[at] for at in np.sort(rng.permutation(len(fit))[:count])]


def disagreements(
    found: Explained, texts: Sequence[TaggedText], lime_samples: Sequence[int], seed: int
) -> dict[str, float]:
    """Shares of sentences, in per cent, whose `top` word or `order` of words differs.

    `lime.sN.top` and `.order` between two runs of N samples, `lime.width.…` between kernel widths of 25 and 10 (both
    exact), `definition.A_B.…` between exact occlusion, Shapley values and LIME; `lime.order_differs_margin` and
    `lime.width_differs_margin` are the claims', the first for the largest N.
    """
    sentences = [" ".join(text.words) for text in texts]

    def scores(method: str, **options: Any) -> list[Floats]:
        return [
            np.asarray(one.scores)
            for one in attributions_of(found.teacher, sentences, method=method, removal="mask", **options)
        ]

    result: dict[str, float] = {}
    for samples in lime_samples:
        runs = [scores("lime", samples=samples, generator=np.random.default_rng([seed, 9, run])) for run in range(2)]
        result |= _differing(f"lime.s{samples}", *runs)
    exact = {name: scores(name) for name in ("occlusion", "shapley", "lime_exact")}
    result |= _differing("lime.width", exact["lime_exact"], scores("lime_exact", kernel_width=_NARROW))
    for first, second in (("occlusion", "shapley"), ("occlusion", "lime_exact"), ("shapley", "lime_exact")):
        result |= _differing(f"definition.{first}_{second}", exact[first], exact[second])
    result["lime.order_differs_margin"] = result[f"lime.s{max(lime_samples)}.order"] - _LIMIT
    result["lime.width_differs_margin"] = result["lime.width.order"] - _LIMIT
    return result


def all_scores(
    found: Explained, reviews: Reviews, texts: Sequence[TaggedText], lime_samples: int, steps: int, seed: int
) -> tuple[Scores, dict[str, dict[str, float]]]:
    """Scores of every explainer for the teacher's prediction, and what a sentence costs: `passes` and `seconds`.

    Costs of the students are those of asking them: one pass of the teacher for each masked word, and their encoders.
    """
    words = [text.words for text in texts]
    sentences = [" ".join(own) for own in words]
    labels = found.teacher.predict(sentences)
    scores: Scores = {}
    costs: dict[str, dict[str, float]] = {}
    options: dict[str, dict[str, Any]] = {
        "lime": {"samples": lime_samples, "generator": np.random.default_rng([seed, 10])},
        "kernel_shap": {"samples": lime_samples, "generator": np.random.default_rng([seed, 11])},
        "integrated_gradients": {"steps": steps},
        "random": {"generator": np.random.default_rng([seed, 12])},
    }
    for method in METHODS:
        if method in ("influence", "unlike", "ridge"):
            continue
        started = time.perf_counter()
        results = attributions_of(found.teacher, sentences, method=method, removal="mask", **options.get(method, {}))
        seconds = time.perf_counter() - started
        scores[method] = [np.asarray(one.scores, dtype=np.float64) for one in results]
        costs[method] = {"passes": float(np.mean([one.passes for one in results])), "seconds": seconds / len(texts)}
    return scores | _students(found, reviews, texts, labels, costs), costs


def measured(
    found: Explained,
    texts: Sequence[TaggedText],
    scores: Scores,
    costs: Mapping[str, Mapping[str, float]],
    random_sets: int,
    seed: int,
) -> dict[str, dict[str, float]]:
    """Explainer → its measures, means over the sentences (`trustnlp.attribution.deletion_curves`), and its costs."""
    results = measure_faithfulness(
        found.teacher.probabilities,
        [text.words for text in texts],
        scores,
        mask=found.teacher.mask,
        sets=random_sets,
        rng=np.random.default_rng([seed, 13]),
    )
    return {
        name: {
            "deletion": float(np.mean([one.deletion_area for one in own])),
            "insertion": float(np.mean([one.insertion_area for one in own])),
            "occlusion": float(np.mean([np.nan_to_num(one.occlusion_correlation) for one in own])),
            "infidelity": float(np.mean([one.scaled_infidelity for one in own])),
            "cost.passes": costs[name]["passes"],
            "cost.seconds": costs[name]["seconds"],
        }
        for name, own in results.items()
    }


def _students(
    found: Explained,
    reviews: Reviews,
    texts: Sequence[TaggedText],
    labels: NDArray[np.int64],
    costs: dict[str, dict[str, float]],
) -> Scores:
    words = [text.words for text in texts]
    edges = np.cumsum([len(own) for own in words])[:-1]
    dev = every_word([text.words for text in reviews.tagged["dev"][:50]])
    ridge = fit_ridge_student(found.teacher, found.pairs, masked_pairs(found.teacher, dev, folder=found.folder))
    dictionary = {tag: found.student.tokens(own) for tag, own in reviews.vocabulary.items() if own}
    passes = float(np.mean([len(own) + 1 for own in words]))
    scores: Scores = {}
    for name, student in (("influence", found.student), ("ridge", ridge)):
        started = time.perf_counter()
        predicted = predict_words(found.teacher, student, words)
        costs[name] = {"passes": passes, "seconds": (time.perf_counter() - started) / len(texts)}
        given = [influence_scores(found.teacher, text.influence) for text in predicted]
        scores[name] = supporting_scores(given, labels)
    started = time.perf_counter()
    pairs = masked_pairs(found.teacher, every_word(words))
    tags = [tag for text in texts for tag in text.tags]
    ratios = unlike_ratios(found.teacher, found.student, pairs, tags, dictionary, residual_to="masked")
    costs["unlike"] = {"passes": passes, "seconds": (time.perf_counter() - started) / len(texts)}
    scores["unlike"] = np.split(np.nan_to_num(ratios), edges)
    return scores


def _differing(key: str, first: Sequence[Floats], second: Sequence[Floats]) -> dict[str, float]:
    """Shares of sentences, in per cent, with another top word and with another order of words."""
    tops, orders = [], []
    for one, other in zip(first, second, strict=True):
        tops.append(np.abs(one).argmax() != np.abs(other).argmax())
        orders.append(not np.array_equal(_ranks(one), _ranks(other)))
    return {f"{key}.top": 100 * float(np.mean(tops)), f"{key}.order": 100 * float(np.mean(orders))}


def _ranks(scores: Floats) -> Floats:
    unit = max(float(np.abs(scores).max()), np.finfo(float).tiny) * _SHARE_OF_UNIT
    ranks: Floats = rankdata(np.round(scores / unit))
    return ranks


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
    texts = [words for words in map(treebank_words, read_airline_tweets().texts) if 4 <= len(words) <= _MOST_WORDS]
    return [texts[at] for at in np.sort(rng.permutation(len(texts))[:count])]


def _shuffled(reviews: Reviews, count: int, rng: np.random.Generator) -> list[Words]:
    return [tuple(rng.permutation(text.words).tolist()) for text in reviews.tagged["test"][:count]]
