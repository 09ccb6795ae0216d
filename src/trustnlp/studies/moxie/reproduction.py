"""How well students, and what they are compared with, predict their teacher: Tables 2 and 7, and length.

Kumar, Dixit and Shah (2021), §4.2: a sentence counts as predicted if the prediction is right whichever of its words is
masked. If words failed independently and equally often, a sentence of n words would count with the probability pⁿ, p
being the accuracy per word. Where one or two words decide a sentence, these fail and no others. Which it is shows in
how all-correct accuracy changes with length.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.attribution.students.influence_student import InfluenceStudent
from trustnlp.attribution.students.masked_spans import every_word, masked_pairs
from trustnlp.attribution.students.ridge_student import fit_ridge_student
from trustnlp.attribution.students.span_predictions import (
    SpanPredictions,
    Student,
    all_correct,
    by_text,
    predict_spans,
    predict_words,
)
from trustnlp.data.texts.film_reviews import Reviews
from trustnlp.evaluation.intervals import t_interval
from trustnlp.studies.moxie.models import Explained

# Longest sentences of each row of the figure, in words.
LENGTHS = (8, 12, 16, 20, 25, 30, 100)
Floats = NDArray[np.float64]
_WEIGHTS_AT_ONCE = 1 << 22


def measure(found: Explained, reviews: Reviews, texts: int) -> dict[str, float]:
    """Accuracies of one teacher and its student in per cent, on up to `texts` sentences of test and of dev.

    For each part `PART.context`, `.ridge` and `.student` (all correct, against the teacher), `.gain`, student less
    context, `.context_above_chance`, less the share of the teacher's commoner answer, `.word_student` over single
    words, `.teacher` and `.student_gold` against gold labels, `.gold_above_chance`; on test
    `length.KIND.upN` by number of words, and `length.power.upN`, what independent words would give.
    """
    started = time.perf_counter()
    words = {part: [text.words for text in reviews.tagged[part][:texts]] for part in ("dev", "test")}
    pairs = {part: masked_pairs(found.teacher, every_word(own), folder=found.folder) for part, own in words.items()}
    students: dict[str, Student] = {
        "ridge": fit_ridge_student(found.teacher, found.pairs, pairs["dev"]),
        "student": found.student,
    }
    result: dict[str, float] = {}
    for part, own in words.items():
        gold = reviews.sst2.splits[part].labels[: len(own)]
        predictions = {
            name: by_text(predict_spans(found.teacher, student, pairs[part]), own) for name, student in students.items()
        }
        result |= {f"{part}.{key}": value for key, value in _accuracies(predictions, gold).items()}
        if part == "test":
            result |= _by_length(predictions)
    return result | {"seconds.evaluation": time.perf_counter() - started}


def on_dev(found: Explained, student: InfluenceStudent, reviews: Reviews, texts: int) -> float:
    """All-correct accuracy of another student of the same teacher on up to `texts` dev sentences, in per cent."""
    words = [text.words for text in reviews.tagged["dev"][:texts]]
    predictions = predict_words(found.teacher, student, words, folder=found.folder)
    return _percent(all_correct([text.labels for text in predictions], teacher_labels(predictions)))


def within(differences: ArrayLike, limit: float) -> tuple[float, tuple[float, float]]:
    """`limit` less the magnitude of a mean difference, with the interval that follows from the difference's own.

    Above 0 as a whole where the difference's interval lies within ±limit.
    """
    values = np.asarray(differences, dtype=np.float64)
    mean = float(values.mean())
    low, high = (mean, mean) if len(values) < 2 else t_interval(values)
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return limit - abs(mean), (limit - max(abs(low), abs(high)), limit - nearest)


def teacher_labels(predictions: Sequence[SpanPredictions]) -> NDArray[np.int64]:
    """The teacher's label of each text as a whole, `(n,)`."""
    return np.array([text.teacher_labels[0] for text in predictions], dtype=np.int64)


def _accuracies(predictions: Mapping[str, Sequence[SpanPredictions]], gold: NDArray[np.int64]) -> dict[str, float]:
    texts = predictions["student"]
    teacher = teacher_labels(texts)
    right = {name: all_correct([text.labels for text in found], teacher) for name, found in predictions.items()}
    right["context"] = all_correct([text.context_labels for text in texts], teacher)
    result = {name: _percent(values) for name, values in right.items()}
    words = np.concatenate([text.labels == text.teacher_labels for text in texts])
    against_gold = _percent(all_correct([text.labels for text in texts], gold))
    return result | {
        "gain": result["student"] - result["context"],
        "gain_over_ridge": result["student"] - result["ridge"],
        "context_above_chance": result["context"] - _commoner(teacher),
        "word_student": _percent(words),
        "teacher": _percent(teacher == gold),
        "student_gold": against_gold,
        "gold_above_chance": against_gold - _commoner(gold),
    }


def _by_length(predictions: Mapping[str, Sequence[SpanPredictions]]) -> dict[str, float]:
    kinds = {name: [text.labels == text.teacher_labels for text in found] for name, found in predictions.items()}
    kinds["context"] = [text.context_labels == text.teacher_labels for text in predictions["student"]]
    result = {}
    for name, right in kinds.items():
        for row in by_length(right, LENGTHS):
            end = next(length for length in LENGTHS if length >= row.longest)
            result[f"length.{name}.up{end}"] = row.all_correct
            if name == "student":
                result[f"length.power.up{end}"] = row.power
    return result


def _commoner(labels: NDArray[np.int64]) -> float:
    return 100 * float(np.bincount(labels).max() / len(labels))


def _percent(right: NDArray[np.bool_]) -> float:
    return 100 * float(np.mean(right))


@dataclass(frozen=True)
class LengthRow:
    """Sentences of some lengths and one predicted class.

    Attributes
    ----------
    shortest, longest
        Length of the shortest and of the longest of them, in words.
    label
        Predicted class; None for all.
    sentences
        How many.
    per_word, all_correct
        Accuracies in per cent: over their words, and over the sentences.
    power
        What all-correct accuracy would be if words failed independently: mean of pⁿ in per cent, with p the accuracy
        per word over *all* sentences of that class, or of all classes, whatever their length.
    """

    shortest: int
    longest: int
    label: int | None
    sentences: int
    per_word: float
    all_correct: float
    power: float


@dataclass(frozen=True)
class LengthTrend:
    """How all-correct accuracy changes with length, in points for one word more (least squares over sentences).

    Attributes
    ----------
    slope, power_slope
        Of what was observed, and of pⁿ for the same sentences.
    difference
        `slope − power_slope`; above 0 where it falls less than the power.
    share
        `slope / power_slope`: 1 where it falls as the power does, 0 where it does not fall.
    slope_interval, power_slope_interval, difference_interval, share_interval
        Over sentences drawn with replacement, p estimated anew each time.
    """

    slope: float
    power_slope: float
    difference: float
    share: float
    slope_interval: tuple[float, float]
    power_slope_interval: tuple[float, float]
    difference_interval: tuple[float, float]
    share_interval: tuple[float, float]

    @property
    def falls_as_the_power(self) -> bool:
        """Whether the interval of the difference holds 0: nothing speaks against independent words."""
        return self.difference_interval[0] <= 0 <= self.difference_interval[1]


def by_length(
    right: Sequence[ArrayLike], longest: Sequence[int], predicted: ArrayLike | None = None
) -> list[LengthRow]:
    """All-correct accuracy by length: rows for all classes, then for each predicted class.

    Parameters
    ----------
    right
        For each sentence `(n_words,)` whether the prediction with that word masked is right.
    longest
        Largest length of each row but the last, ascending; the last row holds what is longer. `[8, 16]` makes three.
    predicted
        `(n,)` class of each sentence as a whole; None for no rows by class.

    Returns
    -------
    list of LengthRow
        Without rows that no sentence is in.

    Raises
    ------
    ValueError
        If there are no sentences, one without words, values other than true and false, lengths that do not ascend, or
        not one class a sentence.
    """
    lengths, hits = _counted(right)
    ends = list(longest)
    if any(end < 1 for end in ends) or any(a >= b for a, b in pairwise(ends)):
        raise ValueError(f"the longest lengths of the rows ascend from 1 or more, got {ends}")
    groups: list[tuple[int | None, NDArray[np.bool_]]] = [(None, np.ones(len(lengths), dtype=np.bool_))]
    if predicted is not None:
        classes = np.asarray(predicted)
        if classes.shape != lengths.shape:
            raise ValueError(f"{len(lengths)} sentences need as many predicted classes, got shape {classes.shape}")
        groups += [(int(label), classes == label) for label in np.unique(classes)]
    rows = []
    for label, members in groups:
        p = hits[members].sum() / lengths[members].sum()
        for start, end in zip([1, *(end + 1 for end in ends)], [*ends, int(max(lengths.max(), *ends, 1))], strict=True):
            inside = members & (lengths >= start) & (lengths <= end)
            if inside.any():
                rows.append(_row(lengths[inside], hits[inside], label, p))
    return rows


def length_trend(
    right: Sequence[ArrayLike], *, rng: np.random.Generator, level: float = 0.95, resamples: int = 10_000
) -> LengthTrend:
    """Does all-correct accuracy fall with length as the power of the accuracy per word would?

    Parameters
    ----------
    right
        As for `by_length`.
    rng, level, resamples
        Source of the draws, coverage aimed at, and how many samples of sentences the intervals are read from.

    Raises
    ------
    ValueError
        If `by_length` would raise it; all sentences of one length; every word right, or none, so that the power does
        not fall; a level outside (0, 1), or no resample.
    """
    lengths, hits = _counted(right)
    if not 0 < level < 1 or resamples < 1:
        raise ValueError(f"expected a level between 0 and 1 and at least one resample, got {level} and {resamples}")
    values, member = np.unique(lengths, return_inverse=True)
    if len(values) < 2:
        raise ValueError(f"all {len(lengths)} sentences have {values[0]} words; a trend needs different lengths")
    if hits.sum() in (0, lengths.sum()):
        raise ValueError("all predictions are right, or all wrong: there is no power of an accuracy to compare with")
    # What a sample of sentences is for the slopes: for each length, its sentences, those all correct, and words right.
    table = np.zeros((len(lengths), 3 * len(values)))
    for column, of_sentence in enumerate((np.ones(len(lengths)), hits == lengths, hits)):
        table[np.arange(len(lengths)), 3 * member + column] = of_sentence
    point = _slopes(values, table.sum(axis=0)[None])[0]
    drawn = np.empty((resamples, 2))
    block = max(1, _WEIGHTS_AT_ONCE // len(lengths))
    for start in range(0, resamples, block):
        even = np.full(len(lengths), 1 / len(lengths))
        weights = rng.multinomial(len(lengths), even, size=min(block, resamples - start))
        drawn[start : start + len(weights)] = _slopes(values, weights @ table)
    drawn = drawn[np.isfinite(drawn).all(axis=1) & (drawn[:, 1] != 0)]
    if not len(drawn):
        raise ValueError("no sample of these sentences has two lengths and an error; give more sentences")
    statistics = np.column_stack([drawn, drawn[:, 0] - drawn[:, 1], drawn[:, 0] / drawn[:, 1]])
    ends = np.quantile(statistics, [(1 - level) / 2, (1 + level) / 2], axis=0).T.tolist()
    slope, power = (float(value) for value in point)
    return LengthTrend(slope, power, slope - power, slope / power, *(tuple(pair) for pair in ends))


def _counted(right: Sequence[ArrayLike]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lengths, and numbers of words that are right, `(n,)` each."""
    sentences = [np.asarray(found) for found in right]
    if not sentences:
        raise ValueError("expected at least one sentence")
    for number, found in enumerate(sentences):
        if found.ndim != 1 or not len(found) or found.dtype != np.bool_:
            raise ValueError(
                f"sentence {number} has an array of shape {found.shape} and type {found.dtype}; expected true or false "
                "for each of its words"
            )
    lengths = np.array([len(found) for found in sentences], dtype=np.int64)
    return lengths, np.array([int(found.sum()) for found in sentences], dtype=np.int64)


def _row(lengths: NDArray[np.int64], hits: NDArray[np.int64], label: int | None, p: float) -> LengthRow:
    return LengthRow(
        shortest=int(lengths.min()),
        longest=int(lengths.max()),
        label=label,
        sentences=len(lengths),
        per_word=float(100 * hits.sum() / lengths.sum()),
        all_correct=float(100 * (hits == lengths).mean()),
        power=float(100 * (p**lengths).mean()),
    )


def _slopes(values: NDArray[np.int64], sums: Floats) -> Floats:
    """Slopes `(r, 2)` in points a word, observed and of the power, from sums `(r, 3·u)` by u lengths of r samples."""
    sentences, all_correct, right = (sums[:, column::3] for column in range(3))
    total = sentences.sum(axis=1, keepdims=True)
    words = sentences @ values
    p = right.sum(axis=1) / words
    centred = values - (words / total[:, 0])[:, None]
    spread = (sentences * centred**2).sum(axis=1)
    with np.errstate(invalid="ignore"):
        observed = (centred * all_correct).sum(axis=1) / spread
        power = (centred * sentences * p[:, None] ** values).sum(axis=1) / spread
    return 100 * np.stack([observed, power], axis=1)
