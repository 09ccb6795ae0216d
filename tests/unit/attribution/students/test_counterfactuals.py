"""Algorithm 2 against the loop as it is printed, on students that are right, wrong or silent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from refusals import assert_refused

from trustnlp.attribution import word_replacements
from trustnlp.attribution.students.counterfactuals import TurningWords, find_turning_words, random_accuracy, summary
from trustnlp.attribution.students.masked_spans import MaskedSpan, each_word
from trustnlp.attribution.word_replacements import ExactReplacements, replaced_text

WEIGHTS = {
    "good": 2.0, "fine": 1.0, "bad": -2.0, "dull": -1.0, "film": 0.25, "plot": -0.25, "shines": 1.5, "drags": -1.5,
}  # fmt: skip
DICTIONARY = {
    "ADJ": ["good", "fine", "bad", "dull", "long"],
    "NOUN": ["film", "plot", "story"],
    "VERB": ["shines", "drags"],
}
TAGS = {word: tag for tag, words in DICTIONARY.items() for word in words}
TEXTS = [("good", "film"), ("dull", "plot", "drags"), ("bad", "story", "shines"), ("fine", "story"), ("good", "film")]
CONTEXTS = [span for words in TEXTS for span in each_word(words)]
CONTEXT_TAGS = [TAGS[span.token] for span in CONTEXTS]


def shares(texts: Sequence[str], slope: float = 1.0) -> NDArray[np.float64]:
    scores = slope * np.array([sum(WEIGHTS.get(word, 0.0) for word in text.split()) for text in texts]) - 0.1
    p = 1 / (1 + np.exp(-scores))
    return np.stack([1 - p, p], axis=1)


def predict(texts: Sequence[str]) -> NDArray[np.int64]:
    labels: NDArray[np.int64] = shares(texts).argmax(axis=1)
    return labels


class Noisy:
    """A student with the teacher's probabilities, of which some are exchanged; fixed for a context and a word."""

    def __init__(self, wrong: float, seed: int = 0) -> None:
        self.exact = ExactReplacements(shares, CONTEXTS)
        self.wrong, self.seed, self.calls = wrong, seed, 0

    def __call__(self, rows: NDArray[np.int64], words: Sequence[str], /) -> NDArray[np.float64]:
        self.calls += 1
        found = self.exact(rows, words)
        for i, row in enumerate(rows):
            for j, word in enumerate(words):
                key = [self.seed, int(row), *word.encode()]
                if np.random.default_rng(key).random() < self.wrong:
                    found[i, j] = found[i, j, ::-1]
        return found


def as_printed(student: Any, row: int, most: int | None) -> tuple[list[str], list[bool], int]:
    context, words = CONTEXTS[row], DICTIONARY[CONTEXT_TAGS[row]]
    prediction = predict([context.text])[0]
    y = student(np.array([row]), words)[0]
    by_doubt = sorted(range(len(words)), key=lambda j: (-(1 - y[j][prediction]), j))
    differing = [j for j in by_doubt if y[j].argmax() != prediction]
    chosen = [words[j] for j in differing[:most]]
    return chosen, [bool(predict([replaced_text(context, w)])[0] != prediction) for w in chosen], len(differing)


@pytest.mark.parametrize("wrong", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("most", [1, 2, None])
@pytest.mark.parametrize("at_once", [1, 1 << 22])
def test_what_is_found_is_what_the_loop_finds(
    wrong: float, most: int | None, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_replacements, "VALUES_AT_ONCE", at_once)
    student = Noisy(wrong)
    found = find_turning_words(predict, student, CONTEXTS, CONTEXT_TAGS, DICTIONARY, most=most)
    assert [each.context for each in found] == CONTEXTS
    for row, each in enumerate(found):
        words, turned, predicted = as_printed(student, row, most)
        assert (list(each.words), each.turned.tolist(), each.predicted) == (words, turned, predicted)
        assert each.label == predict([CONTEXTS[row].text])[0]
        y = student(np.array([row]), words)[0] if words else np.empty((0, 2))
        assert each.confidence == pytest.approx(1 - y[:, each.label]) and (np.diff(each.confidence) <= 1e-12).all()


def test_chance_is_the_share_of_words_that_turn() -> None:
    """All words of a tag when it has no more than are drawn; otherwise their mean over many draws is that share."""

    def share(context: MaskedSpan, tag: str) -> float:
        label = predict([context.text])[0]
        return float(np.mean([100 * (predict([replaced_text(context, w)])[0] != label) for w in DICTIONARY[tag]]))

    expected = [share(context, tag) for context, tag in zip(CONTEXTS, CONTEXT_TAGS, strict=True)]

    def chance(draws: int, seed: int) -> NDArray[np.float64]:
        rng = np.random.default_rng(seed)
        return random_accuracy(predict, CONTEXTS, CONTEXT_TAGS, DICTIONARY, draws=draws, rng=rng)

    assert chance(10, 0) == pytest.approx(expected)
    assert np.mean([chance(2, seed) for seed in range(300)], axis=0) == pytest.approx(expected, abs=8)
    assert (chance(2, 1) == chance(2, 1)).all() and (chance(2, 1) != chance(2, 2)).any()


def test_the_summary_counts_contexts_without_words_apart() -> None:
    def found(text: str, turned: list[bool]) -> TurningWords:
        words = tuple(f"w{n}" for n in range(len(turned)))
        return TurningWords(MaskedSpan(tuple(text.split()), 0, 1), 1, words, np.zeros(len(words)), np.array(turned), 9)

    some = [found("a b", [True, False]), found("a b", []), found("c", [True]), found("a b", [True] * 3), found("d", [])]
    total = summary(some)
    assert (total.contexts, total.with_words, total.texts) == (5, 3, 2)
    assert (total.median_size, total.median_accuracy) == (2, 100)
    assert total.mean_accuracy == pytest.approx(250 / 3)
    none = summary([found("a", [])])
    assert none.with_words == 0 and math.isnan(none.median_size) and math.isnan(none.mean_accuracy)


def test_bad_input_is_explained() -> None:
    def attempt(tags: Sequence[str], dictionary: dict[str, list[str]], most: int = 10) -> None:
        find_turning_words(predict, Noisy(0.0), CONTEXTS, tags, dictionary, most=most)
        random_accuracy(predict, CONTEXTS, tags, dictionary, draws=most, rng=np.random.default_rng(0))

    assert_refused(
        attempt,
        [
            (["NUM", *CONTEXT_TAGS[1:]], DICTIONARY, "no words for NUM, only for ADJ, NOUN, VERB; leave the contexts"),
            (CONTEXT_TAGS[1:], DICTIONARY, f"{len(CONTEXTS)} contexts need a tag each, got {len(CONTEXTS) - 1}"),
        ],
    )
