"""Words that would turn the prediction: those a student names for a marked word, and how many the model confirms.

Kumar, Dixit and Shah (2021), §3.2.2, §4.4 and Algorithm 2. For each context the student says what the label would be
with every word of a dictionary of the same part of speech in the marked place. Of the words that it says would change
the label, those it is surest of are tried on the model. A context for which it names none has no accuracy; such
contexts are counted apart, as in the paper.

Deviations: Algorithm 2 writes C(A_M(…)), the influence without the representation that it is to be added to, and
divides by a `count` that is never set. Here the student predicts as in equation (2), and the accuracy is that of the
words that were tried. What chance gives, words of the same tag at random, the paper does not say: `random_accuracy`.

The word that stands in the text stays in the dictionary, as in Algorithm 2: a student that names it is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from trustnlp.attribution.model_calls import Floats, Labels, Predict, predicted_labels
from trustnlp.attribution.students.masked_spans import MaskedSpan
from trustnlp.attribution.word_replacements import (
    ReplacementModel,
    check_vocabulary,
    portions,
    replaced_text,
    replacement_probabilities,
)


@dataclass(frozen=True, eq=False)
class TurningWords:
    """The words that a student named for one context, and the model's answers.

    Attributes
    ----------
    context
        The text and its marked word.
    label
        The model's label of the text as it stands.
    words
        Those that were tried, the student's surest first.
    confidence
        `(k,)` the student's probability of any other label than `label` with each.
    turned
        `(k,)` whether the model's label did change.
    predicted
        How many words of the dictionary the student said would change the label; at least k.
    """

    context: MaskedSpan
    label: int
    words: tuple[str, ...]
    confidence: Floats
    turned: NDArray[np.bool_]
    predicted: int

    @property
    def accuracy(self) -> float:
        """Share of the words tried, in per cent, that changed the model's label; NaN where none was tried."""
        return float(100 * self.turned.mean()) if len(self.words) else float("nan")


@dataclass(frozen=True)
class TurningSummary:
    """Figure 3 and E.2: all contexts together; accuracies in per cent.

    Attributes
    ----------
    contexts, with_words, texts
        All contexts, those for which the student named a word, and the different texts these stand in.
    median_size, median_accuracy, mean_accuracy
        Over the contexts with words, of the words that were tried; NaN where there is none.
    """

    contexts: int
    with_words: int
    texts: int
    median_size: float
    median_accuracy: float
    mean_accuracy: float


def find_turning_words(
    predict: Predict,
    student: ReplacementModel,
    contexts: Sequence[MaskedSpan],
    tags: Sequence[str],
    dictionary: Mapping[str, Sequence[str]],
    *,
    most: int | None = 10,
) -> list[TurningWords]:
    """Algorithm 2 for every context. The model is called once for the texts, and once for all words that are tried.

    Parameters
    ----------
    predict
        The model: a list of texts to labels `(n,)`.
    student
        Row i of it is `contexts[i]`.
    contexts, tags
        Marked words and the part of speech of each.
    dictionary
        Words by part of speech.
    most
        How many of the words that the student names are tried in a context; None for all (E.2, "no selection").

    Raises
    ------
    ValueError
        If given an empty dictionary, or a tag without words in it; not one tag for each context; `most` below 1; or a
        model that returns another shape.
    """
    _check(contexts, tags, dictionary, most)
    labels = predicted_labels(predict, [context.text for context in contexts])
    named: dict[int, tuple[tuple[str, ...], Floats, int]] = {}
    for tag in sorted(set(tags)):
        words = dictionary[tag]
        rows = np.array([row for row, other in enumerate(tags) if other == tag], dtype=np.int64)
        parts = list(portions(len(rows), len(words)))
        for places in tqdm(parts, desc=f"counterfactuals, {tag}", disable=None, delay=3, leave=False):
            some = rows[places]
            probabilities = replacement_probabilities(student, some, words)
            named |= zip(some.tolist(), _named(probabilities, labels[some], words, most), strict=True)
    tried = [replaced_text(contexts[row], word) for row in range(len(contexts)) for word in named[row][0]]
    answers = predicted_labels(predict, tried)
    result, start = [], 0
    for row, context in enumerate(contexts):
        chosen, confidence, predicted = named[row]
        turned = answers[start : start + len(chosen)] != labels[row]
        start += len(chosen)
        result.append(TurningWords(context, int(labels[row]), chosen, confidence, turned, predicted))
    return result


def random_accuracy(
    predict: Predict,
    contexts: Sequence[MaskedSpan],
    tags: Sequence[str],
    dictionary: Mapping[str, Sequence[str]],
    *,
    draws: int = 10,
    rng: np.random.Generator,
) -> Floats:
    """The share by chance: in each context, how many of `draws` random words of its tag turn the model; `(n,)` in %.

    The words are drawn without replacement, all of them where the tag has no more. Other parameters and errors as for
    `find_turning_words`.
    """
    _check(contexts, tags, dictionary, draws)
    labels = predicted_labels(predict, [context.text for context in contexts])
    drawn = [_drawn(dictionary[tag], draws, rng) for tag in tags]
    texts = [replaced_text(context, word) for context, words in zip(contexts, drawn, strict=True) for word in words]
    sizes = np.array([len(words) for words in drawn], dtype=np.int64)
    turned = predicted_labels(predict, texts) != np.repeat(labels, sizes)
    owners = np.repeat(np.arange(len(contexts)), sizes)
    shares: Floats = 100 * np.bincount(owners, weights=turned, minlength=len(contexts)) / sizes
    return shares


def summary(found: Sequence[TurningWords]) -> TurningSummary:
    """Figure 3 and E.2 of what `find_turning_words` found; see `TurningSummary`."""
    some = [context for context in found if context.words]
    accuracies = [context.accuracy for context in some]
    return TurningSummary(
        contexts=len(found),
        with_words=len(some),
        texts=len({context.context.text for context in some}),
        median_size=float(np.median([len(context.words) for context in some])) if some else float("nan"),
        median_accuracy=float(np.median(accuracies)) if some else float("nan"),
        mean_accuracy=float(np.mean(accuracies)) if some else float("nan"),
    )


def _named(
    probabilities: Floats, labels: Labels, words: Sequence[str], most: int | None
) -> list[tuple[tuple[str, ...], Floats, int]]:
    """For each of r contexts the words `(r, v, c)` that change the label, surest first, up to `most`, and how many."""
    others = 1 - np.take_along_axis(probabilities, labels[:, None, None], axis=2)[:, :, 0]
    changes = probabilities.argmax(axis=2) != labels[:, None]
    named = []
    for other, change in zip(others, changes, strict=True):
        candidates = np.flatnonzero(change)
        chosen = candidates[np.argsort(-other[candidates], kind="stable")][:most]
        named.append((tuple(words[place] for place in chosen), other[chosen], len(candidates)))
    return named


def _drawn(words: Sequence[str], draws: int, rng: np.random.Generator) -> list[str]:
    return [words[place] for place in rng.choice(len(words), size=min(draws, len(words)), replace=False)]


def _check(
    contexts: Sequence[MaskedSpan], tags: Sequence[str], dictionary: Mapping[str, Sequence[str]], most: int | None
) -> None:
    if len(tags) != len(contexts):
        raise ValueError(f"{len(contexts)} contexts need a tag each, got {len(tags)}")
    if most is not None and most < 1:
        raise ValueError(f"at least one word of a context is tried, got {most}")
    if not dictionary:
        raise ValueError("the dictionary is empty; expected words by part of speech")
    missing = sorted(set(tags) - set(dictionary))
    if missing:
        raise ValueError(
            f"the dictionary has no words for {', '.join(missing)}, only for {', '.join(sorted(dictionary))}; leave "
            "the contexts of such tags out"
        )
    for tag in sorted(set(tags)):
        check_vocabulary(dictionary[tag], f"the dictionary's list for {tag}")
