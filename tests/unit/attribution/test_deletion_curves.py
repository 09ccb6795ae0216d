"""Deletion, insertion, occlusion and infidelity against plain loops, and on a linear model where all is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from refusals import assert_refused
from scipy.stats import spearmanr

from trustnlp.attribution.deletion_curves import Faithfulness, measure_faithfulness

MASK = "[MASK]"
# Of positive: it is linear in the words, but for "not".
EFFECTS = {"good": 0.2, "fine": 0.1, "bad": -0.2, "dull": -0.1, "film": 0.02, "a": 0.0}
WORDS = tuple(EFFECTS)
Text = tuple[str, ...]


def shares(texts: Sequence[str]) -> NDArray[np.float64]:
    p = np.array([0.5 + sum(EFFECTS.get(word, 0) for word in text.split()) / 3 for text in texts])
    p = np.where(["not" in text.split() for text in texts], 1 - p, p)
    return np.stack([1 - p, p], axis=1)


class Counted:
    """Keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float64]:
        self.asked.append(list(texts))
        return shares(texts)


def random_texts(n: int, seed: int) -> tuple[list[Text], list[NDArray[np.float64]]]:
    rng = np.random.default_rng(seed)
    texts = [tuple(rng.choice([*WORDS, "not"], size=rng.integers(1, 7)).tolist()) for _ in range(n)]
    return texts, [rng.integers(-3, 4, size=len(text)) / 10 for text in texts]


def measured(texts: list[Text], scores: Any, **settings: Any) -> list[Faithfulness]:
    settings = {"mask": MASK, "sets": 20, "rng": np.random.default_rng(0), **settings}
    return measure_faithfulness(shares, texts, {"own": scores}, **settings)["own"]


def probability(words: Sequence[str], masked: Sequence[int], label: int) -> float:
    return float(shares([" ".join(MASK if n in masked else word for n, word in enumerate(words))])[0, label])


def test_the_curves_are_those_of_the_loop() -> None:
    texts, scores = random_texts(40, 1)
    for words, given, found in zip(texts, scores, measured(texts, scores), strict=True):
        n, label = len(words), int(shares([" ".join(words)])[0].argmax())
        order = sorted(range(n), key=lambda place: (-given[place], place))
        assert found.deletion == pytest.approx([probability(words, order[:k], label) for k in range(n + 1)])
        assert found.insertion == pytest.approx([probability(words, order[k:], label) for k in range(n + 1)])
        assert found.deletion_area == pytest.approx(np.trapezoid(found.deletion, dx=1 / n))
        assert found.insertion_area == pytest.approx(np.trapezoid(found.insertion, dx=1 / n))


def test_the_correlation_is_spearmans_with_masking_each_word() -> None:
    texts, scores = random_texts(40, 2)
    checked = 0
    for words, given, found in zip(texts, scores, measured(texts, scores), strict=True):
        label = int(shares([" ".join(words)])[0].argmax())
        whole = probability(words, [], label)
        falls = [whole - probability(words, [place], label) for place in range(len(words))]
        if len(set(given)) == 1 or len(set(falls)) == 1:
            assert math.isnan(found.occlusion_correlation)
        elif len(set(np.round(falls, 9))) == len(set(falls)):  # ties in the last digit are another ranking
            assert found.occlusion_correlation == pytest.approx(spearmanr(given, falls).statistic)
            checked += 1
    assert checked > 10


def test_scores_that_add_up_have_no_infidelity_and_the_best_curves() -> None:
    words = ("a", "good", "dull", "film", "fine")
    true = np.array([EFFECTS[word] / 3 for word in words])
    [exact] = measured([words], [true])
    assert exact.infidelity == pytest.approx(0, abs=1e-20) and exact.scaled_infidelity == pytest.approx(0, abs=1e-20)
    assert exact.occlusion_correlation == pytest.approx(1)
    [scaled] = measured([words], [10 * true])
    assert scaled.infidelity > 0.01 and scaled.scaled_infidelity == pytest.approx(0, abs=1e-20)
    [other] = measured([words], [true], labels=np.array([0]))
    assert other.occlusion_correlation == pytest.approx(-1), "scores of another label are measured on it"
    [reverse] = measured([words], [-true])
    assert reverse.occlusion_correlation == pytest.approx(-1) and reverse.deletion_area > exact.deletion_area


def test_infidelity_is_the_mean_over_sets_of_uniform_size() -> None:
    words, given = ("not", "good", "film"), np.array([0.3, -0.2, 0.1])
    whole, expected = probability(words, [], 1), 0.0
    for size in (1, 2, 3):
        sets = list(combinations(range(3), size))
        for chosen in sets:
            fall = whole - probability(words, chosen, 1)
            expected += (given[list(chosen)].sum() - fall) ** 2 / (3 * len(sets))
    [found] = measured([words], [given], sets=40_000, labels=np.array([1]))
    assert found.infidelity == pytest.approx(expected, rel=0.02)


def test_the_best_factor_is_no_worse_than_any_other() -> None:
    texts, scores = random_texts(10, 4)
    best = [each.scaled_infidelity for each in measured(texts, scores)]
    for factor in (0.0, 0.1, 0.5, 1.0, -1.0):
        other = [each.infidelity for each in measured(texts, [factor * given for given in scores])]
        assert all(a <= b + 1e-12 for a, b in zip(best, other, strict=True))


def test_one_call_with_each_text_once_and_kinds_on_the_same_sets() -> None:
    model = Counted()
    texts, scores = random_texts(6, 5)
    kinds = {"one": scores, "again": scores, "other": [given[::-1].copy() for given in scores]}
    found = measure_faithfulness(model, texts, kinds, mask=MASK, sets=30, rng=np.random.default_rng(0))
    assert len(model.asked) == 1 and len(set(model.asked[0])) == len(model.asked[0])
    assert [each.infidelity for each in found["one"]] == [each.infidelity for each in found["again"]]
    alone = measured(texts, kinds["other"], sets=30)
    assert [each.infidelity for each in found["other"]] == [each.infidelity for each in alone]
    [two] = measured([("good", "film")], [np.array([1.0, 0.0])])
    assert two.texts == 4


def test_seeds_decide_the_sets_and_nothing_else() -> None:
    texts, scores = random_texts(5, 6)
    first, again, other = (measured(texts, scores, rng=np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert [each.infidelity for each in first] == [each.infidelity for each in again]
    assert [each.infidelity for each in first] != [each.infidelity for each in other]
    assert [each.deletion_area for each in first] == [each.deletion_area for each in other]


def test_bad_input_is_explained() -> None:
    text, given = ("a", "film"), np.array([0.0, 1.0])

    def attempt(model: Any, texts: Any, scores: Any, sets: int = 5, labels: Any = None) -> None:
        measure_faithfulness(model, texts, scores, mask=MASK, sets=sets, rng=np.random.default_rng(0), labels=labels)

    assert_refused(
        attempt,
        [
            (shares, [text], {}, "expected scores of at least one kind"),
            (shares, [text], {"own": [given]}, 0, "at least one set"),
            (shares, [text], {"own": [given]}, 5, np.array([-1]), r"labels from 0 up, got \[-1\]"),
            (lambda texts: np.zeros(len(texts)), [text], {"own": [given]}, "probabilities returned the shape"),
        ],
    )
