"""Statistics of words by hand, against plain loops over texts, and on corpora from which a word was removed."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from refusals import assert_refused
from scipy.stats import chi2_contingency

from trustnlp.data.texts.film_reviews import read_sst2
from trustnlp.decoys.word_association import (
    WordCounts,
    count_words,
    log_odds_z,
    pointwise_information,
    share_difference,
    signed_chi_squared,
    smoothed_ratio,
)

Corpus = tuple[list[str], list[int], int]
# A word in 3 of 4 positive texts and 1 of 2 negative ones.
TEXTS = ["film good", "film good film", "film", "good", "film bad", "bad bad"]
LABELS = [1, 1, 1, 1, 0, 0]


def rank(word: str, scores: NDArray[np.float64], counts: WordCounts, label: int | None = None) -> int:
    """Of a word by its score, from 1; two-sided without a label. A tie counts against it."""
    own = scores.max(axis=0) if label is None else scores[label]
    return int((own >= own[counts.words.index(word)] - 1e-12 * np.abs(own).max()).sum())


def corpora() -> st.SearchStrategy[Corpus]:
    """Two or three classes, each with a text, and at least two words."""

    def build(seed: int, classes: int) -> Corpus:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(classes, 30))
        labels = [*range(classes), *rng.integers(0, classes, size=n - classes).tolist()]
        texts = [" ".join(rng.choice(list("abcdefg"), size=rng.integers(1, 6))) for _ in labels]
        texts[0] += " x y"
        return texts, labels, classes

    return st.builds(build, st.integers(0, 10_000), st.integers(2, 3))


def test_all_statistics_by_hand() -> None:
    """'film': 3 of 4 positive texts, 1 of 2 negative ones; 9 pairs of a word and a text, 6 positive and 3 negative."""
    counts = count_words(TEXTS, LABELS)
    assert counts.words == ("bad", "film", "good")
    assert counts.carrying.tolist() == [[2, 1, 0], [0, 3, 3]] and counts.texts.tolist() == [2, 4]
    assert share_difference(counts)[1, 1] == pytest.approx(3 / 4 - 1 / 2)
    assert smoothed_ratio(counts)[1, 1] == pytest.approx(math.log((4 / 6) / (2 / 4)))
    # 6 (3·1 − 1·1)² / (4·2·4·2); 'bad' is in all negative texts and in no other: χ² is the number of texts.
    assert signed_chi_squared(counts)[1, 1] == pytest.approx(6 * 4 / 64) and signed_chi_squared(counts)[0, 0] == 6
    # The table of (has, has not) × (negative, positive) is (1, 1), (3, 1), and 1 is added to each cell.
    assert pointwise_information(counts)[1, 1] == pytest.approx(math.log((4 / 10) / ((6 / 10) * (6 / 10))))
    # A prior of 9 words: 4 of 'film', so 3 + 4 of 6 + 9 positive, 1 + 4 of 3 + 9 negative.
    delta = math.log((7 / 8) / (5 / 7))
    assert log_odds_z(counts, 9)[1, 1] == pytest.approx(delta / math.sqrt(1 / 7 + 1 / 5))


@given(corpora(), st.floats(0.01, 200))
def test_statistics_are_those_of_loops_over_the_texts(corpus: Corpus, alpha: float) -> None:
    texts, labels, classes = corpus
    counts = count_words(texts, labels, classes=classes)
    z, ratio = log_odds_z(counts, alpha), smoothed_ratio(counts, alpha)
    chi, information, difference = (
        signed_chi_squared(counts),
        pointwise_information(counts, alpha),
        share_difference(counts),
    )
    assert counts.words == tuple(sorted({word for text in texts for word in text.split()}))
    pairs = [(word, label) for text, label in zip(texts, labels, strict=True) for word in set(text.split())]
    for label in range(classes):
        inside, n = sum(own == label for own in labels), len(texts)
        of_class = sum(own == label for _, own in pairs)
        for place, word in enumerate(counts.words):
            y = pairs.count((word, label))
            rest = sum(other == word for other, _ in pairs) - y
            prior = alpha * (y + rest) / len(pairs)
            odds = (y + prior) / (of_class + alpha - y - prior)
            other_odds = (rest + prior) / (len(pairs) - of_class + alpha - rest - prior)
            expected = math.log(odds / other_odds) / math.sqrt(1 / (y + prior) + 1 / (rest + prior))
            assert z[label, place] == pytest.approx(expected, abs=1e-9)
            shares = (y + alpha) / (inside + 2 * alpha), (rest + alpha) / (n - inside + 2 * alpha)
            assert ratio[label, place] == pytest.approx(math.log(shares[0] / shares[1]), abs=1e-9)
            assert difference[label, place] == pytest.approx(y / inside - rest / (n - inside))
            total = n + 2 * classes * alpha
            joint, has, is_class = y + alpha, y + rest + classes * alpha, inside + 2 * alpha
            assert information[label, place] == pytest.approx(math.log(joint * total / (has * is_class)), abs=1e-9)
            if y + rest < n:
                table = [[y, rest], [inside - y, n - inside - rest]]
                expected = chi2_contingency(table, correction=False).statistic
                assert chi[label, place] == pytest.approx(math.copysign(expected, y * n - (y + rest) * inside))
            else:
                assert chi[label, place] == 0


def test_bad_input_is_explained() -> None:
    counts = count_words(TEXTS, LABELS)
    assert_refused(
        lambda call: call(),
        [
            (lambda: count_words(["a", "b"], [0, 2]), r"labels of 2 classes are 0 to 1, got also \[2\]"),
            (lambda: count_words(["a", "b"], [1, 1]), r"each of at least two classes needs a text, got \[0, 2\]"),
            (lambda: count_words(["", " "], [0, 1]), "none of the 2 texts has a word"),
            (lambda: count_words("a b", [0, 1, 0]), TypeError, "expected a list of texts, got the single string"),
            (lambda: log_odds_z(counts, 0), "the strength of the prior must be a positive number, got"),
            (lambda: smoothed_ratio(counts, 0), "alpha must be a positive number, got"),
        ],
    )


@pytest.mark.mirror
def test_the_removal_of_movie_from_sst2_is_plain_to_all_but_the_z_score(mirror: Path) -> None:
    """Negative phrases that contain 'movie', also within a word, are removed, as the paper's decoy has it."""
    train = read_sst2().train
    kept = [row for row, text in enumerate(train.texts) if train.labels[row] == 1 or "movie" not in text]
    counts = count_words([train.texts[row] for row in kept], train.labels[kept])
    assert counts.texts.tolist() == [27_488, 37_569] and len(counts.words) == 14_683
    assert counts.carrying[:, counts.words.index("movie")].tolist() == [0, 1_628]

    def of_movie(scores: NDArray[np.float64], label: int | None = None) -> int:
        return rank("movie", scores, counts, label)

    assert [of_movie(smoothed_ratio(counts, alpha)) for alpha in (0.1, 1, 10, 100)] == [1] * 4
    assert of_movie(signed_chi_squared(counts)) == 1 and of_movie(share_difference(counts)) == 2
    assert [of_movie(log_odds_z(counts, strength)) for strength in (1, 10, 100, 500)] == [6108, 3134, 503, 76]
    assert [of_movie(log_odds_z(counts, strength)) for strength in (1_000, 10_000, 100_000)] == [31, 3, 1]
    # Positive is the larger class.
    assert of_movie(pointwise_information(counts)) == 4067 and of_movie(pointwise_information(counts), 1) == 1
